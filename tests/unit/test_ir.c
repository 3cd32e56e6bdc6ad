/* test_ir.c - the IR in memory: interning, rounding, maps, use lists, structures, cloning. */
#include "ir/build.h"

#include <criterion/criterion.h>
#include <math.h>

static ir_module *module;

static void set_up(void) { module = ir_module_create(NULL, NULL); }
static void tear_down(void) { ir_module_destroy(module); }

TestSuite(ir, .init = set_up, .fini = tear_down);

static ir_builder at_end(void) { return ir_builder_at_end(ir_region(module->root, 0)); }

static ir_value *empty(ir_builder *builder, unsigned rank, const int64_t *shape) {
  ir_index extents[IR_MAX_RANK];
  for (unsigned i = 0; i < rank; i++)
    extents[i] = ir_index_const(shape[i]);
  return ir_empty(builder, IR_F32, rank, extents);
}

Test(ir, equal_types_and_attributes_are_one_pointer) {
  const int64_t shape[] = {4, IR_DYNAMIC};
  cr_assert_eq(ir_type_tensor(module, IR_F32, 2, shape), ir_type_tensor(module, IR_F32, 2, shape));
  cr_assert_neq(ir_type_tensor(module, IR_F32, 2, shape), ir_type_vector(module, IR_F32, 2, shape));
  const ir_type *f32 = ir_type_scalar(module, IR_F32);
  cr_assert_eq(ir_attr_float(module, f32, NAN), ir_attr_float(module, f32, NAN));
  cr_assert_neq(ir_attr_float(module, f32, 0.0), ir_attr_float(module, f32, -0.0));
  const int64_t square[] = {4, 8}, strides[] = {8, 1}, wide[] = {16, 1};
  cr_assert_eq(ir_type_memref(module, IR_F32, 2, square, strides, 0, IR_SPACE_GLOBAL),
               ir_type_memref(module, IR_F32, 2, square, NULL, 0, IR_SPACE_GLOBAL));
  cr_assert_neq(ir_type_memref(module, IR_F32, 2, square, wide, 0, IR_SPACE_GLOBAL),
                ir_type_memref(module, IR_F32, 2, square, NULL, 0, IR_SPACE_GLOBAL));
}

Test(ir, floats_round_to_nearest_even_and_their_bits_come_back) {
  cr_assert_eq(ir_scalar_round(IR_F16, 2049), 2048);
  cr_assert_eq(ir_scalar_round(IR_F16, 2051), 2052);
  cr_assert_eq(ir_scalar_round(IR_F16, 65519), 65504);
  cr_assert(isinf(ir_scalar_round(IR_F16, 65520)));
  cr_assert_eq(ir_scalar_round(IR_F16, ldexp(1.4, -24)), ldexp(1, -24));
  cr_assert_eq(ir_scalar_round(IR_F16, ldexp(1, -26)), 0);
  cr_assert_eq(ir_scalar_round(IR_BF16, 1 + ldexp(1, -8)), 1);
  cr_assert_eq(ir_float_from_bits(IR_F32, 0xFF800000), -INFINITY);
  cr_assert_eq(ir_float_to_bits(IR_F32, 1.0), 0x3F800000);
  for (unsigned bits = 0; bits < 65536; bits++) {
    cr_assert_eq(ir_float_to_bits(IR_F16, ir_float_from_bits(IR_F16, bits)),
                 (bits & 0x7C00) == 0x7C00 && bits & 0x3FF ? (bits | 0x200) : bits);
    cr_assert_eq(ir_float_to_bits(IR_BF16, ir_float_from_bits(IR_BF16, bits)),
                 (bits & 0x7F80) == 0x7F80 && bits & 0x7F ? (bits | 0x40) : bits);
  }
}

