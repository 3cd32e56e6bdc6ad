/* propagate.c - the pass "layout": says of every vector in a kernel which lane holds which element.
 *
 * One walk forward over each kernel. Contractions are the anchors (anchor.h); their results' layouts flow on through
 * elementwise ops, reductions, transposes and loops. Constants, reads, masks, broadcasts and what is computed from them
 * only stay open until somebody demands a layout of them, and then take it, with all that they are computed from.
 * What flows nowhere near a contraction is anchored where it is reduced or written. So a layout is demanded only of
 * values that the walk has passed; a loop demands its yields' when its body is done.
 *
 * A demand for another layout than a value has is met by a copy of the op where that is cheap, else by an explicit
 * vector_ext.to_layout with what it costs. A different spelling of the same map counts as one ("identity").
 *
 * Row statistics are vectors of the rows whose lanes along the columns, by projection, hold replicas: they are used
 * where columns are without moving.
 *
 * Kernels that have `tec.threads` are laid out already and stay as they are, but for vectors computed outside of them.
 *
 * Result: `tec.layouts` on each op with vectors, one text a result; `tec.threads` and `mapping` on the kernels. Where
 * two layouts met that differ, `tec.conflict` says in what: on conversions, and where row statistics are repeated along
 * the columns of something else than they were reduced from.
 *
 * Invariants
 *  - Layouts are interned by text: equal text, same pointer.
 *  - The carried value of a loop, inside and as a result, is one slot and so has one layout.
 * Terminates: a value gets a layout once, which makes as many demands as its op has operands; a conversion or a copy
 * answers one demand and, being new, makes only those of its own operands, which come before it. */
#include "passes/anchor.h"
#include "passes/passes.h"

#include <string.h>

enum { LANE_ELEMENTS = 32 }; /* of the largest vector, in a block without contractions */

typedef struct placed {
  layout layout;
  const char *text;
  struct placed *next;
} placed;

typedef struct demand {
  ir_op *user;
  unsigned operand;
  const placed *layout;
} demand;

/* What is known of a value. */
typedef struct slot {
  const placed *layout; /* NULL: open */
  bool complete;        /* of a loop's first: its body has been walked */
} slot;

typedef struct propagation {
  ir_module *module;
  ir_block *kernel;
  anchor_lanes lanes;
  bool merges; /* parts, along the first dims of vectors: see split.c */
  placed *known;
  slot *slots; /* by slot_of */
  size_t num_slots, slot_capacity;
  demand *demands; /* a stack */
  size_t num_demands, demand_capacity;
} propagation;

static bool is_vector(const ir_value *value) { return value->type->kind == IR_TYPE_VECTOR; }

/* ---------------------------------------------------------------------------------------------------------- slots */

/* Gives the results of an op slots; a loop's carried values share those of its results. */
static void add_slots(propagation *p, ir_op *op) {
  op->mark = (uint32_t)p->num_slots;
  for (unsigned i = 0; i <= op->num_results; i++)
    p->slots = ir_arena_grow(&p->module->arena, p->slots, sizeof *p->slots, p->num_slots++, &p->slot_capacity);
}

static size_t slot_of(const ir_value *value) {
  return value->op ? value->op->mark + value->index : value->block->parent->mark + value->index - 1;
}

static const placed *layout_of(const propagation *p, const ir_value *value) { return p->slots[slot_of(value)].layout; }

static const placed *place(propagation *p, const layout *l) {
  layout settled = *l;
  for (unsigned i = 0; i < settled.num_digits; i++)
    if (!settled.digits[i].dim_stride)
      settled.digits[i].dim = 0; /* replication belongs to no dim */
  char text[LAYOUT_MAX_TEXT];
  layout_print(&settled, text, sizeof text);
  for (placed *known = p->known; known; known = known->next)
    if (!strcmp(known->text, text))
      return known;
  return p->known = IR_NEW_OF(&p->module->arena, placed, settled, ir_intern_cstr(p->module, text), p->known);
}

static void require(propagation *p, ir_op *user, unsigned operand, const placed *wanted) {
  if (!is_vector(ir_operand(user, operand)))
    return;
  IR_PUSH(&p->module->arena, p->demands, p->num_demands, p->demand_capacity) = (demand){user, operand, wanted};
}

/* --------------------------------------------------------------------------------- layouts through changes of shape */

