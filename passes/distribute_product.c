/* distribute_product.c - contractions in which each lane multiplies and adds: those that no matrix unit does.
 *
 * The layout of the result says which elements a lane sums up. Along a reduction loop of some length, the factors are
 * put into shared memory, and each lane goes through the loop in steps of a few elements: it reads what its rows and
 * columns need there, and adds their products to its sums. So the code is as long as one step, however deep the product
 * is, and a factor may lie in any layout. What "stage" brought there is read where it is. Where shared memory is short,
 * a loop around this one brings the factors there part by part. Short reductions, and factors that do not fit, are
 * unrolled: each lane gets all that its sums need. Sums are added up in the order of the loops either way.
 * Terminates: loops over registers and the points of static loops. */
#include "passes/distribute.h"

#include <string.h>

enum {
  STEP = 4,            /* elements of the reduction in one step of the loop */
  ACCESS_BYTES = 16,   /* the widest access of a lane */
  KEPT_PART = 16,      /* elements of the reduction for which there must be room beside a factor that is kept */
  BETWEEN_BYTES = 512, /* for space between parts of a factor */
};

/* A contraction on its way to the lanes. */
typedef struct product {
  const ir_op *op;
  const ir_map *maps[3];
  layout result, factors[2];     /* what a lane has of the factors when it multiplies */
  int64_t extents[IR_MAX_LOOPS]; /* of the reduction loops, in what a lane has at a time; 1 of the others */
  const ir_type *type;           /* of sums */
  ir_opcode combine;
  bool in_steps;    /* is it a loop of more than one step, .. */
  unsigned loop;    /* .. this one? */
  int64_t part;     /* points of it for which factors are in shared memory at a time */
  bool kept[2];     /* factors that are there as a whole, all along the loop around the product */
  bool in_place[2]; /* .. or were brought there before, by themselves */
} product;

/* The layout in which each lane holds all of a factor that its part of the result needs; dims that lie closer together
 * in memory in nearer registers. */
static layout factor_layout(const product *p, unsigned factor) {
  const ir_map *map = p->maps[factor];
  layout l = {.rank = map->num_results}, sums = layout_coalesce(&p->result);
  for (unsigned dim = map->num_results; dim-- > 0;) {
    unsigned loop = (unsigned)ir_map_result_dim(map, dim);
    int place = ir_map_find_dim(p->maps[2], loop);
    if (place < 0 && p->extents[loop] > 1)
      l.digits[l.num_digits++] = (layout_digit){LAYOUT_REGISTER, dim, p->extents[loop], distribute_registers(&l), 1};
    for (unsigned i = 0; place >= 0 && i < sums.num_digits; i++) {
      layout_digit digit = sums.digits[i];
      if (digit.dim != (unsigned)place || !digit.dim_stride)
        continue;
      digit.dim = dim;
      if (digit.level == LAYOUT_REGISTER)
        digit.hardware_stride = distribute_registers(&l);
      l.digits[l.num_digits++] = digit;
    }
  }
  return l;
}

/* The element of a factor at a point of the loops, in the type of sums. */
static ir_value *factor_at(distributor *d, const product *p, unsigned factor, ir_value *vector, const int64_t *point) {
  int64_t coord[LAYOUT_MAX_RANK];
  const ir_map *map = p->maps[factor];
  for (unsigned dim = 0; dim < map->num_results; dim++)
    coord[dim] = point[ir_map_result_dim(map, dim)];
  ir_value *element = distribute_get(d, vector, distribute_find(&p->factors[factor], coord));
  return ir_convert(&d->at, element, p->type);
}

/* sum + lhs * rhs, or what the contraction does instead. */
static ir_value *accumulate(distributor *d, const product *p, ir_value *lhs, ir_value *rhs, ir_value *sum) {
  ir_opcode multiply = ir_scalar_is_float(p->type->element) ? OP_ARITH_MULF : OP_ARITH_MULI;
  if (p->combine != OP_ARITH_ADDF)
    return ir_binary(&d->at, p->combine, sum, ir_binary(&d->at, multiply, lhs, rhs));
  ir_value *terms[] = {lhs, rhs, sum};
  return ir_create(&d->at, OP_MATH_FMA, p->type, 3, terms, 0, NULL);
}

