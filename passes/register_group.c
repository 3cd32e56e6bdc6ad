/* register_group.c - finds what a structured op takes into its register tiles: the elementwise op that makes what its
 * output starts from, and those that follow. So a product starts from zeros in registers, or from what was accumulated
 * so far, rescaled; and a scale, a mask, a bias or an activation costs no pass over memory. Where a loop adds to a
 * product in steps, the first step starts from what fills its memory before the loop, and reads none. A reduction takes
 * in the op that makes its input as well: the sum of exponentials is taken while these are in registers, and so is what
 * rounds them in place. A product for few rows takes in what makes one of its factors, for itself alone. And a product
 * takes in a reduction of its result along rows of its tiles, as the maximum of scores is where queries are in lanes:
 * each tile's part goes to the result in memory at once, which is a register or a few.
 *
 * Invariants
 *  - Members follow each other with nothing between that reads or writes memory; moving them to the last one's place
 *    changes nothing. One that stands before the leader's loop runs in its first iteration, and there is one.
 *  - An op joins only if each of its iterations needs just the element that the tile has at hand: subscripts of the
 *    result before are a permutation of its loops, as are those of what it writes, which is either that same element
 *    or memory that no other member touches.
 *  - What bodies read by themselves nobody writes: a small table, or of the leader any memory.
 *  - Results are complete when they leave a tile: reductions run inside of the loops that the output uses. Only what
 *    the last member reduces is not, and nobody reads that before the group is done.
 * Terminates: walks to neighbours in the block, at most REGISTER_GROUP_MAX members or past MAX_PASSED ops. */
#include "passes/register_group.h"

#include "passes/body.h"
#include "passes/extent.h"
#include "passes/memory.h"
#include "passes/vectorize.h"

/* Of fewer terms, one row of 4096 in steps of four terms for one, a tile's branch takes longer than reading what it
 * starts from (1 x 4096 x 4096 .94x, Zen 5). */
enum { MANY_TERMS = 64 };
/* Register tiles of a contraction that may each make the same elements of a factor, if they read one number for each,
 * where memory is near (products of two of bf16, 8 rows of 2048 x 2048, by two tiles .52 times as fast; Zen 3). */
enum { MOST_MAKERS = 2 };

/* The nearest op that has effects, before or after; NULL at the block's end. */
static ir_op *neighbour(ir_op *op, bool after) {
  do
    op = after ? op->next : op->prev;
  while (op && !memory_touches(op));
  return op;
}

/* A structured op that reads its operands alone, and small tables that no member writes. */
static bool is_structured(const ir_op *op) {
  return op && ir_op_has(op, IR_STRUCTURED) && op->num_regions && memory_reads_only_tables(op);
}

/* Each element of the output is begun and ended once: loops that it does not use stand inside of those that it does. */
static bool is_complete_in_tile(const register_plan *plan, const ir_map *map) {
  bool unused = false;
  for (unsigned depth = 0; depth < plan->num_loops; depth++) {
    bool used = ir_map_find_dim(map, plan->order[depth]) >= 0;
    if (used && unused)
      return false;
    unused |= !used;
  }
  return ir_map_is_projected_permutation(map);
}

/* The two are not seen to overlap. That is enough between operands of one op, of which none may overlap what the op
 * writes but for the same elements. */
static bool is_apart(const ir_value *a, const ir_value *b) {
  return !ir_type_is_shaped(a->type) || view_root(a) != view_root(b);
}

/* Finds the operands that are `memory` and lets their loops meet those of the leader's result; false where they do not
 * all meet in the same way, or something else overlaps that memory. */