/* Of the operand of a transpose, from the result's; or the other way round. */
static const placed *through_transpose(propagation *p, const ir_op *op, const placed *from, bool backward) {
  unsigned count, permutation[LAYOUT_MAX_RANK] = {0};
  const int64_t *dims = ir_attr_i64s_of(op, "permutation", &count);
  for (unsigned i = 0; i < count; i++)
    permutation[backward ? (unsigned)dims[i] : i] = backward ? i : (unsigned)dims[i];
  layout l = layout_permute(&from->layout, permutation);
  return place(p, &l);
}

/* Of the source of a broadcast: what is repeated is replicated. */
static const placed *broadcast_source(propagation *p, const ir_op *op, const placed *result) {
  const ir_type *source = ir_operand(op, 0)->type;
  layout l = result->layout;
  unsigned missing = l.rank - source->rank;
  for (unsigned dim = l.rank; dim-- > missing;)
    if (source->shape[dim - missing] == 1 && layout_extent(&l, dim) > 1) {
      l = layout_project(&l, dim);
      l = layout_insert_dim(&l, dim);
    }
  for (unsigned dim = missing; dim-- > 0;)
    l = layout_project(&l, dim);
  return place(p, &l);
}

/* From one side of a shape_cast to the other, of type `to`: only dims of extent 1 come and go, or each dim of one side
 * is the row-major product of neighbours on the other. NULL where a digit straddles. */
static const placed *through_shape_cast(propagation *p, const ir_type *from, const ir_type *to, const placed *known) {
  layout l = known->layout, expanded;
  int64_t shape[2 * LAYOUT_MAX_RANK];
  unsigned rank = from->rank;
  memcpy(shape, from->shape, rank * sizeof *shape);
  for (unsigned dim = 0; dim < to->rank || dim < rank;) {
    int64_t have = dim < rank ? shape[dim] : 1, want = dim < to->rank ? to->shape[dim] : 1;
    if (have == want && dim < rank && dim < to->rank) {
      dim++;
    } else if (dim >= to->rank || (have < want && dim + 1 < rank)) { /* merge with a neighbour */
      unsigned at = dim >= to->rank ? dim - 1 : dim;
      l = layout_collapse(&l, at);
      shape[at] *= shape[at + 1];
      memmove(shape + at + 1, shape + at + 2, (rank - at - 2) * sizeof *shape);
      rank--;
    } else if (l.rank == LAYOUT_MAX_RANK) {
      return NULL;
    } else if (want == 1) {
      l = layout_insert_dim(&l, dim);
      memmove(shape + dim + 1, shape + dim, (rank++ - dim) * sizeof *shape);
      shape[dim++] = 1;
    } else if (have % want || !layout_expand(&l, dim, have / want, &expanded)) {
      return NULL;
    } else {
      l = expanded;
      memmove(shape + dim + 1, shape + dim, (rank++ - dim) * sizeof *shape);
      shape[dim + 1] /= want;
      shape[dim++] = want;
    }
  }
  return place(p, &l);
}

/* ---------------------------------------------------------------------------------------------------------- demands */

/* A value without a layout takes one, and its op demands the same of what it is computed from. */
static void take(propagation *p, ir_value *value, const placed *wanted) {
  p->slots[slot_of(value)].layout = wanted;
  ir_op *op = value->op ? value->op : value->block->parent;
  const placed *source = wanted;
  if (op->code == OP_SCF_FOR) {
    unsigned carried = value->op ? value->index : value->index - 1;
    require(p, op, 3 + carried, wanted);
    if (p->slots[op->mark].complete)
      require(p, ir_block_terminator(ir_region(op, 0)), carried, wanted);
    return;
  }
  if (op->code == OP_VECTOR_BROADCAST && is_vector(ir_operand(op, 0)))
    source = broadcast_source(p, op, wanted);
  else if (op->code == OP_VECTOR_TRANSPOSE)
    source = through_transpose(p, op, wanted, true);
  else if (op->code == OP_VECTOR_SHAPE_CAST)
    source = through_shape_cast(p, op->results[0].type, ir_operand(op, 0)->type, wanted);
  else if (!ir_op_has(op, IR_ELEMENTWISE) && op->code != OP_VECTOR_BROADCAST)
    return; /* reads, constants, masks: no vector operands */
  for (unsigned i = 0; i < op->num_operands && source; i++)
    require(p, op, i, source);
}