/* The next point of the reduction loops, last fastest; false at the end. */
static bool next_point(const product *p, int64_t *point) {
  for (unsigned loop = p->maps[0]->num_dims; loop-- > 0;) {
    if (ir_map_find_dim(p->maps[2], loop) >= 0)
      continue;
    if (++point[loop] < p->extents[loop])
      return true;
    point[loop] = 0;
  }
  return false;
}

/* Adds to each sum the products at all points; the factors lie as p->factors says. */
static void add_products(distributor *d, const product *p, ir_value *const *factors, ir_value **sums) {
  int64_t point[IR_MAX_LOOPS] = {0}, coord[LAYOUT_MAX_RANK];
  do
    for (int64_t r = 0; r < distribute_registers(&p->result); r++) {
      distribute_coord(&p->result, r, coord);
      for (unsigned i = 0; i < p->maps[2]->num_results; i++)
        point[ir_map_result_dim(p->maps[2], i)] = coord[i];
      sums[r] = accumulate(d, p, factor_at(d, p, 0, factors[0], point), factor_at(d, p, 1, factors[1], point), sums[r]);
    }
  while (next_point(p, point));
}

static void unpack(distributor *d, ir_value *vector, int64_t count, ir_value **registers) {
  for (int64_t r = 0; r < count; r++)
    registers[r] = vector->type->kind == IR_TYPE_VECTOR ? distribute_get(d, vector, r) : vector;
}

/* ------------------------------------------------------------------------------------------------------ as a loop */

static bool can_be_shared(const ir_value *factor) {
  return factor->type->kind == IR_TYPE_VECTOR && factor->type->rank && ir_scalar_bits(factor->type->element) >= 8;
}

/* The only reduction loop, if a loop of more than one step pays; else -1. */
static int loop_of(const product *p) {
  int found = -1;
  for (unsigned loop = 0; loop < p->maps[0]->num_dims; loop++)
    if (ir_map_find_dim(p->maps[2], loop) < 0) {
      bool shared = ir_map_find_dim(p->maps[0], loop) >= 0 && ir_map_find_dim(p->maps[1], loop) >= 0;
      if (found >= 0 || !shared || !can_be_shared(ir_operand(p->op, 0)) || !can_be_shared(ir_operand(p->op, 1)) ||
          p->extents[loop] % STEP || p->extents[loop] <= 2 * STEP)
        return -1;
      found = (int)loop;
    }
  return found;
}

/* The part of a factor that has `depth` points of the loop. */
static const ir_type *part_type(const product *p, unsigned factor, int64_t depth) {
  const ir_type *type = ir_operand(p->op, factor)->type;
  int64_t shape[IR_MAX_RANK];
  memcpy(shape, type->shape, type->rank * sizeof *shape);
  shape[ir_map_find_dim(p->maps[factor], p->loop)] = depth;
  return ir_type_vector(p->op->module, type->element, type->rank, shape);
}

/* What that takes in shared memory at most: rows are padded, and lie in a few places. */
static uint64_t part_bytes(const product *p, unsigned factor, int64_t depth) {
  const ir_type *type = part_type(p, factor, depth);
  int64_t row = type->shape[type->rank - 1], rows = ir_type_num_elements(type) / row;
  return (uint64_t)(rows * (row * ir_scalar_bytes(type->element) + ACCESS_BYTES) + BETWEEN_BYTES);
}

/* The factor as an earlier product, in this loop or one before it, keeps it in memory of its own; NULL: none does. */
static const kept_factor *find_kept(const distributor *d, const ir_op *op, const ir_value *factor) {
  const kept_factor *kept = d->kept;
  while (kept && (kept->factor != factor || kept->block != op->block->parent->block))
    kept = kept->next;
  return kept;
}

