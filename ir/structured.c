/* structured.c - loops, indexing maps and bodies of structured ops.
 *
 * ir_structure_of works on unverified ops too, and answers NULL for what makes no sense: the verifier relies on
 * that. */
#include "build.h"
#include "op_hooks.h"

#include <stdio.h>
#include <string.h>

unsigned ir_num_inits(const ir_op *op) { return op->groups[ir_info_num_groups(ir_op_row(op)) - 1]; }
unsigned ir_num_inputs(const ir_op *op) { return op->num_operands - ir_num_inits(op); }

/* Remembers why an op has no loops, for the verifier's message; returns NULL. */
static const ir_structure *refuse(const ir_op *op, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const ir_structure *refuse(const ir_op *op, const char *format, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  op->module->no_structure = ir_intern_cstr(op->module, text);
  return NULL;
}

static unsigned operand_rank(const ir_op *op, unsigned i) { return ir_operand(op, i)->type->rank; }

static bool has_rank(const ir_op *op, unsigned i, unsigned rank) {
  return operand_rank(op, i) == rank ||
         refuse(op, "operand %u must have rank %u, not %u", i, rank, operand_rank(op, i));
}

static ir_structure *new_structure(const ir_op *op, unsigned num_loops) {
  ir_structure *structure = IR_NEW(&op->module->arena, ir_structure);
  structure->num_loops = num_loops;
  structure->num_maps = op->num_operands;
  structure->maps = IR_NEW_ARRAY(&op->module->arena, const ir_map *, op->num_operands);
  return structure;
}

static void set_map(ir_structure *structure, unsigned i, const ir_map *map) {
  ((const ir_map **)structure->maps)[i] = map;
}

/* ------------------------------------------------------------------------------------- loops from einsum subscripts */

/* The loop of each subscript letter; `batch` loops of `*` come first. A dim `y+v` is that of a window at y, whose place
 * v in it is read: the n-th of an operand has the subscript y strides[n] + v dilations[n]. */
typedef struct subscripts {
  unsigned batch, num_loops;
  int loop_of[26];
  int64_t strides[IR_MAX_RANK], dilations[IR_MAX_RANK];
} subscripts;

static void number_letters(subscripts *s, const char *from, const char *to) {
  for (; from < to; from++)
    if (*from >= 'a' && *from <= 'z' && s->loop_of[*from - 'a'] < 0)
      s->loop_of[*from - 'a'] = (int)s->num_loops++;
}

/* The map of the operand whose subscripts begin at *at, which moves behind them. */
static const ir_map *map_of_subscripts(const ir_op *op, const subscripts *s, const char **at) {
  const ir_expr *dims[IR_MAX_LOOPS];
  unsigned n = 0, windows = 0;
  for (; **at && **at != ','; ++*at) {
    if (**at == '*') {
      for (unsigned loop = 0; loop < s->batch; loop++)
        dims[n++] = ir_expr_dim(op->module, loop);
      continue;
    }
    dims[n] = ir_expr_dim(op->module, (unsigned)s->loop_of[**at - 'a']);
    if ((*at)[1] == '+') {
      *at += 2;
      const ir_expr *place = ir_expr_dim(op->module, (unsigned)s->loop_of[**at - 'a']);
      dims[n] =
          ir_expr_binary(op->module, IR_EXPR_ADD, ir_expr_by(op->module, IR_EXPR_MUL, dims[n], s->strides[windows]),
                         ir_expr_by(op->module, IR_EXPR_MUL, place, s->dilations[windows]));
      windows++;
    }
    n++;
  }
  return ir_map_get(op->module, s->num_loops, 0, n, dims);
}

/* The integers of a dense attribute, one a window dim; 1 each where it is missing. */
static bool read_steps(const ir_op *op, const char *name, unsigned count, int64_t *steps) {
  const ir_attr *attr = ir_attr_get(op, name);
  bool is_list = !attr || (attr->kind == IR_ATTR_DENSE && attr->type->element == IR_I64 && attr->type->rank == 1 &&
                           attr->type->shape[0] == count);
  for (unsigned i = 0; is_list && i < count; i++) {
    steps[i] = attr ? ir_attr_element(attr, i).i : 1;
    is_list = steps[i] > 0;
  }
  return is_list || refuse(op, "'%s' must be a dense list of %u positive i64", name, count);
}

static const ir_structure *structure_subscripts(const ir_op *op, const char *loops) {
  const char *last = strrchr(loops, ',') + 1, *end = loops + strlen(loops);
  unsigned letters = 0, commas = 0, windows = 0;
  for (const char *at = loops; at < end; at++) {
    commas += *at == ',';
    windows += *at == '+';
  }
  if (commas + 1 != op->num_operands)
    return refuse(op, "has %u operands, but works on %u", op->num_operands, commas + 1);
  for (const char *at = last; at < end; at++)
    letters += *at != '*';
  unsigned rank = operand_rank(op, op->num_operands - 1);
  if (rank < letters || (rank > letters && *last != '*'))
    return refuse(op, "operand %u must have rank %u%s, not %u", op->num_operands - 1, letters,
                  *last == '*' ? " or more" : "", rank);
  subscripts s = {.batch = rank - letters, .num_loops = rank - letters};
  memset(s.loop_of, -1, sizeof s.loop_of);
  if (windows && (!read_steps(op, "strides", windows, s.strides) || !read_steps(op, "dilations", windows, s.dilations)))
    return NULL;
  number_letters(&s, last, end);
  unsigned parallel = s.num_loops;
  number_letters(&s, loops, end);
  if (s.num_loops > IR_MAX_LOOPS)
    return refuse(op, "has more than %d loops", IR_MAX_LOOPS);
  ir_structure *structure = new_structure(op, s.num_loops);
  for (unsigned loop = parallel; loop < s.num_loops; loop++)
    structure->reductions |= ir_bit(loop);
  const char *at = loops;
  for (unsigned i = 0; i < op->num_operands; i++, at++) {
    const ir_map *map = map_of_subscripts(op, &s, &at);
    if (!has_rank(op, i, map->num_results))
      return NULL;
    set_map(structure, i, map);
  }
  return structure;
}

/* ------------------------------------------------------------------------------------------ loops from attributes */

const ir_structure *structure_maps(const ir_op *op) {
  const ir_attr *maps = ir_attr_get(op, "indexing_maps"), *iterators = ir_attr_get(op, "iterator_types");
  if (!maps)
    return ir_op_row(op)->loops ? structure_subscripts(op, ir_op_row(op)->loops) : refuse(op, "needs 'indexing_maps'");
  if (maps->kind != IR_ATTR_ARRAY || maps->count != op->num_operands || !maps->count)
    return refuse(op, "needs one indexing map for each of its %u operands", op->num_operands);
  for (unsigned i = 0; i < maps->count; i++) {
    const ir_map *map = maps->elements[i]->kind == IR_ATTR_MAP ? maps->elements[i]->map : NULL;
    if (!map || map->num_syms || map->num_dims != maps->elements[0]->map->num_dims)
      return refuse(op, "indexing map %u must be an affine map over the loops, as many as map 0 has", i);
    if (!has_rank(op, i, map->num_results))
      return NULL;
  }
  unsigned num_loops = maps->elements[0]->map->num_dims;
  if (num_loops > IR_MAX_LOOPS)
    return refuse(op, "has more than %d loops", IR_MAX_LOOPS);
  ir_structure *structure = new_structure(op, num_loops);
  for (unsigned i = 0; i < maps->count; i++)
    set_map(structure, i, maps->elements[i]->map);
  if (!iterators) {
    structure->reductions = (uint32_t)((UINT64_C(1) << num_loops) - 1); /* what no init's map mentions */
    for (unsigned i = ir_num_inputs(op); i < op->num_operands; i++)
      structure->reductions &= ~ir_map_dims(structure->maps[i]);
    if (structure->reductions && ir_info_is_elementwise(ir_op_row(op)))
      return refuse(op, "has a loop that its output lacks");
    return structure;
  }
  if (iterators->kind != IR_ATTR_ARRAY || iterators->count != num_loops)
    return refuse(op, "needs one iterator type for each of its %u loops", num_loops);
  for (unsigned loop = 0; loop < num_loops; loop++) {
    const char *name = iterators->elements[loop]->string;
    if (!name || (strcmp(name, "reduction") && strcmp(name, "parallel")))
      return refuse(op, "iterator type %u must be parallel or reduction", loop);
    if (!strcmp(name, "reduction"))
      structure->reductions |= ir_bit(loop);
  }
  return structure;
}

/* Reads a list of distinct dims below `rank`. */
static bool get_dims(const ir_op *op, const char *name, unsigned rank, unsigned *count, const int64_t **dims) {
  uint32_t set;
  *dims = ir_attr_i64s_of(op, name, count);
  if (!*dims)
    return refuse(op, "needs '%s', a list of dims", name);
  return ir_are_distinct(*count, *dims, rank, &set) || refuse(op, "'%s' must be distinct dims below %u", name, rank);
}

/* Subscripts of the first operands are all loops, those of the others are under the map. */
static const ir_structure *whole_and_others(const ir_op *op, unsigned num_loops, uint32_t reductions,
                                            unsigned num_whole, const ir_map *others) {
  ir_structure *structure = new_structure(op, num_loops);
  structure->reductions = reductions;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_map *map = i < num_whole ? ir_map_identity(op->module, num_loops) : others;
    if (!has_rank(op, i, map->num_results))
      return NULL;
    set_map(structure, i, map);
  }
  return structure;
}

