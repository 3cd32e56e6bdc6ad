/* register_members.c - what a register tile's group computes on it while it is in registers (see register_group.h): the
 * prologue where an output begins, feeders where an input is read, epilogues where an output is written.
 *
 * Each member runs on the part of its own iterations that the leader's tile is linked to, as its body says it.
 * Terminates: one tile of each member of a group. */
#include "passes/body.h"
#include "passes/register_nest.h"

/* Epilogues that compute much with each element take so many registers of a tile at once. */
enum { EPILOGUE_REGISTERS = 4 };

/* The op goes over what the kernel has made, as the division of attention's output does. */
static bool is_last_pass(const ir_op *op) { return ir_num_inits(op) == 1 && ir_body_reads_init(op, 0); }

/* The kernel's loop, in which its time goes, is behind the op, as queries are transposed before. */
static bool is_before_loop(const ir_op *op) {
  while (op && op->code != OP_SCF_FOR)
    op = op->next;
  return op;
}

void register_ask_for_next(ir_op *op, const register_plan *plan, const target_facts *facts, register_left **left,
                           vector_tile *tile) {
  if (op->block->parent->code != OP_SCF_FORALL || ir_structure_of(op)->reductions)
    return;
  unsigned num_inputs = ir_num_inputs(op);
  unsigned first = is_before_loop(op) ? 0 : num_inputs, end = num_inputs + is_last_pass(op);
  for (unsigned i = first; i < end; i++) {
    if (tile->operands[i].ahead)
      continue;
    const ir_attr *ahead = register_prefetch_next(&(register_input){op, plan, facts, i, 1});
    bool leaves = i < num_inputs && register_ask_leave(op, facts, i, ahead, true, left);
    tile->operands[i].ahead = leaves ? NULL : ahead;
  }
}

/* The tile has one iteration of the innermost of the member's loops that have those of the leader's along `dim`. */
static bool has_part(const register_member *member, unsigned dim) {
  return member->part && dim + 1 == member->groups->count;
}

/* Adds the vector dims that are one of the leader's, of so many iterations, outermost first: `loop`, or as many of the
 * loops that have them together as it takes. */
static void add_dims(vector_tile *tile, const register_member *member, unsigned dim, unsigned loop, int64_t size) {
  unsigned first, count = register_member_dims(member, dim, &first), added = 0, loops[IR_MAX_RANK] = {loop};
  int64_t sizes[IR_MAX_RANK] = {size};
  for (; count > 1 && added < count && (!added || size > 1); size /= sizes[added++]) {
    loops[added] = (unsigned)ir_map_result_dim(ir_init_map(member->op, 0), first + count - 1 - added);
    int64_t extent = ir_loop_size(member->op, loops[added]);
    sizes[added] = size < extent ? size : extent;
  }
  unsigned innermost = has_part(member, dim);
  for (unsigned k = added ? added : 1; k-- > innermost; tile->num_dims++) {
    tile->loops[tile->num_dims] = loops[k];
    tile->sizes[tile->num_dims] = sizes[k];
  }
}

/* Where the tile starts in loops that have the leader's iterations together. */
static void start_parts(ir_builder *builder, vector_tile *tile, const register_member *member, unsigned dim,
                        ir_index start) {
  unsigned first, count = register_member_dims(member, dim, &first);
  for (unsigned k = count; k-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(ir_init_map(member->op, 0), first + k);
    int64_t extent = ir_loop_size(member->op, loop);
    tile->starts[loop] = k + 1 == count && has_part(member, dim) ? ir_index_const(*member->part)
                         : k                                     ? ir_index_mod(builder, start, extent)
                                                                 : start;
    tile->ends[loop] = ir_index_const(extent);
    start = k ? ir_index_floordiv(builder, start, extent) : start;
  }
}

/* The same part of the leader's iterations as a tile of another member of the group, where they are linked at `map`.
 * What comes from memory, as an added mask does, is asked for ahead as the leader's own inputs are. */
