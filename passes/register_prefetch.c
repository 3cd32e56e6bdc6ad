/* register_prefetch.c - see register_prefetch.h.
 *
 * Where much is computed with each element, memory has the time of a whole iteration to bring what the next one needs,
 * and the second-level cache room to keep it. Where each is used once, memory is what takes the time: it is read
 * without a break, and the machine follows best from near by (27 GB/s for one query in f32; 22 from twice as far, 20
 * unasked). Where elements are widened it reads half as much in the same time, and follows best by itself (decoding in
 * bf16 is 1.16 to 1.25 times as fast unasked as from any distance). Not so where memory is far: of its own accord the
 * machine asks for too little at once there, and is asked for more from two pages ahead (on Emerald Rapids decoding in
 * bf16 and f16 is 1.2 to 1.35 times as fast so, and as fast in f32). A core with two pipes and memory near by is asked,
 * too, where conversions of f16 or rows of half the registers fill its queues before enough loads are under way
 * (decoding in f16 is 1.01 to 1.2 times as fast from two pages ahead, bf16 of 256 features 1.05 times from one; bf16 of
 * 128 would take 1.1 times as long, Zen 5). What each iteration of the kernel goes over again and the second-level
 * cache holds besides is there already: asking for it takes a load's place for nothing. So does it where a last cache
 * near by holds it and several register tiles go over it in turn, each of which would ask again: the machine follows by
 * itself (attention whose keys are in lanes 1.08 to 1.12 times as fast, Zen 5). So it does where tiles are small, and
 * what they read is used often: their requests, one with each term, took up to a fifth of the time (Zen 3).
 * Nor is what a product of one row reads, a few long rows at a time, asked for where requests get lost: the machine
 * follows each of these rows by itself (1 x 4096 x 4096 1.1 to 1.2 times as fast, Zen 5; where the rows go on along
 * terms, 1.1 to 1.4 times, and 1.2 times where memory is far, Granite Rapids). Elsewhere it follows rows that go on
 * along terms best where each is asked for from near by (see SOON_BYTES).
 * Some machines (Zen 5) forget what they are asked for faster than memory answers, a line every 4 cycles, say, where
 * one every 8 comes; and elsewhere such requests take the place of what is copied. So a piece is not asked for while
 * the one before is copied into panels, where memory is near: the tiles that use the panels ask for it instead, line by
 * line (register_ask.c).
 * Where memory is far, tiles of a product that read in place what the second-level cache does not hold ask for it
 * themselves, a line or two with every few terms, and for each line once. With each element that a tile reads, each of
 * the tiles that go over the same line would ask for it, and those whose elements lie in other rows for none (attention
 * on 2048 keys of 128 features 1.05x, on 8192 of 64 and 128 1.06 to 1.11x, causal as well; Granite Rapids).
 * Terminates: loops over loops, dims, views and the ops of a block. */
#include "passes/register_prefetch.h"

#include "ir/build.h"
#include "passes/extent.h"

#include <string.h>

/* So much ahead is near: a page, at whose end the machine stops to follow by itself. */
enum { NEAR_BYTES = 4096 };
/* From so many times as far copies of short rows ask where one multiply-add a cycle leaves loads to spare. */
enum { FURTHER = 4 };

/* So few uses, of what the last cache does not hold, are read past the caches where memory has few streams: the one of
 * short rows that follow each other from so far ahead, several from nearer by (one query 1.25 times, in bf16 1.23, four
 * heads that share keys 1.15 times as fast as into the second cache from a page ahead, products of a row 1.06 to 1.2;
 * Zen 1). */
enum { USES_PAST = 4, PAST_ONCE_BYTES = 768, PAST_WIDENED_BYTES = 1024, PAST_AGAIN_BYTES = 2048, PAST_ROW_BYTES = 256 };

/* Uses so few that memory is what takes the time: from beyond a near last cache, and from it, such elements are asked
 * into the first one (over 8192 keys one query is 1.07 to 1.12 times as fast so, 2 to 8 queries are 1.05 to 1.2 times,
 * and one whose keys and values the last cache holds is 1.2 times, Zen 5). Not so rows so far apart that they meet in
 * few of its sets (products of 4 rows of bf16 would take 1.3 times as long). */