/* The init's subscripts are all loops, those of the input under the map. */
static const ir_structure *over_init(const ir_op *op, const ir_map *input) {
  ir_structure *structure = new_structure(op, input->num_dims);
  set_map(structure, 0, input);
  set_map(structure, 1, ir_map_identity(op->module, input->num_dims));
  return structure;
}

const ir_structure *structure_reduce(const ir_op *op) {
  unsigned count, inputs = ir_num_inputs(op);
  const int64_t *dims;
  if (!inputs)
    return refuse(op, "needs an input");
  unsigned rank = operand_rank(op, 0);
  if (!get_dims(op, "dimensions", rank, &count, &dims))
    return NULL;
  return whole_and_others(op, rank, ir_attr_set_of(op, "dimensions"), inputs,
                          ir_map_without(op->module, rank, count, dims));
}

/* Broadcast and transpose: one input, one init. */
static bool is_unary(const ir_op *op) {
  return op->num_operands == 2 || refuse(op, "has %u operands, but works on 2", op->num_operands);
}

const ir_structure *structure_broadcast(const ir_op *op) {
  unsigned count;
  const int64_t *dims;
  if (!is_unary(op) || !get_dims(op, "dimensions", operand_rank(op, 1), &count, &dims) ||
      !has_rank(op, 0, operand_rank(op, 1) - count))
    return NULL;
  return over_init(op, ir_map_without(op->module, operand_rank(op, 1), count, dims));
}

