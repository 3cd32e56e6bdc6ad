/* schedule.c - the default schedule: which ops become parallel loops, with which tiles, and what is fused into them.
 *
 * From the end of a function backwards, and of the loops and branches in it, each structured op that is left is a root:
 * its parallel loops become one scf.forall, with its producers inside as far as each element is still computed once.
 * Inside, contractions that are long or that read a running softmax get a sequential loop over their reduction, which
 * then holds tiles only; so do reductions over the batches of a product (batch_sums.c).
 *
 * Tile sizes are chosen in tile_sizes.c. On a GPU, where tiles live in registers, what has no form there stays where it
 * is, outside of all kernels. Functions that a transform script has scheduled are left alone.
 * Termination: the walk moves backwards; each fusion removes its root and creates only ops of which none is a root;
 * a softmax that is taken apart leaves none behind. */
#include "passes/batch_sums.h"
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/fuse.h"
#include "passes/passes.h"
#include "passes/register_plan.h"
#include "passes/softmax.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"
#include "passes/vectorize_tiles.h"

/* Rows a thread of a kernel with two products, at least; and ops that a search for the first one meets, at most. */
enum { FEW_ROWS = 64, MAX_MAKERS = 32 };

static bool is_running_product(const ir_op *op) { return ir_is_contraction(op) && tile_running_operand(op) >= 0; }

/* Reads the running maximum or sum, but not the result, nor a product with it or what is linear in that: the softmax
 * belongs to whoever reads those, with its statistics as further results. */
static bool reads_statistics(const ir_op *op) {
  bool statistics = false;
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    const ir_value *value = ir_input(op, i);
    if (tile_find_source(value, is_running_product))
      return false;
    if (value->op && pass_op_info_of(value->op->code)->states) {
      statistics |= value->index > 0;
      if (!value->index)
        return false;
    }
  }
  return statistics;
}

/* The loop may run any number of times, as far as its operands tell. */
static bool is_open(const ir_op *op, unsigned loop) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    int dim = ir_map_find_dim(structure->maps[i], loop);
    if (dim >= 0 && extent_bound(extent_of(ir_input(op, i), (unsigned)dim)) < INT64_MAX)
      return false;
  }
  return true;
}

/* In the body of a loop tiles are small already; but on a host no panel holds more terms than so many, without which
 * each tile of rows would gather them from memory (the first of two layers with 4096 and more features in each, 24 to
 * 200 rows 4 to 8 times as fast). */
static bool is_too_long(const ir_op *op, unsigned loop, const target_facts *target) {
  int64_t extent = ir_loop_size(op, loop);
  return target_is_gpu(target)
             ? is_open(op, loop)
             : extent > register_plan_longest_panel(target) && extent > tile_sizes_reduction(op, loop, target);
}

/* Of several reductions of a product, the one that a matrix unit, or what stands for it, sums along: the longest. */
static unsigned summed_loop(const ir_op *contraction) {
  const ir_structure *structure = ir_structure_of(contraction);
  int64_t most = -1;
  unsigned longest = 0;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    int64_t extent = ir_loop_size(contraction, loop);
    extent = extent == IR_DYNAMIC ? INT64_MAX : extent;
    if (ir_loop_is_reduction(structure, loop) && extent >= most) {
      most = extent;
      longest = loop;
    }
  }
  return longest;
}

/* The step of a loop over the reduction; 0: it needs none. Of several reductions on a GPU, one becomes a loop in steps,
 * if it is open or long, and the others are taken one by one: of a product all of them, elsewhere those before it that
 * are open or long. */
static int64_t step_of_reduction(const ir_op *op, unsigned loop, const target_facts *target, bool nested) {
  uint32_t reductions = ir_structure_of(op)->reductions;
  bool several = reductions != ir_bit(loop), contracts = ir_is_contraction(op);
  if (!(reductions >> loop & 1) || (several && !target_is_gpu(target)))
    return 0;
  if (several && contracts && loop != summed_loop(op))
    return ir_loop_size(op, loop) != 1;
  if (nested && !is_too_long(op, loop, target))
    return 0;
  int64_t step = tile_sizes_reduction(op, loop, target);
  if (!several || contracts || !step)
    return step;
  for (unsigned later = loop + 1; later < ir_structure_of(op)->num_loops; later++)
    if (reductions >> later & 1 && tile_sizes_reduction(op, later, target))
      return 1;
  return step;
}