Test(ir, affine_expressions_simplify_and_evaluate) {
  const ir_expr *d0 = ir_expr_dim(module, 0), *d1 = ir_expr_dim(module, 1), *four = ir_expr_const(module, 4);
  const ir_expr *sum = ir_expr_binary(module, IR_EXPR_ADD, ir_expr_binary(module, IR_EXPR_ADD, four, d0), four);
  cr_assert_eq(sum, ir_expr_binary(module, IR_EXPR_ADD, d0, ir_expr_const(module, 8)));
  const ir_expr *product = ir_expr_binary(module, IR_EXPR_MUL, d0, four);
  cr_assert_eq(ir_expr_binary(module, IR_EXPR_FLOORDIV, product, four), d0);
  cr_assert_eq(ir_expr_binary(module, IR_EXPR_MOD, product, four), ir_expr_const(module, 0));
  const int64_t at[] = {-3, 5};
  cr_assert_eq(ir_expr_eval(ir_expr_binary(module, IR_EXPR_MOD, d0, four), 2, at), 1);
  cr_assert_eq(ir_expr_eval(ir_expr_binary(module, IR_EXPR_FLOORDIV, d0, four), 2, at), -1);
  cr_assert_eq(ir_expr_eval(ir_expr_binary(module, IR_EXPR_CEILDIV, d1, four), 2, at), 2);
}

/* What an expression is when it is simplified by nobody, at some points. */
enum { NUM_POINTS = 7, NUM_DIMS = 3 };
static const int64_t points[NUM_POINTS][NUM_DIMS] = {{0, 0, 0},    {1, 2, 3},    {-1, 5, 17},  {-64, 31, -7},
                                                     {100, -3, 8}, {12, -96, 4}, {-5, -11, 63}};

static int64_t plain(ir_expr_kind kind, int64_t a, int64_t b) {
  int64_t rest = b > 0 ? (a % b + b) % b : 0;
  switch (kind) {
  case IR_EXPR_ADD:
    return a + b;
  case IR_EXPR_MUL:
    return a * b;
  case IR_EXPR_FLOORDIV:
    return (a - rest) / b;
  case IR_EXPR_CEILDIV:
    return (a - rest) / b + (rest > 0);
  default:
    return rest;
  }
}

static const ir_expr *random_expr(uint64_t *seed, unsigned depth, int64_t *values) {
  static const ir_expr_kind kinds[] = {IR_EXPR_ADD, IR_EXPR_MUL, IR_EXPR_FLOORDIV, IR_EXPR_CEILDIV, IR_EXPR_MOD};
  static const int64_t numbers[] = {1, 2, 3, 4, 6, 8, 12, 16};
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  unsigned choice = (unsigned)(*seed >> 33);
  if (!depth || choice % 8 == 0) {
    for (unsigned i = 0; i < NUM_POINTS; i++)
      values[i] = points[i][choice / 8 % NUM_DIMS];
    return ir_expr_dim(module, choice / 8 % NUM_DIMS);
  }
  ir_expr_kind kind = kinds[choice / 8 % 5];
  int64_t number = numbers[choice / 64 % 8], others[NUM_POINTS];
  const ir_expr *lhs = random_expr(seed, depth - 1, values), *rhs = ir_expr_const(module, number);
  bool has_two = kind == IR_EXPR_ADD && choice / 512 % 2;
  if (has_two)
    rhs = random_expr(seed, depth - 1, others);
  for (unsigned i = 0; i < NUM_POINTS; i++)
    values[i] = plain(kind, values[i], has_two ? others[i] : number);
  return ir_expr_binary(module, kind, lhs, rhs);
}

Test(ir, simplified_expressions_keep_their_values) {
  uint64_t seed = 1;
  for (unsigned round = 0; round < 20000; round++) {
    int64_t values[NUM_POINTS];
    const ir_expr *expr = random_expr(&seed, 1 + round % 6, values);
    for (unsigned i = 0; i < NUM_POINTS; i++)
      cr_assert_eq(ir_expr_eval(expr, NUM_DIMS, points[i]), values[i]);
  }
}