static bool link_loops(const ir_map *result_map, const ir_value *memory, register_member *member) {
  const ir_op *op = member->op;
  const ir_structure *structure = ir_structure_of(op);
  const ir_map *map = NULL;
  for (unsigned i = 0; i < op->num_operands; i++) {
    if (ir_operand(op, i) != memory) {
      if (!is_apart(ir_operand(op, i), memory))
        return false;
      continue;
    }
    if (map && structure->maps[i] != map)
      return false;
    map = structure->maps[i];
    member->linked |= ir_bit(i);
  }
  if (!map || !ir_map_is_permutation(map) || ir_init_map(op, 0) != map)
    return false;
  for (unsigned dim = 0, first; dim < result_map->num_results; dim++) {
    unsigned last = register_member_dims(member, dim, &first) - 1;
    member->loops[ir_map_result_dim(result_map, dim)] = (unsigned)ir_map_result_dim(map, first + last);
  }
  return true;
}

/* Each tile's part of each dim that several of the member's loops have together is whole parts of these loops, or lies
 * in one; these may be vector dims. */
static bool splits_evenly(const ir_op *leader, const ir_map *map, const register_plan *plan,
                          const register_member *member, uint32_t allowed) {
  const ir_map *own = ir_init_map(member->op, 0);
  for (unsigned dim = 0, first; dim < map->num_results; dim++) {
    unsigned count = register_member_dims(member, dim, &first), loop = (unsigned)ir_map_result_dim(map, dim);
    int64_t step = plan->steps[loop], extent = ir_loop_size(leader, loop);
    if (count > 1 && (extent == IR_DYNAMIC || extent % step))
      return false;
    for (unsigned k = count; count > 1 && k-- > 0;) {
      unsigned part = (unsigned)ir_map_result_dim(own, first + k);
      int64_t size = ir_loop_size(member->op, part);
      if (size == IR_DYNAMIC || (step % size && size % step) || !(allowed & ir_bit(part)))
        return false;
      step = step > size ? step / size : 1;
    }
  }
  return true;
}

/* No operand of `op` may overlap the memory, unless it is `memory` itself and `linked`. */
static bool lies_apart(const ir_op *op, const ir_value *memory, const ir_value *linked) {
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_value *operand = ir_operand(op, i);
    if (ir_type_is_shaped(operand->type) && operand != linked && !memory_is_disjoint(operand, memory))
      return false;
  }
  return true;
}

/* Of the memory, which is written tile by tile as the op runs, it reads at most the element that its tile has at hand:
 * that of the map; NULL: nothing. */
static bool reads_at_hand(const ir_op *op, const ir_value *memory, const ir_map *map) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    const ir_value *input = ir_input(op, i);
    bool is_at_hand = input == memory && ir_structure_of(op)->maps[i] == map;
    if (ir_type_is_shaped(input->type) && !is_at_hand && !memory_is_disjoint(input, memory))
      return false;
  }
  return true;
}

/* What the op writes is either the result before or memory of its own, unknown to all members but the prologue, which
 * has read the tile's element of it by then. */
static bool writes_apart(const ir_op *op, const ir_value *result, const ir_op *leader, const register_group *group) {
  const ir_value *target = ir_init(op, 0);
  if (target == result)
    return true;
  const ir_op *prologue = group->prologue.op;
  bool apart =
      lies_apart(leader, target, NULL) && (!prologue || reads_at_hand(prologue, target, ir_init_map(prologue, 0)));
  for (unsigned k = 0; k < group->num_feeders; k++)
    apart &= lies_apart(group->feeders[k].op, target, NULL);
  for (unsigned k = 0; k < group->count; k++)
    apart &= lies_apart(group->epilogues[k].op, target, NULL);
  return apart;
}

/* Of all results before `result`, the op behind it reads at most the element that its tile has at hand. */
static bool reads_members_at_hand(const ir_op *op, const ir_value *result, const ir_op *leader,
                                  const register_group *group) {
  const ir_value *made = ir_init(leader, 0);
  bool at_hand = true;
  for (unsigned k = 0; k < group->num_feeders; k++)
    at_hand &= lies_apart(op, ir_init(group->feeders[k].op, 0), NULL);
  for (unsigned k = 0; k < group->count && made != result; made = ir_init(group->epilogues[k++].op, 0))
    at_hand &= reads_at_hand(op, made, ir_init_map(op, 0));
  return at_hand;
}

