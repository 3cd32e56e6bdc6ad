/* vectorize_tiles.c - the pass "vectorize-tiles": inside each kernel (a scf.forall of a function's top level) tensors
 * become vectors, so that tiles live in registers. Slices of tensors from outside are read, what a kernel contributes
 * is written, and all between, values carried by loops included, is a vector of the whole tile.
 *
 * Invariants
 *  - A tile's vector has a static size in each dim, at least its extent and a multiple of what matrix units need. Dims
 *    of extent 1 are no dims of the vector; a tile of one element is a scalar.
 *  - Elements beyond the extents hold anything, but 0 where the tile is `padded`. So reductions along a dim that is not
 *    full see neutral elements there (vectorize.h), and contractions zeros.
 *  - The tensor ops stay until the kernel is done, so that each finds the tiles of its operands by number; vector ops
 *    stand beside them.
 * Terminates: one walk over the kernel's ops. */
#include "passes/extent.h"
#include "passes/passes.h"
#include "passes/tile.h"
#include "passes/vectorize.h"
#include "passes/vectorize_tiles.h"

enum {
  SIZE_UNIT = 16,       /* vector sizes are multiples of this: no matrix unit has longer sides .. */
  LONG_SIZE_UNIT = 512, /* .. and long ones of this: every lane of a block has as much to do */
};

/* A tensor in registers. */
typedef struct tile {
  ir_value *vector; /* over the dims with sizes above 1, in order; NULL: of any content */
  ir_scalar element;
  unsigned rank;
  ir_index extents[IR_MAX_RANK]; /* elements that are there .. */
  int64_t sizes[IR_MAX_RANK];    /* .. of so many in the vector */
  bool padded;
} tile;

/* A tensor from outside of the kernel, read as a whole. */
typedef struct outer_tile {
  const ir_value *tensor;
  tile *tile;
  struct outer_tile *next;
} outer_tile;

typedef struct kernel {
  ir_module *module;
  ir_block *block; /* of the forall */
  tile **tiles;    /* by number of the value */
  unsigned num_retired;
  outer_tile *outer;
  bool is_narrow;  /* there are no products: sizes up to SIZE_UNIT are powers of two */
  ir_op **retired; /* tensor ops, those that define before those that use */
} kernel;

static bool vectorize_block(kernel *k, ir_block *block);

static bool is_tensor(const ir_value *value) { return value->type->kind == IR_TYPE_TENSOR; }

/* ----------------------------------------------------------------------------------------------------------- tiles */

int64_t vectorize_tiles_size(int64_t bound) {
  int64_t unit = bound > LONG_SIZE_UNIT ? LONG_SIZE_UNIT : SIZE_UNIT;
  return bound < unit ? unit : (bound + unit - 1) / unit * unit;
}

/* The vector size of an extent; 0 if it has no known bound. */
static int64_t vector_size(const kernel *k, ir_index size) {
  int64_t bound = extent_bound(extent_of_index(size)), power = 1;
  while (k->is_narrow && power < bound && power < SIZE_UNIT)
    power *= 2;
  return bound > IR_MAX_VECTOR_ELEMENTS   ? 0
         : ir_index_is_const(size, 1)     ? 1
         : k->is_narrow && power >= bound ? power
                                          : vectorize_tiles_size(bound);
}

/* A tile without a vector; false after an error at `op`. */
static bool set_extents(const kernel *k, tile *t, const ir_op *op, ir_scalar element, unsigned rank,
                        const ir_index *extents) {
  *t = (tile){.element = element, .rank = rank};
  int64_t total = 1;
  for (unsigned dim = 0; dim < rank; dim++) {
    t->extents[dim] = extents[dim];
    t->sizes[dim] = vector_size(k, extents[dim]);
    if (!t->sizes[dim])
      return ir_op_error(op, "dim %u of a tile has no known bound: on this target tiles live in registers", dim);
    total *= t->sizes[dim];
    if (total > IR_MAX_VECTOR_ELEMENTS)
      return ir_op_error(op, "a tile of this op does not fit into registers");
  }
  return true;
}

/* The dims of the vector; returns how many. */
static unsigned vector_dims(const tile *t, unsigned *dims) {
  unsigned count = 0;
  for (unsigned dim = 0; dim < t->rank; dim++)
    if (t->sizes[dim] > 1)
      dims[count++] = dim;
  return count;
}