/* A factor that stays the same in a loop around the product lies in memory of its own from before the loop on, where
 * there is enough for parts of others beside it: it need not be in registers then. */
static bool can_keep(const distributor *d, const product *p, unsigned factor) {
  int64_t depth = p->extents[p->loop], part = depth < KEPT_PART ? depth : KEPT_PART;
  const ir_value *value = ir_operand(p->op, factor);
  return p->op->block->parent->code == OP_SCF_FOR && ir_value_is_outside(value, p->op->block) &&
         (find_kept(d, p->op, value) ||
          d->kept_bytes + part_bytes(p, factor, depth) + 2 * part_bytes(p, 1 - factor, part) <= d->facts->shared_bytes);
}

static bool is_whole(const product *p, unsigned factor) { return p->kept[factor] || p->in_place[factor]; }

/* Chooses which factors are kept and the part that is in shared memory at a time; false: there is not enough of it. */
static bool plan_parts(const distributor *d, product *p) {
  int64_t depth = p->extents[p->loop];
  uint64_t used = d->kept_bytes;
  for (unsigned i = 0; i < 2; i++) {
    p->in_place[i] = distribute_is_in_place(d->facts, ir_operand(p->op, i));
    p->kept[i] = !p->in_place[i] && can_keep(d, p, i) && !p->kept[0];
    used += p->kept[i] && !find_kept(d, p->op, ir_operand(p->op, i)) ? part_bytes(p, i, depth) : 0;
  }
  for (p->part = depth; p->part >= STEP; p->part -= STEP) {
    uint64_t bytes = used;
    for (unsigned i = 0; i < 2; i++)
      bytes += is_whole(p, i) ? 0 : part_bytes(p, i, p->part);
    if (depth % p->part == 0 && bytes <= d->facts->shared_bytes)
      return true;
  }
  return false;
}

/* A factor in shared memory. */
typedef struct placed_factor {
  const ir_type *type; /* as much of it as is there at a time */
  shared_form form;
  layout stored, loaded; /* what lanes have, and what they read in each step, in coordinates of the memory */
  unsigned along;        /* the dim of the layouts that steps go along .. */
  unsigned memory_dim;   /* .. and that of the memory */
  lane_access memory;
} placed_factor;

static bool comes_in_parts(const product *p, unsigned factor) {
  return !is_whole(p, factor) && p->part < p->extents[p->loop];
}

/* The part of a factor that lanes read in each step. */
static layout step_layout(product *p, unsigned factor) {
  int64_t depth = p->extents[p->loop];
  p->extents[p->loop] = STEP;
  layout step = factor_layout(p, factor);
  p->extents[p->loop] = depth;
  return step;
}

/* Chooses the form, and the order of the registers that a lane reads. */
static void choose_form(const distributor *d, product *p, unsigned i, const layout *whole, placed_factor *placed) {
  int64_t depth = p->extents[p->loop], bits = ir_scalar_bits(placed->type->element), scale[LAYOUT_MAX_RANK];
  unsigned along = (unsigned)ir_map_find_dim(p->maps[i], p->loop), rank = whole->rank;
  layout own = distribute_layout(ir_operand(p->op, i));
  layout wanted = step_layout(p, i);
  const shared_use uses[] = {{.l = &own, .times = 1, .writes = true},
                             {.l = &wanted, .times = depth / STEP, .any_order = true}};
  const shared_vector vector = {.whole = whole,
                                .bits = bits,
                                .warp = (unsigned)d->warp,
                                .room = (int64_t)part_bytes(p, i, placed->type->shape[along]) * 8 / bits,
                                .whole_dim = (int)along,
                                .in_order = comes_in_parts(p, i)};
  const kept_factor *known = p->kept[i] ? find_kept(d, p->op, ir_operand(p->op, i)) : NULL;
  placed->form = known ? known->form : shared_form_choose(&vector, uses);
  shared_form_layout(&placed->form, &own, &placed->stored);
  shared_form_layout(&placed->form, &wanted, &placed->loaded);
  shared_form_scale(&placed->form, whole, scale);
  placed->loaded = shared_form_order(&placed->loaded, scale);
  bool parted = placed->form.interleave > 1;
  unsigned rows = rank - (placed->form.swapped ? 1 : 2);
  p->factors[i] = parted ? layout_collapse(&placed->loaded, rows) : placed->loaded;
  placed->along = along + (parted && along > rows);
}