enum { FEW_USES = 15, FAR_BYTES = 2048 };

/* Uses so few that memory takes the time, and elements of rows so short that the machine follows these best by itself
 * then, where loads are to spare: it asks in larger pieces of its own accord, and requests take the place of reads (two
 * to four queries of 64 features 1.2 to 1.4 times as fast as asked for in f32, two 1.2 to 1.5 in bf16; of 80 to 128 .85
 * to 1.25 and 1.1 to 1.4, of 192 .4 to .8 and .9 to 1.15; three and four in bf16 1.0 to 1.25, in f16, whose conversions
 * take longer, .86 to 1.0), and five and six where steps are a page each; Zen 4. */
enum { USES_FOLLOWED = 4, USES_IN_PIECES = 6, SLOW_USES_FOLLOWED = 2, ELEMENTS_FOLLOWED = 128 };

/* So much ahead in long rows of terms, of which a few are read at a time, the machine does not see by itself (x W^T of
 * one row 1.12 to 1.25 times as fast as from 2048 terms ahead, Zen 4; 1.1 to 1.3 times in AVX2 code there). A few rows
 * by 128 MiB of bf16, in pieces of half of that, are 1.05 to 1.35 times as fast as from one piece ahead, eight and more
 * .94 to 1.0 times (Zen 4). */
enum { SOON_BYTES = 1024, USES_SOON = 7 };

/* Uses so many that multiply-adds are what takes the time, also where a tile is small: with 8 queries, asking is 1.7
 * times as fast, with 32 1.05 times, with 64 as fast as not (f32, AVX2 on Zen 4). */
enum { MANY_USES = 64 };

/* Iterations of a loop over blocks of rows, for which lines are counted. */
enum { MOST_BLOCKS = 1 << 16 };

/* Uses so many that tiles have the time to ask for each line that they read in place. */
enum { USES_TO_ASK = 32 };

static ir_value *value_of(const register_input *in) { return ir_operand(in->op, in->i); }

static const ir_type *type_of(const register_input *in) { return value_of(in)->type; }

static const ir_map *map_of(const register_input *in) { return ir_structure_of(in->op)->maps[in->i]; }

static int64_t all_uses_of(const register_input *in) { return register_prefetch_uses(in->op, in->i, in->uses); }

static bool is_widened(const register_input *in) {
  return register_plan_element(in->op, in->i, in->facts) != type_of(in)->element;
}

/* So many bytes of the input, in elements. */
static int64_t elements_in(const register_input *in, int64_t bytes) {
  return bytes * 8 / (int64_t)ir_scalar_bits(type_of(in)->element);
}

static const ir_attr *distance(const register_input *in, const int64_t *ahead) {
  return ir_attr_i64s(in->op->module, type_of(in)->rank, ahead);
}

/* The machine does not follow by itself what is read once and widened. */
static bool asks_for_widened(const register_input *in) {
  const register_plan *plan = in->plan;
  bool is_long = 2 * plan->steps[plan->simd] >= plan->lanes * (int64_t)in->facts->vector_registers;
  return in->facts->has_far_memory ||
         (target_has_near_last_cache(in->facts) && (type_of(in)->element == IR_F16 || is_long));
}

/* The step of the scf.for whose induction variable the index is; 0 for other indices. */
static int64_t step_of_induction(ir_index index) {
  const ir_value *value = index.value;
  if (!value || value->op || value->index || value->block->parent->code != OP_SCF_FOR)
    return 0;
  ir_index step = ir_bounds_of(value->block->parent, 0).step;
  return step.value ? 0 : step.constant;
}

/* The step of the last loop of the scf.forall, whose iterations follow each other, if the index is its induction
 * variable; 0 for other indices. */
