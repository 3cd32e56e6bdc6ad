/* attention.c - pass "decompose-attention": attention ops become two products, a softmax and elementwise ops.
 *
 * Those are then fused like any others, so there is one way to a kernel. Scores are tensors over the rows, in the order
 * of the loops, and the keys. The online form continues a state: its softmax starts from the given maximum and sum.
 * What is accumulated over the keys starts from nothing, so that it can be corrected as the state moves on; the
 * numerators so far are brought to the new maximum and added where all keys have been seen. Where there are scripts,
 * the second product stands for the op: its tiles, also along keys, take all the rest into their loops.
 * Terminates: one walk; the ops that are created are of other kinds. */
#include "ir/attention.h"
#include "ir/build.h"
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/softmax.h"

#include <math.h>
#include <string.h>

typedef struct decomposition {
  ir_builder builder;
  ir_op *op;
  const ir_structure *structure;
  ir_attention loops;
  unsigned rank;             /* of the scores: rows, then keys */
  int place[IR_MAX_LOOPS];   /* the loop of the new ops for each loop of the op: rows, keys, then all others */
  const ir_type *statistics; /* scalar: f32, or f64 for f64 */
  bool scripted;             /* scripts may look for the op */
} decomposition;

static void place_loops(decomposition *d) {
  const uint32_t sets[] = {d->loops.rows, d->loops.keys, d->loops.depth | d->loops.columns};
  unsigned next = 0;
  for (unsigned set = 0; set < 3; set++)
    for (unsigned loop = 0; loop < d->structure->num_loops; loop++)
      if (sets[set] >> loop & 1)
        d->place[loop] = (int)next++;
  d->rank = (unsigned)__builtin_popcount(d->loops.rows) + 1;
}

/* The operand's map over new loops: rows, keys and those of `others`, which follow in order. */
static const ir_map *new_map(const decomposition *d, unsigned operand, uint32_t others, unsigned *num_loops) {
  const ir_map *map = d->structure->maps[operand];
  unsigned dims[IR_MAX_RANK];
  *num_loops = d->rank + (unsigned)__builtin_popcount(others);
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(map, dim);
    bool other = others >> loop & 1;
    dims[dim] = other ? d->rank + (unsigned)__builtin_popcount(others & (ir_bit(loop) - 1)) : (unsigned)d->place[loop];
  }
  return ir_map_select(d->builder.module, *num_loops, map->num_results, dims);
}

static ir_value *create_empty(decomposition *d, const ir_type *scalar, unsigned rank) {
  ir_index sizes[IR_MAX_RANK];
  for (unsigned loop = 0; loop < d->structure->num_loops; loop++)
    if (d->place[loop] < (int)rank)
      sizes[d->place[loop]] = extent_compute(&d->builder, extent_of_loop(d->op, loop));
  return ir_empty(&d->builder, scalar->element, rank, sizes);
}

/* out += lhs rhs */
static ir_value *create_product(decomposition *d, ir_value *lhs, ir_value *rhs, ir_value *out,
                                const ir_map *const *maps, unsigned num_loops, uint32_t reductions) {
  ir_value *ins[] = {lhs, rhs};
  return body_contract(ir_generic(&d->builder, 2, ins, 1, &out, maps, num_loops, reductions));
}

static ir_value *create_scores(decomposition *d) {
  unsigned num_loops;
  const ir_map *maps[] = {new_map(d, ATTENTION_QUERY, d->loops.depth, &num_loops),
                          new_map(d, ATTENTION_KEY, d->loops.depth, &num_loops), NULL};
  maps[2] = ir_map_select(d->builder.module, num_loops, d->rank, NULL);
  ir_value *out = ir_fill_const(&d->builder, 0, create_empty(d, d->statistics, d->rank));
  uint32_t reductions = (uint32_t)((UINT64_C(1) << num_loops) - (UINT64_C(1) << d->rank));
  return create_product(d, ir_operand(d->op, ATTENTION_QUERY), ir_operand(d->op, ATTENTION_KEY), out, maps, num_loops,
                        reductions);
}

/* The op's body, for the score `score`, at the end of the builder's block. */
static ir_value *clone_body(const decomposition *d, ir_builder *body, ir_value *score) {
  const ir_block *block = ir_region(d->op, 0);
  ir_value_map *map = ir_value_map_create(body->module);
  ir_value_map_set(map, block->args[0], ir_convert(body, score, block->args[0]->type));
  for (const ir_op *op = block->first; op != block->last; op = op->next) {
    if (op->code != OP_IREE_LINALG_EXT_INDEX) {
      ir_op_clone(body, op, map);
      continue;
    }
    unsigned loop = (unsigned)d->place[ir_attr_int_or(op, "dim", 0)];
    ir_value_map_set(map, ir_result(op, 0), ir_loop_index(body, loop));
  }
  return ir_convert(body, ir_value_map_get(map, ir_operand(block->last, 0)), d->statistics);
}