static void member_tile(const register_nest *nest, ir_builder *builder, const ir_map *map,
                        const register_member *member, vector_tile *tile) {
  const vector_tile *leader = &nest->tile;
  *tile = (vector_tile){.op = member->op,
                        .lane_constants = true,
                        .operands = IR_NEW_ARRAY(&nest->op->module->arena, vector_operand, member->op->num_operands)};
  vectorize_operands(member->op, tile->operands);
  register_plan plan = register_plan_make(member->op, nest->facts);
  for (unsigned i = 0; i < ir_num_inputs(member->op); i++)
    if (!(member->linked & ir_bit(i)))
      tile->operands[i].ahead = register_prefetch_distance(&(register_input){member->op, &plan, nest->facts, i, 1});
  register_ask_for_next(member->op, &plan, nest->facts, NULL, tile);
  for (unsigned i = 0; i < leader->num_dims; i++) {
    int dim = ir_map_find_dim(map, leader->loops[i]);
    if (dim >= 0)
      add_dims(tile, member, (unsigned)dim, member->loops[leader->loops[i]], leader->sizes[i]);
  }
  for (unsigned dim = 0, first; dim < map->num_results; dim++) {
    unsigned outer = (unsigned)ir_map_result_dim(map, dim), loop = member->loops[outer];
    if (register_member_dims(member, dim, &first) > 1) {
      start_parts(builder, tile, member, dim, leader->starts[outer]);
      continue;
    }
    tile->starts[loop] = leader->starts[outer];
    tile->ends[loop] = leader->ends[outer];
    if (leader->masked & ir_bit(outer))
      tile->masked |= ir_bit(loop);
  }
}

/* Runs a member on its tile; `known`, if any, is the tile's part of what links it to the group. Returns its result. */
static ir_value *run_member(register_nest *nest, ir_builder *builder, const ir_map *map, const register_member *member,
                            ir_value *known, vector_tile *tile) {
  member_tile(nest, builder, map, member, tile);
  for (unsigned i = 0; known && i < member->op->num_operands; i++)
    if (member->linked & ir_bit(i))
      tile->operands[i].vector = known;
  ir_value *value = ir_body_reads_init(member->op, 0) ? vectorize_begin(builder, tile, 0) : NULL;
  vectorize_body(builder, tile, &value);
  return vectorize_end(builder, tile, 0, value);
}

/* Runs a reduction on the rows of its tile in `known` one by one, as its body says it, where rows are what it reduces:
 * extrema that may lose a NaN are single instructions only so. Leaves the tile of what is to be written in `tile`. */
static ir_value *run_follower(register_nest *nest, ir_builder *builder, const ir_map *map,
                              const register_member *member, ir_value *known, vector_tile *tile) {
  member_tile(nest, builder, map, member, tile);
  unsigned row = tile->loops[0];
  bool by_rows = tile->num_dims == 2 && known->type->rank == 2 && !(tile->masked & ir_bit(row)) &&
                 ir_loop_is_reduction(ir_structure_of(member->op), row);
  if (!by_rows)
    return run_member(nest, builder, map, member, known, tile);
  tile->operands[0].vector = known;
  ir_value *rows = vectorize_read(builder, tile, 0);
  int64_t count = tile->sizes[0];
  ir_index start = tile->starts[row];
  tile->num_dims = 1;
  tile->loops[0] = tile->loops[1];
  tile->sizes[0] = tile->sizes[1];
  ir_value *value = vectorize_begin(builder, tile, 0);
  for (int64_t i = 0; i < count; i++) {
    tile->starts[row] = ir_index_add(builder, start, ir_index_const(i));
    tile->operands[0].vector = ir_vector_row(builder, rows, i);
    vectorize_body(builder, tile, &value);
  }
  return vectorize_end(builder, tile, 0, value);
}

/* What the first feeder is known to make of its tile. */
static ir_value *known_tile(const register_nest *nest, ir_builder *builder, const vector_tile *tile) {
  ir_scalar element = ir_operand(nest->op, nest->group.fed)->type->element;
  const ir_type *type = ir_type_vector(builder->module, element, tile->num_dims, tile->sizes);
  return ir_splat(builder, type, (ir_cell){.f = nest->reduced.value});
}

/* What the feeders made leaves the registers as the rewriter has it. */
static void rewrite(register_nest *nest, ir_builder *builder, ir_value *known) {
  const register_member *rewriter = &nest->group.rewriter;
  vector_tile tile;
  ir_value *value = run_member(nest, builder, ir_structure_of(nest->op)->maps[nest->group.fed], rewriter, known, &tile);
  vectorize_write(builder, &tile, ir_num_inputs(rewriter->op), value);
}

/* The tile of the fed input, a vector over other dims, over those that the leader has. */
static ir_value *as_leader_has_it(const register_nest *nest, ir_builder *builder, ir_value *value) {
  const vector_tile *tile = &nest->tile;
  const ir_map *map = ir_structure_of(nest->op)->maps[nest->group.fed];
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0;
  for (unsigned dim = 0; dim < map->num_results; dim++)
    for (unsigned i = 0; i < tile->num_dims; i++)
      if ((int)tile->loops[i] == ir_map_result_dim(map, dim))
        shape[rank++] = tile->sizes[i];
  return rank == value->type->rank ? value
                                   : ir_unary(builder, OP_VECTOR_SHAPE_CAST, value,
                                              ir_type_vector(builder->module, value->type->element, rank, shape));
}