const ir_structure *structure_transpose(const ir_op *op) {
  unsigned count, dims[IR_MAX_LOOPS];
  const int64_t *permutation;
  if (!is_unary(op) || !has_rank(op, 1, operand_rank(op, 0)) ||
      !get_dims(op, "permutation", operand_rank(op, 0), &count, &permutation))
    return NULL;
  if (count != operand_rank(op, 0))
    return refuse(op, "'permutation' must have %u entries, not %u", operand_rank(op, 0), count);
  for (unsigned i = 0; i < count; i++)
    dims[permutation[i]] = i; /* loop i runs over dim i of the result */
  return over_init(op, ir_map_select(op->module, count, count, dims));
}

const ir_structure *structure_map(const ir_op *op) {
  return whole_and_others(op, operand_rank(op, op->num_operands - 1), 0, op->num_operands, NULL);
}

/* The first input and the first init run over all loops; the further inits, if any, over all but the softmax dim. */
const ir_structure *structure_softmax(const ir_op *op) {
  int64_t dim = ir_attr_int_or(op, "dimension", -1);
  unsigned rank = op->num_operands ? operand_rank(op, 0) : 0;
  if (dim < 0 || dim >= rank || ir_num_inputs(op) != 1)
    return refuse(op, "needs one input, and 'dimension' below its rank, %u", rank);
  return whole_and_others(op, rank, ir_bit((unsigned)dim), 2, ir_map_without(op->module, rank, 1, &dim));
}