/* The memory of a part, row-major in 1-D memory with padding behind each row, as memory with the factor's dims. */
static ir_value *view_part(distributor *d, const placed_factor *placed) {
  const ir_type *part = placed->type;
  const lane_access *memory = &placed->memory;
  int64_t shape[IR_MAX_RANK], size = 1;
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK];
  for (unsigned dim = 0; dim < part->rank; dim++) {
    shape[dim] = part->shape[dim] + (dim + 1u == part->rank ? placed->form.padding : 0);
    size *= shape[dim];
    offsets[dim] = ir_index_const(0);
    sizes[dim] = ir_index_const(part->shape[dim]);
  }
  ir_index length = ir_index_const(size);
  ir_value *rows = ir_subview(&d->at, memory->memref, memory->start, &length);
  return ir_subview(&d->at, ir_rows_of(&d->at, rows, part->rank, shape), offsets, sizes);
}

/* Puts the points [start, start + part) of the loop of a factor, or all of a factor that is kept, into shared
 * memory. */
static void store_part(distributor *d, const product *p, unsigned factor, const placed_factor *placed, ir_index start) {
  ir_value *value = ir_operand(p->op, factor);
  lane_access window = placed->memory;
  if (comes_in_parts(p, factor)) {
    window = (lane_access){.memref = view_part(d, placed), .bounded = UINT32_C(1) << placed->along};
    for (unsigned dim = 0; dim < placed->type->rank; dim++) {
      window.memory_dim[dim] = (int)dim;
      window.scale[dim] = 1;
    }
    window.start[placed->along] = ir_index_scale(&d->at, start, -1);
  }
  distribute_store(d, &placed->stored, &window, distribute_lane(d, value, NULL));
}

/* A factor in memory of its own, where it is put before the loop around the product. */
static void keep(distributor *d, const product *p, unsigned i, const layout *whole, placed_factor *placed) {
  ir_value *factor = ir_operand(p->op, i);
  const kept_factor *known = find_kept(d, p->op, factor);
  if (known) {
    placed->memory = known->memory;
    return;
  }
  ir_builder inside = d->at;
  d->at = ir_builder_before(d->at.block->parent);
  placed->memory = distribute_memory(d, factor->type->element, whole, &placed->form);
  d->kept_bytes += part_bytes(p, i, p->extents[p->loop]);
  store_part(d, p, i, placed, ir_index_const(0));
  d->at = inside;
  d->kept = IR_NEW_OF(&d->module->arena, kept_factor, factor, placed->form, placed->memory, p->op->block->parent->block,
                      d->kept);
}

/* A factor where it is: as the read that waited says. */
static void find_in_place(distributor *d, product *p, unsigned i, placed_factor *placed) {
  const ir_op *read = ir_operand(p->op, i)->op;
  layout wanted = step_layout(p, i);
  int64_t strides[IR_MAX_RANK], scale[LAYOUT_MAX_RANK];
  placed->memory = lane_access_of(read, 0, wanted.rank);
  distribute_enter(d, &placed->memory);
  ir_type_strides(placed->memory.memref->type, strides);
  for (unsigned dim = 0; dim < wanted.rank; dim++)
    scale[dim] = strides[placed->memory.memory_dim[dim]];
  placed->along = (unsigned)ir_map_find_dim(p->maps[i], p->loop);
  placed->memory_dim = (unsigned)placed->memory.memory_dim[placed->along];
  p->factors[i] = placed->loaded = shared_form_order(&wanted, scale);
}