static int64_t step_of_kernel(ir_index index) {
  const ir_value *value = index.value;
  if (!value || value->op || value->block->parent->code != OP_SCF_FORALL || value->index + 1 != value->block->num_args)
    return 0;
  ir_index step = ir_bounds_of(value->block->parent, value->index).step;
  return step.value ? 0 : step.constant;
}

int64_t register_prefetch_uses(const ir_op *op, unsigned i, int64_t uses) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (!ir_map_uses_dim(structure->maps[i], loop) &&
        __builtin_mul_overflow(uses, register_plan_bound(op, loop), &uses))
      return INT64_MAX;
  return uses;
}

/* The one dim that moves; -1: there is none, or several. */
static int moved_dim(const ir_type *type, const int64_t *ahead) {
  int moved = -1;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    if (ahead[dim] && moved >= 0)
      return -1;
    moved = ahead[dim] ? (int)dim : moved;
  }
  return moved;
}

/* The bytes of a row where the dim that moves is that which is walked along, whole rows at a time; INT64_MAX where it
 * is another one, or not known. */
static int64_t bytes_of_row(const ir_type *type, int moved) {
  int64_t strides[IR_MAX_RANK], bytes = ir_scalar_bytes(type->element);
  if (moved < 0)
    return INT64_MAX;
  ir_type_strides(type, strides);
  for (unsigned dim = 0; dim < type->rank; dim++) {
    if ((int)dim == moved || type->shape[dim] == 1)
      continue;
    if (type->shape[dim] == IR_DYNAMIC || strides[dim] == IR_DYNAMIC || strides[dim] > strides[moved] ||
        __builtin_mul_overflow(bytes, type->shape[dim], &bytes))
      return INT64_MAX;
  }
  return bytes;
}

/* Draws in the distance of an input whose elements are used once to `bytes`, where several rows are. False where not
 * even one is. */
static bool draw_near(const register_input *in, int64_t bytes, int64_t *ahead) {
  int moved = moved_dim(type_of(in), ahead);
  int64_t row_bytes = bytes_of_row(type_of(in), moved);
  if (row_bytes >= bytes)
    return false;
  int64_t near = bytes / (row_bytes ? row_bytes : 1);
  for (unsigned loop = 0; loop < in->plan->num_loops; loop++)
    if (ir_map_find_dim(map_of(in), loop) == moved && in->plan->steps[loop] > near)
      near = in->plan->steps[loop];
  if (near < ahead[moved])
    ahead[moved] = near;
  return true;
}

/* Rows that follow each other in the one dim that moves lie so far apart that each is on a page of its own: the machine
 * follows none, and from near by there is no time for what it takes to find a page (one query over keys and values of
 * 32 and 64 heads side by side, from memory, 1.26 to 1.33 times as fast asked for from a step ahead, of 8 heads 1.07;
 * in bf16 1.7 to 2.3 and 1.1 times as fast as unasked; from the last cache .90 to .98, in bf16 1.0; Zen 4). */
static bool are_rows_scattered(const ir_type *type, const int64_t *ahead) {
  int moved = moved_dim(type, ahead);
  int64_t stride = moved < 0 ? IR_DYNAMIC : ir_type_stride(type, (unsigned)moved);
  return stride != IR_DYNAMIC && stride * ir_scalar_bytes(type->element) >= NEAR_BYTES;
}

/* The value has at most so many elements that they take `bytes`. */
static bool takes_at_most(ir_value *value, int64_t bytes) {
  int64_t size = ir_scalar_bytes(value->type->element);
  for (unsigned dim = 0; dim < value->type->rank; dim++)
    if (__builtin_mul_overflow(size, extent_bound(extent_of(value, dim)), &size))
      return false;
  return size <= bytes;
}

/* The scf.for that the view moves with; NULL where it moves with none. */
static const ir_op *loop_of_view(const ir_op *view) {
  ir_slice slice = ir_slice_of(view);
  for (unsigned dim = 0; dim < slice.rank; dim++)
    if (step_of_induction(slice.offsets[dim]))
      return slice.offsets[dim].value->block->parent;
  return NULL;
}