const ir_structure *structure_diag(const ir_op *op) {
  if (!is_unary(op) || !has_rank(op, 1, operand_rank(op, 0) + 1))
    return NULL;
  if (!operand_rank(op, 0))
    return refuse(op, "needs a dim to put on the diagonal");
  unsigned rank = operand_rank(op, 1);
  const int64_t column = rank - 1;
  return over_init(op, ir_map_without(op->module, rank, 1, &column));
}

const ir_structure *structure_layout(const ir_op *op) {
  static const struct {
    const char *layout, *loops;
  } rows[] = {{"nn", "*mk,*kn,*mn"}, {"nt", "*mk,*nk,*mn"}, {"tn", "*km,*kn,*mn"}, {"tt", "*km,*nk,*mn"}};
  const char *layout = ir_attr_string_or(op, "layout", "nn");
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].layout, layout))
      return structure_subscripts(op, rows[i].loops);
  return refuse(op, "'layout' must be nn, nt, tn or tt, not %s", layout);
}

const ir_structure *ir_structure_of(const ir_op *op) {
  const ir_op_info *info = ir_op_row(op);
  if (!op->structure) {
    const ir_structure *structure = !op->num_operands ? refuse(op, "needs an out")
                                    : info->structure ? info->structure(op)
                                                      : structure_subscripts(op, info->loops);
    ((ir_op *)op)->structure = structure; /* a cache: the op is the same to every observer */
  }
  return op->structure;
}

bool ir_loop_extent(const ir_op *op, unsigned loop, unsigned *operand, unsigned *dim) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned i = 0; i < structure->num_maps; i++) {
    int found = ir_map_find_dim(structure->maps[i], loop);
    if (found >= 0) {
      *operand = i;
      *dim = (unsigned)found;
      return true;
    }
  }
  return false;
}

int64_t ir_loop_size(const ir_op *op, unsigned loop) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t extent = IR_DYNAMIC;
  for (unsigned i = 0; i < structure->num_maps && extent == IR_DYNAMIC; i++) {
    int dim = ir_map_find_dim(structure->maps[i], loop);
    if (dim >= 0)
      extent = ir_operand(op, i)->type->shape[dim];
  }
  return extent;
}

void ir_loop_extents(const ir_op *op, int64_t *extents) {
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++)
    extents[loop] = ir_loop_size(op, loop);
}

int64_t ir_own_iterations(const ir_op *op, unsigned operand, unsigned other) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t count = 1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    int64_t extent = ir_loop_size(op, loop);
    if (ir_map_find_dim(structure->maps[operand], loop) >= 0 && ir_map_find_dim(structure->maps[other], loop) < 0 &&
        (extent == IR_DYNAMIC || __builtin_mul_overflow(count, extent, &count)))
      return IR_DYNAMIC;
  }
  return count;
}

/* ---------------------------------------------------------------------------------------------------------- bodies */

static ir_value *diag_body(ir_builder *builder, ir_op *op) {
  unsigned rank = operand_rank(op, 1);
  ir_value *row = ir_loop_index(builder, rank - 2), *column = ir_loop_index(builder, rank - 1);
  ir_value *on_diagonal = ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, row, column), *scale = ir_region(op, 0)->args[0];
  return ir_select(builder, on_diagonal, scale, ir_const(builder, scale->type, 0));
}

