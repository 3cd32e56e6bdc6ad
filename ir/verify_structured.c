/* verify_structured.c - checks of linalg and linalg_ext ops: the maps fit the operands, static extents agree along each
 * loop, subscripts stay in bounds, and the body computes new elements from old ones and does nothing else.
 * Later stages rely on it: every loop has an extent that some operand shows, and an out is written once per iteration
 * of the parallel loops. */
#include "build.h"
#include "verify_util.h"

static bool verify_maps(const ir_op *op, const ir_structure *structure) {
  if (structure->num_maps != op->num_operands)
    return ir_op_error(op, "has %u operands, but %u indexing maps", op->num_operands, structure->num_maps);
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_map *map = structure->maps[i];
    unsigned rank = ir_operand(op, i)->type->rank;
    if (map->num_syms || map->num_dims != structure->num_loops)
      return ir_op_error(op, "the indexing map of operand %u must take the %u loops and no symbols", i,
                         structure->num_loops);
    if (map->num_results != rank)
      return ir_op_error(op, "the indexing map of operand %u has %u results, but the operand has rank %u", i,
                         map->num_results, rank);
  }
  return true;
}

/* The expression uses a loop whose extent is not known. */
static bool is_open(const ir_expr *expr, unsigned num_loops, const int64_t *extents) {
  for (unsigned loop = 0; loop < num_loops; loop++)
    if (extents[loop] == IR_DYNAMIC && ir_expr_uses_dim(expr, loop))
      return true;
  return false;
}

/* What the expression comes to, exactly where it takes few enough iterations to see. */
static void narrow_range(const ir_expr *expr, unsigned num_loops, const int64_t *extents, ir_range *found) {
  enum { MOST = 1 << 16 };
  int64_t at[IR_MAX_LOOPS] = {0}, count = 1;
  for (unsigned loop = 0; loop < num_loops && count <= MOST; loop++)
    if (ir_expr_uses_dim(expr, loop))
      count = extents[loop] > MOST ? MOST + 1 : count * extents[loop];
  if (count > MOST || found->low == INT64_MIN || found->high == INT64_MAX)
    return;
  *found = (ir_range){INT64_MAX, INT64_MIN};
  unsigned loop;
  do {
    int64_t value = ir_expr_eval(expr, num_loops, at);
    found->low = value < found->low ? value : found->low;
    found->high = value > found->high ? value : found->high;
    for (loop = 0; loop < num_loops && (!ir_expr_uses_dim(expr, loop) || ++at[loop] == extents[loop]); loop++)
      at[loop] = 0;
  } while (loop < num_loops);
}

bool verify_loop_extents(const ir_op *op, const ir_structure *structure) {
  int64_t extents[IR_MAX_LOOPS];
  ir_loop_extents(op, extents);
  bool runs = true;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    unsigned operand, dim;
    if (!ir_loop_extent(op, loop, &operand, &dim))
      return ir_op_error(op, "loop %u is not the subscript of any operand, so its extent is unknown", loop);
    runs &= extents[loop] != 0;
  }
  for (unsigned i = 0; i < op->num_operands; i++)
    for (unsigned dim = 0; dim < ir_operand(op, i)->type->rank; dim++) {
      const ir_expr *subscript = structure->maps[i]->results[dim];
      int64_t extent = ir_operand(op, i)->type->shape[dim], end = extent == IR_DYNAMIC ? INT64_MAX : extent;
      int loop = ir_map_result_dim(structure->maps[i], dim);
      if (loop >= 0 && !ir_extents_agree(extent, extents[loop]))
        return ir_op_error(op, "dim %u of operand %u has extent %lld, but loop %d has %lld", dim, i, (long long)extent,
                           loop, (long long)extents[loop]);
      if (loop >= 0 || !runs || is_open(subscript, structure->num_loops, extents))
        continue;
      ir_range range = ir_expr_range(subscript, extents);
      if (range.low < 0 || range.high >= end)
        narrow_range(subscript, structure->num_loops, extents, &range);
      if (range.low < 0 || range.high >= end)
        return ir_op_error(op, "dim %u of operand %u is accessed from %lld to %lld, but has extent %lld", dim, i,
                           (long long)range.low, (long long)range.high, (long long)extent);
    }
  return true;
}

