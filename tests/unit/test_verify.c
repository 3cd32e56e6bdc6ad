/* test_verify.c - the verifier finds what is wrong, once, and accepts what is right. Built by hand: text comes
 * later. */
#include "ir/build.h"
#include "ir/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static ir_module *module;
static char last[1024];
static unsigned count;

static void remember(void *user, ir_severity severity, const char *rendered) {
  if (severity != IR_ERROR)
    return;
  count++;
  snprintf(last, sizeof last, "%s", rendered);
}

static ir_op *function;

/* A function of one argument and no results, still without its terminator. */
static ir_builder begin(const ir_type *argument) {
  ir_builder top = ir_builder_at_end(ir_region(module->root, 0));
  ir_named_attr attrs[] = {{"sym_name", ir_attr_string(module, "f", 1)},
                           {"function_type", ir_attr_type(module, ir_type_function(module, 1, &argument, 0, NULL))}};
  function = ir_op_create(&top, OP_FUNC_FUNC, &(ir_op_spec){.attrs = attrs, .num_attrs = 2});
  ir_block_add_arg(ir_region(function, 0), argument);
  return ir_builder_at_end(ir_region(function, 0));
}

static bool verify(unsigned stages) {
  ir_builder builder = ir_builder_at_end(ir_region(function, 0));
  ir_terminator(&builder, OP_FUNC_RETURN, 0, NULL);
  return ir_verify(module, stages);
}

static void expect(const char *message) {
  cr_assert(!verify(0));
  cr_expect_eq(count, 1, "%u errors, the last: %s", count, last);
  cr_expect(strstr(last, message), "'%s' is not in: %s", message, last);
}

static void set_up(void) { module = ir_module_create(remember, NULL); }
static void tear_down(void) { ir_module_destroy(module); }
TestSuite(verify, .init = set_up, .fini = tear_down);

static const ir_type *tensor(int64_t rows, int64_t columns) {
  return ir_type_tensor(module, IR_F32, 2, (const int64_t[]){rows, columns});
}
static ir_value *argument(void) { return ir_region(function, 0)->args[0]; }

Test(verify, a_function_of_structured_ops_is_accepted) {
  ir_builder b = begin(tensor(4, 8));
  ir_value *ins[] = {argument(), ir_empty(&b, IR_F32, 2, (const ir_index[]){{.constant = 8}, {.constant = 6}})};
  ir_value *out = ir_empty(&b, IR_F32, 2, (const ir_index[]){{.constant = 4}, {.constant = 6}});
  out = ir_fill(&b, ir_const(&b, ir_type_scalar(module, IR_F32), 0), out);
  ir_structured(&b, OP_LINALG_MATMUL, 2, ins, 1, &out, 0, NULL);
  cr_expect(verify(0), "%s", last);
  cr_expect(ir_verify(module, IR_STAGE_TENSOR));
}

Test(verify, extents_must_agree_along_each_loop) {
  ir_builder b = begin(tensor(4, 8));
  ir_value *ins[] = {argument(), ir_empty(&b, IR_F32, 2, (const ir_index[]){{.constant = 7}, {.constant = 6}})};
  ir_value *out = ir_empty(&b, IR_F32, 2, (const ir_index[]){{.constant = 4}, {.constant = 6}});
  ir_structured(&b, OP_LINALG_MATMUL, 2, ins, 1, &out, 0, NULL);
  expect("dim 0 of operand 1 has extent 7, but loop 2 has 8");
}

Test(verify, a_value_is_not_visible_before_its_definition) {
  ir_builder b = begin(tensor(4, 8));
  ir_value *zero = ir_const_index(&b, 0);
  ir_value *sum = ir_binary(&b, OP_ARITH_ADDI, zero, zero);
  ir_op_move_before(sum->op, zero->op);
  expect("operand 0 is not visible here");
}

Test(verify, a_value_is_not_visible_outside_its_region) {
  ir_builder b = begin(tensor(4, 8));
  ir_op *loop = ir_for(&b, ir_index_const(0), ir_index_const(4), ir_index_const(1), 0, NULL);
  ir_builder inner = ir_builder_at_end(ir_region(loop, 0));
  ir_terminator(&inner, OP_SCF_YIELD, 0, NULL);
  ir_value *iv = ir_region(loop, 0)->args[0];
  ir_binary(&b, OP_ARITH_ADDI, iv, iv);
  expect("operand 0 is not visible here");
}

Test(verify, functions_see_nothing_from_outside) {
  begin(tensor(4, 8));
  ir_op *first = function;
  ir_builder b = ir_builder_at_end(ir_region(first, 0));
  ir_terminator(&b, OP_FUNC_RETURN, 0, NULL);
  b = begin(tensor(4, 8));
  ir_attr_set(function, "sym_name", ir_attr_string(module, "g", 1));
  ir_builder top = ir_builder_before(first);
  ir_value *zero = ir_const_index(&top, 0);
  ir_binary(&b, OP_ARITH_ADDI, zero, zero);
  expect("operand 0 is not visible here");
}