/* The bytes that all iterations of the loop may touch through the view; INT64_MAX when not known. */
static int64_t bytes_of_view(ir_op *view) {
  ir_slice slice = ir_slice_of(view);
  int64_t bytes = ir_scalar_bytes(ir_result(view, 0)->type->element);
  for (unsigned dim = 0; dim < slice.rank; dim++) {
    int64_t extent = step_of_induction(slice.offsets[dim]) ? extent_bound(extent_of(ir_operand(view, 0), dim))
                     : slice.sizes[dim].value              ? INT64_MAX
                                                           : slice.sizes[dim].constant;
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return INT64_MAX;
  }
  return bytes;
}

/* The index is seen to be the same for all values of the block's argument. */
static bool is_apart_from(ir_index index, const ir_value *argument) {
  const ir_value *value = index.value;
  if (!value || !value->op)
    return value != argument;
  for (unsigned i = 0; i < value->op->num_operands; i++) {
    const ir_value *operand = ir_operand(value->op, i);
    if (operand == argument || (operand->op && operand->op->num_operands))
      return false;
  }
  return true;
}

/* Loop `i` of the kernel is known to have one iteration, or several. */
typedef enum iterations { UNKNOWN, SINGLE, SEVERAL } iterations;

static iterations iterations_of(const ir_op *kernel, unsigned i) {
  ir_bounds bounds = ir_bounds_of(kernel, i);
  int64_t second;
  if (bounds.lower.value || bounds.upper.value || bounds.step.value)
    return UNKNOWN;
  bool overflows = __builtin_add_overflow(bounds.lower.constant, bounds.step.constant, &second);
  return overflows || second >= bounds.upper.constant ? SINGLE : SEVERAL;
}

/* The next iteration of the kernel goes over the same memory as this one, where the loop moves the view. */
static bool is_gone_over_again(const ir_op *view, const ir_op *loop) {
  const ir_op *kernel = loop->block->parent;
  if (kernel->code != OP_SCF_FORALL)
    return false;
  const ir_block *body = ir_region(kernel, 0);
  unsigned next = body->num_args - 1; /* the loop whose iterations follow each other */
  while (next && iterations_of(kernel, next) == SINGLE)
    next--;
  const ir_value *last = body->args[next];
  for (const ir_value *value = ir_result(view, 0); ir_made_by(value, OP_MEMREF_SUBVIEW);
       value = ir_operand(value->op, 0)) {
    ir_slice slice = ir_slice_of(value->op);
    for (unsigned dim = 0; dim < slice.rank; dim++)
      if (!step_of_induction(slice.offsets[dim]) && !is_apart_from(slice.offsets[dim], last))
        return false;
  }
  return true;
}

/* What a loop that moves the input moves over as a whole is no more than `most` bytes, and each iteration of the kernel
 * goes over it again; over half of it, on average, where a mask lets the loop end sooner (`halves`). */
static bool goes_over_again(const register_input *in, uint64_t most, bool halves) {
  const ir_op *loop = NULL, *moved = NULL;
  for (const ir_value *value = value_of(in); !loop && ir_made_by(value, OP_MEMREF_SUBVIEW);
       value = ir_operand(value->op, 0)) {
    moved = value->op;
    loop = loop_of_view(moved);
  }
  if (!loop || !is_gone_over_again(moved, loop))
    return false;
  int64_t bytes = 0;
  for (ir_op *view = ir_region(loop, 0)->first; view; view = view->next)
    if (view->code == OP_MEMREF_SUBVIEW && loop_of_view(view) == loop &&
        __builtin_add_overflow(bytes, bytes_of_view(view), &bytes))
      return false;
  bool is_cut = halves && ir_bounds_of(loop, 0).upper.value;
  return (uint64_t)bytes <= (is_cut ? 2 * most : most);
}

/* The second-level cache holds the input since the kernel's iteration before. */
static bool stays_near(const register_input *in) { return goes_over_again(in, in->facts->l2_bytes / 2, false); }