static const ir_type *vector_type(const kernel *k, const tile *t) {
  unsigned dims[IR_MAX_RANK], rank = vector_dims(t, dims);
  int64_t shape[IR_MAX_RANK];
  for (unsigned i = 0; i < rank; i++)
    shape[i] = t->sizes[dims[i]];
  return rank ? ir_type_vector(k->module, t->element, rank, shape) : ir_type_scalar(k->module, t->element);
}

static bool same_sizes(const tile *a, const tile *b) {
  unsigned dims[2][IR_MAX_RANK], rank = vector_dims(a, dims[0]);
  if (vector_dims(b, dims[1]) != rank)
    return false;
  for (unsigned i = 0; i < rank; i++)
    if (a->sizes[dims[0][i]] != b->sizes[dims[1][i]])
      return false;
  return true;
}

static tile *define(kernel *k, const ir_value *value, const tile *t) {
  return k->tiles[ir_value_number(value)] = ir_arena_copy(&k->module->arena, t, sizeof *t);
}

/* The vector of a tile, zeros where its content does not matter. */
static ir_value *content(const kernel *k, ir_builder *builder, tile *t) {
  if (!t->vector)
    t->vector = ir_const(builder, vector_type(k, t), 0);
  return t->vector;
}

/* ---------------------------------------------------------------------------------------------- reading and writing */

/* A transfer between the vector of a tile and the whole of a tensor with its extents; `stored` is NULL for reads. */
static ir_value *transfer(const kernel *k, ir_builder *builder, const tile *t, ir_value *tensor, ir_value *stored) {
  unsigned dims[IR_MAX_RANK], rank = vector_dims(t, dims);
  ir_value *operands[IR_MAX_RANK + 2] = {stored, tensor}, *zero = t->rank ? ir_const_index(builder, 0) : NULL;
  bool in_bounds[IR_MAX_RANK];
  for (unsigned i = 0; i < t->rank; i++)
    operands[2 + i] = zero;
  if (!rank)
    return ir_create(builder, stored ? OP_TENSOR_INSERT : OP_TENSOR_EXTRACT, NULL, t->rank + 1 + (stored != NULL),
                     operands + !stored, 0, NULL);
  for (unsigned i = 0; i < rank; i++)
    in_bounds[i] = ir_index_is_const(t->extents[dims[i]], t->sizes[dims[i]]);
  return ir_result(ir_transfer(builder, stored ? OP_VECTOR_TRANSFER_WRITE : OP_VECTOR_TRANSFER_READ, vector_type(k, t),
                               stored, tensor, operands + 2, dims, in_bounds),
                   0);
}

/* Fills in the vector of a tile from a tensor outside. */
static void read_tensor(const kernel *k, ir_builder *builder, ir_value *tensor, tile *t) {
  t->vector = transfer(k, builder, t, tensor, NULL);
  t->padded = true;
}

/* A tensor from outside, or a shared output, as a whole; read where the kernel begins. */
static tile *outer_tile_of(kernel *k, const ir_op *user, ir_value *tensor) {
  for (outer_tile *known = k->outer; known; known = known->next)
    if (known->tensor == tensor)
      return known->tile;
  ir_builder builder = ir_builder_before(k->block->first);
  ir_index extents[IR_MAX_RANK];
  tile *t = IR_NEW(&k->module->arena, tile);
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    extents[dim] = ir_dim(&builder, tensor, dim);
  if (!set_extents(k, t, user, tensor->type->element, tensor->type->rank, extents))
    return NULL;
  if (!ir_made_by(tensor, OP_TENSOR_EMPTY))
    read_tensor(k, &builder, tensor, t);
  k->outer = IR_NEW_OF(&k->module->arena, outer_tile, tensor, t, k->outer);
  return t;
}

static bool is_outer(const kernel *k, const ir_value *tensor) {
  return ir_value_is_outside(tensor, k->block) || tensor->block == k->block;
}

/* The tile of an operand; NULL after an error. */
static tile *tile_of(kernel *k, const ir_op *user, ir_value *tensor) {
  return is_outer(k, tensor) ? outer_tile_of(k, user, tensor) : k->tiles[ir_value_number(tensor)];
}

/* -------------------------------------------------------------------------------------------------- structured ops */

/* What the loops of an op are in registers. */
typedef struct loop_sizes {
  ir_index extents[IR_MAX_LOOPS];
  int64_t sizes[IR_MAX_LOOPS]; /* 0: not seen yet */
} loop_sizes;