/* Memory for the factors; what is kept is stored at once, before the loop around the product. */
static void place_factors(distributor *d, product *p, placed_factor placed[2]) {
  int64_t offset = 0, depth = p->extents[p->loop];
  for (unsigned i = 0; i < 2; i++) {
    if (p->in_place[i]) {
      find_in_place(d, p, i, &placed[i]);
      continue;
    }
    const ir_type *type = placed[i].type = part_type(p, i, p->kept[i] ? depth : p->part);
    layout whole = {.rank = type->rank, .num_digits = type->rank};
    for (unsigned dim = 0; dim < type->rank; dim++)
      whole.digits[dim] = (layout_digit){LAYOUT_REGISTER, dim, type->shape[dim], 1, 1};
    choose_form(d, p, i, &whole, &placed[i]);
    if (p->kept[i])
      keep(d, p, i, &whole, &placed[i]);
    else
      placed[i].memory = distribute_scratch(d, type->element, &whole, &placed[i].form, &offset);
  }
}

/* A loop of its own for values that are carried: its body is where ops go from here on. */
static ir_op *enter_loop(distributor *d, int64_t end, int64_t step, ir_value *carried) {
  ir_builder outside = d->at;
  ir_op *loop = ir_for(&d->at, ir_index_const(0), ir_index_const(end), ir_index_const(step), 1, &carried);
  d->at = ir_builder_at_end(ir_region(loop, 0));
  d->at.loc = outside.loc;
  return loop;
}

/* Adds the products of a part, which begins at `start`, in steps. */
static ir_value *multiply_part(distributor *d, product *p, const placed_factor placed[2], ir_index start,
                               ir_value *acc) {
  int64_t count = distribute_registers(&p->result), depth = p->extents[p->loop];
  for (unsigned i = 0; i < 2; i++) {
    d->access -= i && !is_whole(p, 0) ? DISTRIBUTE_ACCESS : 0; /* both stores are one access: they do not meet */
    if (!is_whole(p, i))
      store_part(d, p, i, &placed[i], start);
  }
  if (!is_whole(p, 0) || !is_whole(p, 1))
    ir_op_create(&d->at, OP_GPU_BARRIER, &(ir_op_spec){0}); /* once: what the loop reads, it does not write */
  ir_builder after = d->at;
  ir_op *steps = enter_loop(d, p->part, STEP, acc);
  const ir_block *body = ir_region(steps, 0);
  ir_value *factors[2], **sums = IR_NEW_ARRAY(&d->module->arena, ir_value *, count);
  p->extents[p->loop] = STEP;
  for (unsigned i = 0; i < 2; i++) {
    lane_access step = placed[i].memory;
    ir_index along = ir_index_of(body->args[0]), scale = ir_index_const(step.scale[placed[i].along]);
    if (is_whole(p, i))
      along = ir_index_add(&d->at, along, start);
    ir_index *first = &step.start[placed[i].memory_dim];
    *first = ir_index_add(&d->at, *first, ir_index_mul(&d->at, along, scale));
    factors[i] = distribute_load(d, &placed[i].loaded, &step, NULL);
  }
  unpack(d, body->args[1], count, sums);
  add_products(d, p, factors, sums);
  p->extents[p->loop] = depth;
  ir_value *next = distribute_pack(d, p->type->element, count, sums);
  ir_terminator(&d->at, OP_SCF_YIELD, 1, &next);
  d->at = after;
  return ir_result(steps, 0);
}