/* What a step of the loop, as `step_of` says it of its induction variable, adds to the index: that itself, or a
 * quotient of it by a constant, and what is made of that, as groups of a row have; 0 for other indices. */
static int64_t step_of_index(ir_index index, int64_t (*step_of)(ir_index index)) {
  const ir_op *apply = index.value ? index.value->op : NULL;
  if (!apply || apply->code != OP_AFFINE_APPLY || apply->num_operands != 1)
    return step_of(index);
  const ir_expr *expr = ir_affine_map(apply)->results[0];
  int64_t step = step_of(ir_index_of(ir_operand(apply, 0)));
  bool divides = false;
  for (const ir_expr *part = expr; part->kind != IR_EXPR_DIM; part = part->lhs) {
    bool is_simple = part->kind == IR_EXPR_ADD || part->kind == IR_EXPR_MUL || part->kind == IR_EXPR_FLOORDIV;
    if (!is_simple || part->rhs->kind != IR_EXPR_CONST ||
        (part->kind == IR_EXPR_FLOORDIV && ir_expr_eval(part->lhs, 1, &step) % part->rhs->value))
      return 0;
    divides |= part->kind == IR_EXPR_FLOORDIV;
  }
  return divides ? ir_expr_eval(expr, 1, &step) - ir_expr_eval(expr, 1, &(int64_t){0}) : 0;
}

/* So many subscripts of what is expanded, in those of the result. */
static void expand_move(const ir_op *expand, const int64_t *moved, int64_t *ahead) {
  for (unsigned k = 0; k < ir_operand(expand, 0)->type->rank; k++) {
    ir_dims parts = ir_dims_of(expand, k);
    int64_t rest = moved[k];
    for (unsigned dim = parts.end; dim-- > parts.first;) {
      int64_t extent = ir_result(expand, 0)->type->shape[dim];
      bool divides = dim > parts.first && extent > 0;
      ahead[dim] = divides ? rest % extent : rest;
      rest = divides ? rest / extent : 0;
    }
  }
}

/* How many subscripts a step of the outermost loop that moves over the operand is, by at most `bytes` an iteration;
 * false where none does, by what `step_of` says of the indices where views begin. */
static bool find_move(const register_input *in, int64_t (*step_of)(ir_index index), int64_t bytes, int64_t *ahead) {
  ir_value *value = value_of(in);
  const ir_op *expand = ir_made_by(value, OP_MEMREF_EXPAND_SHAPE);
  value = expand ? ir_operand(expand, 0) : value;
  unsigned rank = value->type->rank;
  bool found = false;
  for (; ir_made_by(value, OP_MEMREF_SUBVIEW); value = ir_operand(value->op, 0)) {
    ir_slice slice = ir_slice_of(value->op);
    int64_t moved[IR_MAX_RANK], any = 0;
    if (slice.rank != rank)
      return false;
    for (unsigned k = 0; k < rank; k++)
      any |= moved[k] = step_of_index(slice.offsets[k], step_of);
    if (any && takes_at_most(value, bytes)) {
      if (expand)
        expand_move(expand, moved, ahead);
      else
        memcpy(ahead, moved, sizeof moved);
      found = true;
    }
  }
  return found;
}

/* The same where lanes are contiguous; false elsewhere. */
static bool find_step(const register_input *in, int64_t (*step_of)(ir_index index), int64_t bytes, int64_t *ahead) {
  bool dense = false;
  if (!ir_type_is_shaped(type_of(in)))
    return false;
  for (unsigned k = 0; k < in->plan->num_dims; k++) {
    unsigned loop = in->plan->dims[k];
    int dim = ir_map_find_dim(map_of(in), loop);
    dense |= dim >= 0 && ir_type_stride(type_of(in), (unsigned)dim) == 1 && in->plan->steps[loop] > 1;
  }
  return dense && find_move(in, step_of, bytes, ahead);
}

/* The distance of a copy's input as it walks along it, whose rows do not follow each other in memory: as many rows
 * further as are near, or as lie in a few times as much where that was measured to be faster (4096^3 1.015 to 1.02
 * times, Zen 4); NULL where they follow each other, as the machine then follows by itself. */