/* Gives long reductions of the block a loop; in the body of such a loop only those that are too long there. */
static void tile_reductions(ir_block *block, const target_facts *target, bool nested) {
  for (ir_op *op = block->last, *next; op; op = next->prev) {
    next = op;
    bool reduces = ir_is_contraction(op) || (target_is_gpu(target) && ir_op_has(op, IR_STRUCTURED) && op->num_regions);
    int batches = nested ? -1 : batch_sums_loop(op, target); /* in a loop, tiles are small */
    if ((!reduces && batches < 0) || !tile_can(op))
      continue;
    fuse_options options = {.policy = FUSE_ONCE};
    fuse_result result;
    for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++)
      options.tile_sizes[loop] = batches < 0 ? step_of_reduction(op, loop, target, nested) : (int)loop == batches;
    next = op->next;
    fuse_tile(op, &options, &result);
    if (result.num_loops && batches >= 0)
      batch_sums_finish(&result, (unsigned)batches);
    if (!result.num_loops)
      next = op;
    else
      tile_reductions(ir_region(result.loops[result.num_loops - 1], 0), target, true);
  }
}

/* Tiles of a result without elements, which has nothing to compute, would lie outside of it; one number has no
 * loops. */
static bool is_root(ir_op *op, const target_facts *target) {
  if (!ir_op_has(op, IR_STRUCTURED) || !ir_structure_of(op)->num_loops || !tile_can(op) || tile_is_cheap(op) ||
      (target_is_gpu(target) && !vectorize_tiles_can(op)))
    return false;
  bool has_elements = false;
  for (unsigned i = 0; i < op->num_results; i++) {
    has_elements |= ir_type_num_elements(ir_result(op, i)->type) != 0;
    if (!ir_map_is_projected_permutation(ir_init_map(op, i)))
      return false;
  }
  return has_elements;
}

/* All that is made of the value, by copying or scaling it, goes to contractions, which can be corrected as the running
 * state moves on. `steps`: how many ops may be on the way. */
static bool serves_contractions(const ir_value *value, unsigned *steps) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *op = use->user;
    if (!ir_op_has(op, IR_STRUCTURED))
      return false;
    bool contracts = ir_is_contraction(op) && ir_operand(op, 0) != ir_operand(op, 1);
    if (!contracts && (!*steps || !--*steps || !(tile_only_moves(op) || tile_is_linear_in(op, ir_use_index(use))) ||
                       !serves_contractions(ir_result(op, 0), steps)))
      return false;
  }
  return value->uses != NULL;
}

/* Has a running state, and rows of at least `length`. */
static bool has_long_rows(const ir_op *op, int64_t length) {
  if (!pass_op_info_of(op->code)->states)
    return false;
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++) {
    int64_t extent = ir_loop_size(op, loop);
    if (ir_loop_is_reduction(ir_structure_of(op), loop) && (extent == IR_DYNAMIC || extent >= length))
      return true;
  }
  return false;
}

/* Somebody else than a contraction reads the end of its running state, so that it cannot be in a loop with its readers.
 */
static bool needs_whole_rows(const ir_op *op, int64_t length) {
  unsigned steps = 32;
  return has_long_rows(op, length) && !serves_contractions(ir_result(op, 0), &steps);
}

/* Marks what computes the operands of an op whose values run through a loop: what makes them must run there, too. */
static void mark_producers(const ir_op *op, unsigned num_operands) {
  for (unsigned i = 0; i < num_operands; i++)
    if (ir_operand(op, i)->op && ir_operand(op, i)->op->block == op->block)
      ir_operand(op, i)->op->mark = true;
}

/* The reduction of the op becomes a loop. */
static bool has_long_reduction(const ir_op *op, const target_facts *target) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (structure->reductions == ir_bit(loop) && tile_sizes_reduction(op, loop, target))
      return true;
  return false;
}

/* The product that the op, element by element, makes its result of, as nobody else does; NULL: none. `steps`: how many
 * ops are looked at. */
static const ir_op *product_behind(const ir_op *op, unsigned *steps) {
  if (!ir_op_has(op, IR_STRUCTURED))
    return NULL;
  if (ir_structure_of(op)->reductions)
    return ir_is_contraction(op) ? op : NULL;
  const ir_op *found = NULL;
  for (unsigned i = 0; i < ir_num_inputs(op) && !found; i++) {
    const ir_op *maker = tile_maker(op, ir_input(op, i));
    if (maker && ir_value_has_one_use(ir_result(maker, 0)) && *steps && --*steps)
      found = product_behind(maker, steps);
  }
  return found;
}

/* The elementwise op that alone makes something of the value. */
static const ir_op *only_maker(const ir_value *value) {
  const ir_op *op = ir_value_has_one_use(value) ? value->uses->user : NULL;
  return op && body_is_elementwise(op) && op->num_results == 1 ? op : NULL;
}

/* Both come to one op, by elementwise ops alone: they are part of its kernel. */
static bool meet(const ir_value *a, const ir_value *b) {
  unsigned steps = MAX_MAKERS;
  for (const ir_op *of_a = only_maker(a); of_a && steps; of_a = only_maker(ir_result(of_a, 0)))
    for (const ir_op *of_b = only_maker(b); of_b && steps && --steps; of_b = only_maker(ir_result(of_b, 0)))
      if (of_a == of_b)
        return true;
  return false;
}