/* An elementwise op that can run on tiles of what the leader has at `map`, linked by `memory`. */
static bool fits_tiles(const ir_map *map, const register_plan *plan, const ir_value *memory, register_member *member) {
  ir_op *op = member->op;
  if (!is_structured(op) || ir_num_inits(op) != 1 || op->num_operands > 32 || ir_structure_of(op)->reductions ||
      !link_loops(map, memory, member))
    return false;
  uint32_t allowed = vectorize_loops(op);
  for (unsigned i = 0; i < plan->num_dims; i++) {
    unsigned loop = plan->dims[i];
    if (ir_map_find_dim(map, loop) < 0)
      continue;
    if (!(allowed & ir_bit(member->loops[loop])))
      return false;
    for (unsigned k = 0; (int)loop == plan->simd && k < op->num_operands; k++)
      if (!register_plan_is_dense(op, k, member->loops[loop]))
        return false;
  }
  return true;
}

/* What the memory is a view of all of, as loops have of open tiles; or itself. */
static const ir_value *whole_memory(const ir_value *memory) {
  while (memory->op && slice_is_whole(memory->op))
    memory = ir_operand(memory->op, 0);
  return memory;
}

/* The op right before that writes what the leader starts from, of which the leader reads nothing else. */
static bool is_prologue(ir_op *leader, const register_plan *plan, register_member *member) {
  if (!ir_body_reads_init(leader, 0) || !is_structured(member->op) || ir_num_inits(member->op) != 1)
    return false;
  const ir_value *memory = ir_init(member->op, 0);
  if (whole_memory(memory) != whole_memory(ir_init(leader, 0)) ||
      !fits_tiles(ir_init_map(leader, 0), plan, memory, member))
    return false;
  for (unsigned i = 0; i < ir_num_inputs(leader); i++)
    if (!is_apart(ir_input(leader, i), memory))
      return false;
  return true;
}

/* Each element of the leader's output is made of so many terms that a branch before them costs nothing. */
static bool has_many_terms(const ir_op *leader) {
  const ir_structure *structure = ir_structure_of(leader);
  for (unsigned loop = 0; loop < structure->num_loops; loop++)
    if (ir_loop_is_reduction(structure, loop) && register_plan_bound(leader, loop) >= MANY_TERMS)
      return true;
  return false;
}

/* The loop, which surely runs, in which nothing before the leader's `first` op has effects; NULL: there is none. */
static ir_op *loop_that_begins_with(const ir_op *leader, ir_op *first) {
  ir_op *loop = leader->block->parent;
  if (loop->code != OP_SCF_FOR || neighbour(first, false) || !has_many_terms(leader))
    return NULL;
  ir_bounds bounds = ir_bounds_of(loop, 0);
  bool is_known = !bounds.lower.value && !bounds.upper.value;
  return is_known && bounds.lower.constant < bounds.upper.constant ? loop : NULL;
}

/* Finds what the leader starts from: right before `first`, itself or its feeder, or before the loop that begins with
 * that, whose other iterations start from the result of the one before; only from scalars then, which nothing in the
 * loop changes. */
static void find_prologue(ir_op *leader, ir_op *first, const register_plan *plan, register_group *group) {
  ir_op *loop = loop_that_begins_with(leader, first);
  register_member prologue = {.op = neighbour(loop ? loop : first, false)};
  if (!is_prologue(leader, plan, &prologue) || (loop && !body_reads_scalars_only(prologue.op)))
    return;
  group->prologue = prologue;
  group->loop = loop;
}

/* Each element of input `i` is read once, by a reduction that is no product. */
static bool reads_once(const ir_op *op, unsigned i) {
  const ir_structure *structure = ir_structure_of(op);
  return structure->reductions && !ir_is_contraction(op) && ir_type_is_shaped(ir_input(op, i)->type) &&
         ir_map_is_permutation(structure->maps[i]);
}