Test(ir, quotients_of_multiples_are_exact) {
  const ir_expr *d0 = ir_expr_dim(module, 0), *one = ir_expr_const(module, 1), *four = ir_expr_const(module, 4);
  const ir_expr *lines = ir_expr_binary(module, IR_EXPR_MUL, d0, ir_expr_const(module, 12));
  const ir_expr *turned = ir_expr_binary(module, IR_EXPR_MOD, lines, ir_expr_const(module, 512));
  const ir_expr *next = ir_expr_binary(module, IR_EXPR_ADD, turned, one);
  cr_assert_eq(ir_expr_binary(module, IR_EXPR_MOD, next, four), one);
  cr_assert_eq(ir_expr_binary(module, IR_EXPR_FLOORDIV, next, four),
               ir_expr_binary(module, IR_EXPR_FLOORDIV, turned, four));
  const ir_expr *sum = ir_expr_binary(module, IR_EXPR_ADD, lines, ir_expr_const(module, 7));
  cr_assert_eq(ir_expr_binary(module, IR_EXPR_CEILDIV, sum, four),
               ir_expr_binary(module, IR_EXPR_ADD, ir_expr_binary(module, IR_EXPR_MUL, d0, ir_expr_const(module, 3)),
                              ir_expr_const(module, 2)));
}

Test(ir, uses_follow_replacement_insertion_and_removal) {
  ir_builder builder = at_end();
  ir_value *a = ir_const(&builder, ir_type_scalar(module, IR_F32), 1);
  ir_value *b = ir_const(&builder, ir_type_scalar(module, IR_F32), 2);
  ir_value *sum = ir_binary(&builder, OP_ARITH_ADDF, a, a);
  ir_op *yield = ir_terminator(&builder, OP_LINALG_YIELD, 1, &sum);
  ir_replace_uses(a, b);
  cr_assert(ir_value_unused(a));
  cr_assert_eq(ir_operand(sum->op, 1), b);
  ir_insert_operand(yield, 0, a);
  cr_assert_eq(ir_operand(yield, 0), a);
  cr_assert_eq(ir_operand(yield, 1), sum);
  ir_remove_operand(yield, 1);
  cr_assert(ir_value_unused(sum));
  ir_op_erase(sum->op);
  cr_assert(ir_value_unused(b));
  cr_assert(ir_op_is_before(b->op, yield));
}

/* Ops that come between others, at one place again and again, or a few at a time, find their order. */
Test(ir, order_follows_the_block) {
  ir_builder builder = at_end();
  const ir_type *type = ir_type_scalar(module, IR_F32);
  ir_op *first = ir_const(&builder, type, 0)->op, *last = ir_const(&builder, type, 1)->op;
  for (unsigned i = 0; i < 100; i++) {
    builder = i % 3 ? ir_builder_before(last) : ir_builder_after(first);
    for (unsigned k = 0; k < i % 5; k++)
      ir_const(&builder, type, i);
    ir_op *fresh = ir_const(&builder, type, i)->op;
    if (i % 7 == 0)
      ir_op_move_before(last->prev, first->next);
    cr_assert(ir_op_is_before(first, fresh));
    cr_assert(ir_op_is_before(fresh, last));
  }
  for (ir_op *op = first; op != last; op = op->next) {
    cr_assert(ir_op_is_before(op, op->next));
    cr_assert_not(ir_op_is_before(op->next, op));
  }
}

Test(ir, named_ops_have_loops_and_a_body) {
  ir_builder builder = at_end();
  const int64_t shape_a[] = {2, 4, 8}, shape_b[] = {2, 16, 8}, shape_c[] = {2, 4, 16};
  ir_value *ins[] = {empty(&builder, 3, shape_a), empty(&builder, 3, shape_b)}, *out = empty(&builder, 3, shape_c);
  ir_named_attr layout = {"layout", ir_attr_string(module, "nt", 2)};
  ir_op *product = ir_structured(&builder, OP_LINALG_EXT_BATCH_MATMUL, 2, ins, 1, &out, 1, &layout);
  const ir_structure *structure = ir_structure_of(product);
  cr_assert_eq(structure->num_loops, 4);
  cr_assert_eq(structure->reductions, 8);
  const unsigned rhs[] = {0, 2, 3};
  cr_assert_eq(structure->maps[1], ir_map_select(module, 4, 3, rhs));
  cr_assert(ir_is_contraction(product));
  cr_assert(ir_body_reads_init(product, 0));
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(product, extents);
  cr_assert_eq(extents[2], 16);
  ir_value *zero = ir_const(&builder, ir_type_scalar(module, IR_F32), 0), *filled = ir_fill(&builder, zero, out);
  cr_assert(!ir_is_contraction(filled->op));
  cr_assert(!ir_body_reads_init(filled->op, 0));
  ir_cell cell;
  cr_assert(ir_value_splat(filled, &cell) && cell.f == 0);
}