static ir_value *multiply_in_loop(distributor *d, product *p, ir_value *acc) {
  placed_factor placed[2] = {{.memory_dim = 0}, {.memory_dim = 0}};
  place_factors(d, p, placed);
  int64_t depth = p->extents[p->loop];
  if (p->part == depth)
    return multiply_part(d, p, placed, ir_index_const(0), acc);
  for (unsigned i = 0; i < 2; i++)
    if (!p->in_place[i])
      distribute_lane(d, ir_operand(p->op, i), NULL); /* reads that waited are done once */
  ir_builder after = d->at;
  ir_op *parts = enter_loop(d, depth, p->part, acc);
  const ir_block *body = ir_region(parts, 0);
  ir_value *next = multiply_part(d, p, placed, ir_index_of(body->args[0]), body->args[1]);
  ir_terminator(&d->at, OP_SCF_YIELD, 1, &next);
  d->at = after;
  return ir_result(parts, 0);
}

/* -------------------------------------------------------------------------------------------------------- unrolled */

static ir_value *multiply_unrolled(distributor *d, product *p, ir_value *acc) {
  bool scalar = acc->type->kind != IR_TYPE_VECTOR;
  int64_t count = distribute_registers(&p->result);
  ir_value *factors[2], **sums = IR_NEW_ARRAY(&d->module->arena, ir_value *, count);
  for (unsigned i = 0; i < 2; i++) {
    p->factors[i] = factor_layout(p, i);
    factors[i] = distribute_lane(d, ir_operand(p->op, i), &p->factors[i]);
  }
  unpack(d, acc, count, sums);
  add_products(d, p, factors, sums);
  return scalar ? sums[0] : distribute_pack(d, p->type->element, count, sums);
}

/* Fills in a contraction. */
static void find_product(const ir_op *op, product *p) {
  const ir_value *result = ir_result(op, 0);
  *p = (product){.op = op, .type = ir_type_scalar(op->module, result->type->element), .combine = ir_combine_of(op)};
  for (unsigned i = 0; i < 3; i++)
    p->maps[i] = ir_contract_map(op, i);
  for (unsigned i = 0; i < 2; i++)
    for (unsigned dim = 0; dim < p->maps[i]->num_results; dim++)
      p->extents[ir_map_result_dim(p->maps[i], dim)] = ir_operand(op, i)->type->shape[dim];
  for (unsigned i = 0; i < p->maps[2]->num_results; i++)
    p->extents[ir_map_result_dim(p->maps[2], i)] = 1;
  bool scalar = result->type->kind != IR_TYPE_VECTOR;
  if (!scalar)
    p->result = distribute_layout(result);
  int loop = scalar ? -1 : loop_of(p);
  p->in_steps = loop >= 0;
  p->loop = loop < 0 ? 0 : (unsigned)loop;
}

bool distribute_product_step(const ir_op *contract, unsigned factor, layout *step) {
  product p;
  find_product(contract, &p);
  if (p.in_steps)
    *step = step_layout(&p, factor);
  return p.in_steps;
}

bool distribute_is_in_place(const target_facts *facts, const ir_value *value) {
  const ir_op *read = ir_made_by(value, OP_VECTOR_TRANSFER_READ);
  layout step;
  if (!read || !ir_value_has_one_use(value) || ir_group_size(read, 3) ||
      !target_has_lane_block(facts, value->type->element))
    return false;
  const ir_type *memory = ir_operand(read, 0)->type;
  return memory->kind == IR_TYPE_MEMREF && memory->space == IR_SPACE_WORKGROUP && distribute_may_wait(value) &&
         !lane_access_of(read, 0, value->type->rank).bounded &&
         distribute_product_step(value->uses->user, ir_use_index(value->uses), &step);
}

bool distribute_product(distributor *d, const ir_op *op) {
  product p;
  find_product(op, &p);
  bool scalar = ir_result(op, 0)->type->kind != IR_TYPE_VECTOR;
  ir_value *acc = distribute_lane(d, ir_operand(op, 2), scalar ? NULL : &p.result);
  distribute_set(d, op, p.in_steps && plan_parts(d, &p) ? multiply_in_loop(d, &p, acc) : multiply_unrolled(d, &p, acc));
  return true;
}