/* How many register tiles of the contraction read each element of input `i` from where it lies, in lanes and as nothing
 * else; INT64_MAX where they do not, or that is not known. */
static int64_t tiles_that_read(const ir_op *op, const register_plan *plan, unsigned i) {
  const ir_map *map = ir_structure_of(op)->maps[i];
  int64_t tiles = 1;
  for (unsigned k = 0; k < op->num_operands; k++)
    if (k != i && ir_operand(op, k) == ir_input(op, i))
      return INT64_MAX;
  if (!ir_is_contraction(op) || !ir_map_is_projected_permutation(map) || plan->paired >= 0 || plan->simd < 0 ||
      ir_map_find_dim(map, (unsigned)plan->simd) < 0 || (plan->packed | plan->widened) & ir_bit(i))
    return INT64_MAX;
  for (unsigned loop = 0; loop < plan->num_loops; loop++) {
    int64_t extent = ir_loop_size(op, loop);
    if (ir_map_find_dim(map, loop) >= 0 || !extent)
      continue;
    if (extent == IR_DYNAMIC || __builtin_mul_overflow(tiles, (extent - 1) / plan->steps[loop] + 1, &tiles))
      return INT64_MAX;
  }
  return tiles;
}

/* So many tiles may each make what the op makes: none where that takes the time, and registers, of functions
 * (exponentials, 4 rows .73 times as fast with 16 registers, .94 with 32; AVX2, Zen 4). */
static int64_t most_makers(const ir_op *maker, const target_facts *facts) {
  unsigned reads = 0;
  for (unsigned i = 0; i < ir_num_inputs(maker); i++)
    reads += ir_structure_of(maker)->maps[i]->num_results == ir_structure_of(maker)->num_loops;
  return register_plan_has_functions(maker, facts) ? 0 : reads <= 1 && target_has_near_memory(facts) ? MOST_MAKERS : 1;
}

/* The memory, all that is made at one place or a part of it, is accessed by the two ops alone. */
static bool is_between(const ir_value *memory, const ir_op *writer, const ir_op *reader) {
  const ir_op *maker = memory->op;
  for (const ir_use *use = memory->uses; use; use = use->next)
    if (use->user != writer && use->user != reader && use->user->code != OP_MEMREF_DEALLOC)
      return false;
  return maker && (ir_op_has(maker, IR_ALLOCATES) ||
                   (ir_op_has(maker, IR_VIEW) && is_between(ir_operand(maker, 0), maker, maker)));
}

/* The two are arguments of a kernel, which do not overlap (see tec.h). */
static bool are_arguments(const ir_value *a, const ir_value *b) {
  a = view_root(a);
  b = view_root(b);
  return a != b && !a->op && !b->op && a->block == b->block && ir_attr_get(a->block->parent, "tec.kernel");
}

/* Nothing that the op reads is in the memory. */
static bool reads_elsewhere(const ir_op *op, const ir_value *memory) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++) {
    const ir_value *input = ir_input(op, i);
    if (ir_type_is_shaped(input->type) && !memory_is_disjoint(input, memory) && !are_arguments(input, memory))
      return false;
  }
  return true;
}

/* The op before a contraction, and before what that starts from, that makes its input `i`, which nobody else reads, so
 * that it is held in registers alone: keys, values or weights that are made of fewer bits for a few rows. */
