/* join_rows.c - pass "join-rows": the few queries of heads that share keys and values are rows of one loop.
 *
 * A tile of a running softmax has its rows along one loop (tile_rows_loop), so keys and values are read once for the
 * queries of a head, or for one query of all heads that share them, and again for each of the others. Where both are
 * few, the two loops become one over all pairs, in all ops from the product that makes scores to the last one that only
 * goes on with the result: the queries of a head are neighbours in it. (1.1 to 1.9x for 2 to 8 heads of 2 to 8 queries,
 * Zen 5 and Zen 4's code there.)
 *
 * Invariants: elements and the order of sums stay. Rows are a view where both dims are neighbours; what has them
 * elsewhere, or only one of them, is copied, which is little beside keys and values.
 * Terminates: a chain of at most MAX_LINKS ops is followed downwards; its product has no two such loops afterwards. */
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/recast.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

enum { MAX_LINKS = 16 };

/* An op of the chain, and which of its loops are over heads and over their queries. */
typedef struct link {
  ir_op *op;
  unsigned heads, queries;
} link;

typedef struct chain {
  unsigned count;
  link links[MAX_LINKS]; /* each but the first reads the one before it */
  int64_t queries, rows; /* how many there are */
  ir_value_map *joined;  /* from results of the ops to those with rows */
} chain;

/* The dims of an operand that are over heads and queries; -1: none. */
typedef struct place {
  int heads, queries;
} place;

static place place_in(const link *l, unsigned operand) {
  const ir_map *map = ir_structure_of(l->op)->maps[operand];
  return (place){ir_map_find_dim(map, l->heads), ir_map_find_dim(map, l->queries)};
}

static bool is_absent(place p) { return p.heads < 0 && p.queries < 0; }
static bool is_view(place p) { return p.heads >= 0 && p.queries == p.heads + 1; }

/* With rows, these take the dim of heads, or of queries where there are no heads. */
static bool becomes_rows(place p, unsigned dim) { return (int)dim == (p.heads >= 0 ? p.heads : p.queries); }
static bool is_dropped(place p, unsigned dim) { return p.heads >= 0 && (int)dim == p.queries; }

/* ------------------------------------------------------------------------------------------------------------ chain */

/* One factor of the contraction has both loops, and the other one none. */
static bool are_rows(const link *l, unsigned side) {
  place with = place_in(l, side);
  return with.heads >= 0 && with.queries >= 0 && is_absent(place_in(l, 1 - side));
}

/* The last two loops of more than one iteration that only the factor `side` has, if they are few enough. */
static bool find_rows(chain *chain, ir_op *op, unsigned side, const target_facts *target) {
  const ir_structure *structure = ir_structure_of(op);
  int64_t extents[IR_MAX_LOOPS], most = target_is_gpu(target) ? TILE_MIN_ROWS : host_policy.rows;
  link found = {.op = op};
  unsigned count = 0;
  ir_loop_extents(op, extents);
  for (unsigned dim = 0; dim < structure->maps[2]->num_results; dim++) {
    unsigned loop = (unsigned)ir_map_result_dim(structure->maps[2], dim);
    if (extents[loop] == 1 || ir_loop_side(structure, loop) != (int)side)
      continue;
    found = (link){op, found.queries, loop};
    count++;
  }
  if (count < 2 || extents[found.heads] <= 0 || extents[found.queries] <= 0 ||
      extents[found.queries] >= TILE_MIN_ROWS || extents[found.heads] > most / extents[found.queries])
    return false;
  *chain = (struct chain){1, {found}, extents[found.queries], extents[found.heads] * extents[found.queries], NULL};
  return true;
}

/* The one reader of the link's first result, with its loops over the same; false where it has not both. */
static bool find_reader(const link *l, link *reader, unsigned *input) {
  const ir_value *value = ir_result(l->op, 0);
  place p = place_in(l, ir_num_inputs(l->op));
  if (!ir_value_has_one_use(value) || value->uses->user->block != l->op->block ||
      !ir_op_has(value->uses->user, IR_STRUCTURED))
    return false;
  *input = ir_use_index(value->uses);
  reader->op = value->uses->user;
  const ir_map *map = ir_structure_of(reader->op)->maps[*input];
  int heads = ir_map_result_dim(map, (unsigned)p.heads), queries = ir_map_result_dim(map, (unsigned)p.queries);
  reader->heads = (unsigned)heads;
  reader->queries = (unsigned)queries;
  if (heads < 0 || queries < 0)
    return false;
  place result = place_in(reader, ir_num_inputs(reader->op));
  const ir_structure *structure = ir_structure_of(reader->op);
  return result.heads >= 0 && result.queries >= 0 && !ir_loop_is_reduction(structure, reader->heads) &&
         !ir_loop_is_reduction(structure, reader->queries);
}

/* Follows the scores that the first link makes to their softmax, its product with values, and what goes on with that
 * alone; false where they go elsewhere. */