static ir_value *apply_mask(const decomposition *d, ir_builder *body, ir_value *score, ir_value *mask) {
  if (mask->type->element != IR_I1)
    return ir_binary(body, OP_ARITH_ADDF, score, ir_convert(body, mask, d->statistics));
  return ir_select(body, mask, score, ir_const(body, d->statistics, -INFINITY));
}

/* body(scale * score) + mask */
static ir_value *modify_scores(decomposition *d, ir_value *scores) {
  unsigned num_ins = d->loops.has_mask ? 2 : 1, num_loops;
  ir_value *ins[2] = {scores}, *out = create_empty(d, d->statistics, d->rank);
  const ir_map *identity = ir_map_identity(d->builder.module, d->rank), *maps[3] = {identity};
  if (d->loops.has_mask) {
    ins[1] = ir_operand(d->op, ATTENTION_MASK);
    maps[1] = new_map(d, ATTENTION_MASK, 0, &num_loops);
  }
  maps[num_ins] = identity;
  ir_op *generic = ir_generic(&d->builder, num_ins, ins, 1, &out, maps, d->rank, 0);
  ir_block *block = ir_region(generic, 0);
  ir_builder body = ir_builder_at_end(block);
  ir_value *scale = ir_convert(&body, ir_operand(d->op, ATTENTION_SCALE), d->statistics);
  ir_value *score = clone_body(d, &body, ir_binary(&body, OP_ARITH_MULF, block->args[0], scale));
  if (d->loops.has_mask)
    score = apply_mask(d, &body, score, block->args[1]);
  return body_finish(&body, generic, score);
}

/* The state's numerators: quotients * sum, and where they continue others, those * e^(their maximum - maximum). */
static ir_value *create_numerators(decomposition *d, ir_value *quotients, const ir_op *softmax, bool continues) {
  enum { MAX = 1, SUM = 2, NUM_INS = 4 };
  ir_value *into = ir_init(d->op, 0);
  const ir_map *map = ir_init_map(d->op, 0);
  unsigned dims[IR_MAX_RANK], num_loops = map->num_results, num_ins = continues ? NUM_INS : 2;
  for (unsigned dim = 0; dim < num_loops; dim++)
    if (d->loops.rows >> ir_map_result_dim(map, dim) & 1)
      dims[d->place[ir_map_result_dim(map, dim)]] = dim;
  const ir_map *identity = ir_map_identity(d->builder.module, num_loops);
  const ir_map *row = ir_map_select(d->builder.module, num_loops, d->rank - 1, dims);
  ir_value *ins[NUM_INS] = {quotients, ir_result(softmax, SUM), ir_result(softmax, MAX), ir_init(d->op, 1)};
  const ir_map *maps[NUM_INS + 1] = {identity, row, row, row};
  maps[num_ins] = identity;
  ir_op *generic = ir_generic(&d->builder, num_ins, ins, 1, &into, maps, num_loops, 0);
  ir_block *block = ir_region(generic, 0);
  ir_builder body = ir_builder_at_end(block);
  ir_value *x[NUM_INS];
  for (unsigned i = 0; i < num_ins; i++)
    x[i] = ir_convert(&body, block->args[i], d->statistics);
  ir_value *value = ir_binary(&body, OP_ARITH_MULF, x[0], x[1]);
  if (continues) {
    ir_value *factor = ir_unary(&body, OP_MATH_EXP, ir_binary(&body, OP_ARITH_SUBF, x[3], x[2]), d->statistics);
    ir_value *before = ir_convert(&body, block->args[num_ins], d->statistics);
    value = ir_binary(&body, OP_ARITH_ADDF, value, ir_binary(&body, OP_ARITH_MULF, before, factor));
  }
  return body_finish(&body, generic, value);
}

