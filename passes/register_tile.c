/* register_tile.c - pass "register-tile": each structured op and memref.copy on memrefs becomes loops over register
 * tiles of vector ops. register_plan.c chooses loops and sizes; vectorize.c says what a tile does; here are the loops.
 *
 * Invariants
 *  - Every iteration of the op runs once, in tiles: full ones, then one smaller or masked tile, or narrow ones where
 *    the extent is not known.
 *  - An output is read and written where the last loop that its subscripts use begins and ends; the loops inside carry
 *    it in vectors. Loops further out that it does not use find it in memory. So any order of loops is right.
 * Terminates: one walk; what it makes are loops over vector ops, and copies of inputs (register_pack.c). */
#include "passes/memory.h"
#include "passes/register_nest.h"

#include <string.h>

/* Sums of products over more than twice as many iterations are made of sums over so many; twice as many where rows come
 * from panels, so large are products then: to put parts together takes 1 to 3 % of the time (2048^3 to 4096^3, Zen
 * 3). */
enum { PART = 256 };

static void emit_loop(register_nest *nest, ir_builder *builder, unsigned depth, ir_value **accumulators);
static void emit_loops(register_nest *nest, ir_builder *builder, unsigned depth, ir_value **accumulators);

/* ----------------------------------------------------------------------------------------------------------- loops */

/* Sets where the tile is in a loop. */
static void enter_segment(register_nest *nest, unsigned loop, const register_segment *segment, ir_index start) {
  vector_tile *tile = &nest->tile;
  tile->starts[loop] = start;
  tile->masked &= ~ir_bit(loop);
  if (segment->masked)
    tile->masked |= ir_bit(loop);
  for (unsigned i = 0; i < tile->num_dims; i++)
    if (tile->loops[i] == loop)
      tile->sizes[i] = segment->size;
  register_constant_ask(nest, loop);
}

/* Copies of the innermost loop. Tiles of an open number of rows, which are small, take as many terms in pairs from
 * where they lie as others take one by one: requests for more at once get lost (four queries in bf16 1.2x, Zen 5). */
static int64_t unrolled_copies(const register_nest *nest) {
  bool is_small = nest->plan.paired >= 0 && !nest->plan.packed && nest->extents[nest->plan.dims[0]].value;
  return is_small ? nest->plan.unroll / 2 : nest->plan.unroll;
}

/* The innermost loop of a contraction is unrolled, but for the few tiles at the end of an extent that is not known. */
static bool is_unrolled(const register_nest *nest) {
  if (!ir_is_contraction(nest->op) || nest->plan.partial)
    return false;
  for (unsigned i = 0; i < nest->tile.num_dims; i++) {
    unsigned loop = nest->tile.loops[i];
    bool is_full = nest->tile.sizes[i] == nest->plan.steps[loop] && !(nest->tile.masked & ir_bit(loop));
    if (nest->extents[loop].value && !is_full)
      return false;
  }
  return true;
}

static bool is_carried(const register_nest *nest, unsigned out, unsigned depth) {
  return nest->depths[out] <= depth && !nest->left_out;
}

/* The accumulators that a loop at the depth carries; returns how many. */
static unsigned gather_carried(const register_nest *nest, unsigned depth, ir_value *const *accumulators,
                               ir_value **carried) {
  unsigned count = 0;
  for (unsigned out = 0; out < nest->num_outs; out++)
    if (is_carried(nest, out, depth))
      carried[count++] = accumulators[out];
  return count;
}

/* The same nest where terms are left over behind pairs: each by itself, widened, as where there are no pairs. */
static register_nest without_pairs(const register_nest *nest) {
  register_nest single = *nest;
  vector_tile *tile = &single.tile;
  unsigned last = tile->num_dims - 1;
  tile->loops[last] = nest->tile.loops[last - 1], tile->loops[last - 1] = nest->tile.loops[last];
  tile->sizes[last] = nest->tile.sizes[last - 1], tile->sizes[last - 1] = nest->tile.sizes[last];
  tile->narrow = false;
  tile->operands = IR_NEW_ARRAY(&nest->op->module->arena, vector_operand, nest->op->num_operands);
  vectorize_operands(nest->op, tile->operands);
  single.plan.paired = -1;
  return single;
}

/* Lanes take all of a reduction at once. */
static bool reduces_in_tile(const register_nest *nest) {
  int simd = nest->plan.simd;
  return simd >= 0 && ir_loop_is_reduction(ir_structure_of(nest->op), (unsigned)simd) && !nest->plan.partial;
}