/* The integer twin of a float row, for named ops on integers. */
static ir_opcode for_element(ir_opcode code, ir_scalar element) {
  if (ir_scalar_is_float(element))
    return code;
  switch (code) {
  case OP_ARITH_ADDF:
    return element == IR_I1 ? OP_ARITH_ORI : OP_ARITH_ADDI;
  case OP_ARITH_SUBF:
    return OP_ARITH_SUBI;
  case OP_ARITH_MULF:
    return element == IR_I1 ? OP_ARITH_ANDI : OP_ARITH_MULI;
  case OP_ARITH_DIVF:
    return OP_ARITH_DIVSI;
  case OP_ARITH_MAXIMUMF:
    return OP_ARITH_MAXSI;
  case OP_ARITH_MINIMUMF:
    return OP_ARITH_MINSI;
  default:
    return code;
  }
}

/* An input as the body's type, read without sign where `cast` says so. */
static ir_value *convert_input(ir_builder *builder, const ir_op *op, ir_value *x, const ir_type *type) {
  const ir_attr *cast = ir_attr_get(op, "cast");
  ir_scalar from = x->type->element, to = type->element;
  bool from_float = ir_scalar_is_float(from), to_float = ir_scalar_is_float(to);
  bool is_unsigned = cast && !strcmp(cast->string, "cast_unsigned");
  if (is_unsigned && from_float && !to_float)
    return ir_unary(builder, OP_ARITH_FPTOUI, x, type);
  if (is_unsigned && !from_float && to_float)
    return ir_unary(builder, OP_ARITH_UITOFP, x, type);
  if (is_unsigned && !from_float && ir_scalar_bits(from) < ir_scalar_bits(to))
    return ir_unary(builder, OP_ARITH_EXTUI, x, type);
  return ir_convert(builder, x, type);
}

void ir_structured_build_body(ir_op *op) {
  const ir_op_info *info = ir_op_row(op);
  ir_block *body = ir_region(op, 0);
  unsigned inputs = ir_num_inputs(op);
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_type *type = ir_operand(op, i)->type;
    ir_block_add_arg(body, ir_type_scalar(op->module, type->element));
  }
  ir_builder builder = ir_builder_at_end(body);
  const ir_type *result = body->args[inputs]->type;
  ir_value *value;
  if (op->code == OP_LINALG_EXT_DIAG) {
    value = diag_body(&builder, op);
  } else {
    enum { MOST_INPUTS = 3 };
    ir_value *operands[MOST_INPUTS] = {0};
    bool selects = info->map == OP_ARITH_SELECT;
    for (unsigned i = 0; i < inputs && i < MOST_INPUTS; i++)
      operands[i] = selects && !i ? body->args[0] : convert_input(&builder, op, body->args[i], result);
    value = operands[0];
    ir_opcode map = info->map ? for_element(info->map, result->element) : 0;
    if (op->code == OP_LINALG_RECIPROCAL) {
      operands[1] = value;
      operands[0] = ir_const(&builder, result, 1);
    } else if (op->code == OP_LINALG_SQUARE) {
      operands[1] = value;
    }
    if (map)
      value = ir_create(&builder, map, result, ir_info_num_groups(ir_op_info_of(map)), operands, 0, NULL);
    if (info->combine)
      value = ir_binary(&builder, for_element(info->combine, result->element), body->args[inputs], value);
  }
  ir_terminator(&builder, OP_LINALG_YIELD, 1, &value);
}

bool ir_op_widens(const ir_op *op) {
  if (op->code == OP_ARITH_EXTF)
    return true;
  ir_scalar from = op->code == OP_ARITH_SITOFP ? ir_operand(op, 0)->type->element : IR_I1;
  return from != IR_I1 && 2 * ir_scalar_bits(from) <= ir_scalar_bits(ir_result(op, 0)->type->element);
}