/* The iterations of the innermost loop of a feeder, a power of two, where they are fewer than lanes, as those over the
 * halves of a byte are: lanes are along the loop outside of it then. 1 elsewhere. */
static int64_t num_parts(const register_nest *nest, const register_member *feeder) {
  const ir_map *map = ir_structure_of(nest->op)->maps[nest->group.fed];
  unsigned dim = map->num_results - 1u, first;
  if (!feeder->groups || register_member_dims(feeder, dim, &first) < 2)
    return 1;
  unsigned outer = (unsigned)ir_map_result_dim(map, dim);
  int64_t parts = ir_loop_size(feeder->op, feeder->loops[outer]), size = vector_tile_size(&nest->tile, outer);
  return parts < nest->plan.lanes && (parts & (parts - 1)) == 0 && size > parts ? parts : 1;
}

/* Runs a feeder that nobody else reads on those of its parts that lie so far apart, from `first` on, and puts their
 * lanes in turn. */
static ir_value *feed_parts(register_nest *nest, ir_builder *builder, const register_member *feeder, int64_t first,
                            int64_t apart, int64_t parts) {
  if (first + apart < parts) {
    ir_value *halves[] = {feed_parts(nest, builder, feeder, first, 2 * apart, parts),
                          feed_parts(nest, builder, feeder, first + apart, 2 * apart, parts)};
    return ir_create(builder, OP_VECTOR_INTERLEAVE, NULL, 2, halves, 0, NULL);
  }
  register_member part = *feeder;
  part.part = parts > 1 ? &first : NULL;
  vector_tile tile;
  ir_value *value = run_member(nest, builder, ir_structure_of(nest->op)->maps[nest->group.fed], &part, NULL, &tile);
  return vectorize_to_subscripts(builder, &tile, ir_num_inputs(feeder->op), value);
}

/* Runs the feeders that make what others read, too. Returns what the first makes. */
static ir_value *feed_others(register_nest *nest, ir_builder *builder) {
  const register_group *group = &nest->group;
  const ir_map *map = ir_structure_of(nest->op)->maps[group->fed];
  ir_value *known = NULL;
  for (unsigned k = 0; k < group->num_feeders; k++) {
    const register_member *feeder = &group->feeders[k];
    unsigned out = ir_num_inputs(feeder->op);
    vector_tile tile;
    ir_value *value;
    if (nest->left_out && !known) {
      member_tile(nest, builder, map, feeder, &tile);
      value = known_tile(nest, builder, &tile);
    } else
      value = run_member(nest, builder, map, feeder, known, &tile);
    if (k || !group->rewriter.op)
      vectorize_write(builder, &tile, out, value);
    if (!known)
      known = vectorize_to_subscripts(builder, &tile, out, value);
  }
  if (group->rewriter.op)
    rewrite(nest, builder, known);
  return known;
}

void register_feed(register_nest *nest, ir_builder *builder) {
  const register_group *group = &nest->group;
  const register_member *feeder = &group->feeders[0];
  ir_value *known = group->is_fed_alone ? feed_parts(nest, builder, feeder, 0, 1, num_parts(nest, feeder))
                                        : feed_others(nest, builder);
  nest->tile.operands[group->fed].vector = as_leader_has_it(nest, builder, known);
}

/* The output's part in the tile: known in the first iteration of the group's loop, in memory in all others. */
static ir_value *known_at_first(const register_nest *nest, ir_builder *builder, unsigned operand, ir_value *known) {
  const ir_op *loop = nest->group.loop;
  ir_value *values[] = {known, NULL};
  ir_value *first = ir_compare(builder, OP_ARITH_CMPI, IR_EQUAL, ir_region(loop, 0)->args[0], ir_operand(loop, 0));
  ir_op *branch = ir_if(builder, first, known->type);
  for (unsigned i = 0; i < 2; i++) {
    ir_builder inside = ir_builder_at_end(ir_region(branch, i));
    if (i)
      values[i] = vectorize_to_subscripts(&inside, &nest->tile, operand, vectorize_read(&inside, &nest->tile, operand));
    ir_terminator(&inside, OP_SCF_YIELD, 1, &values[i]);
  }
  return ir_result(branch, 0);
}

ir_value *register_begin_output(register_nest *nest, ir_builder *builder, unsigned out) {
  const register_member *prologue = &nest->group.prologue;
  if (prologue->op) {
    vector_tile tile;
    unsigned operand = nest->num_inputs + out;
    ir_value *value = run_member(nest, builder, ir_init_map(nest->op, 0), prologue, NULL, &tile);
    value = vectorize_to_subscripts(builder, &tile, ir_num_inputs(prologue->op), value);
    nest->tile.operands[operand].vector = NULL; /* that of the tile before */
    nest->tile.operands[operand].vector = nest->group.loop ? known_at_first(nest, builder, operand, value) : value;
  }
  ir_value *begin = vectorize_begin(builder, &nest->tile, out);
  if (!nest->excess)
    return begin;
  ir_value *excess = ir_unary(builder, OP_VECTOR_BROADCAST, nest->excess, begin->type);
  return ir_binary(builder, OP_ARITH_SUBI, begin, excess);
}