/* All loops inside of that at `depth` have one iteration, a full tile. */
static bool is_last_loop(const register_nest *nest, unsigned depth) {
  for (unsigned at = depth + 1; at < nest->plan.num_loops; at++) {
    unsigned loop = nest->plan.order[at];
    if (!ir_index_is_const(nest->extents[loop], nest->plan.steps[loop]))
      return false;
  }
  return true;
}

/* Rows in lanes that meet the other factor's one by one are read before the loop over these, which LLVM does only where
 * it finds out that nothing in the loop writes them. It leaves them on the stack, and multiply-adds read them there: 5
 * to 7 f32 queries are up to 1.8 times as fast (Zen 5). Where the loop's tile has several rows, a read serves as many
 * multiply-adds, but from the stack only one: not so there. Returns the inputs (bits) that were read. */
static uint32_t keep_rows(register_nest *nest, ir_builder *builder, unsigned depth) {
  const register_plan *plan = &nest->plan;
  unsigned loop = plan->order[depth];
  uint32_t kept = 0;
  if (!ir_is_contraction(nest->op) || !reduces_in_tile(nest) || plan->steps[loop] > 1 || !is_last_loop(nest, depth))
    return 0;
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    vector_operand *operand = &nest->tile.operands[i];
    bool is_fed = nest->group.num_feeders && nest->group.fed == i;
    if (is_fed || vectorize_operand_loops(operand) & ir_bit(loop))
      continue;
    for (unsigned at = depth + 1; at < plan->num_loops; at++) {
      register_segment whole = {.size = plan->steps[plan->order[at]]};
      enter_segment(nest, plan->order[at], &whole, ir_index_const(0));
    }
    operand->vector = vectorize_to_subscripts(builder, &nest->tile, i, vectorize_input(builder, &nest->tile, i));
    kept |= ir_bit(i);
  }
  return kept;
}

/* A loop over the tiles of a segment, carrying the accumulators that were begun further out. */
static void emit_segment(register_nest *nest, ir_builder *builder, unsigned depth, const register_segment *segment,
                         ir_value **accumulators) {
  ir_module *module = nest->op->module;
  unsigned loop = nest->plan.order[depth];
  if ((int)loop == nest->plan.paired && segment->size == 1) {
    register_nest single = without_pairs(nest);
    emit_segment(&single, builder, depth, segment, accumulators);
    return;
  }
  if (segment->single) {
    enter_segment(nest, loop, segment, segment->from);
    emit_loops(nest, builder, depth + 1, accumulators);
    return;
  }
  uint32_t kept = keep_rows(nest, builder, depth);
  ir_value **carried = IR_NEW_ARRAY(&module->arena, ir_value *, nest->num_outs);
  unsigned count = gather_carried(nest, depth, accumulators, carried);
  ir_op *op = ir_for(builder, segment->from, segment->to, ir_index_const(segment->size), count, carried);
  if (depth + 1 == nest->plan.num_loops && is_unrolled(nest))
    ir_attr_set(op, "tec.unroll", ir_attr_i64(module, unrolled_copies(nest)));
  ir_block *body = ir_region(op, 0);
  ir_builder inside = ir_builder_at_end(body);
  for (unsigned out = 0, k = 1; out < nest->num_outs; out++)
    if (is_carried(nest, out, depth))
      accumulators[out] = body->args[k++];
  enter_segment(nest, loop, segment, (ir_index){.value = body->args[0]});
  emit_loops(nest, &inside, depth + 1, accumulators);
  gather_carried(nest, depth, accumulators, carried);
  ir_terminator(&inside, OP_SCF_YIELD, count, carried);
  for (unsigned out = 0, k = 0; out < nest->num_outs; out++)
    if (is_carried(nest, out, depth))
      accumulators[out] = ir_result(op, k++);
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (kept & ir_bit(i))
      nest->tile.operands[i].vector = NULL;
}

/* Runs the terms of a segment up to `end`, both at the beginning of a line of the cache, in pieces of a line, and asks
 * with each; the rest of the segment is left. */