/* Element by element made of a product, and read by another one and by sums that run in its loop, in one kernel. */
static bool runs_with_sums(const ir_op *op) {
  unsigned steps = MAX_MAKERS;
  ir_op *product = tile_product_with_sums(ir_result(op, 0));
  if (!product || ir_value_has_one_use(ir_result(op, 0)) || !product_behind(op, &steps))
    return false;
  for (const ir_use *use = ir_result(op, 0)->uses; use; use = use->next) {
    const ir_use *sum = tile_sum_beside(use, product);
    if (sum && !meet(ir_result(product, 0), ir_result(sum->user, 0)))
      return false;
  }
  return true;
}

/* What a long reduction reads is computed step by step, in its loop, and so is what an op with a running state there
 * reads. So that is no place for what others read as well; of the op's own operands, those that it reads step by step
 * are marked. */
static bool is_shared_input(const ir_op *op, const target_facts *target) {
  bool structured = ir_op_has(op, IR_STRUCTURED);
  bool runs = op->mark && pass_op_info_of(op->code)->states;
  if (runs || (structured && op->num_regions && has_long_reduction(op, target)))
    mark_producers(op, ir_num_inputs(op));
  if (!op->mark || op->num_results != 1 || !op->num_operands || (structured && tile_is_cheap(op)))
    return false;
  bool shared = !ir_value_has_one_use(ir_result(op, 0)) && !runs_with_sums(op);
  if (structured && ir_structure_of(op)->reductions)
    return shared && ir_is_contraction(op); /* other reductions give statistics of whole rows */
  if (!shared)
    mark_producers(op, structured ? ir_num_inputs(op) : 1);
  return shared;
}

/* Statistics of whole rows are made of the value, element by element. `steps`: how many ops may be on the way. */
static bool gives_statistics(const ir_value *value, unsigned *steps) {
  for (const ir_use *use = value->uses; use && *steps; use = use->next) {
    const ir_op *op = use->user;
    --*steps;
    if (!op->num_results || (ir_op_has(op, IR_STRUCTURED) ? ir_is_contraction(op) : !tile_only_moves(op)))
      continue;
    bool reduces = ir_op_has(op, IR_STRUCTURED) && ir_structure_of(op)->reductions;
    if (reduces ? !pass_op_info_of(op->code)->states : gives_statistics(ir_result(op, 0), steps))
      return true;
  }
  return false;
}

/* On a GPU, the last that is made of a product, element by element, before statistics are made of whole rows of it,
 * where no tile can have these. */
static bool has_split_rows(const ir_op *op, const target_facts *target) {
  unsigned steps = MAX_MAKERS;
  const ir_use *use = ir_result(op, 0)->uses;
  bool is_last = use && (use->next || (ir_op_has(use->user, IR_STRUCTURED) && ir_structure_of(use->user)->reductions));
  if (!is_last || runs_with_sums(op) || !gives_statistics(ir_result(op, 0), &steps))
    return false;
  steps = MAX_MAKERS;
  const ir_op *product = product_behind(op, &steps);
  return product && !tile_has_whole_rows(product, target);
}

/* On a GPU, what cannot be part of its readers' kernels, on registers. */
static bool is_stop_of_gpu(ir_op *op, const target_facts *target) {
  return is_shared_input(op, target) || !vectorize_tiles_can(op) || needs_whole_rows(op, gpu_policy.long_reduction) ||
         has_split_rows(op, target);
}

/* The op makes each element of its result from a long product's: of a layer with weights, not of scores. `steps`: how
 * many ops the search may meet; none where it met another reduction, which is of whole rows. */
static bool is_made_of_product(const ir_op *op, unsigned *steps) {
  if (!op || !ir_op_has(op, IR_STRUCTURED))
    return false;
  int last = ir_last_reduction(ir_structure_of(op));
  if (ir_is_contraction(op))
    return ir_loop_size(op, (unsigned)last) >= host_policy.long_reduction;
  if (last >= 0)
    *steps = 0;
  bool found = false;
  for (unsigned i = 0; i < ir_num_inputs(op) && *steps && --*steps; i++)
    found |= is_made_of_product(tile_maker(op, ir_input(op, i)), steps);
  return found && *steps;
}

/* On a host, what makes a factor of a product from another product, where the rows are too few to be shared out. As one
 * kernel each tile of rows reads all of both other factors; as two, threads share these by columns, and the first
 * result, of so few rows, stays in a cache (two layers of 4096 x 4096, 1 row 2.3 times as fast, 4 to 72 rows 1.1 to
 * 1.25 times, Zen 4). */