static const ir_attr *rows_further(const register_input *in) {
  const register_plan *plan = in->plan;
  const ir_type *type = type_of(in);
  int64_t ahead[IR_MAX_RANK] = {0}, row_bytes = ir_scalar_bytes(type->element), row = 1;
  int moved = -1;
  for (unsigned at = 0; at < plan->num_loops && moved < 0; at++)
    if (register_plan_bound(in->op, plan->order[at]) != 1)
      moved = ir_map_find_dim(map_of(in), plan->order[at]);
  if (moved < 0 || moved + 1 == type->rank)
    return NULL;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    int64_t extent = (int)dim == moved ? 1 : extent_bound(extent_of(value_of(in), dim));
    if (__builtin_mul_overflow(row, extent, &row) || __builtin_mul_overflow(row_bytes, extent, &row_bytes))
      return NULL;
  }
  if (ir_type_stride(type, (unsigned)moved) == row || row_bytes > NEAR_BYTES || !row_bytes)
    return NULL;
  ahead[moved] = (target_has_loads_to_spare(in->facts) ? FURTHER : 1) * NEAR_BYTES / row_bytes;
  return distance(in, ahead);
}

/* Long rows of terms, a few at a time, which are used once as they are. */
static bool are_rows_long(const register_input *in) {
  return in->plan->partial && ir_is_contraction(in->op) && !is_widened(in) &&
         register_plan_bound(in->op, (unsigned)in->plan->simd) >= elements_in(in, FAR_BYTES);
}

/* Register tiles that are small each read a piece of the input's rows in turn: the machine does not follow those by
 * itself, and is asked for what the next step reads, as where elements are used again (decoding in bf16 with 96
 * features 1.5, 128 2.6, 256 3 times as fast as unasked, in f32 with 80 and 128 1.1, 256 1.25 times as fast as from
 * near by; AVX2 on Zen 4). */
static bool is_read_in_pieces(const register_input *in) {
  int simd = in->plan->simd;
  return target_has_small_tiles(in->facts) && simd >= 0 && ir_is_contraction(in->op) &&
         ir_map_uses_dim(map_of(in), (unsigned)simd) &&
         register_plan_bound(in->op, (unsigned)simd) > in->plan->steps[simd];
}

/* The distance of what follows along lanes so many bytes ahead; false where memory does not go on along them. */
static bool find_lanes(const register_input *in, int64_t bytes, int64_t *ahead) {
  unsigned simd = (unsigned)in->plan->simd;
  int dim = ir_map_find_dim(map_of(in), simd);
  if (dim < 0 || !register_plan_is_dense(in->op, in->i, simd))
    return false;
  memset(ahead, 0, IR_MAX_RANK * sizeof *ahead);
  ahead[dim] = elements_in(in, bytes);
  return true;
}

/* Rows of the input, of a known number of elements, follow each other in memory, and each is in a page. How many there
 * are may be open. */
static bool are_rows_a_stream(const ir_type *type) {
  int64_t strides[IR_MAX_RANK], next = 1;
  ir_type_strides(type, strides);
  for (unsigned dim = type->rank; dim-- > 0;) {
    if (type->shape[dim] == 1)
      continue;
    bool is_row = next == 1, is_open = type->shape[dim] == IR_DYNAMIC;
    if (next == IR_DYNAMIC || strides[dim] != next || (is_row && is_open) ||
        (is_row && type->shape[dim] * ir_scalar_bits(type->element) > 8 * NEAR_BYTES))
      return false;
    next = is_open ? IR_DYNAMIC : next * type->shape[dim];
  }
  return true;
}