/* A body is a function of one element each and of memory that it may read: no effects, no tensors of its own. */
static bool verify_body_op(const ir_op *op) {
  const ir_op_info *row = ir_op_row(op);
  bool only_reads = (row->traits & IR_READS) && !(row->traits & IR_WRITES);
  if ((row->traits & (IR_TERMINATOR | IR_ASSERTS)) || only_reads ||
      ((row->traits & IR_PURE) && !(row->traits & IR_DPS)))
    return true;
  return ir_op_error(op, "cannot stand in the body of a structured op, which must be free of effects");
}

bool verify_body_ops(const ir_block *body) {
  for (const ir_op *op = body->first; op; op = op->next)
    if (!verify_body_op(op))
      return false;
  return true;
}

static const ir_type *element_of_init(const ir_op *op, unsigned i) {
  return ir_type_scalar(op->module, ir_init(op, i)->type->element);
}

static bool verify_body(const ir_op *op) {
  ir_block *body = ir_region(op, 0);
  if (body->num_args != op->num_operands)
    return ir_op_error(op, "the body must have one argument an operand: %u, not %u", op->num_operands, body->num_args);
  for (unsigned i = 0; i < body->num_args; i++) {
    const ir_type *wanted = ir_type_scalar(op->module, ir_operand(op, i)->type->element);
    if (body->args[i]->type != wanted)
      return ir_op_error(op, "argument %u of the body must be of type %s, not %s", i, ir_print_type(op->module, wanted),
                         ir_print_type(op->module, body->args[i]->type));
  }
  return verify_body_ops(body) && verify_terminator(op, 0, ir_num_inits(op), element_of_init);
}

/* Each element of an out is written by one iteration of the parallel loops, and reductions combine into it. */
static bool verify_out_maps(const ir_op *op, const ir_structure *structure) {
  for (unsigned i = 0; i < ir_num_inits(op); i++) {
    for (unsigned loop = 0; loop < structure->num_loops; loop++) {
      bool reduction = ir_loop_is_reduction(structure, loop), used = ir_map_uses_dim(ir_init_map(op, i), loop);
      if (reduction == used)
        return ir_op_error(op, "loop %u is %s, but %s the subscripts of out %u", loop,
                           reduction ? "a reduction" : "parallel", used ? "occurs in" : "is missing from", i);
    }
  }
  return true;
}

bool ir_verify_structured(const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++) {
    ir_type_kind kind = ir_operand(op, i)->type->kind;
    if (kind != IR_TYPE_SCALAR && kind != IR_TYPE_TENSOR && kind != IR_TYPE_MEMREF)
      return ir_op_error(op, "operand %u must be a tensor, a memref or a scalar", i);
  }
  const ir_structure *structure = ir_structure_of(op);
  if (!structure)
    return ir_op_error(op, "%s", op->module->no_structure);
  if (!verify_maps(op, structure) || !verify_loop_extents(op, structure))
    return false;
  return !op->num_regions || (verify_out_maps(op, structure) && verify_body(op));
}

bool verify_softmax(const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!ir_scalar_is_float(ir_operand(op, i)->type->element))
      return ir_op_error(op, "works on floats, not on %s", ir_print_type(op->module, ir_operand(op, i)->type));
  return true;
}

bool verify_linalg_index(const ir_op *op) {
  const ir_op *around = ir_op_parent(op);
  if (!around || !ir_op_has(around, IR_STRUCTURED))
    return ir_op_error(op, "must stand in the body of a structured op");
  const ir_structure *structure = ir_structure_of(around);
  int64_t dim = ir_attr_int_or(op, "dim", -1);
  return !structure || (dim >= 0 && dim < structure->num_loops) ||
         ir_op_error(op, "asks for loop %lld, but '%s' has %u", (long long)dim, ir_op_row(around)->name,
                     structure->num_loops);
}