static void find_maker(ir_op *leader, const register_plan *plan, const target_facts *facts, unsigned i,
                       register_group *group) {
  ir_op *start = group->prologue.op && !group->loop ? group->prologue.op : leader;
  register_member maker = {.op = neighbour(start, false)};
  const ir_map *map = ir_structure_of(leader)->maps[i];
  const ir_value *memory = ir_input(leader, i);
  const ir_op *reader = leader;
  if (ir_made_by(memory, OP_MEMREF_COLLAPSE_SHAPE) && ir_value_has_one_use(memory)) {
    maker.groups = ir_attr_get(memory->op, "reassociation");
    reader = memory->op;
    memory = ir_operand(reader, 0);
  }
  if (!is_structured(maker.op) || ir_num_inits(maker.op) != 1 ||
      tiles_that_read(leader, plan, i) > most_makers(maker.op, facts) || ir_init(maker.op, 0) != memory ||
      ir_body_reads_init(maker.op, 0) || !is_between(memory, maker.op, reader) ||
      !fits_tiles(map, plan, memory, &maker) || !splits_evenly(leader, map, plan, &maker, vectorize_loops(maker.op)) ||
      !reads_elsewhere(maker.op, ir_init(leader, 0)))
    return;
  group->fed = i;
  group->is_fed_alone = true;
  group->feeders[group->num_feeders++] = maker;
}

/* The ops right before a reduction that write its input `i`, and then make something else of that. Tiles of all take
 * turns, so whatever else they work on lies apart. */
static void find_feeders(ir_op *leader, const register_plan *plan, unsigned i, register_group *group) {
  const ir_map *map = ir_structure_of(leader)->maps[i];
  const ir_value *memory = ir_input(leader, i);
  register_member found[REGISTER_GROUP_MAX];
  unsigned count = 0;
  if (!reads_once(leader, i) || !lies_apart(leader, memory, memory) || !reads_at_hand(leader, memory, map))
    return;
  for (ir_op *op = neighbour(leader, false); count < REGISTER_GROUP_MAX; op = neighbour(op, false)) {
    register_member *member = &found[count];
    *member = (register_member){.op = op};
    if (!is_structured(op) || ir_num_inits(op) != 1 || !fits_tiles(map, plan, memory, member) ||
        !lies_apart(op, ir_init(leader, 0), NULL) || !reads_at_hand(leader, ir_init(op, 0), map))
      return;
    for (unsigned k = 0; k < count; k++)
      if (!lies_apart(op, ir_init(found[k].op, 0), NULL) || !lies_apart(found[k].op, ir_init(op, 0), memory))
        return;
    count++;
    if (ir_init(op, 0) == memory)
      break;
  }
  if (ir_init(found[count - 1].op, 0) != memory)
    return;
  group->fed = i;
  for (; count; group->num_feeders++)
    group->feeders[group->num_feeders] = found[--count];
}

/* The op reduces the leader's result, element by element and not along lanes, into memory that no other member
 * touches. */
static bool is_follower(const ir_op *leader, const register_plan *plan, const ir_value *memory,
                        const register_group *group, register_member *member) {
  ir_op *op = member->op;
  const ir_map *map = ir_init_map(leader, 0);
  if (!ir_is_contraction(leader) || plan->simd < 0 || !is_structured(op) || ir_num_inits(op) != 1 ||
      ir_num_inputs(op) != 1 || ir_input(op, 0) != memory || ir_init(op, 0) == memory || !reads_once(op, 0) ||
      !ir_body_reads_init(op, 0) || !ir_map_is_projected_permutation(ir_init_map(op, 0)) ||
      !writes_apart(op, memory, leader, group))
    return false;
  const ir_structure *structure = ir_structure_of(op);
  uint32_t allowed = vectorize_loops(op);
  member->linked = ir_bit(0);
  for (unsigned dim = 0; dim < map->num_results; dim++)
    member->loops[ir_map_result_dim(map, dim)] = (unsigned)ir_map_result_dim(structure->maps[0], dim);
  for (unsigned i = 0; i < plan->num_dims; i++) {
    if (ir_map_find_dim(map, plan->dims[i]) < 0)
      continue;
    unsigned loop = member->loops[plan->dims[i]];
    bool in_lanes = (int)plan->dims[i] == plan->simd;
    if (!(allowed & ir_bit(loop)) ||
        (in_lanes && (ir_loop_is_reduction(structure, loop) || !register_plan_is_dense(op, 1, loop))))
      return false;
  }
  return ir_map_find_dim(map, (unsigned)plan->simd) >= 0;
}