/* From how far ahead to read the input past the caches; 0: it is used more often, or may stay in the last one. */
static int64_t bytes_past(const register_input *in) {
  int64_t all_uses = all_uses_of(in);
  if (!in->facts->has_few_streams || !ir_is_contraction(in->op) || all_uses > (is_widened(in) ? 1 : USES_PAST) ||
      !type_of(in)->rank || !register_plan_lies_in_memory(value_of(in), in->facts))
    return 0;
  if (!are_rows_a_stream(type_of(in)))
    return PAST_ROW_BYTES;
  return all_uses > 1 ? PAST_AGAIN_BYTES : is_widened(in) ? PAST_WIDENED_BYTES : PAST_ONCE_BYTES;
}

/* The machine follows the input by itself, whose rows the loop moves along. */
static bool is_followed(const register_input *in, const int64_t *ahead) {
  const ir_type *type = type_of(in);
  bool is_slow = is_widened(in) && type->element != IR_BF16;
  int moved = moved_dim(type, ahead);
  int64_t row_bytes = bytes_of_row(type, moved);
  if (!ir_is_contraction(in->op) || !type->rank || row_bytes > ELEMENTS_FOLLOWED * ir_scalar_bytes(type->element))
    return false;
  bool in_pieces = row_bytes && ahead[moved] <= (int64_t)TARGET_PAGE_BYTES / row_bytes;
  int64_t uses = is_slow ? SLOW_USES_FOLLOWED : in_pieces ? USES_IN_PIECES : USES_FOLLOWED;
  return target_has_loads_to_spare(in->facts) && all_uses_of(in) <= uses && are_rows_a_stream(type);
}

/* Of rows that are read in short pieces of terms, what comes after the next piece (see SOON_BYTES). */
static void reach_further(const register_input *in, int64_t *ahead) {
  int64_t soon[IR_MAX_RANK];
  if (!target_has_loads_to_spare(in->facts) || in->plan->simd < 0 || !ir_is_contraction(in->op) ||
      !ir_loop_is_reduction(ir_structure_of(in->op), (unsigned)in->plan->simd) || !find_lanes(in, SOON_BYTES, soon))
    return;
  for (unsigned dim = 0; dim < type_of(in)->rank; dim++)
    if (ahead[dim] && ahead[dim] < soon[dim])
      ahead[dim] = soon[dim];
}

const ir_attr *register_prefetch_distance(const register_input *in) {
  const target_facts *facts = in->facts;
  int64_t ahead[IR_MAX_RANK];
  if (in->uses == REGISTER_PREFETCH_DONE)
    return NULL;
  int64_t all_uses = all_uses_of(in), past = bytes_past(in);
  bool once = all_uses == 1, has_lanes = in->plan->simd >= 0, are_long = once && has_lanes && are_rows_long(in);
  if (past && has_lanes && find_lanes(in, past, ahead))
    return distance(in, ahead);
  if (once && has_lanes &&
      (register_plan_is_followed(in->op, (unsigned)in->plan->simd, facts) ||
       (are_long && (facts->loses_requests || facts->has_far_memory))))
    return NULL;
  if (are_long && target_asks_by_line(facts) && find_lanes(in, SOON_BYTES, ahead))
    return distance(in, ahead);
  if (!find_step(in, step_of_induction, once ? INT64_MAX : register_plan_panel_bytes(facts), ahead))
    return in->uses > 1 ? rows_further(in) : NULL;
  if (!once && (stays_near(in) || is_followed(in, ahead)))
    return NULL;
  if (!once && all_uses <= USES_SOON)
    reach_further(in, ahead);
  bool asks = is_widened(in) && asks_for_widened(in);
  int64_t near = facts->has_far_memory || (asks && type_of(in)->element == IR_F16) ? 2 * NEAR_BYTES : NEAR_BYTES;
  bool stays_far = target_has_loads_to_spare(facts) && are_rows_scattered(type_of(in), ahead) &&
                   register_plan_fills_last_cache(value_of(in), facts);
  bool is_drawn = once && !stays_far && !is_read_in_pieces(in) && draw_near(in, near, ahead);
  return is_drawn && is_widened(in) && !asks ? NULL : distance(in, ahead);
}