static bool follow(chain *chain) {
  bool seen_softmax = false, seen_product = false;
  link reader;
  unsigned input;
  while (chain->count < MAX_LINKS && find_reader(&chain->links[chain->count - 1], &reader, &input)) {
    if (!seen_softmax && pass_op_info_of(reader.op->code)->states && input == 0)
      seen_softmax = true;
    else if (seen_softmax && !seen_product && ir_is_contraction(reader.op) && input < 2 && are_rows(&reader, input))
      seen_product = true;
    else if (!body_is_elementwise(reader.op) || reader.op->num_results != 1 ||
             (seen_product && ir_num_inputs(reader.op) > 1))
      break;
    chain->links[chain->count++] = reader;
  }
  return seen_product;
}

/* The operand with rows is a view of what no op computes, or filled. */
static bool is_made_in_place(const ir_value *value, place p) {
  while (ir_is_reshape(value->op))
    value = ir_operand(value->op, 0);
  return is_view(p) && (!value->op || !ir_op_has(value->op, IR_STRUCTURED) || value->op->code == OP_LINALG_FILL);
}

/* Nothing of an op's rows is a kernel of its own on a GPU, as copies would be, what is computed before a view, and what
 * reads statistics through one; and no positions of queries in memory say which keys a tile of one query leaves out. */