Test(verify, slices_stay_in_bounds) {
  ir_builder b = begin(tensor(4, 8));
  ir_index offsets[] = {{.constant = 2}, {.constant = 0}}, sizes[] = {{.constant = 3}, {.constant = 8}};
  ir_extract_slice(&b, argument(), offsets, sizes, NULL);
  expect("the slice of dim 0 runs from 2 to 4, but its extent is 4");
}

Test(verify, slices_may_drop_unit_dims_only) {
  ir_builder b = begin(tensor(4, 8));
  ir_index offsets[] = {{.constant = 2}, {.constant = 0}}, sizes[] = {{.constant = 1}, {.constant = 8}};
  const int64_t eight = 8, one = 1;
  ir_extract_slice(&b, argument(), offsets, sizes, ir_type_tensor(module, IR_F32, 1, &eight));
  ir_extract_slice(&b, argument(), offsets, sizes, ir_type_tensor(module, IR_F32, 1, &one));
  expect("dim 1 of the slice does not occur in");
}

Test(verify, every_block_ends_in_the_terminator_of_its_parent) {
  ir_builder b = begin(tensor(4, 8));
  ir_op *loop = ir_for(&b, ir_index_const(0), ir_index_const(4), ir_index_const(1), 0, NULL);
  ir_builder inner = ir_builder_at_end(ir_region(loop, 0));
  ir_const_index(&inner, 1);
  expect("region 0 must end in 'scf.yield'");
}

Test(verify, carried_types_agree) {
  ir_builder b = begin(tensor(4, 8));
  ir_value *init = argument();
  ir_op *loop = ir_for(&b, ir_index_const(0), ir_index_const(4), ir_index_const(1), 1, &init);
  ir_builder inner = ir_builder_at_end(ir_region(loop, 0));
  ir_value *other = ir_empty(&inner, IR_F32, 2, (const ir_index[]){{.constant = 4}, {.constant = 6}});
  ir_terminator(&inner, OP_SCF_YIELD, 1, &other);
  expect("value 0 must be of type");
}

Test(verify, tensors_are_not_legal_once_there_are_buffers) {
  ir_builder b = begin(tensor(4, 8));
  ir_const(&b, tensor(2, 2), 1);
  cr_assert(!verify(IR_STAGE_VECTOR));
  cr_expect(strstr(last, "no longer legal"), "%s", last);
}

Test(verify, casts_change_the_width_as_they_say) {
  ir_builder b = begin(tensor(4, 8));
  ir_unary(&b, OP_ARITH_EXTF, ir_const(&b, ir_type_scalar(module, IR_F32), 1), ir_type_scalar(module, IR_F16));
  expect("cannot cast");
}

Test(verify, names_are_defined_once) {
  ir_builder b = begin(tensor(4, 8));
  ir_terminator(&b, OP_FUNC_RETURN, 0, NULL);
  begin(tensor(4, 8));
  expect("defines 'f' again");
}

Test(verify, a_parallel_loop_must_show_in_each_out) {
  ir_builder b = begin(tensor(4, 8));
  ir_value *in = argument(), *out = ir_empty(&b, IR_F32, 1, (const ir_index[]){{.constant = 4}});
  const unsigned first = 0;
  const ir_map *maps[] = {ir_map_identity(module, 2), ir_map_select(module, 2, 1, &first)};
  ir_op *generic = ir_generic(&b, 1, &in, 1, &out, maps, 2, 0);
  ir_builder inner = ir_builder_at_end(ir_region(generic, 0));
  ir_terminator(&inner, OP_LINALG_YIELD, 1, &ir_region(generic, 0)->args[0]);
  expect("loop 1 is parallel, but is missing from the subscripts of out 0");
}

Test(verify, subscripts_that_are_sums_stay_in_bounds) {
  const int64_t ten = 10;
  ir_builder b = begin(ir_type_tensor(module, IR_F32, 1, &ten));
  ir_value *in = argument(), *out = ir_empty(&b, IR_F32, 1, (const ir_index[]){{.constant = 8}});
  ir_value *window = ir_empty(&b, IR_F32, 1, (const ir_index[]){{.constant = 4}});
  const ir_expr *sum = ir_expr_binary(module, IR_EXPR_ADD, ir_expr_dim(module, 0), ir_expr_dim(module, 1));
  const unsigned dims[] = {0, 1};
  const ir_map *maps[] = {ir_map_get(module, 2, 0, 1, &sum), ir_map_select(module, 2, 1, dims + 1),
                          ir_map_select(module, 2, 1, dims)};
  ir_value *ins[] = {in, window};
  ir_op *generic = ir_generic(&b, 2, ins, 1, &out, maps, 2, 2);
  ir_builder inner = ir_builder_at_end(ir_region(generic, 0));
  ir_terminator(&inner, OP_LINALG_YIELD, 1, &ir_region(generic, 0)->args[0]);
  expect("dim 0 of operand 0 is accessed from 0 to 10, but has extent 10");
}