static void emit_asking(register_nest *nest, ir_builder *builder, unsigned depth, register_segment *segment,
                        ir_index end, ir_value **accumulators) {
  unsigned loop = nest->plan.order[depth];
  int64_t terms = nest->terms;
  if (!terms || loop != nest->term || nest->left_out || !register_asks_here(nest) || segment->single ||
      segment->masked || terms % segment->size)
    return;
  register_segment piece = *segment;
  segment->from = end;
  ir_op *pieces = ir_for(builder, piece.from, end, ir_index_const(terms), 1, accumulators);
  ir_block *body = ir_region(pieces, 0);
  ir_builder inside = ir_builder_at_end(body);
  piece.from = nest->tile.starts[loop] = (ir_index){.value = body->args[0]};
  piece.to = ir_index_add(&inside, piece.from, ir_index_const(terms));
  register_ask_pieces(nest, &inside);
  accumulators[0] = body->args[1];
  emit_segment(nest, &inside, depth, &piece, accumulators);
  ir_terminator(&inside, OP_SCF_YIELD, 1, accumulators);
  accumulators[0] = ir_result(pieces, 0);
}

/* Where the last whole step of a segment from 0 ends; a mask may leave out more than there is. */
static ir_index whole_steps(const register_nest *nest, ir_builder *builder, const register_segment *segment,
                            int64_t step) {
  ir_index whole = register_whole_tiles(builder, segment->to, step);
  return nest->reduced.where.count ? ir_index_max(builder, whole, ir_index_const(0)) : whole;
}

/* Rounding errors of a sum grow with its terms; of a sum of sums with the terms of each and their number. So long sums
 * of a product are made of parts, each from 0, as far as whole parts go: the rest of the segment is left. */
static void emit_parts(register_nest *nest, ir_builder *builder, unsigned depth, register_segment *segment,
                       ir_value **accumulators) {
  const ir_op *op = nest->op;
  unsigned loop = nest->plan.order[depth];
  bool is_sum = depth + 1 == nest->plan.num_loops && ir_is_contraction(op) && !nest->plan.partial &&
                ir_loop_is_reduction(ir_structure_of(op), loop) && nest->depths[0] <= depth;
  int64_t step = (register_pack_has_rows(nest) ? 2 : 1) * PART * segment->size;
  if (!is_sum || segment->single || segment->masked || !ir_index_is_const(segment->from, 0) ||
      register_plan_bound(op, loop) <= 2 * PART * segment->size || !ir_scalar_is_float(accumulators[0]->type->element))
    return;
  register_segment part = *segment;
  segment->from = whole_steps(nest, builder, segment, step);
  ir_op *parts = ir_for(builder, part.from, segment->from, ir_index_const(step), 1, accumulators);
  ir_block *body = ir_region(parts, 0);
  ir_builder inside = ir_builder_at_end(body);
  part.from = (ir_index){.value = body->args[0]};
  part.to = ir_index_add(&inside, part.from, ir_index_const(step));
  ir_value *sum = ir_splat(&inside, accumulators[0]->type, (ir_cell){.f = 0});
  emit_asking(nest, &inside, depth, &part, part.to, &sum);
  if (!ir_index_equal(part.from, part.to))
    emit_segment(nest, &inside, depth, &part, &sum);
  sum = ir_binary(&inside, OP_ARITH_ADDF, body->args[1], sum);
  ir_terminator(&inside, OP_SCF_YIELD, 1, &sum);
  accumulators[0] = ir_result(parts, 0);
}

/* Lets feeders write what they are known to make in the iterations of the whole segment that were left out. */
static void feed_hidden(register_nest *nest, ir_builder *builder, unsigned depth, const register_segment *whole,
                        register_segment *visible, ir_value **accumulators) {
  visible->from = ir_index_min(builder, visible->from, whole->to);
  visible->to = ir_index_max(builder, visible->to, visible->from);
  register_segment parts[] = {*whole, *whole};
  parts[0].to = visible->from;
  parts[1].from = visible->to;
  nest->left_out = true;
  for (unsigned i = 0; i < 2; i++)
    if (!ir_index_equal(parts[i].from, parts[i].to))
      emit_segment(nest, builder, depth, &parts[i], accumulators);
  nest->left_out = false;
}

/* A segment of a loop, whose iterations may be terms. */
static void emit_iterations(register_nest *nest, ir_builder *builder, unsigned depth, register_segment *segment,
                            ir_value **accumulators) {
  bool asks = nest->terms && ir_index_is_const(segment->from, 0);
  emit_parts(nest, builder, depth, segment, accumulators);
  if (asks)
    emit_asking(nest, builder, depth, segment, whole_steps(nest, builder, segment, nest->terms), accumulators);
  if (!ir_index_equal(segment->from, segment->to))
    emit_segment(nest, builder, depth, segment, accumulators);
}