Test(ir, clones_are_deep_and_mapped) {
  ir_builder builder = at_end();
  const int64_t shape[] = {4};
  ir_value *init = empty(&builder, 1, shape);
  ir_op *loop = ir_for(&builder, ir_index_const(0), ir_index_const(4), ir_index_const(1), 1, &init);
  ir_builder inside = ir_builder_at_end(ir_region(loop, 0));
  ir_terminator(&inside, OP_SCF_YIELD, 1, &ir_region(loop, 0)->args[1]);
  ir_op *clone = ir_op_clone(&builder, loop, NULL);
  cr_assert_eq(ir_operand(ir_region(clone, 0)->last, 0), ir_region(clone, 0)->args[1]);
  cr_assert_eq(clone->groups[3], 1);
  cr_assert(ir_op_is_inside(ir_region(clone, 0)->last, ir_region(module->root, 0)));
  cr_assert(ir_value_is_outside(init, ir_region(clone, 0)));
}

Test(ir, indices_fold_and_compose) {
  ir_builder builder = at_end();
  const int64_t shape[] = {IR_DYNAMIC};
  const ir_type *type = ir_type_tensor(module, IR_F32, 1, shape);
  ir_value *source = ir_block_add_arg(ir_region(module->root, 0), type);
  ir_index n = ir_dim(&builder, source, 0);
  ir_index x = ir_index_add(&builder, ir_index_mul(&builder, n, ir_index_const(4)), ir_index_const(3));
  cr_assert_eq(x.value->op->code, OP_AFFINE_APPLY);
  ir_index zero = ir_index_sub(&builder, x, x);
  cr_assert(ir_index_is_const(zero, 0));
  ir_index y = ir_index_sub(&builder, x, ir_index_const(3));
  cr_assert_eq(ir_attr_get(y.value->op, "map")->map->results[0]->kind, IR_EXPR_MUL);
  cr_assert(ir_index_is_const(ir_index_ceildiv(&builder, ir_index_const(9), 4), 3));
}

static ir_op *add_function(ir_builder *builder, const char *name) {
  ir_module *module = builder->module;
  ir_named_attr attrs[] = {{"sym_name", ir_attr_string(module, name, strlen(name))},
                           {"function_type", ir_attr_type(module, ir_type_function(module, 0, NULL, 0, NULL))}};
  return ir_op_create(builder, OP_FUNC_FUNC, &(ir_op_spec){.attrs = attrs, .num_attrs = 2});
}

/* Look-ups between the changes: the table is there and has to follow. */
Test(ir, symbols_follow_changes) {
  ir_module *module = ir_module_create(NULL, NULL);
  ir_builder builder = ir_builder_at_end(ir_region(module->root, 0));
  cr_assert_null(ir_module_lookup(module, "a"));
  ir_op *a = add_function(&builder, "a");
  cr_assert_eq(ir_module_lookup(module, "a"), a);
  ir_attr_set(a, "sym_name", ir_attr_string(module, "b", 1));
  cr_assert_null(ir_module_lookup(module, "a"));
  cr_assert_eq(ir_module_lookup(module, "b"), a);
  builder.before = a;
  ir_op *first = add_function(&builder, "b");
  cr_assert_eq(ir_module_lookup(module, "b"), first, "the first of two");
  ir_op_erase(first);
  cr_assert_eq(ir_module_lookup(module, "b"), a, "the one that is left");
  ir_op_erase(a);
  cr_assert_null(ir_module_lookup(module, "b"));
  ir_module_destroy(module);
}