/* Takes the sizes of loops from an operand's tile; false after an error. */
static bool add_loop_sizes(loop_sizes *loops, const ir_op *op, const ir_map *map, const tile *t) {
  for (unsigned dim = 0; dim < t->rank; dim++) {
    int loop = ir_map_result_dim(map, dim);
    if (loop < 0 && (t->sizes[dim] > 1 || map->results[dim]->kind != IR_EXPR_CONST))
      return ir_op_error(op, "reads tiles at subscripts that are no loops, which this target cannot");
    if (loop < 0)
      continue;
    if (loops->sizes[loop] && loops->sizes[loop] != t->sizes[dim])
      return ir_op_error(op, "loop %d has tiles of different sizes, %lld and %lld", loop, (long long)loops->sizes[loop],
                         (long long)t->sizes[dim]);
    loops->sizes[loop] = t->sizes[dim];
    loops->extents[loop] = t->extents[dim];
  }
  return true;
}

/* The op as one tile; its operands have their vectors. False after an error. */
static bool set_vector_tile(ir_op *op, const loop_sizes *loops, vector_tile *v) {
  const ir_structure *structure = ir_structure_of(op);
  uint32_t allowed = vectorize_loops(op);
  int64_t total = 1;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    if (!loops->sizes[loop])
      return ir_op_error(op, "has no operand whose extent is that of loop %u", loop);
    v->ends[loop] = loops->extents[loop];
    if (loops->sizes[loop] == 1)
      continue;
    if (!(allowed >> loop & 1))
      return ir_op_error(op, "cannot run on vectors along loop %u, which this target needs", loop);
    if (v->num_dims == IR_MAX_RANK)
      return ir_op_error(op, "has more than %d loops with several iterations", IR_MAX_RANK);
    v->loops[v->num_dims] = loop;
    v->sizes[v->num_dims++] = loops->sizes[loop];
    if (!ir_index_is_const(loops->extents[loop], loops->sizes[loop]))
      v->masked |= ir_bit(loop);
    total *= ir_is_contraction(op) ? 1 : loops->sizes[loop];
    if (total > IR_MAX_VECTOR_ELEMENTS)
      return ir_op_error(op, "a tile of this op does not fit into registers");
  }
  return true;
}

/* Beyond the ends of reductions factors must be 0: both, since 0 * infinity is none. */
static void zero_factors(ir_builder *builder, const vector_tile *v, tile *const *tiles) {
  for (unsigned i = 0; i < 2; i++) {
    vector_operand *operand = &v->operands[i];
    uint32_t loops = operand->vector ? vectorize_operand_loops(operand) : 0;
    loops &= v->masked & ir_structure_of(v->op)->reductions;
    if (loops && !tiles[i]->padded)
      operand->vector = vectorize_zero_beyond(builder, v, i, loops, operand->vector);
  }
}