/* The tiles of the SIMD loop's current segment have their panels, and the loop inside of it is over rows. */
static bool puts_rows_outside(const register_nest *nest, unsigned depth) {
  const register_plan *plan = &nest->plan;
  if ((int)plan->order[depth] != plan->simd || depth + 1 == plan->num_loops || nest->inside ||
      ir_loop_is_reduction(ir_structure_of(nest->op), plan->order[depth + 1]))
    return false;
  for (unsigned i = 0; i < nest->num_inputs; i++)
    if (nest->packed_before & ir_bit(i) && register_pack_is_inside(nest, i))
      return true;
  return false;
}

/* They have, and rows meet them in blocks. */
static bool puts_blocks_outside(const register_nest *nest, unsigned depth) {
  const register_plan *plan = &nest->plan;
  return plan->row_block && (int)plan->order[depth] == plan->simd && nest->packed_before &&
         depth + 1 < plan->num_loops && !ir_loop_is_reduction(ir_structure_of(nest->op), plan->order[depth + 1]);
}

/* Runs a segment of the SIMD loop inside of the loop over rows that follows it. */
static void emit_inside(register_nest *nest, ir_builder *builder, unsigned depth, const register_segment *segment,
                        ir_value **accumulators) {
  unsigned *order = nest->plan.order, row = order[depth + 1];
  order[depth + 1] = order[depth];
  order[depth] = row;
  nest->inside = segment;
  emit_loop(nest, builder, depth, accumulators);
  nest->inside = NULL;
  order[depth] = order[depth + 1];
  order[depth + 1] = row;
}

/* Runs a segment of the SIMD loop for one block of rows after the other; the loop over rows that follows it goes over
 * the block alone. */
static void emit_blocks(register_nest *nest, ir_builder *builder, unsigned depth, const register_segment *segment,
                        ir_value **accumulators) {
  const register_plan *plan = &nest->plan;
  register_segment rows[REGISTER_MAX_SEGMENTS];
  unsigned row = plan->order[depth + 1];
  unsigned count = register_segments(nest->op, plan, builder, row, nest->extents[row], false, rows);
  for (unsigned i = 0; i < count; i++) {
    register_segment block = rows[i];
    ir_builder inside = *builder;
    nest->block = &block;
    if (!block.single && !block.masked) {
      block.from = ir_enter_for(&inside, block.from, block.to, plan->row_block);
      ir_index end = ir_index_add(&inside, block.from, ir_index_const(plan->row_block));
      block.to = ir_index_min(&inside, end, rows[i].to);
    }
    vector_operand *operand = plan->row_panels < 0 ? NULL : &nest->tile.operands[plan->row_panels], in_place;
    if (operand)
      in_place = *operand;
    register_pack_rows(nest, &inside);
    emit_segment(nest, &inside, depth, segment, accumulators);
    if (operand)
      *operand = in_place;
  }
  nest->block = NULL;
}

/* What runs inside of the loop at `depth` is little of all: lanes that are left over, or the one row that is left
 * behind tiles of a number that is not known. */
static bool is_cut(const register_nest *nest, unsigned depth) {
  const register_plan *plan = &nest->plan;
  bool cut = plan->simd >= 0 && nest->tile.masked & ir_bit((unsigned)plan->simd);
  for (unsigned i = 0; i < nest->tile.num_dims && !cut; i++)
    for (unsigned at = 0; at < depth && !cut; at++) {
      unsigned loop = plan->order[at];
      cut =
          nest->tile.loops[i] == loop && nest->tile.sizes[i] == 1 && plan->steps[loop] > 1 && nest->extents[loop].value;
    }
  return cut;
}