/* Scripts find the second product in place of the op, by its name or its attributes, and tile it by its loops. */
static void stand_for_op(const decomposition *d, ir_op *product) {
  ir_module *module = d->op->module;
  const char *name = ir_op_row(d->op)->name;
  int64_t loops[IR_MAX_LOOPS];
  for (unsigned loop = 0; loop < d->structure->num_loops; loop++) {
    uint32_t columns_before = d->loops.columns & (ir_bit(loop) - 1);
    loops[loop] = d->place[loop];
    if (d->loops.columns >> loop & 1)
      loops[loop] = (int)d->rank + __builtin_popcount(columns_before);
    else if (d->loops.depth >> loop & 1)
      loops[loop] = -1;
  }
  for (unsigned i = 0; i < d->op->num_attrs; i++)
    if (strcmp(d->op->attrs[i].name, "indexing_maps"))
      ir_attr_set(product, d->op->attrs[i].name, d->op->attrs[i].attr);
  ir_attr_set(product, PASS_STANDS_FOR, ir_attr_cstr(module, name));
  ir_attr_set(product, PASS_STANDS_FOR_LOOPS, ir_attr_i64s(module, d->structure->num_loops, loops));
}

/* The weights times the values, accumulated onto `start`. */
static ir_value *weigh_values(decomposition *d, ir_value *weights, ir_value *start) {
  unsigned num_loops;
  const ir_map *maps[] = {NULL, new_map(d, ATTENTION_VALUE, d->loops.columns, &num_loops),
                          new_map(d, ir_num_inputs(d->op), d->loops.columns, &num_loops)};
  maps[0] = ir_map_select(d->builder.module, num_loops, d->rank, NULL);
  ir_value *product =
      create_product(d, weights, ir_operand(d->op, ATTENTION_VALUE), start, maps, num_loops, ir_bit(d->rank - 1));
  if (d->scripted)
    stand_for_op(d, product->op);
  return product;
}

static ir_value *zeros(decomposition *d) {
  return ir_fill_const(&d->builder, 0, pass_empty_like(&d->builder, ir_init(d->op, 0), d->statistics->element));
}

/* Weights have the values' type, which is what a matrix unit wants. */
static ir_value *weights_empty(decomposition *d) {
  ir_scalar element = ir_operand(d->op, ATTENTION_VALUE)->type->element;
  return create_empty(d, ir_type_scalar(d->builder.module, element), d->rank);
}

static void decompose_online(decomposition *d, ir_value *scores) {
  ir_op *op = d->op;
  ir_value *outs[] = {weights_empty(d), ir_init(op, 1), ir_init(op, 2), create_empty(d, d->statistics, d->rank - 1)};
  ir_named_attr dim = {"dimension", ir_attr_i64(op->module, d->rank - 1)};
  ir_op *softmax = ir_structured(&d->builder, OP_LINALG_EXT_SOFTMAX, 1, &scores, 4, outs, 1, &dim);
  ir_value *quotients = weigh_values(d, ir_result(softmax, 0), zeros(d));
  ir_replace_uses(ir_result(op, 0), create_numerators(d, quotients, softmax, !body_starts_from_zero(op)));
  ir_replace_uses(ir_result(op, 1), ir_result(softmax, 1));
  ir_replace_uses(ir_result(op, 2), ir_result(softmax, 2));
}

static void decompose(ir_op *op, bool scripted) {
  decomposition d = {
      .builder = ir_builder_before(op), .op = op, .structure = ir_structure_of(op), .scripted = scripted};
  ir_attention_of(op, &d.loops);
  bool wide = false;
  for (unsigned i = 0; i < op->num_operands; i++)
    wide |= ir_operand(op, i)->type->element == IR_F64;
  d.statistics = ir_type_scalar(op->module, wide ? IR_F64 : IR_F32);
  place_loops(&d);
  ir_value *scores = modify_scores(&d, create_scores(&d));
  if (op->num_results > 1) {
    decompose_online(&d, scores);
  } else {
    ir_op *softmax = softmax_create(&d.builder, scores, weights_empty(&d), d.rank - 1, NULL);
    ir_replace_uses(ir_result(op, 0),
                    body_convert(&d.builder, weigh_values(&d, ir_result(softmax, 0), zeros(&d)), ir_init(op, 0)));
  }
  ir_op_erase(op);
}

static bool visit(ir_op *op, void *scripted) {
  if (op->code == OP_IREE_LINALG_EXT_ATTENTION || op->code == OP_IREE_LINALG_EXT_ONLINE_ATTENTION)
    decompose(op, *(bool *)scripted);
  return true;
}

bool pass_decompose_attention(ir_module *module, const pass_options *options) {
  bool scripted = false;
  for (const ir_op *op = ir_region(module->root, 0)->first; op; op = op->next)
    scripted |= op->code == OP_TRANSFORM_SEQUENCE || op->code == OP_TRANSFORM_NAMED_SEQUENCE;
  return ir_walk(ir_region(module->root, 0), visit, &scripted);
}