static bool vectorize_structured(kernel *k, ir_op *op) {
  if (!op->num_regions)
    return ir_op_error(op, "must be decomposed before its tiles become vectors (pass 'decompose-softmax')");
  ir_arena *arena = &k->module->arena;
  const ir_structure *structure = ir_structure_of(op);
  unsigned num_inputs = ir_num_inputs(op), num_outs = ir_num_inits(op);
  tile **tiles = IR_NEW_ARRAY(arena, tile *, op->num_operands);
  loop_sizes loops = {.sizes = {0}};
  vector_tile v = {.op = op, .operands = IR_NEW_ARRAY(arena, vector_operand, op->num_operands), .narrow = true};
  ir_builder builder = ir_builder_before(op);
  vectorize_operands(op, v.operands);
  for (unsigned i = 0; i < op->num_operands; i++) {
    if (!is_tensor(ir_operand(op, i)))
      continue;
    tiles[i] = tile_of(k, op, ir_operand(op, i));
    if (!tiles[i] || !add_loop_sizes(&loops, op, structure->maps[i], tiles[i]))
      return false;
    if (i < num_inputs || ir_body_reads_init(op, i - num_inputs))
      v.operands[i].vector = content(k, &builder, tiles[i]);
  }
  if (!set_vector_tile(op, &loops, &v))
    return false;
  if (ir_is_contraction(op))
    zero_factors(&builder, &v, tiles);
  ir_value **accumulators = IR_NEW_ARRAY(arena, ir_value *, num_outs);
  for (unsigned out = 0; out < num_outs; out++)
    if (v.operands[num_inputs + out].vector)
      accumulators[out] = vectorize_begin(&builder, &v, out);
  vectorize_body(&builder, &v, accumulators);
  for (unsigned out = 0; out < num_outs; out++) {
    tile result = *tiles[num_inputs + out];
    result.vector = vectorize_to_subscripts(&builder, &v, num_inputs + out, accumulators[out]);
    result.padded = tile_only_moves(op) && num_inputs == 1 && tiles[0] && tiles[0]->padded;
    define(k, ir_result(op, out), &result);
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------- tensor ops */

static bool vectorize_empty(kernel *k, ir_op *op) {
  const ir_type *type = ir_result(op, 0)->type;
  ir_index extents[IR_MAX_RANK];
  tile t;
  ir_spelled_extents(op, 0, extents);
  return set_extents(k, &t, op, type->element, type->rank, extents) && define(k, ir_result(op, 0), &t);
}

/* The tile whose elements, in order, are those of `from`: dims of extent 1 come and go. */
static bool define_reshaped(kernel *k, ir_op *op, const tile *from, const ir_index *extents) {
  const ir_value *result = ir_result(op, 0);
  tile t;
  if (!set_extents(k, &t, op, from->element, result->type->rank, extents))
    return false;
  t.vector = from->vector;
  t.padded = from->padded;
  if (!same_sizes(&t, from)) {
    for (unsigned side = 0; side < 2; side++)
      for (unsigned dim = 0; dim < (side ? t.rank : from->rank); dim++)
        if (side ? !ir_index_is_const(t.extents[dim], t.sizes[dim])
                 : !ir_index_is_const(from->extents[dim], from->sizes[dim]))
          return ir_op_error(op, "splits or merges dims of a tile that is not full, which this target cannot");
    ir_builder builder = ir_builder_before(op);
    if (t.vector)
      t.vector = ir_unary(&builder, OP_VECTOR_SHAPE_CAST, t.vector, vector_type(k, &t));
  }
  return define(k, result, &t);
}

/* The slice is all of the tile. */
static bool is_all_of(const tile *t, const ir_slice *slice) {
  bool all = ir_indices_are(slice->rank, slice->offsets, 0) && ir_slice_has_unit_strides(slice);
  for (unsigned dim = 0; all && dim < slice->rank; dim++)
    all = tile_index_equal(slice->sizes[dim], t->extents[dim]);
  return all;
}

/* A slice of a tensor outside is read; one of a tile must be all of it. */
static bool vectorize_extract_slice(kernel *k, ir_op *op, bool *stays) {
  ir_value *source = ir_operand(op, 0), *result = ir_result(op, 0);
  ir_slice slice = ir_slice_of(op);
  ir_index extents[IR_MAX_RANK];
  unsigned kept[IR_MAX_RANK], rank = ir_slice_kept_dims(op, result->type, kept);
  for (unsigned dim = 0; dim < rank; dim++)
    extents[dim] = slice.sizes[kept[dim]];
  if (is_outer(k, source)) {
    tile t;
    ir_builder builder = ir_builder_after(op);
    *stays = true;
    if (!set_extents(k, &t, op, result->type->element, rank, extents))
      return false;
    read_tensor(k, &builder, result, &t);
    return define(k, result, &t);
  }
  const tile *from = tile_of(k, op, source);
  if (!is_all_of(from, &slice))
    return ir_op_error(op, "takes a part of a tile, which this target cannot");
  return define_reshaped(k, op, from, extents);
}

static bool vectorize_insert_slice(kernel *k, ir_op *op) {
  const tile *source = tile_of(k, op, ir_operand(op, 0)), *dest = tile_of(k, op, ir_operand(op, 1));
  if (!source || !dest)
    return false;
  ir_slice slice = ir_slice_of(op);
  if (!is_all_of(dest, &slice))
    return ir_op_error(op, "replaces a part of a tile, which this target cannot");
  return define_reshaped(k, op, source, dest->extents);
}

/* Casts and reshapes. Extents of results that are not static are those of the source dims that they come from. */
static bool vectorize_reshape(kernel *k, ir_op *op) {
  const tile *from = tile_of(k, op, ir_operand(op, 0));
  ir_index extents[IR_MAX_RANK];
  if (!from)
    return false;
  ir_builder builder = ir_builder_before(op);
  const ir_type *before = ir_operand(op, 0)->type, *after = ir_result(op, 0)->type;
  bool kept = op->code != OP_TENSOR_CAST && ir_type_has_extents_of(after, before);
  for (unsigned dim = 0, source = 0; dim < after->rank; dim++) {
    if (op->code == OP_TENSOR_CAST) {
      extents[dim] = from->extents[dim];
    } else if (kept && after->shape[dim] != 1) {
      source = ir_type_next_long_dim(before, source);
      extents[dim] = from->extents[source++];
    } else {
      extents[dim] = pass_dim(&builder, ir_result(op, 0), dim);
    }
  }
  return define_reshaped(k, op, from, extents);
}

static bool vectorize_dim(kernel *k, ir_op *op) {
  unsigned dim;
  ir_builder builder = ir_builder_before(op);
  if (!ir_is_dim(op, &dim))
    return ir_op_error(op, "asks a tile for the extent of a dim that is not constant");
  const tile *t = tile_of(k, op, ir_operand(op, 0));
  ir_replace_uses(ir_result(op, 0), ir_index_value(&builder, t->extents[dim]));
  return true;
}

/* What an iteration contributes is written to the slice of the shared output that it replaces. */
static bool vectorize_parallel_insert(kernel *k, ir_op *op) {
  ir_value *source = ir_operand(op, 0), *dest = ir_operand(op, 1);
  tile *t = tile_of(k, op, source);
  if (!t)
    return false;
  ir_slice place = ir_slice_of(op);
  if (!ir_slice_has_unit_strides(&place))
    return ir_op_error(op, "writes with a stride, which this target cannot");
  ir_builder builder = ir_builder_before(ir_op_parent(op));
  builder.loc = op->loc;
  ir_value *slice = ir_extract_slice(&builder, dest, place.offsets, place.sizes, source->type);
  ir_set_operand(op, 0, transfer(k, &builder, t, slice, content(k, &builder, t)));
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- loops */

/* A loop that carries vectors in place of tensors; the old one is left without a body. */
static ir_op *replace_loop(kernel *k, ir_op *op, ir_value **inits) {
  ir_builder builder = ir_builder_before(op);
  ir_op *loop = pass_move_loop(&builder, op, op->num_results, inits);
  const ir_block *old = ir_region(op, 0), *body = ir_region(loop, 0);
  for (unsigned i = 0; i < old->num_args; i++) {
    if (!is_tensor(old->args[i])) {
      ir_replace_uses(old->args[i], body->args[i]);
      continue;
    }
    tile carried = *tile_of(k, op, ir_loop_init(op, i - 1));
    carried.vector = body->args[i];
    carried.padded = false;
    define(k, old->args[i], &carried);
    carried.vector = ir_result(loop, i - 1);
    define(k, ir_result(op, i - 1), &carried);
  }
  for (unsigned i = 0; i < op->num_results; i++)
    if (!is_tensor(ir_result(op, i)))
      ir_replace_uses(ir_result(op, i), ir_result(loop, i));
  return loop;
}

/* Operands of the op, from `first` on, with vectors in place of tensors. */
static bool get_carried(kernel *k, ir_op *op, unsigned first, unsigned count, ir_value **values) {
  ir_builder builder = ir_builder_before(op);
  for (unsigned i = 0; i < count; i++) {
    values[i] = ir_operand(op, first + i);
    tile *t = is_tensor(values[i]) ? tile_of(k, op, values[i]) : NULL;
    if (t)
      values[i] = content(k, &builder, t);
    else if (is_tensor(values[i]))
      return false;
  }
  return true;
}

static bool vectorize_for(kernel *k, ir_op *op) {
  ir_value **values = IR_NEW_ARRAY(&k->module->arena, ir_value *, op->num_results);
  if (!get_carried(k, op, 3, op->num_results, values))
    return false;
  ir_op *loop = replace_loop(k, op, values), *end = ir_region(loop, 0)->last;
  if (!vectorize_block(k, ir_region(loop, 0)) || !get_carried(k, end, 0, op->num_results, values))
    return false;
  for (unsigned i = 0; i < op->num_results; i++) {
    if (values[i]->type != ir_result(loop, i)->type)
      return ir_op_error(end, "carries tiles of different sizes in value %u", i);
    ir_set_operand(end, i, values[i]);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------- what is possible */

/* Subscripts are loops, or constants of dims of extent 1, and all loops with several iterations can be dims of
 * vectors. */
static bool can_structured(ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  uint32_t allowed = op->num_regions ? vectorize_loops(op) : UINT32_MAX; /* without a body: decomposed before */
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_size(op, loop) != 1 && !(allowed >> loop & 1))
      return false;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_value *operand = ir_operand(op, i);
    for (unsigned dim = 0; is_tensor(operand) && dim < operand->type->rank; dim++)
      if (ir_map_result_dim(structure->maps[i], dim) < 0 && operand->type->shape[dim] != 1)
        return false;
  }
  return true;
}

bool vectorize_tiles_can(ir_op *op) {
  if (ir_op_has(op, IR_STRUCTURED))
    return can_structured(op);
  switch (op->code) {
  case OP_TENSOR_EMPTY:
  case OP_TENSOR_CAST:
    return true;
  case OP_TENSOR_EXPAND_SHAPE:
  case OP_TENSOR_COLLAPSE_SHAPE:
    return ir_type_has_extents_of(ir_operand(op, 0)->type, ir_result(op, 0)->type);
  default:
    return false;
  }
}

/* ------------------------------------------------------------------------------------------------------- the walk */

static bool touches_tiles(const kernel *k, const ir_op *op) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (is_tensor(ir_operand(op, i)) && !is_outer(k, ir_operand(op, i)))
      return true;
  for (unsigned i = 0; i < op->num_results; i++)
    if (is_tensor(ir_result(op, i)))
      return true;
  return ir_op_has(op, IR_STRUCTURED);
}

static bool vectorize_op(kernel *k, ir_op *op) {
  if (ir_op_has(op, IR_STRUCTURED))
    return vectorize_structured(k, op);
  switch (op->code) {
  case OP_TENSOR_EMPTY:
    return vectorize_empty(k, op);
  case OP_TENSOR_INSERT_SLICE:
    return vectorize_insert_slice(k, op);
  case OP_TENSOR_EXPAND_SHAPE:
  case OP_TENSOR_COLLAPSE_SHAPE:
  case OP_TENSOR_CAST:
    return vectorize_reshape(k, op);
  case OP_TENSOR_DIM:
    return vectorize_dim(k, op);
  case OP_SCF_FOR:
    return vectorize_for(k, op);
  default:
    return ir_op_error(op, "has no form on tiles in registers, which this target needs");
  }
}

static bool vectorize_block(kernel *k, ir_block *block) {
  for (ir_op *op = block->first, *next; op != block->last; op = next) {
    next = op->next;
    bool stays = false;
    if (op->num_regions && op->code != OP_SCF_FOR && !ir_op_has(op, IR_STRUCTURED))
      return ir_op_error(op, "cannot stand in a kernel");
    if (!touches_tiles(k, op) && op->code != OP_SCF_FOR)
      continue;
    unsigned place = k->num_retired++;
    k->retired[place] = op;
    if (op->code == OP_TENSOR_EXTRACT_SLICE ? !vectorize_extract_slice(k, op, &stays) : !vectorize_op(k, op))
      return false;
    if (stays)
      k->retired[place] = NULL;
  }
  return true;
}

bool pass_vectorize_tiles(ir_op *forall, const pass_options *options) {
  if (!forall->num_results) /* no tensors */
    return true;
  kernel k = {.module = forall->module, .block = ir_region(forall, 0), .is_narrow = true};
  for (ir_op *op = ir_next_inside(forall, forall); op; op = ir_next_inside(forall, op)) {
    k.num_retired++;
    k.is_narrow &= !ir_op_has(op, IR_STRUCTURED) || !ir_is_contraction(op);
  }
  k.tiles = IR_NEW_ARRAY(&k.module->arena, tile *, ir_number_values(forall));
  k.retired = IR_NEW_ARRAY(&k.module->arena, ir_op *, k.num_retired);
  k.num_retired = 0;
  if (!vectorize_block(&k, k.block))
    return false;
  for (ir_op *insert = ir_region(k.block->last, 0)->first; insert; insert = insert->next)
    if (!vectorize_parallel_insert(&k, insert))
      return false;
  while (k.num_retired)
    if (k.retired[--k.num_retired])
      ir_op_erase(k.retired[k.num_retired]);
  return true;
}