/* One loop, and what lies inside. */
static void emit_loop(register_nest *nest, ir_builder *builder, unsigned depth, ir_value **accumulators) {
  const register_plan *plan = &nest->plan;
  register_segment segments[REGISTER_MAX_SEGMENTS];
  unsigned loop = plan->order[depth], count = 1;
  bool is_inside = (int)loop == plan->simd && nest->inside;
  bool is_block = nest->block && !is_inside && depth && (int)plan->order[depth - 1] == plan->simd;
  bool cut = is_cut(nest, depth);
  if (is_inside)
    segments[0] = *nest->inside;
  else if (is_block)
    segments[0] = *nest->block;
  else
    count = register_segments(nest->op, plan, builder, loop, nest->extents[loop], cut, segments);
  bool by_terms = plan->steps[loop] == 1 || (int)loop == plan->paired || plan->partial & ir_bit(loop);
  bool is_reduction = ir_loop_is_reduction(ir_structure_of(nest->op), loop);
  if (count && is_reduction && by_terms && !segments[0].single && !nest->left_out) {
    register_segment whole = segments[0];
    register_leave_out_hidden(nest, builder, depth, &segments[0]);
    if (nest->group.num_feeders && !nest->group.is_fed_alone)
      feed_hidden(nest, builder, depth, &whole, &segments[0], accumulators);
  }
  for (unsigned i = 0; i < count; i++) {
    if ((int)loop == plan->simd && !is_inside)
      register_pack_before(nest, builder, &segments[i]);
    if (puts_rows_outside(nest, depth))
      emit_inside(nest, builder, depth, &segments[i], accumulators);
    else if (puts_blocks_outside(nest, depth))
      emit_blocks(nest, builder, depth, &segments[i], accumulators);
    else
      emit_iterations(nest, builder, depth, &segments[i], accumulators);
  }
}

/* What lies inside of the first `depth` loops. */
static void emit_loops(register_nest *nest, ir_builder *builder, unsigned depth, ir_value **accumulators) {
  const register_plan *plan = &nest->plan;
  if (depth && (int)plan->order[depth - 1] == plan->simd)
    register_pack_inputs(nest, builder);
  if (depth && register_pack_has_rows(nest) && plan->order[depth - 1] == register_plan_row(plan))
    register_pack_read_rows(nest, builder);
  bool innermost = depth == plan->num_loops;
  if (depth + 1 == plan->num_loops) {
    register_ask_panels(nest, builder, true);
    register_ask_next_tile(nest, builder);
  }
  for (unsigned out = 0; out < nest->num_outs; out++)
    if (nest->depths[out] == depth && (!innermost || ir_body_reads_init(nest->op, out)))
      accumulators[out] = register_begin_output(nest, builder, out);
  if (innermost) {
    register_pack_read_terms(nest, builder);
    register_ask_panels(nest, builder, false);
    if (nest->group.num_feeders)
      register_feed(nest, builder);
    if (!nest->left_out)
      vectorize_body(builder, &nest->tile, accumulators);
  } else
    emit_loop(nest, builder, depth, accumulators);
  for (unsigned out = 0; out < nest->num_outs; out++)
    if (nest->depths[out] == depth)
      register_end_output(nest, builder, out, accumulators[out]);
}

/* -------------------------------------------------------------------------------------------------------- the pass */

/* Outputs begin inside of the last loop that they use. */
static void place_outputs(register_nest *nest) {
  for (unsigned out = 0; out < nest->num_outs; out++) {
    uint32_t used = vectorize_operand_loops(&nest->tile.operands[nest->num_inputs + out]);
    for (unsigned depth = 0; depth < nest->plan.num_loops; depth++)
      if (used & ir_bit(nest->plan.order[depth]))
        nest->depths[out] = depth + 1;
  }
}

static bool check_op(const ir_op *op) {
  if (!op->num_regions)
    return ir_op_error(op, "must be decomposed before register tiles are made");
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_operand(op, i)->type->kind == IR_TYPE_TENSOR)
      return ir_op_error(op, "works on tensors; register tiles are made of ops on memrefs: run bufferize first");
  return true;
}

/* A full tile, and where the loops end. */
static void begin_tile(register_nest *nest, ir_builder *builder) {
  ir_op *op = nest->op;
  vector_tile *tile = &nest->tile;
  *tile = (vector_tile){.op = op,
                        .lane_constants = true,
                        .operands = IR_NEW_ARRAY(&op->module->arena, vector_operand, op->num_operands),
                        .num_dims = nest->plan.num_dims,
                        .narrow = nest->plan.paired >= 0 || reduces_in_tile(nest),
                        .words = nest->plan.paired >= 0 && register_plan_has_words(op, nest->facts),
                        .bytes = register_plan_terms(&nest->plan) == TARGET_BYTES,
                        .apart = nest->plan.apart,
                        .partial = nest->plan.partial};
  vectorize_operands(op, tile->operands);
  for (unsigned i = 0; i < tile->num_dims; i++) {
    tile->loops[i] = nest->plan.dims[i];
    tile->sizes[i] = nest->plan.steps[nest->plan.dims[i]];
  }
  for (unsigned loop = 0; loop < nest->plan.num_loops; loop++) {
    int64_t known = ir_loop_size(op, loop); /* by any operand's type, as in the plan */
    nest->extents[loop] = tile->ends[loop] =
        known == IR_DYNAMIC ? ir_loop_dim(builder, op, loop) : ir_index_const(known);
  }
}