/* Another copy costs little: it reads memory or nothing, or is index arithmetic of a mask. */
static bool is_cheap(const ir_op *op) {
  if (!op || op->num_regions || op->num_results != 1)
    return false;
  if (op->code == OP_VECTOR_TRANSFER_READ)
    return true;
  bool numbers = ir_scalar_is_float(op->results[0].type->element);
  for (unsigned i = 0; i < op->num_operands; i++)
    if (is_vector(ir_operand(op, i)) && (numbers || ir_scalar_is_float(ir_operand(op, i)->type->element)))
      return false;
  return pass_is_pure(op) && op->code != OP_VECTOR_EXT_TO_LAYOUT;
}

/* A conversion of the value that is there already. */
static ir_value *find_conversion(const propagation *p, const ir_value *value, const placed *wanted) {
  for (const ir_use *use = value->uses; use; use = use->next)
    if (use->user->code == OP_VECTOR_EXT_TO_LAYOUT && layout_of(p, ir_result(use->user, 0)) == wanted)
      return ir_result(use->user, 0);
  return NULL;
}

/* The value in another layout, right after it is defined. */
static ir_value *convert(propagation *p, ir_value *value, const placed *have, const placed *wanted) {
  ir_builder builder = value->op ? ir_builder_after(value->op) : ir_builder_before(value->block->first);
  ir_op *op;
  if (is_cheap(value->op)) {
    op = ir_op_clone(&builder, value->op, NULL);
    add_slots(p, op);
    take(p, ir_result(op, 0), wanted);
    return ir_result(op, 0);
  }
  const char *cost = layout_conversion_name(layout_classify(&have->layout, &wanted->layout));
  ir_named_attr attrs[] = {{"conversion", ir_attr_cstr(p->module, cost)},
                           {"layout", ir_attr_cstr(p->module, wanted->text)}};
  op = ir_create(&builder, OP_VECTOR_EXT_TO_LAYOUT, value->type, 1, &value, 2, attrs)->op;
  add_slots(p, op);
  p->slots[op->mark].layout = wanted;
  return ir_result(op, 0);
}

/* Meets all demands. */
static void meet_demands(propagation *p) {
  while (p->num_demands) {
    demand d = p->demands[--p->num_demands];
    ir_value *value = ir_operand(d.user, d.operand), *converted;
    const placed *have = layout_of(p, value);
    if (!have) {
      take(p, value, d.layout);
    } else if (have != d.layout) {
      converted = find_conversion(p, value, d.layout);
      ir_set_operand(d.user, d.operand, converted ? converted : convert(p, value, have, d.layout));
    }
  }
}

/* The layout of a value; it takes that of a vector alone if nothing has placed it yet. */
static const placed *anchor(propagation *p, ir_value *value) {
  if (!layout_of(p, value)) {
    layout l = anchor_vector(value->type, &p->lanes);
    take(p, value, place(p, &l));
    meet_demands(p);
  }
  return layout_of(p, value);
}

/* ---------------------------------------------------------------------------------------------------------- forward */

/* The operand that the others follow: the first that has a layout, one that cannot be copied before all others. */
static const placed *leading_layout(const propagation *p, const ir_op *op) {
  const placed *cheap = NULL;
  for (unsigned i = 0; i < op->num_operands; i++) {
    const ir_value *value = ir_operand(op, i);
    const placed *known = is_vector(value) ? layout_of(p, value) : NULL;
    if (known && !is_cheap(value->op))
      return known;
    cheap = cheap ? cheap : known;
  }
  return cheap;
}

/* A value that may have any layout takes what suits the memory that it comes from, transposed or not. */
static void anchor_source(propagation *p, ir_value *value) {
  if (layout_of(p, value) || !ir_made_by(value, OP_VECTOR_TRANSPOSE)) {
    anchor(p, value);
    return;
  }
  anchor_source(p, ir_operand(value->op, 0));
  take(p, value, through_transpose(p, value->op, layout_of(p, ir_operand(value->op, 0)), false));
  meet_demands(p);
}

