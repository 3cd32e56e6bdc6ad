/* distribute_factor.c - factors of contractions straight from global memory, one fragment at a time.
 *
 * A tile of a factor that all warps of a block read is more than a lane has registers for. Where nothing brings tiles
 * to shared memory ahead of time, the read waits until its contraction asks for fragments, right before it multiplies
 * them. This needs nothing between the read and its user that writes memory; a transposition may stand there.
 *
 * Where the target moves 2-D blocks of memory (vector_ext.block_load), a fragment whose lanes lie along a row, or along
 * a column, is one of those: what is out of bounds is then zero without a branch. Blocks need rows of at least 64
 * bytes, a multiple of 16 bytes apart. The matrix may start at any multiple of 16 bytes where the rows are so far apart
 * that what comes before it in a line of 64 bytes counts as columns; else at the start of a line, as arguments do.
 * While one tile is used, the next of a loop is asked for (vector_ext.prefetch).
 * Terminates: loops over the ops between a read and its user, dims and digits. */
#include "passes/alignment.h"
#include "passes/distribute.h"

enum { BLOCK_LANES = 16, BLOCK_ROWS = 8, LEAST_WIDTH = 64, PITCH_UNIT = 16 };

struct late_factor {
  distributor *d;
  const ir_op *read;
  lane_access access;
  unsigned dims[2]; /* of the read, by dim of the factor */
  bool in_blocks;
};

/* The read that gives the value, as it is or transposed; its dims by those of the value. NULL: none. */
static const ir_op *find_read(const ir_value *value, unsigned dims[2]) {
  const ir_op *op = value->op;
  dims[0] = 0;
  dims[1] = 1;
  if (op && op->code == OP_VECTOR_TRANSPOSE && value->type->rank == 2) {
    const int64_t *permutation = ir_attr_i64s_of(op, "permutation", NULL);
    for (unsigned i = 0; i < 2; i++)
      dims[i] = (unsigned)permutation[i];
    value = ir_operand(op, 0);
    op = ir_value_has_one_use(value) ? value->op : NULL;
  }
  bool plain = op && op->code == OP_VECTOR_TRANSFER_READ && value->type->rank == 2 && !ir_group_size(op, 3);
  return plain && ir_operand(op, 0)->type->kind == IR_TYPE_MEMREF &&
                 ir_operand(op, 0)->type->space != IR_SPACE_WORKGROUP
             ? op
             : NULL;
}

/* Neither the op nor one in its regions writes memory. */
static bool only_reads(const ir_op *op) {
  const ir_op *inner = op;
  while (inner && !ir_op_has(inner, IR_WRITES))
    inner = ir_next_inside(op, inner);
  return !inner;
}

/* May the read be done right before its user, and is it better there? Out of a loop only if lanes lack the registers to
 * keep what is read. */
static bool may_wait(const distributor *d, const ir_op *read, ir_op *user, const ir_value *factor) {
  ir_op *end = ir_op_ancestor_in(user, read->block);
  if (!end)
    return false;
  for (ir_op *op = read->next; op != user; op = op->next) {
    if (!only_reads(op))
      return false;
    if (op == end)
      return op->code == OP_SCF_FOR && end == user->block->parent &&
             distribute_words_across(op) + distribute_words(factor) > d->facts->lane_registers;
  }
  return true;
}