/* A feeder rounds f32 to bf16, which the machine does with two registers at a time. */
static bool rounds_to_pairs(const register_group *group, const target_facts *facts) {
  bool rounds = false;
  for (unsigned k = 1; k < group->num_feeders; k++)
    rounds |= ir_init(group->feeders[k].op, 0)->type->element == IR_BF16;
  return rounds && facts->has_pair_dot;
}

/* The op by the matrix unit, from zeros where a fill stands before it. */
static void multiply_in_tiles(ir_op *op, const register_plan *plan, const target_facts *facts) {
  register_group group;
  register_group_find(op, plan, facts, &group);
  register_matrix_lower(op, facts, group.prologue.op != NULL);
  if (group.prologue.op)
    ir_op_erase(group.prologue.op);
}

/* Finds how memory of the op's inputs is asked for. */
static void plan_asks(register_nest *nest) {
  ir_op *op = nest->op;
  const register_plan *plan = &nest->plan;
  for (unsigned i = 0; i < nest->num_inputs; i++) {
    vector_operand *operand = &nest->tile.operands[i];
    if (operand->value != ir_operand(op, i))
      continue;
    const register_input input = register_input_of(nest, i);
    const ir_attr *ahead = register_prefetch_in_place(&input);
    bool asks = register_ask_plan_stream(nest, i, ahead) ||
                register_ask_leave(op, nest->facts, i, ahead, false, nest->left) || register_ask_plan_own(nest, i);
    operand->ahead = asks ? NULL : ahead;
    operand->is_near = register_prefetch_is_near(&input);
  }
  register_ask_for_next(op, plan, nest->facts, nest->left, &nest->tile);
  register_ask_plan_pieces(nest);
}

/* Erases the op and its group; returns how many of that came after it. */
static unsigned erase_group(register_nest *nest) {
  const register_group *group = &nest->group;
  ir_op *const singles[] = {nest->shown.op, group->prologue.op, group->rewriter.op};
  for (unsigned k = 0; k < sizeof singles / sizeof *singles; k++)
    if (singles[k])
      ir_op_erase(singles[k]);
  for (unsigned k = 0; k < group->num_feeders; k++)
    ir_op_erase(group->feeders[k].op);
  for (unsigned k = 0; k < group->count; k++)
    ir_op_erase(group->epilogues[k].op);
  ir_op_erase(nest->op);
  return group->count + (group->rewriter.op != NULL);
}

unsigned register_tile_op(ir_op *op, const target_facts *facts, const hidden_terms *reduced, int64_t copied,
                          register_left **left) {
  ir_arena *arena = &op->module->arena;
  register_nest nest = {.op = op,
                        .facts = facts,
                        .plan = register_plan_make(op, facts),
                        .uses = copied ? copied : 1,
                        .num_inputs = ir_num_inputs(op),
                        .num_outs = ir_num_inits(op),
                        .left = left};
  register_group *group = &nest.group;
  if (nest.plan.is_matrix) {
    multiply_in_tiles(op, &nest.plan, facts);
    return 0;
  }
  if (reduced)
    nest.reduced = *reduced;
  if (!copied)
    register_group_find(op, &nest.plan, facts, group);
  if (group->num_feeders)
    nest.plan.apart = 0; /* feeders have lanes in the order of memory */
  if (group->num_feeders && !group->is_fed_alone) {
    /* .. and few of them, as they compute much with each element */
    register_plan_lighten(op, &nest.plan, facts, rounds_to_pairs(group, facts));
    if (nest.reduced.input != group->fed)
      nest.reduced.where.count = 0;
  } else if (!copied)
    register_add_hidden_result(&nest);
  if (register_plan_terms(&nest.plan) == TARGET_BYTES)
    nest.reduced.where.count = 0; /* terms that are left out would have to be counted */
  nest.depths = IR_NEW_ARRAY(arena, unsigned, nest.num_outs);
  nest.panels = IR_NEW_ARRAY(arena, ir_value *, nest.num_inputs);
  nest.firsts = IR_NEW_ARRAY(arena, ir_index, nest.num_inputs);
  nest.asks = IR_NEW_ARRAY(arena, register_ask, nest.num_inputs);
  ir_builder builder = ir_builder_before(group->count ? group->epilogues[group->count - 1].op : op);
  begin_tile(&nest, &builder);
  register_pack_begin(&nest, &builder);
  plan_asks(&nest);
  place_outputs(&nest);
  register_find_shown(&nest);
  emit_loops(&nest, &builder, 0, IR_NEW_ARRAY(arena, ir_value *, nest.num_outs));
  return erase_group(&nest);
}