static void forward_contraction(propagation *p, ir_op *op) {
  layout layouts[3];
  const placed *lhs = is_vector(ir_operand(op, 0)) ? layout_of(p, ir_operand(op, 0)) : NULL;
  bool fixed = lhs && !is_cheap(ir_operand(op, 0)->op);
  bool by_matrix_units = anchor_contraction(op, &p->lanes, fixed ? &lhs->layout : NULL, layouts);
  for (unsigned i = 0; i < 2; i++)
    if (by_matrix_units)
      require(p, op, i, place(p, &layouts[i]));
    else
      anchor_source(p, ir_operand(op, i));
  require(p, op, 2, place(p, &layouts[2]));
  if (is_vector(ir_result(op, 0)))
    p->slots[op->mark].layout = place(p, &layouts[2]);
}

static void forward_reduction(propagation *p, ir_op *op) {
  uint32_t reduced = ir_attr_set_of(op, "reduction_dims");
  ir_value *source = ir_operand(op, 0);
  if (p->merges && reduced == ir_bit(0) && is_vector(ir_result(op, 0)) && !layout_of(p, source) &&
      ir_type_num_elements(ir_result(op, 0)->type) >= p->lanes.warp) {
    layout summed = anchor_summed(source->type, &p->lanes);
    take(p, source, place(p, &summed));
    meet_demands(p);
  }
  layout l = anchor(p, source)->layout;
  for (unsigned dim = l.rank; dim-- > 0;)
    if (reduced >> dim & 1)
      l = layout_project(&l, dim);
  if (!is_vector(ir_result(op, 0)))
    return;
  p->slots[op->mark].layout = place(p, &l);
  require(p, op, 1, p->slots[op->mark].layout);
}

/* Along what is extracted from, lanes hold replicas. */
static void forward_extract(propagation *p, ir_op *op) {
  unsigned leading = 0;
  ir_attr_i64s_of(op, "static_position", &leading);
  layout l = anchor(p, ir_operand(op, 0))->layout;
  while (leading--)
    l = layout_project(&l, 0);
  if (is_vector(ir_result(op, 0)))
    p->slots[op->mark].layout = place(p, &l);
}

static bool forward_block(propagation *p, ir_block *block);

static bool forward_for(propagation *p, ir_op *op) {
  for (unsigned i = 0; i < op->num_results; i++)
    if (is_vector(ir_result(op, i)))
      p->slots[op->mark + i].layout = layout_of(p, ir_loop_init(op, i));
  if (!forward_block(p, ir_region(op, 0)))
    return false;
  p->slots[op->mark].complete = true;
  ir_op *end = ir_block_terminator(ir_region(op, 0));
  for (unsigned i = 0; i < op->num_results; i++) {
    ir_value *result = ir_result(op, i);
    if (!is_vector(result))
      continue;
    const placed *yielded = layout_of(p, ir_operand(end, i));
    if (layout_of(p, result))
      require(p, end, i, layout_of(p, result));
    else if (yielded)
      take(p, result, yielded);
    else
      anchor(p, result); /* not as what is made of it behind the loop may be placed: it is read in each iteration */
    meet_demands(p);
  }
  return true;
}

static bool forward_op(propagation *p, ir_op *op) {
  const placed *known;
  switch (op->code) {
  case OP_SCF_FOR:
    return forward_for(p, op);
  case OP_VECTOR_CONTRACT:
    forward_contraction(p, op);
    return true;
  case OP_VECTOR_MULTI_REDUCTION:
    forward_reduction(p, op);
    return true;
  case OP_VECTOR_TRANSPOSE:
    known = layout_of(p, ir_operand(op, 0));
    p->slots[op->mark].layout = known ? through_transpose(p, op, known, false) : NULL;
    return true;
  case OP_VECTOR_EXTRACT:
    forward_extract(p, op);
    return true;
  case OP_VECTOR_SHAPE_CAST:
    known = layout_of(p, ir_operand(op, 0));
    p->slots[op->mark].layout =
        known ? through_shape_cast(p, ir_operand(op, 0)->type, op->results[0].type, known) : NULL;
    return true;
  case OP_VECTOR_TRANSFER_WRITE:
    anchor(p, ir_operand(op, 0));
    return true;
  case OP_ARITH_CONSTANT:
  case OP_VECTOR_BROADCAST:
  case OP_VECTOR_CREATE_MASK:
  case OP_VECTOR_STEP:
  case OP_VECTOR_TRANSFER_READ:
    return true;
  default:
    break;
  }
  if (!ir_op_has(op, IR_ELEMENTWISE))
    return ir_op_error(op, "works on vectors in a way that lanes cannot share");
  known = leading_layout(p, op);
  for (unsigned i = 0; i < op->num_operands && known; i++)
    require(p, op, i, known);
  p->slots[op->mark].layout = known;
  return true;
}