/* The value under casts between float or between integer types, or that widen. */
static const ir_value *without_casts(const ir_value *value) {
  while (value->op &&
         (value->op->code == OP_ARITH_TRUNCF || value->op->code == OP_ARITH_EXTSI || ir_op_widens(value->op)))
    value = ir_operand(value->op, 0);
  return value;
}

bool ir_is_contraction(const ir_op *op) {
  if (!ir_sums_products(op))
    return false;
  for (unsigned i = 0; i < 3; i++)
    if (!ir_map_is_projected_permutation(ir_structure_of(op)->maps[i]))
      return false;
  return true;
}

bool ir_sums_products(const ir_op *op) {
  if (!ir_op_has(op, IR_STRUCTURED) || op->num_operands != 3 || ir_num_inits(op) != 1 || !op->num_regions)
    return false;
  const ir_structure *structure = ir_structure_of(op);
  const ir_block *body = ir_region(op, 0);
  const ir_value *sum = body->last ? ir_operand(body->last, 0) : NULL;
  if (!structure->reductions || !sum || !sum->op || (sum->op->code != OP_ARITH_ADDF && sum->op->code != OP_ARITH_ADDI))
    return false;
  for (unsigned side = 0; side < 2; side++) {
    const ir_value *product = ir_operand(sum->op, side);
    if (ir_operand(sum->op, 1 - side) != body->args[2] || !product->op ||
        (product->op->code != OP_ARITH_MULF && product->op->code != OP_ARITH_MULI))
      continue;
    const ir_value *a = without_casts(ir_operand(product->op, 0)), *b = without_casts(ir_operand(product->op, 1));
    return (a == body->args[0] && b == body->args[1]) || (a == body->args[1] && b == body->args[0]);
  }
  return false;
}

bool ir_body_reads_init(const ir_op *op, unsigned i) {
  if (!op->num_regions) /* softmax: the result and the scale are only written */
    return i == 1 || i == 2;
  return !ir_value_unused(ir_region(op, 0)->args[ir_num_inputs(op) + i]);
}

static const ir_op *behind_constants(const ir_op *op) {
  while (op && op->code == OP_ARITH_CONSTANT)
    op = op->next;
  return op;
}

/* Constants are the same by what they are: one may have been moved out of its body. */
static bool same_operand(const ir_value_map *values, ir_value *a, const ir_value *b) {
  const ir_attr *left, *right;
  if (ir_value_constant(a, &left) && ir_value_constant(b, &right))
    return left == right && a->type == b->type;
  return ir_value_map_get(values, a) == b;
}

/* The two ops are the same where their operands are; their results correspond from then on. */
static bool same_op(ir_value_map *values, const ir_op *a, const ir_op *b) {
  bool same = a->code == b->code && a->num_operands == b->num_operands && a->num_results == b->num_results &&
              a->num_attrs == b->num_attrs && !a->num_regions && !b->num_regions &&
              ir_attrs_equal(a->num_attrs, a->attrs, b->attrs);
  for (unsigned i = 0; same && i < a->num_operands; i++)
    same = same_operand(values, ir_operand(a, i), ir_operand(b, i));
  for (unsigned i = 0; same && i < a->num_results; i++) {
    same = ir_result(a, i)->type == ir_result(b, i)->type;
    ir_value_map_set(values, ir_result(a, i), ir_result(b, i));
  }
  return same;
}

bool ir_same_body(const ir_block *a, const ir_block *b) {
  ir_value_map *values = ir_value_map_create(b->parent->module);
  bool same = a->num_args == b->num_args;
  for (unsigned i = 0; same && i < a->num_args; i++) {
    same = a->args[i]->type == b->args[i]->type;
    ir_value_map_set(values, a->args[i], b->args[i]);
  }
  const ir_op *left = behind_constants(a->first), *right = behind_constants(b->first);
  while (same && left && right) {
    same = same_op(values, left, right);
    left = behind_constants(left->next);
    right = behind_constants(right->next);
  }
  return same && !left && !right;
}