/* All users are contractions that can ask for fragments, like those in the parts of a loop. */
bool distribute_is_late(const distributor *d, const ir_value *value) {
  unsigned dims[2];
  if (d->facts->copy_stages || !value->op || !value->uses)
    return false;
  if (value->uses->user->code == OP_VECTOR_TRANSPOSE && value->uses->user->block == value->op->block)
    return ir_value_has_one_use(value) && value->op->code == OP_VECTOR_TRANSFER_READ &&
           distribute_is_late(d, ir_result(value->uses->user, 0));
  const ir_op *read = find_read(value, dims);
  bool late = read;
  for (const ir_use *use = value->uses; use && late; use = use->next)
    late = use->user->code == OP_VECTOR_CONTRACT && ir_use_index(use) <= 1 && may_wait(d, read, use->user, value);
  return late;
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

static bool is_zero(const ir_value *padding) {
  const ir_attr *constant;
  return ir_value_constant(padding, &constant) && constant->kind == IR_ATTR_FLOAT && constant->number == 0;
}

/* The matrix in the memory's last two dims starts at the start of a line. */
static bool starts_line(const ir_op *read, const lane_access *access) {
  const ir_value *memory = ir_operand(read, 0);
  int64_t bytes = ir_scalar_bytes(memory->type->element);
  bool starts = alignment_of_memref(memory, ALIGNMENT_MOST) >= ALIGNMENT_MOST;
  for (unsigned dim = 0; dim + 2 < memory->type->rank; dim++)
    starts &= alignment_of_index(access->start[dim]) * alignment_of_stride(memory, dim) * bytes >= ALIGNMENT_MOST;
  return starts;
}

/* Rows and columns are the last two dims of the memory, whose extents the hardware can watch. */
static bool can_load_blocks(const distributor *d, const ir_op *read, const lane_access *access) {
  const ir_type *memory = ir_operand(read, 0)->type;
  int64_t bytes = ir_scalar_bytes(memory->element);
  unsigned rank = memory->rank;
  if (!d->facts->has_block_loads || rank < 2 || ir_scalar_bits(memory->element) != 16)
    return false;
  uint32_t inner = UINT32_C(3) << (rank - 2);
  int64_t pitch = ir_type_stride(memory, rank - 2);
  return ir_type_stride(memory, rank - 1) == 1 && pitch != IR_DYNAMIC && pitch * bytes % PITCH_UNIT == 0 &&
         memory->shape[rank - 1] != IR_DYNAMIC && memory->shape[rank - 1] * bytes >= LEAST_WIDTH &&
         memory->shape[rank - 1] % 2 == 0 && access->memory_dim[0] + access->memory_dim[1] == (int)(2 * rank - 3) &&
         access->memory_dim[0] >= (int)rank - 2 && access->memory_dim[1] >= (int)rank - 2 &&
         (memory->shape[rank - 1] * bytes + ALIGNMENT_MOST - PITCH_UNIT <= pitch * bytes ||
          starts_line(read, access)) &&
         !(access->bounded & ~inner) && (!access->bounded || is_zero(ir_group_operand(read, 2, 0)));
}

/* Registers along one dim and lanes along the other, as a block has them; *transposed: registers along the row. */
static bool is_block(const layout *l, unsigned row_dim, bool *transposed) {
  layout lanes = {.rank = 2, .num_digits = 2}, own = *l;
  own.num_digits = 0;
  for (unsigned i = 0; i < l->num_digits; i++)
    if (l->digits[i].level != LAYOUT_WARP)
      own.digits[own.num_digits++] = l->digits[i];
  int64_t registers = distribute_registers(l);
  for (unsigned i = 0; i < 2; i++) {
    *transposed = i;
    lanes.digits[0] = (layout_digit){LAYOUT_REGISTER, i ? 1 - row_dim : row_dim, registers, 1, 1};
    lanes.digits[1] = (layout_digit){LAYOUT_LANE, i ? row_dim : 1 - row_dim, BLOCK_LANES, 1, 1};
    if (layout_equal(&own, &lanes))
      return registers == BLOCK_LANES || (registers == BLOCK_ROWS && !i);
  }
  return false;
}

/* `start` is that of the fragment but for the place of the warp. */
static ir_value *load_block(const late_factor *factor, const layout *l, const ir_index *start, bool transposed) {
  distributor *d = factor->d;
  unsigned rank = factor->access.memref->type->rank;
  layout warps = distribute_level_part(l, LAYOUT_WARP);
  ir_value *operands[IR_MAX_RANK + 1] = {factor->access.memref};
  for (unsigned dim = 0; dim < rank; dim++) {
    int64_t scale[2];
    for (unsigned i = 0; i < 2; i++)
      scale[i] = factor->access.memory_dim[i] == (int)dim;
    operands[1 + dim] =
        ir_index_value(&d->at, ir_index_add(&d->at, start[dim], distribute_lane_offset(d, &warps, scale)));
  }
  const ir_type *type = distribute_type(d, factor->access.memref->type->element, distribute_registers(l));
  ir_named_attr attr = {"transposed", ir_attr_unit(d->module)};
  return ir_create(&d->at, OP_VECTOR_EXT_BLOCK_LOAD, type, 1 + rank, operands, transposed, &attr);
}

/* --------------------------------------------------------------------------------------------------------- prefetch */

/* The loop that reads one tile after the other: the read is of a slice that moves with it along just one dim. Fills the
 * slice, and the dim, in the new kernel; NULL: there is none. */
static const ir_op *find_moving(const late_factor *factor, ir_slice *slice, unsigned *moving) {
  const ir_op *loop = factor->read->block->parent, *view = ir_made_by(factor->access.memref, OP_MEMREF_SUBVIEW);
  if (loop->code != OP_SCF_FOR || !view || ir_bounds_of(loop, 0).step.value)
    return NULL;
  const ir_value *counter = ir_value_map_get(factor->d->lanes, ir_region(loop, 0)->args[0]);
  unsigned found = 0;
  *slice = ir_slice_of(view);
  for (unsigned i = 0; i < slice->rank; i++)
    if (slice->offsets[i].value == counter) {
      *moving = i;
      found++;
    }
  bool plain = slice->rank == factor->access.memref->type->rank && factor->access.memory_dim[0] >= 0 &&
               factor->access.memory_dim[1] >= 0;
  return found == 1 && plain ? loop : NULL;
}

/* All lanes together ask for the tile that the next iteration reads: each for some lines of the rows. */
static void prefetch_next(const late_factor *factor) {
  distributor *d = factor->d;
  ir_module *module = d->module;
  const ir_type *tile = ir_result(factor->read, 0)->type;
  ir_slice slice;
  unsigned moving = 0;
  const ir_op *loop = d->facts->prefetch_bytes ? find_moving(factor, &slice, &moving) : NULL;
  if (!loop)
    return;
  ir_value *memory = ir_operand(factor->access.memref->op, 0);
  unsigned rank = memory->type->rank, row = factor->access.memory_dim[0] == (int)rank - 1;
  int64_t line = 8 * d->facts->prefetch_bytes / ir_scalar_bits(tile->element);
  int64_t lines = (tile->shape[1 - row] + line - 1) / line, count = tile->shape[row] * lines;
  if (factor->access.memory_dim[1 - row] != (int)rank - 1)
    return;
  const ir_expr *thread = ir_expr_dim(module, 0), *width = ir_expr_const(module, lines);
  for (int64_t first = 0; first < count; first += d->threads) {
    const ir_expr *number = ir_expr_by(module, IR_EXPR_ADD, thread, first);
    const ir_expr *places[] = {
        ir_expr_binary(module, IR_EXPR_FLOORDIV, number, width),
        ir_expr_by(module, IR_EXPR_MUL, ir_expr_binary(module, IR_EXPR_MOD, number, width), line)};
    ir_value *operands[IR_MAX_RANK + 1] = {memory};
    for (unsigned dim = 0; dim < rank; dim++) {
      ir_index at = ir_index_add(&d->at, slice.offsets[dim], factor->access.start[dim]);
      if (dim == moving)
        at = ir_index_add(&d->at, at, ir_bounds_of(loop, 0).step);
      for (unsigned i = 0; i < 2; i++)
        if (factor->access.memory_dim[i == 0 ? row : 1 - row] == (int)dim)
          at = ir_index_add(&d->at, at, ir_index_apply(&d->at, places[i], 1, &(ir_index){.value = d->thread}));
      ir_index last = ir_index_add(&d->at, ir_dim(&d->at, memory, dim), ir_index_const(-1));
      operands[1 + dim] = ir_index_value(&d->at, ir_index_min(&d->at, at, last));
    }
    ir_op_spec spec = {.operands = operands, .num_operands = 1 + rank, .groups = {1, rank}};
    ir_op_create(&d->at, OP_VECTOR_EXT_PREFETCH, &spec);
  }
}

/* -------------------------------------------------------------------------------------------------------- fragments */

late_factor *distribute_late_factor(distributor *d, const ir_value *value) {
  late_factor *factor = IR_NEW_OF(&d->module->arena, late_factor, .d = d);
  factor->read = find_read(value, factor->dims);
  factor->access = lane_access_of(factor->read, 0, 2);
  factor->access.unseen = distribute_unseen(factor->read, &factor->access);
  factor->in_blocks = can_load_blocks(d, factor->read, &factor->access);
  distribute_enter(d, &factor->access);
  prefetch_next(factor);
  return factor;
}

ir_value *distribute_late_fragment(const late_factor *factor, const layout *fragment, const int64_t offset[2]) {
  distributor *d = factor->d;
  layout l = *fragment;
  lane_access access = factor->access;
  bool transposed;
  for (unsigned i = 0; i < l.num_digits; i++)
    l.digits[i].dim = factor->dims[l.digits[i].dim];
  for (unsigned i = 0; i < 2; i++) {
    int dim = access.memory_dim[factor->dims[i]];
    if (dim >= 0)
      access.start[dim] = ir_index_add(&d->at, access.start[dim], ir_index_const(offset[i]));
  }
  unsigned row_dim = access.memory_dim[1] < access.memory_dim[0];
  if (factor->in_blocks && is_block(&l, row_dim, &transposed))
    return load_block(factor, &l, access.start, transposed);
  return distribute_load(d, &l, &access, distribute_lane(d, ir_group_operand(factor->read, 2, 0), NULL));
}
