/* attention.c - the loops of attention ops, and what the verifier demands of these ops. */
#include "attention.h"

#include "op_hooks.h"
#include "verify_util.h"

/* The maximum and the sum are indexed by the rows, in the order of the loops. */
static bool lists_rows(const ir_map *map, uint32_t rows) {
  int last = -1;
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    int loop = ir_map_result_dim(map, dim);
    if (loop <= last)
      return false;
    last = loop;
    rows ^= ir_bit(loop);
  }
  return !rows;
}

const char *ir_attention_of(const ir_op *op, ir_attention *attention) {
  const ir_structure *structure = ir_structure_of(op);
  unsigned inputs = ir_num_inputs(op);
  if (!structure)
    return op->module->no_structure;
  const ir_map *const *maps = structure->maps;
  for (unsigned i = 0; i < op->num_operands; i++)
    if (!ir_map_is_projected_permutation(maps[i]))
      return "needs maps that list loops, each at most once";
  uint32_t query = ir_map_dims(maps[ATTENTION_QUERY]), key = ir_map_dims(maps[ATTENTION_KEY]);
  uint32_t value = ir_map_dims(maps[ATTENTION_VALUE]), result = ir_map_dims(maps[inputs]);
  *attention = (ir_attention){.depth = query & key & ~value & ~result,
                              .keys = key & value & ~query & ~result,
                              .columns = value & result & ~query & ~key,
                              .has_mask = inputs > ATTENTION_MASK};
  attention->rows = result & ~attention->columns;
  uint32_t all = attention->rows | attention->keys | attention->depth | attention->columns;
  uint32_t mask = attention->has_mask ? ir_map_dims(maps[ATTENTION_MASK]) : 0;
  if (all != (uint32_t)((UINT64_C(1) << structure->num_loops) - 1) || ((query | key | value) & ~all))
    return "has a loop that is none of rows, keys, depth and columns";
  if (!attention->keys || attention->keys & (attention->keys - 1) || !attention->depth)
    return "needs one loop over keys, and a loop that query and key share and nobody else has";
  if (__builtin_popcount(attention->rows) + 1 > IR_MAX_RANK)
    return "has scores of too many dims";
  if (mask & ~(attention->rows | attention->keys))
    return "needs a mask that is indexed like the scores";
  for (unsigned i = inputs + 1; i < op->num_operands; i++)
    if (!lists_rows(maps[i], attention->rows))
      return "needs a maximum and a sum that are indexed by the rows, in the order of the loops";
  return NULL;
}

static const ir_type *type_of_score(const ir_op *op, unsigned i) { return ir_region(op, 0)->args[0]->type; }

bool verify_attention(const ir_op *op) {
  unsigned inputs = ir_num_inputs(op), inits = op->code == OP_IREE_LINALG_EXT_ONLINE_ATTENTION ? 3 : 1;
  ir_attention attention;
  if ((inputs != ATTENTION_MASK && inputs != ATTENTION_MASK + 1) || ir_num_inits(op) != inits)
    return ir_op_error(op, "takes query, key, value, scale, maybe a mask, and %u out%s", inits, inits > 1 ? "s" : "");
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_type *type = ir_operand(op, i)->type;
    bool fits = i == ATTENTION_SCALE ? type->kind == IR_TYPE_SCALAR : type->kind == IR_TYPE_TENSOR;
    bool boolean = i == ATTENTION_MASK && inputs > ATTENTION_MASK && type->element == IR_I1;
    if (!fits || !(boolean || ir_scalar_is_float(type->element)))
      return ir_op_error(op, "operand %u cannot be of type %s", i, ir_print_type(op->module, type));
  }
  const char *why = ir_attention_of(op, &attention);
  if (why)
    return ir_op_error(op, "%s", why);
  if (!verify_loop_extents(op, ir_structure_of(op)))
    return false;
  const ir_block *body = ir_region(op, 0);
  if (body->num_args != 1 || body->args[0]->type->kind != IR_TYPE_SCALAR ||
      !ir_scalar_is_float(body->args[0]->type->element))
    return ir_op_error(op, "needs a body with one argument, a score");
  return verify_body_ops(body) && verify_terminator(op, 0, 1, type_of_score);
}

bool verify_attention_index(const ir_op *op) {
  const ir_op *around = ir_op_parent(op);
  bool inside = around && ir_op_row(around)->verify == verify_attention;
  const ir_structure *structure = inside ? ir_structure_of(around) : NULL;
  int64_t dim = ir_attr_int_or(op, "dim", -1);
  ir_attention attention;
  if (!structure)
    return ir_op_error(op, "must stand in the body of an attention op");
  if (dim < 0 || dim >= structure->num_loops)
    return ir_op_error(op, "asks for loop %lld, but there are %u", (long long)dim, structure->num_loops);
  return ir_attention_of(around, &attention) || (attention.rows | attention.keys) >> dim & 1 ||
         ir_op_error(op, "asks for loop %lld, which scores do not have", (long long)dim);
}