static bool forward_block(propagation *p, ir_block *block) {
  for (ir_op *op = block->first, *next; op; op = next) {
    next = op->next; /* what is inserted after the op has its layout */
    if (ir_op_has(op, IR_TERMINATOR) || (!op->num_regions && !ir_op_touches(op, IR_TYPE_VECTOR)))
      continue;
    if (!forward_op(p, op))
      return false;
    meet_demands(p);
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------------- kernels */

/* Copies of vectors that are computed outside: a kernel gets none from there. */
static bool localize(ir_op *forall) {
  ir_block *kernel = ir_region(forall, 0);
  ir_value_map *map = ir_value_map_create(forall->module);
  ir_builder builder = ir_builder_before(kernel->first);
  ir_op *end = kernel->first;
  for (ir_op *op = forall->block->first; op != forall; op = op->next) {
    if (op->num_results != 1 || !is_vector(ir_result(op, 0)))
      continue;
    if (!pass_is_pure(op))
      return ir_op_error(op, "computes a vector outside of all kernels");
    ir_op *copy = ir_op_clone(&builder, op, map);
    ir_replace_uses_in(ir_result(op, 0), ir_result(copy, 0), kernel);
  }
  for (ir_op *op = end->prev, *before; op; op = before) {
    before = op->prev;
    if (ir_value_unused(ir_result(op, 0)))
      ir_op_erase(op);
  }
  return true;
}

static bool prepare_op(propagation *p, ir_op *op) {
  add_slots(p, op);
  for (unsigned i = 0; i < op->num_results; i++) {
    const ir_type *type = op->results[i].type;
    if (type->kind != IR_TYPE_VECTOR)
      continue;
    if (type->rank > LAYOUT_MAX_RANK)
      return ir_op_error(op, "makes a vector of more than %d dims, which lanes cannot share", LAYOUT_MAX_RANK);
    int64_t share = (ir_type_num_elements(type) + LANE_ELEMENTS - 1) / LANE_ELEMENTS;
    while (p->lanes.warp * p->lanes.warps < share)
      p->lanes.warps *= 2;
  }
  return true;
}

/* As many warps as contractions have use for and blocks for them have; 0: there are no contractions. */
static int64_t warps_for_contractions(const ir_op *kernel, const target_facts *facts) {
  int64_t wanted = 0, most = 0;
  for (const ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op)) {
    if (op->code != OP_VECTOR_CONTRACT)
      continue;
    int64_t warps = anchor_contraction_warps(op, facts);
    int64_t block = target_block_of(facts, ir_operand(op, 0)->type->element, IR_DYNAMIC)->warps;
    wanted = warps > wanted ? warps : wanted;
    most = block > most ? block : most;
  }
  return wanted < most ? wanted : most;
}

static void write_conflict(ir_op *op, const placed *from, const placed *to) {
  const char *parts =
      from && to && from->layout.rank == to->layout.rank ? layout_conflict(&from->layout, &to->layout) : NULL;
  if (parts)
    ir_attr_set(op, "tec.conflict", ir_attr_cstr(op->module, parts));
}

/* Row statistics are values of the rows whose columns are replicas. So they come from the layout of what they were
 * reduced from, which rows_of[] keeps by slot, and are used in that of another: a conflict, though nothing has to be
 * done about it. */
static void write_conflicts(const propagation *p, ir_op *op, const placed **rows_of) {
  if (op->num_results != 1 || op->num_regions || !is_vector(ir_result(op, 0)))
    return;
  const placed *here = layout_of(p, ir_result(op, 0)), *rows = NULL;
  for (unsigned i = 0; i < op->num_operands && !rows; i++)
    rows = is_vector(ir_operand(op, i)) ? rows_of[slot_of(ir_operand(op, i))] : NULL;
  switch (op->code) {
  case OP_VECTOR_EXT_TO_LAYOUT:
    write_conflict(op, layout_of(p, ir_operand(op, 0)), here);
    break;
  case OP_VECTOR_MULTI_REDUCTION:
    rows_of[op->mark] = layout_of(p, ir_operand(op, 0));
    break;
  case OP_VECTOR_BROADCAST:
    write_conflict(op, rows, here);
    break;
  default:
    if (ir_op_has(op, IR_ELEMENTWISE) || op->code == OP_VECTOR_SHAPE_CAST)
      rows_of[op->mark] = rows;
  }
}

static void write_layouts(const propagation *p, ir_op *op) {
  bool any = false;
  const ir_attr **texts = IR_NEW_ARRAY(&p->module->arena, const ir_attr *, op->num_results);
  for (unsigned i = 0; i < op->num_results; i++) {
    bool vector = is_vector(ir_result(op, i));
    const char *text = vector ? layout_of(p, ir_result(op, i))->text : "";
    texts[i] = ir_attr_cstr(p->module, text);
    any |= vector;
  }
  if (any)
    ir_attr_set(op, PASS_LAYOUTS, ir_attr_array(p->module, op->num_results, texts));
}

/* Iterations are blocks of the grid, numbered row by row. */
static void write_launch(const propagation *p, ir_op *forall) {
  ir_module *module = p->module;
  unsigned rank = ir_attr_get(forall, "staticUpperBound")->count;
  const ir_attr **mapping = IR_NEW_ARRAY(&module->arena, const ir_attr *, rank);
  for (unsigned i = 0; i < rank; i++) {
    char name[32];
    snprintf(name, sizeof name, "linear_dim_%u", rank - 1 - i);
    mapping[i] = ir_attr_keyword(module, "gpu.block", ir_intern_cstr(module, rank > 1 ? name : "x"));
  }
  ir_attr_set(forall, "mapping", ir_attr_array(module, rank, mapping));
  int64_t threads = p->lanes.warp * p->lanes.warps;
  ir_attr_set(forall, "tec.threads", ir_attr_i64(module, threads));
}

static bool propagate_kernel(ir_op *forall, const pass_options *options) {
  const target_facts *facts = options->target;
  if (ir_attr_get(forall, PASS_BY_ELEMENT))
    return true;
  if (ir_attr_get(forall, "tec.threads"))
    return localize(forall);
  propagation p = {.module = forall->module, .kernel = ir_region(forall, 0), .lanes = {facts->warp, 1, facts}};
  p.merges = ir_attr_get(forall, PASS_MERGES) != NULL;
  if (!localize(forall))
    return false;
  for (ir_op *op = ir_next_inside(forall, forall); op; op = ir_next_inside(forall, op))
    if (!prepare_op(&p, op))
      return false;
  int64_t most = facts->max_block_threads / facts->warp, warps = warps_for_contractions(forall, facts);
  if (warps || p.lanes.warps > most)
    p.lanes.warps = warps ? warps : most;
  if (!forward_block(&p, p.kernel))
    return false;
  for (ir_op *op = ir_next_inside(forall, forall); op; op = ir_next_inside(forall, op))
    for (unsigned i = 0; i < op->num_results; i++)
      if (is_vector(ir_result(op, i))) /* that no anchor reaches: nobody needs it */
        anchor(&p, ir_result(op, i));
  const placed **rows_of = IR_NEW_ARRAY(&p.module->arena, const placed *, p.num_slots);
  for (ir_op *op = ir_next_inside(forall, forall); op; op = ir_next_inside(forall, op)) {
    write_layouts(&p, op);
    write_conflicts(&p, op, rows_of);
  }
  write_launch(&p, forall);
  return true;
}

/* Drops what the kernels have copies of. */
static void drop_outer_vectors(ir_block *body) {
  for (ir_op *op = body->last, *before; op; op = before) {
    before = op->prev;
    if (op->num_results == 1 && is_vector(ir_result(op, 0)) && ir_value_unused(ir_result(op, 0)) && pass_is_pure(op))
      ir_op_erase(op);
  }
}

bool pass_layout(ir_module *module, const pass_options *options) {
  if (!options->target->warp)
    return ir_error(module, (ir_loc){0}, "pass 'layout' is for targets with lanes, not for '%s'",
                    options->target->name);
  if (!pass_visit_kernels(module, options, propagate_kernel))
    return false;
  for (ir_op *function = ir_region(module->root, 0)->first; function; function = function->next)
    if (function->code == OP_FUNC_FUNC)
      drop_outer_vectors(ir_region(function, 0));
  return true;
}