/* The op right behind the leader that writes its fed input anew, element by element, after that was read: it works on
 * what the feeders have in registers, and so does the leader, which reads no more of that memory. Whatever else it
 * reads lies apart from what they and the leader write. */
static void find_rewriter(ir_op *leader, const register_plan *plan, register_group *group) {
  const ir_value *memory = ir_input(leader, group->fed);
  register_member member = {.op = neighbour(leader, true)};
  for (unsigned i = 0; i < ir_num_inputs(leader); i++)
    if (i != group->fed && ir_input(leader, i) == memory)
      return;
  if (!is_structured(member.op) || ir_num_inits(member.op) != 1 || ir_init(member.op, 0) != memory ||
      !fits_tiles(ir_structure_of(leader)->maps[group->fed], plan, memory, &member) ||
      !lies_apart(member.op, ir_init(leader, 0), NULL) || !ir_operands_are_before(member.op, leader))
    return;
  for (unsigned k = 1; k < group->num_feeders; k++)
    if (!lies_apart(member.op, ir_init(group->feeders[k].op, 0), NULL))
      return;
  group->rewriter = member;
}

bool register_group_takes_before(const register_group *group, const ir_op *op) {
  bool takes = group->prologue.op == op;
  for (unsigned k = 0; k < group->num_feeders; k++)
    takes |= group->feeders[k].op == op;
  return takes;
}

/* The matrix unit's sums are written as they are, and may start from 0 without a look at memory. */
static void find_zero(ir_op *leader, register_group *group) {
  ir_op *before = neighbour(leader, false);
  if (before && before->code == OP_LINALG_FILL && ir_init(before, 0) == ir_init(leader, 0) &&
      ir_value_is_zero(ir_operand(before, 0)) && register_matrix_sums_at_once(leader))
    group->prologue.op = before;
}

void register_group_find(ir_op *leader, const register_plan *plan, const target_facts *facts, register_group *group) {
  *group = (register_group){.count = 0};
  if (plan->is_matrix) {
    find_zero(leader, group);
    return;
  }
  if (ir_num_inits(leader) != 1 || !is_complete_in_tile(plan, ir_init_map(leader, 0)) || !memory_reads_still(leader))
    return;
  find_prologue(leader, leader, plan, group);
  for (unsigned i = 0; !group->num_feeders && i < ir_num_inputs(leader); i++)
    find_maker(leader, plan, facts, i, group);
  if (group->num_feeders && !group->prologue.op)
    find_prologue(leader, group->feeders[0].op, plan, group);
  for (unsigned i = 0; !group->prologue.op && !group->num_feeders && i < ir_num_inputs(leader); i++)
    find_feeders(leader, plan, i, group);
  if (group->num_feeders && !group->is_fed_alone)
    find_rewriter(leader, plan, group);
  if (group->rewriter.op)
    return;
  const ir_value *result = ir_init(leader, 0);
  for (ir_op *last = leader; group->count < REGISTER_GROUP_MAX; last = neighbour(last, true)) {
    register_member *next = &group->epilogues[group->count];
    *next = (register_member){.op = neighbour(last, true)};
    if (next->op && is_follower(leader, plan, result, group, next))
      group->count++;
    if (!next->op || !fits_tiles(ir_init_map(leader, 0), plan, result, next) ||
        !writes_apart(next->op, result, leader, group) || !reads_members_at_hand(next->op, result, leader, group))
      return;
    result = ir_init(next->op, 0);
    group->count++;
  }
}