static bool pays(const chain *chain, const target_facts *target) {
  for (unsigned i = 0; i < chain->count; i++) {
    const ir_op *op = chain->links[i].op;
    for (unsigned k = 0; k < op->num_operands; k++) {
      const ir_value *value = ir_operand(op, k);
      place p = place_in(&chain->links[i], k);
      bool is_position =
          p.heads < 0 && p.queries >= 0 && !ir_scalar_is_float(value->type->element) && value->type->element != IR_I1;
      bool is_linked = i > 0 && value->op == chain->links[i - 1].op;
      if (is_absent(p) || is_linked)
        continue;
      if (is_position || (!is_view(p) && value->type->rank == IR_MAX_RANK) ||
          (target_is_gpu(target) && !is_made_in_place(value, p)))
        return false;
    }
    for (unsigned k = 1; k < op->num_results; k++)
      if (target_is_gpu(target) && !ir_value_unused(ir_result(op, k)))
        return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------------------- rows */

/* A new tensor, in which each element is the one of `value` under the map. */
static ir_value *copy(ir_builder *builder, ir_value *value, const ir_map *map, const ir_index *sizes) {
  ir_value *out = ir_empty(builder, value->type->element, map->num_dims, sizes);
  return body_copy(builder, value, map, out, ir_map_identity(builder->module, map->num_dims));
}

/* The operand with rows: a view, where need be of a copy in which heads and queries are neighbours. */
static ir_value *join_operand(const chain *chain, ir_builder *builder, ir_value *value, place p) {
  ir_module *module = builder->module;
  const ir_expr *subscripts[IR_MAX_RANK];
  ir_index sizes[IR_MAX_RANK], joined_sizes[IR_MAX_RANK];
  int64_t shape[IR_MAX_RANK];
  unsigned rank = 0, wide = 0, counts[IR_MAX_RANK];
  ir_value *joined = ir_value_map_get(chain->joined, value);
  if (joined != value || is_absent(p))
    return joined;
  for (unsigned dim = 0; dim < value->type->rank; dim++) {
    if (is_dropped(p, dim))
      continue;
    bool is_row = becomes_rows(p, dim);
    subscripts[dim] = ir_expr_dim(module, wide + (is_row && p.heads < 0));
    if (is_row && p.heads >= 0 && p.queries >= 0)
      subscripts[p.queries] = ir_expr_dim(module, wide + 1);
    joined_sizes[rank] = is_row ? ir_index_const(chain->rows) : pass_dim(builder, value, dim);
    shape[rank] = is_row ? chain->rows : value->type->shape[dim];
    counts[rank] = 1 + is_row;
    sizes[wide++] = is_row ? ir_index_const(chain->rows / chain->queries) : joined_sizes[rank];
    if (is_row)
      sizes[wide++] = ir_index_const(chain->queries);
    rank++;
  }
  ir_value *start = recast_start(builder, value, rank, joined_sizes);
  if (start)
    return start;
  if (!is_view(p))
    value = copy(builder, value, ir_map_get(module, wide, 0, value->type->rank, subscripts), sizes);
  return ir_collapse(builder, value, ir_type_with_shape(module, value->type, rank, shape), counts);
}

/* The result with heads and queries, like `init`, from the one with rows. */
static ir_value *part_result(const chain *chain, ir_builder *builder, ir_value *joined, ir_value *init, place p) {
  ir_module *module = builder->module;
  const ir_expr *subscripts[IR_MAX_RANK], *queries = ir_expr_const(module, chain->queries);
  ir_index sizes[IR_MAX_RANK];
  unsigned rank = 0, counts[IR_MAX_RANK];
  for (unsigned dim = 0; dim < init->type->rank; dim++) {
    const ir_expr *subscript = ir_expr_dim(module, dim);
    sizes[dim] = pass_dim(builder, init, dim);
    if (is_dropped(p, dim))
      continue;
    if (becomes_rows(p, dim))
      subscript = ir_expr_binary(module, IR_EXPR_ADD, ir_expr_binary(module, IR_EXPR_MUL, subscript, queries),
                                 ir_expr_dim(module, (unsigned)p.queries));
    counts[rank] = 1 + becomes_rows(p, dim);
    subscripts[rank++] = subscript;
  }
  return is_view(p) ? ir_expand(builder, joined, init->type->rank, sizes, counts)
                    : copy(builder, joined, ir_map_get(module, init->type->rank, 0, rank, subscripts), sizes);
}

/* The operand's map over the new loops, which are `loops` for each old one. */
static const ir_map *join_map(const link *l, unsigned operand, const ir_expr *const *loops) {
  const ir_map *map = ir_structure_of(l->op)->maps[operand];
  const ir_expr *results[IR_MAX_RANK];
  place p = place_in(l, operand);
  unsigned rank = 0;
  for (unsigned dim = 0; dim < map->num_results; dim++)
    if (becomes_rows(p, dim))
      results[rank++] = ir_expr_dim(l->op->module, l->heads - (l->heads > l->queries));
    else if (!is_dropped(p, dim))
      results[rank++] = ir_expr_replace(l->op->module, map->results[dim], loops, NULL);
  return ir_map_get(l->op->module, map->num_dims - 1, 0, rank, results);
}

/* Creates the op with rows, which are a loop in the place of heads. */
static void join_op(const chain *chain, const link *l) {
  ir_op *op = l->op, *fresh;
  ir_module *module = op->module;
  ir_builder builder = ir_builder_before(op);
  const ir_structure *structure = ir_structure_of(op);
  const ir_expr *loops[IR_MAX_LOOPS], *queries = ir_expr_const(module, chain->queries);
  recast parts = {op, ir_num_inputs(op), ir_num_inits(op), structure->num_loops, structure->reductions};
  recast_drop_loops(&parts, ir_bit(l->queries), loops);
  const ir_expr *rows = loops[l->heads];
  loops[l->heads] = ir_expr_binary(module, IR_EXPR_FLOORDIV, rows, queries);
  loops[l->queries] = ir_expr_binary(module, IR_EXPR_MOD, rows, queries);
  for (unsigned i = 0; i < op->num_operands; i++) {
    parts.operands[i] = join_operand(chain, &builder, ir_operand(op, i), place_in(l, i));
    parts.maps[i] = join_map(l, i, loops);
  }
  if (op->num_regions) {
    fresh = recast_create(&parts, &builder, loops);
  } else {
    int64_t along = ir_attr_int_or(op, "dimension", 0);
    ir_named_attr attr = {"dimension", ir_attr_i64(module, loops[along]->value)};
    fresh = ir_structured(&builder, op->code, parts.num_ins, parts.operands, parts.num_outs,
                          parts.operands + parts.num_ins, 1, &attr);
  }
  for (unsigned i = 0; i < op->num_results; i++)
    ir_value_map_set(chain->joined, ir_result(op, i), ir_result(fresh, i));
}

/* Drops the old op, which no other op of the chain uses any more. */
static void drop_old(const chain *chain, const link *l) {
  ir_builder builder = ir_builder_before(l->op);
  for (unsigned i = 0; i < l->op->num_results; i++) {
    ir_value *old = ir_result(l->op, i), *joined = ir_value_map_get(chain->joined, old);
    if (!ir_value_unused(old))
      ir_replace_uses(old,
                      part_result(chain, &builder, joined, ir_init(l->op, i), place_in(l, ir_num_inputs(l->op) + i)));
  }
  ir_op_erase(l->op);
}

void pass_join_rows(ir_block *block, const pass_options *options) {
  const target_facts *target = options->target;
  chain chain;
  for (ir_op *op = options->fuse ? block->first : NULL, *next; op; op = next) {
    next = op->next;
    bool is_found = false;
    for (unsigned side = 0; side < 2 && !is_found && ir_is_contraction(op); side++)
      is_found = find_rows(&chain, op, side, target) && follow(&chain) && pays(&chain, target);
    if (!is_found)
      continue;
    chain.joined = ir_value_map_create(block->parent->module);
    for (unsigned i = 0; i < chain.count; i++)
      join_op(&chain, &chain.links[i]);
    const ir_op *fresh = ir_value_map_get(chain.joined, ir_result(op, 0))->op;
    for (unsigned i = chain.count; i-- > 0;)
      drop_old(&chain, &chain.links[i]);
    next = fresh->next;
  }
}