static bool is_stop_of_host(const ir_op *op, const target_facts *target) {
  unsigned steps = MAX_MAKERS;
  const ir_op *user = ir_value_has_one_use(ir_result(op, 0)) ? ir_result(op, 0)->uses->user : NULL;
  if (!user || !ir_op_has(user, IR_STRUCTURED) || !ir_is_contraction(user) || !is_made_of_product(op, &steps))
    return false;
  const ir_structure *structure = ir_structure_of(user);
  unsigned factor = ir_use_index(ir_result(op, 0)->uses);
  if (factor > 1)
    return false;
  int64_t rows = 1, enough = FEW_ROWS * (int64_t)target->threads;
  for (unsigned loop = 0; loop < structure->num_loops && rows < enough; loop++) {
    int64_t extent = ir_loop_size(user, loop);
    if (ir_map_uses_dim(structure->maps[factor], loop) && !ir_loop_is_reduction(structure, loop))
      rows = extent == IR_DYNAMIC || extent > enough ? enough : rows * extent;
  }
  return rows < enough;
}

/* What stays outside of its readers' kernels: the number of those ops, in *stops. */
static unsigned find_stops(ir_block *block, const target_facts *target, ir_op ***stops) {
  unsigned count = 0, capacity = 0;
  for (ir_op *op = block->first; op; op = op->next) {
    op->mark = false;
    capacity++;
  }
  *stops = IR_NEW_ARRAY(&block->parent->module->arena, ir_op *, capacity);
  for (ir_op *op = block->last; op; op = op->prev)
    if (op->num_results && ir_result(op, 0)->type->kind == IR_TYPE_TENSOR &&
        (target_is_gpu(target) ? is_stop_of_gpu(op, target) : is_stop_of_host(op, target)))
      (*stops)[count++] = op;
  return count;
}

/* Makes loops of the root; false where that cannot be. */
static bool schedule_root(ir_op *root, const pass_options *pass, fuse_policy policy, ir_op *const *stops,
                          unsigned num_stops) {
  fuse_options options = {.policy = policy,
                          .forall = true,
                          .explain = pass->explain && policy == FUSE_ONCE,
                          .stops = stops,
                          .num_stops = num_stops};
  fuse_result result;
  tile_sizes_parallel(root, pass->target, options.tile_sizes);
  fuse_tile(root, &options, &result);
  if (result.num_loops)
    tile_reductions(ir_region(result.loops[0], 0), pass->target, false);
  return result.num_loops > 0;
}

static bool has_no_elements(const ir_value *tensor) {
  for (unsigned dim = 0; dim < tensor->type->rank; dim++)
    if (tensor->type->shape[dim] == 0)
      return true;
  return false;
}

/* Nobody computes tensors without elements: no tile would fit in. */
static bool drop_if_empty(ir_op *op) {
  bool empty = ir_op_has(op, IR_STRUCTURED) && op->num_results && op->num_results == ir_num_inits(op);
  for (unsigned i = 0; empty && i < op->num_results; i++)
    empty = has_no_elements(ir_result(op, i));
  for (unsigned i = 0; empty && i < op->num_results; i++)
    ir_replace_uses(ir_result(op, i), ir_init(op, i));
  if (empty)
    ir_op_erase(op);
  return empty;
}

void pass_schedule(ir_block *block, const pass_options *pass) {
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (!drop_if_empty(op) && op->code == OP_LINALG_SOFTMAX)
      softmax_make_online(op);
  }
  for (ir_op *op = block->first, *next; target_is_gpu(pass->target) && op; op = next) {
    next = op->next;
    if (needs_whole_rows(op, TILE_GPU_LONG_ROW))
      softmax_decompose(op, true, NULL);
  }
  ir_op **stops = NULL;
  unsigned num_stops = find_stops(block, pass->target, &stops);
  bool waiting = false;
  for (ir_op *op = block->last, *next; op; op = next->prev) {
    next = op;
    if (!is_root(op, pass->target))
      continue;
    if (target_is_gpu(pass->target) &&
        has_long_rows(op, TILE_GPU_LONG_ROW)) { /* no reader has taken it into its loops */
      next = op->next;
      softmax_decompose(op, true, NULL);
      num_stops = find_stops(block, pass->target, &stops);
      continue;
    }
    if (pass->fuse && reads_statistics(op)) {
      waiting = true; /* the loops that compute those may take it in */
      continue;
    }
    next = op->next;
    if (!schedule_root(op, pass, pass->fuse ? FUSE_ONCE : FUSE_FREE, stops, num_stops))
      next = op;
  }
  for (ir_op *op = block->last, *next; waiting && op; op = next->prev) {
    next = op;
    if (!is_root(op, pass->target) || !reads_statistics(op))
      continue;
    next = op->next;
    if (!schedule_root(op, pass, FUSE_FREE, stops, num_stops))
      next = op;
  }
}