/* The op writes all of the memory and reads none of it. */
static bool overwrites(const ir_op *op, const ir_value *memory) {
  if (!is_structured(op) || ir_num_inits(op) != 1 || ir_init(op, 0) != memory || ir_body_reads_init(op, 0) ||
      ir_structure_of(op)->reductions || !ir_map_is_projected_permutation(ir_init_map(op, 0)))
    return false;
  return reads_at_hand(op, memory, NULL);
}

/* Each run of the block begins to use the memory by writing all of it, and behind the first feeder only members read
 * it. */
static bool is_spent(const ir_value *memory, const ir_op *leader, const register_group *group) {
  ir_op *feeder = group->feeders[0].op, *first = feeder;
  for (const ir_use *use = memory->uses; use; use = use->next) {
    ir_op *op = ir_op_ancestor_in(use->user, feeder->block);
    if (use->user->code == OP_MEMREF_DEALLOC)
      continue;
    if (!op || ir_op_has(use->user, IR_VIEW))
      return false;
    if (op != first && ir_op_is_before(op, first))
      first = op;
    if (op != leader && !register_group_takes_before(group, op) && ir_op_is_before(feeder, op))
      return false;
  }
  return overwrites(first, memory);
}

/* More such memory, released where that is. */
static ir_value *clone_memory(const ir_value *memory) {
  ir_builder builder = ir_builder_before(memory->op);
  ir_value_map *map = ir_value_map_create(memory->op->module);
  ir_op *clone = ir_op_clone(&builder, memory->op, map);
  for (const ir_use *use = memory->uses; use; use = use->next)
    if (use->user->code == OP_MEMREF_DEALLOC) {
      builder = ir_builder_before(use->user);
      ir_op_clone(&builder, use->user, map);
    }
  return ir_result(clone, 0);
}

static void replace_input(ir_op *op, const ir_value *memory, ir_value *with) {
  for (unsigned i = 0; i < ir_num_inputs(op); i++)
    if (ir_input(op, i) == memory)
      ir_set_operand(op, i, with);
}

void register_group_keep(ir_op *leader, const register_group *group) {
  ir_op *feeder = group->feeders[0].op;
  if (!group->num_feeders || group->is_fed_alone || group->rewriter.op || ir_body_reads_init(feeder, 0))
    return;
  const ir_value *memory = ir_init(feeder, 0);
  if (!memory->op || !ir_op_has(memory->op, IR_ALLOCATES) || !is_spent(memory, leader, group))
    return;
  ir_value *own = clone_memory(memory);
  ir_set_operand(feeder, ir_num_inputs(feeder), own);
  replace_input(leader, memory, own);
  for (unsigned k = 1; k < group->num_feeders; k++)
    replace_input(group->feeders[k].op, memory, own);
}

/* The product that makes what the reduction reads, up to members of its group, and what starts the reduction, if that
 * stands between; NULL where there is none. */
static ir_op *product_before(const ir_op *reduction, ir_op **start) {
  *start = NULL;
  if (!is_structured(reduction) || ir_num_inits(reduction) != 1 || ir_num_inputs(reduction) != 1 ||
      !reads_once(reduction, 0))
    return NULL;
  ir_op *op = neighbour((ir_op *)reduction, false);
  if (is_structured(op) && ir_num_inits(op) == 1 && ir_init(op, 0) == ir_init(reduction, 0) &&
      !ir_structure_of(op)->reductions) {
    *start = op;
    op = neighbour(op, false);
  }
  for (unsigned passed = 0; passed < REGISTER_GROUP_MAX && is_structured(op) && ir_num_inits(op) == 1 &&
                            ir_init(op, 0) == ir_input(reduction, 0);
       passed++, op = neighbour(op, false))
    if (ir_is_contraction(op))
      return op;
  return NULL;
}

bool register_group_follows(const ir_op *op, const target_facts *facts) {
  ir_op *start, *product = product_before(op, &start);
  if (!product || start)
    return false;
  register_plan plan = register_plan_make(product, facts);
  register_group group;
  register_group_find(product, &plan, facts, &group);
  return group.count && group.epilogues[group.count - 1].op == op;
}

