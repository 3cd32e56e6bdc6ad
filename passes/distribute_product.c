/* distribute_product.c - contractions in which each lane multiplies and adds: those that no matrix unit does.
 *
 * The layout of the result says which elements a lane sums up. Along a reduction loop of some length, the factors are
 * put into shared memory, and each lane goes through the loop in steps of a few elements: it reads what its rows and
 * columns need there, and adds their products to its sums. So the code is as long as one step, however deep the product
 * is, and a factor may lie in any layout. Rows in shared memory are padded by one access, so that the lanes' rows begin
 * in different banks. Short reductions, and factors that do not fit, are unrolled: each lane gets all that its sums
 * need. Sums are added up in the order of the loops either way.
 * Terminates: loops over registers and the points of static loops. */
#include "passes/distribute.h"
#include "passes/vectorize.h"

enum {
  STEP = 4,          /* elements of the reduction in one step of the loop */
  ACCESS_BYTES = 16, /* the widest access of a lane */
};

/* A contraction on its way to the lanes. */
typedef struct product {
  const ir_op *op;
  const ir_map *maps[3];
  layout result, factors[2];     /* what a lane has of the factors when it multiplies */
  int64_t extents[IR_MAX_LOOPS]; /* of the reduction loops, in what a lane has at a time; 1 of the others */
  const ir_type *type;           /* of sums */
  ir_opcode combine;
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
  ir_op_spec spec = {.operands = terms, .num_operands = 3, .types = &p->type, .num_results = 1};
  return ir_result(ir_op_create(&d->at, OP_MATH_FMA, &spec), 0);
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

/* The only reduction loop, if a loop of more than one step pays; else -1. */
static int loop_of(const product *p) {
  int found = -1;
  for (unsigned loop = 0; loop < p->maps[0]->num_dims; loop++)
    if (ir_map_find_dim(p->maps[2], loop) < 0) {
      bool shared = ir_map_find_dim(p->maps[0], loop) >= 0 && ir_map_find_dim(p->maps[1], loop) >= 0;
      if (found >= 0 || !shared || p->extents[loop] % STEP || p->extents[loop] <= 2 * STEP)
        return -1;
      found = (int)loop;
    }
  return found;
}

/* Elements at the end of each row in shared memory that nobody uses. */
static int64_t padding_of(const ir_type *type) {
  return type->rank > 1 ? ACCESS_BYTES * 8 / ir_scalar_bits(type->element) : 0;
}

/* What a factor takes in shared memory. */
static uint64_t bytes_of(const ir_value *factor) {
  const ir_type *type = factor->type;
  int64_t row = type->shape[type->rank - 1], rows = ir_type_num_elements(type) / row;
  return (uint64_t)(rows * (row + padding_of(type))) * (ir_scalar_bits(type->element) / 8);
}

/* Both factors fit into shared memory next to each other. */
static bool fits(const distributor *d, const ir_op *op) {
  const ir_value *factors[] = {ir_operand(op, 0), ir_operand(op, 1)};
  for (unsigned i = 0; i < 2; i++)
    if (factors[i]->type->kind != IR_TYPE_VECTOR || !factors[i]->type->rank ||
        ir_scalar_bits(factors[i]->type->element) < 8)
      return false;
  return d->kept_bytes + bytes_of(factors[0]) + bytes_of(factors[1]) <= d->facts->shared_bytes;
}

/* A factor that stays the same in a loop around the product lies in memory of its own from before the loop on, where
 * there is enough: it need not be in registers then. */
static bool is_kept(const distributor *d, const ir_op *op, const ir_value *factor, const ir_value *other) {
  return op->block->parent->code == OP_SCF_FOR && ir_value_is_outside(factor, op->block) &&
         d->kept_bytes + bytes_of(factor) + 2 * bytes_of(other) <= d->facts->shared_bytes;
}

/* Puts the factors into shared memory. */
static void store_factors(distributor *d, const product *p, lane_access memory[2]) {
  int64_t offset = 0;
  bool kept[2] = {false, false};
  for (unsigned i = 0; i < 2; i++) {
    ir_value *factor = ir_operand(p->op, i);
    layout own = distribute_layout(factor);
    int64_t padding = padding_of(factor->type);
    kept[i] = is_kept(d, p->op, factor, ir_operand(p->op, 1 - i));
    if (!kept[i]) {
      memory[i] = distribute_scratch(d, factor->type->element, &own, padding, &offset);
      d->access -= i && !kept[0] ? DISTRIBUTE_ACCESS : 0; /* both stores are one access: they do not meet */
      distribute_store(d, &own, &memory[i], distribute_lane(d, factor, NULL));
      continue;
    }
    ir_builder inside = d->at;
    d->at = ir_builder_before(d->at.block->parent);
    memory[i] = distribute_memory(d, factor->type->element, &own, padding);
    d->kept_bytes += bytes_of(factor);
    distribute_store(d, &own, &memory[i], distribute_lane(d, factor, NULL));
    d->at = inside;
  }
}

static ir_value *multiply_in_loop(distributor *d, product *p, unsigned loop, ir_value *acc) {
  int64_t depth = p->extents[loop], count = distribute_registers(&p->result);
  lane_access memory[2];
  store_factors(d, p, memory);
  ir_op_create(&d->at, OP_GPU_BARRIER, &(ir_op_spec){0}); /* once: what the loop reads, it does not write */
  p->extents[loop] = STEP;
  ir_op *steps = ir_for(&d->at, ir_index_const(0), ir_index_const(depth), ir_index_const(STEP), 1, &acc);
  ir_builder after = d->at;
  const ir_block *body = ir_region(steps, 0);
  d->at = ir_builder_at_end(ir_region(steps, 0));
  d->at.loc = after.loc;
  ir_value *factors[2], **sums = IR_NEW_ARRAY(&d->module->arena, ir_value *, count);
  for (unsigned i = 0; i < 2; i++) {
    p->factors[i] = factor_layout(p, i);
    int dim = ir_map_find_dim(p->maps[i], loop);
    ir_index along = ir_index_mul(&d->at, ir_index_of(body->args[0]), ir_index_const(memory[i].scale[dim]));
    memory[i].start[0] = ir_index_add(&d->at, memory[i].start[0], along);
    factors[i] = distribute_load(d, &p->factors[i], &memory[i], NULL);
  }
  unpack(d, body->args[1], count, sums);
  add_products(d, p, factors, sums);
  ir_value *next = distribute_pack(d, p->type->element, count, sums);
  ir_terminator(&d->at, OP_SCF_YIELD, 1, &next);
  d->at = after;
  return ir_result(steps, 0);
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

bool distribute_product(distributor *d, const ir_op *op) {
  const ir_attr *maps = ir_attr_get(op, "indexing_maps");
  const ir_value *result = ir_result(op, 0);
  bool scalar = result->type->kind != IR_TYPE_VECTOR;
  product p = {.op = op, .type = ir_type_scalar(d->module, result->type->element)};
  if (!vectorize_kind(op, p.type->element, &p.combine))
    return ir_op_error(op, "cannot combine elements of type %s", ir_scalar_name(p.type->element));
  for (unsigned i = 0; i < 3; i++)
    p.maps[i] = maps->elements[i]->map;
  for (unsigned i = 0; i < 2; i++)
    for (unsigned dim = 0; dim < p.maps[i]->num_results; dim++)
      p.extents[ir_map_result_dim(p.maps[i], dim)] = ir_operand(op, i)->type->shape[dim];
  for (unsigned i = 0; i < p.maps[2]->num_results; i++)
    p.extents[ir_map_result_dim(p.maps[2], i)] = 1;
  if (!scalar)
    p.result = distribute_layout(result);
  ir_value *acc = distribute_lane(d, ir_operand(op, 2), scalar ? NULL : &p.result);
  int loop = scalar || !fits(d, op) ? -1 : loop_of(&p);
  distribute_set(d, op, loop >= 0 ? multiply_in_loop(d, &p, (unsigned)loop, acc) : multiply_unrolled(d, &p, acc));
  return true;
}