static void find_group(ir_op *leader, const target_facts *facts, register_group *group) {
  register_plan plan = register_plan_make(leader, facts);
  register_group_find(leader, &plan, facts, group);
}

/* An op to lower, and where its reductions need run; NULL: everywhere. */
typedef struct work {
  ir_op *op, *taker; /* `taker`: an op that comes later and may take it in */
  hidden_terms *reduced;
} work;

/* The ops to lower, in order; a group of ops that are lowered together stands together. */
typedef struct worklist {
  work *items;
  size_t count, capacity;
  hidden_facts facts; /* where the walk stands */
} worklist;

/* Lets the ops of the op's regions come together: not the op itself, as the walk must not meet again what has moved. */
static bool advance_ops(ir_op *op, void *data) {
  const pass_options *options = data;
  for (unsigned i = 0; i < op->num_regions; i++)
    for (ir_op *inner = ir_region(op, i)->first, *next; inner; inner = next) {
      next = inner->next;
      register_group_advance(inner, options->target);
    }
  return true;
}

static void add_work(worklist *list, ir_op *op, hidden_terms *reduced) {
  IR_PUSH(&op->module->arena, list->items, list->count, list->capacity) = (work){.op = op, .reduced = reduced};
  hidden_pass(&list->facts, op);
}

static bool collect_op(ir_op *op, void *data) {
  worklist *list = data;
  hidden_terms reduced;
  if (op->code == OP_MEMREF_COPY) {
    ir_builder builder = ir_builder_before(op);
    ir_value *source = ir_operand(op, 0), *target = ir_operand(op, 1);
    add_work(list, ir_structured(&builder, OP_LINALG_COPY, 1, &source, 1, &target, 0, NULL), NULL);
    ir_op_erase(op);
    return true;
  }
  if (!ir_op_has(op, IR_STRUCTURED)) {
    hidden_pass(&list->facts, op);
    return true;
  }
  if (!check_op(op))
    return false;
  bool is_reduced = hidden_reduction(&list->facts, op, &reduced);
  add_work(list, op, is_reduced ? ir_arena_copy(&op->module->arena, &reduced, sizeof reduced) : NULL);
  return true;
}

bool pass_register_tile(ir_module *module, const pass_options *options) {
  worklist list = {0};
  register_left *left = NULL;
  ir_block *top = ir_region(module->root, 0);
  for (ir_op *op = top->first; op; op = op->next)
    op->mark = 0;
  for (const ir_op *op = module->root; op; op = ir_next_inside(module->root, op)) {
    ir_op *global = memory_global(op);
    if (global) /* its readers are counted */
      global->mark++;
  }
  ir_walk(top, advance_ops, (void *)options);
  if (!ir_walk(top, collect_op, &list))
    return false;
  /* From the end, since an op that is taken in itself takes in none. */
  for (size_t i = list.count; i-- > 1;) {
    register_group group;
    if (list.items[i].taker || register_group_follows(list.items[i].op, options->target))
      continue;
    find_group(list.items[i].op, options->target, &group);
    for (size_t before = i; before-- > 0 && register_group_takes_before(&group, list.items[before].op);)
      list.items[before].taker = list.items[i].op;
    register_group_keep(list.items[i].op, &group);
  }
  for (size_t i = 0; i < list.count; i++) {
    register_group group = {.count = 0};
    if (list.items[i].taker) /* another one may have taken some of its group since */
      find_group(list.items[i].taker, options->target, &group);
    if (!register_group_takes_before(&group, list.items[i].op))
      i += register_tile_op(list.items[i].op, options->target, list.items[i].reduced, 0, &left);
  }
  return true;
}