/* ------------------------------------------------------------------------------------------------- coming together */

/* Ops that another may move past: what is made further away has left the caches. */
enum { MAX_PASSED = 16 };

/* `op` may run before `other` as well as after it. */
static bool may_pass(const ir_op *op, const ir_op *other) {
  if (!is_structured(other))
    return false;
  for (unsigned i = 0; i < other->num_operands; i++)
    for (unsigned k = 0; ir_type_is_shaped(ir_operand(other, i)->type) && k < op->num_operands; k++) {
      bool written = i >= ir_num_inputs(other) || k >= ir_num_inputs(op);
      if (written && ir_type_is_shaped(ir_operand(op, k)->type) &&
          !memory_is_disjoint(ir_operand(other, i), ir_operand(op, k)))
        return false;
    }
  return true;
}

/* The operands are there before `place`, or are views or memory that can be made there. */
static bool can_stand_before(const ir_op *op, ir_op *place) {
  for (unsigned i = 0; i < op->num_operands; i++) {
    ir_op *from = ir_operand(op, i)->op;
    bool there = !from || from->block != place->block || ir_op_is_before(from, place);
    bool moves = from && (from->code == OP_MEMREF_SUBVIEW || ir_op_has(from, IR_ALLOCATES));
    if (!there && (!moves || !ir_operands_are_before(from, place)))
      return false;
  }
  return true;
}

/* With its views and memory. */
static void move_before(ir_op *op, ir_op *place) {
  ir_op_move_before(op, place);
  for (unsigned i = 0; i < op->num_operands; i++) {
    ir_op *from = ir_operand(op, i)->op;
    if (from && from->block == op->block && !ir_op_is_before(from, op))
      ir_op_move_before(from, op);
  }
}

/* Moves what starts a reduction to before the product that makes its input, so that the product can take it in. */
static void clear_way(ir_op *reduction, const target_facts *facts) {
  ir_op *start, *product = product_before(reduction, &start);
  if (!product || !start || start->num_results)
    return;
  register_plan plan = register_plan_make(product, facts);
  if (plan.is_matrix)
    return;
  register_member member = {.op = reduction}, prologue = {.op = neighbour(product, false)};
  register_group group = {.count = 0};
  if (is_prologue(product, &plan, &prologue))
    group.prologue = prologue;
  if (!is_complete_in_tile(&plan, ir_init_map(product, 0)) ||
      !is_follower(product, &plan, ir_input(reduction, 0), &group, &member))
    return;
  ir_op *place = group.prologue.op ? group.prologue.op : product;
  for (ir_op *other = neighbour(start, false); other != place; other = neighbour(other, false))
    if (!may_pass(start, other))
      return;
  if (may_pass(start, place) && can_stand_before(start, place))
    move_before(start, place);
}

void register_group_advance(ir_op *op, const target_facts *facts) {
  clear_way(op, facts);
  if (!is_structured(op) || op->num_results || ir_num_inits(op) != 1 || ir_structure_of(op)->reductions)
    return;
  ir_op *maker = neighbour(op, false);
  for (unsigned passed = 0; maker && may_pass(op, maker); passed++)
    maker = passed < MAX_PASSED ? neighbour(maker, false) : NULL;
  if (!maker || maker == neighbour(op, false) || !is_structured(maker) || maker->num_results ||
      ir_num_inits(maker) != 1 || !can_stand_before(op, maker))
    return;
  const ir_value *made = ir_init(maker, 0);
  register_plan plan = register_plan_make(maker, facts);
  register_member member = {.op = op};
  if (plan.is_matrix || ir_init(op, 0) == made || !is_complete_in_tile(&plan, ir_init_map(maker, 0)) ||
      !fits_tiles(ir_init_map(maker, 0), &plan, made, &member) ||
      !writes_apart(op, made, maker, &(register_group){.count = 0}))
    return;
  move_before(op, maker->next);
}