/* Writes the tile's value of the output, after the epilogues have made of it what they do; only the last of several
 * writes to the same place is made. */
static void write_value(register_nest *nest, ir_builder *builder, unsigned out, ir_value *value) {
  const register_group *group = &nest->group;
  vector_tile tile = nest->tile;
  unsigned operand = nest->num_inputs + out;
  for (unsigned k = 0;; k++) {
    bool last = k == group->count;
    if (last || ir_init(group->epilogues[k].op, 0) != ir_operand(tile.op, operand))
      vectorize_write(builder, &tile, operand, value);
    if (last)
      return;
    ir_value *known = vectorize_to_subscripts(builder, &tile, operand, value);
    const register_member *epilogue = &group->epilogues[k];
    bool follows = ir_structure_of(epilogue->op)->reductions;
    value = (follows ? run_follower : run_member)(nest, builder, ir_init_map(nest->op, 0), epilogue, known, &tile);
    operand = ir_num_inputs(epilogue->op);
  }
}

/* An epilogue computes much with each element, and none is a reduction of them. */
static bool has_long_epilogue(const register_group *group) {
  bool is_long = false;
  for (unsigned k = 0; k < group->count; k++) {
    const ir_op *op = group->epilogues[k].op;
    if (ir_structure_of(op)->reductions)
      return false;
    is_long |= body_has_polynomial(op);
  }
  return is_long;
}

/* The most rows of the tile on which long epilogues run at once, as the registers of all would leave few to compute
 * with; INT64_MAX: there is no need, or its value has other dims. *row: their dim of the tile. */
static int64_t rows_at_once(const register_nest *nest, const ir_value *value, unsigned *row) {
  const vector_tile *tile = &nest->tile;
  const register_plan *plan = &nest->plan;
  for (*row = 0; *row < tile->num_dims && ir_map_find_dim(ir_init_map(nest->op, 0), tile->loops[*row]) < 0;)
    ++*row;
  if (nest->num_outs != 1 || value->type->kind != IR_TYPE_VECTOR || value->type->rank != 2 ||
      *row + 1 >= tile->num_dims || (int)tile->loops[*row] == plan->simd || tile->masked & ir_bit(tile->loops[*row]) ||
      value->type->shape[0] != tile->sizes[*row] || nest->facts->vector_registers >= 32 ||
      !has_long_epilogue(&nest->group))
    return INT64_MAX;
  int64_t registers = (value->type->shape[1] - 1) / plan->lanes + 1;
  return registers < EPILOGUE_REGISTERS ? EPILOGUE_REGISTERS / registers : 1;
}

/* Writes the output, a few rows of the tile after the other where that leaves epilogues registers (an MLP with gelu
 * or erf 1.01 to 1.03 times as fast; Zen 3). */
static void write_output(register_nest *nest, ir_builder *builder, unsigned out, ir_value *accumulator) {
  const vector_tile whole = nest->tile;
  ir_value *value = vectorize_end(builder, &whole, out, accumulator);
  unsigned row;
  int64_t most = rows_at_once(nest, value, &row);
  if (most == INT64_MAX || most >= whole.sizes[row]) {
    write_value(nest, builder, out, value);
    return;
  }
  int64_t rows = whole.sizes[row];
  unsigned loop = whole.loops[row];
  for (int64_t first = 0; first < rows; first += most) {
    int64_t count = first + most < rows ? most : rows - first;
    nest->tile.sizes[row] = count;
    nest->tile.starts[loop] = ir_index_add(builder, whole.starts[loop], ir_index_const(first));
    write_value(nest, builder, out, ir_vector_slice(builder, value, first, count));
  }
  nest->tile = whole;
}

void register_end_output(register_nest *nest, ir_builder *builder, unsigned out, ir_value *accumulator) {
  ir_value *whole = register_is_shown(nest, builder);
  if (!whole) {
    write_output(nest, builder, out, accumulator);
    return;
  }
  ir_op *branch = ir_if(builder, whole, NULL);
  for (unsigned i = 0; i < 2; i++) {
    ir_builder inside = ir_inside(branch, i);
    ir_op **epilogue = &nest->group.epilogues[nest->shown.member].op, *masked = *epilogue;
    if (i == 0)
      *epilogue = nest->shown.op;
    write_output(nest, &inside, out, accumulator);
    *epilogue = masked;
  }
}