bool register_prefetch_is_near(const register_input *in) {
  const ir_type *type = type_of(in);
  int64_t bytes = ir_scalar_bytes(type->element);
  if (bytes_past(in))
    return true;
  if (!target_has_near_last_cache(in->facts) || all_uses_of(in) > FEW_USES)
    return false;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    int64_t stride = ir_type_stride(type, dim);
    if (type->shape[dim] != 1 && (stride == IR_DYNAMIC || stride * bytes >= FAR_BYTES))
      return false;
  }
  return true;
}

bool register_prefetch_panel(const register_input *in, int64_t *ahead) {
  int64_t bytes = register_plan_panel_bytes(in->facts);
  if (!target_asks_by_line(in->facts) || in->plan->paired >= 0)
    return false;
  if (find_move(in, step_of_induction, bytes, ahead))
    return all_uses_of(in) > 1 && !stays_near(in);
  return find_move(in, step_of_kernel, bytes, ahead);
}

const ir_op *register_loop_of_blocks(const ir_op *op, unsigned i) {
  const ir_op *loop = ir_op_parent(op);
  if (loop->code != OP_SCF_FOR || !ir_value_is_outside(ir_operand(op, i), ir_region(loop, 0)))
    return NULL;
  ir_bounds bounds = ir_bounds_of(loop, 0);
  return ir_index_least(bounds.lower) >= 0 && ir_index_is_const(bounds.step, 1) &&
                 ir_index_most(bounds.upper) < MOST_BLOCKS
             ? loop
             : NULL;
}

int64_t register_blocks(const ir_op *loop) {
  int64_t most = loop ? ir_index_most(ir_bounds_of(loop, 0).upper) : 1;
  return most > 1 ? most : 1;
}

bool register_prefetch_own(const register_input *in, int64_t *ahead) {
  const ir_op *blocks = register_loop_of_blocks(in->op, in->i);
  bool is_small = target_has_small_tiles(in->facts), asks = target_has_large_tiles(in->facts) || (is_small && blocks);
  int64_t all_uses = register_prefetch_uses(in->op, in->i, in->uses * register_blocks(blocks));
  return asks && in->plan->paired < 0 && all_uses >= USES_TO_ASK &&
         find_move(in, step_of_induction, register_plan_panel_bytes(in->facts), ahead) &&
         !goes_over_again(in, in->facts->l2_bytes / 2, !is_small);
}

const ir_attr *register_prefetch_next(const register_input *in) {
  int64_t ahead[IR_MAX_RANK];
  return find_step(in, step_of_kernel, register_plan_panel_bytes(in->facts), ahead) ? distance(in, ahead) : NULL;
}

/* Several register tiles of the op read the input in turn. */
static bool is_read_in_turn(const register_input *in) {
  for (unsigned loop = 0; loop < in->plan->num_loops; loop++)
    if (!ir_map_uses_dim(map_of(in), loop) && register_plan_bound(in->op, loop) > in->plan->steps[loop])
      return true;
  return false;
}

/* The last loop of the kernel around the op is known to have several iterations. */
static bool is_repeated(const ir_op *op) {
  const ir_op *kernel = op;
  while (kernel && kernel->code != OP_SCF_FORALL)
    kernel = ir_op_parent(kernel);
  return kernel && iterations_of(kernel, ir_region(kernel, 0)->num_args - 1) == SEVERAL;
}

/* A last cache near by is known to hold the input since the kernel's iteration before. */
static bool stays_in_last_cache(const register_input *in) {
  return target_has_near_last_cache(in->facts) && is_repeated(in->op) &&
         goes_over_again(in, in->facts->l3_bytes, false);
}

const ir_attr *register_prefetch_in_place(const register_input *in) {
  int64_t blocks = register_blocks(register_loop_of_blocks(in->op, in->i));
  bool has_time =
      target_has_small_tiles(in->facts) && register_prefetch_uses(in->op, in->i, in->uses * blocks) >= MANY_USES;
  bool follows = ir_is_contraction(in->op) && is_read_in_turn(in) && (has_time || stays_in_last_cache(in));
  return follows ? NULL : register_prefetch_distance(in);
}
