/* distribute_access.c - memory as one lane sees it: each register's element has an address that is a common lane part plus
 * a constant.
 *
 * Registers that follow each other in memory move as one vector, as wide as alignment can be proven: from the strides, from
 * what divides the start, and from the base, which is aligned to 16 bytes (runtimes promise it of arguments). An access
 * that may be out of bounds stands in a branch of its own, so nothing out of bounds is touched; a run is in bounds as a
 * whole or not at all. Of lanes and registers that hold the same element, one writes.
 * Terminates: divisors are followed from a value to what defines it, to a limited depth; the rest loops over registers. */
#include "passes/distribute.h"

#include <string.h>

enum { WIDEST = 16, MAX_DEPTH = 16 };

/* ---------------------------------------------------------------------------------------------------------- divisors */

/* The largest power of two up to WIDEST that divides a number. */
static int64_t power_in(int64_t number) {
  int64_t power = 1;
  while (power < WIDEST && number % (2 * power) == 0)
    power *= 2;
  return power;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t divisor_of(const ir_value *value, unsigned depth);

static int64_t divisor_of_expr(const ir_expr *expr, const ir_op *op, unsigned num_dims, unsigned depth) {
  switch (expr->kind) {
  case IR_EXPR_CONST: return power_in(expr->value);
  case IR_EXPR_DIM: return divisor_of(ir_operand(op, (unsigned)expr->value), depth + 1);
  case IR_EXPR_SYM: return divisor_of(ir_operand(op, num_dims + (unsigned)expr->value), depth + 1);
  case IR_EXPR_ADD:
    return least(divisor_of_expr(expr->lhs, op, num_dims, depth), divisor_of_expr(expr->rhs, op, num_dims, depth));
  case IR_EXPR_MUL:
    return least(WIDEST,
                 divisor_of_expr(expr->lhs, op, num_dims, depth) * divisor_of_expr(expr->rhs, op, num_dims, depth));
  case IR_EXPR_MOD:
    return least(divisor_of_expr(expr->lhs, op, num_dims, depth), divisor_of_expr(expr->rhs, op, num_dims, depth));
  default: return 1;
  }
}

/* A counter starts at a bound and goes by steps. */
static int64_t divisor_of_argument(const ir_value *value, unsigned depth) {
  const ir_op *loop = value->block->parent;
  if (loop->code == OP_SCF_FOR && value->index == 0)
    return least(divisor_of(ir_operand(loop, 0), depth + 1), divisor_of(ir_operand(loop, 2), depth + 1));
  if (loop->code != OP_SCF_FORALL)
    return 1;
  ir_index from = ir_mixed(loop, 0, "staticLowerBound", value->index);
  ir_index step = ir_mixed(loop, 2, "staticStep", value->index);
  return least(from.value ? divisor_of(from.value, depth + 1) : power_in(from.constant),
               step.value ? divisor_of(step.value, depth + 1) : power_in(step.constant));
}

static int64_t divisor_of(const ir_value *value, unsigned depth) {
  const ir_attr *constant;
  if (depth > MAX_DEPTH)
    return 1;
  if (ir_value_constant(value, &constant))
    return constant->kind == IR_ATTR_INT ? power_in(constant->value) : 1;
  const ir_op *op = value->op;
  if (!op)
    return divisor_of_argument(value, depth);
  int64_t result = WIDEST;
  switch (op->code) {
  case OP_AFFINE_APPLY:
  case OP_AFFINE_MIN:
  case OP_AFFINE_MAX: {
    const ir_map *map = ir_attr_get(op, "map")->map;
    for (unsigned i = 0; i < map->num_results; i++)
      result = least(result, divisor_of_expr(map->results[i], op, map->num_dims, depth));
    return result;
  }
  case OP_ARITH_ADDI:
  case OP_ARITH_SUBI:
    return least(divisor_of(ir_operand(op, 0), depth + 1), divisor_of(ir_operand(op, 1), depth + 1));
  case OP_ARITH_MULI:
    return least(WIDEST, divisor_of(ir_operand(op, 0), depth + 1) * divisor_of(ir_operand(op, 1), depth + 1));
  default: return 1;
  }
}

static int64_t divisor_of_index(ir_index x) { return x.value ? divisor_of(x.value, 0) : power_in(x.constant); }

/* What divides the address of a memref's first element, in bytes. */
static int64_t alignment_of(const ir_value *memref, unsigned depth) {
  const ir_op *op = memref->op;
  if (!op || ir_op_has(op, IR_ALLOCATES) || op->code == OP_MEMREF_GET_GLOBAL)
    return WIDEST;
  if (!ir_op_has(op, IR_VIEW) || depth > MAX_DEPTH)
    return 1;
  int64_t result = alignment_of(ir_operand(op, 0), depth + 1);
  if (op->code != OP_MEMREF_SUBVIEW)
    return result;
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], steps[IR_MAX_RANK];
  int64_t strides[IR_MAX_RANK], bytes = ir_scalar_bits(memref->type->element) / 8;
  unsigned rank = ir_slice_of(op, offsets, sizes, steps);
  ir_type_strides(ir_operand(op, 0)->type, strides);
  for (unsigned i = 0; i < rank; i++) {
    int64_t stride = strides[i] == IR_DYNAMIC ? 1 : power_in(strides[i]);
    result = least(result, divisor_of_index(offsets[i]) * stride * (bytes ? bytes : 1));
  }
  return result;
}

/* ------------------------------------------------------------------------------------------------------------- plans */

/* An index or a condition that several registers share: dim `dim` of the memref, `constant` behind the lane part. */
typedef struct known_index {
  unsigned dim;
  int64_t constant;
  ir_value *index, *inside;
  struct known_index *next;
} known_index;

typedef struct access_plan {
  distributor *d;
  const layout *layout;
  const lane_access *access;
  int64_t run;                /* registers that move together */
  ir_value *base[IR_MAX_RANK]; /* start + lane part */
  ir_value *end[IR_MAX_RANK];  /* of bounded dims */
  known_index *known;
} access_plan;

/* The register part of the position in each dim of the memref. */
static void constants_of(const access_plan *plan, int64_t reg, int64_t *constants) {
  int64_t coord[LAYOUT_MAX_RANK];
  distribute_coord(plan->layout, reg, coord);
  memset(constants, 0, IR_MAX_RANK * sizeof *constants);
  for (unsigned dim = 0; dim < plan->layout->rank; dim++)
    if (plan->access->memory_dim[dim] >= 0)
      constants[plan->access->memory_dim[dim]] += coord[dim] * plan->access->scale[dim];
}

/* Are runs of `run` registers consecutive in memory, aligned to their size, and on one side of each bound? */
static bool can_run(const access_plan *plan, int64_t run) {
  const lane_access *access = plan->access;
  const ir_type *type = access->memref->type;
  unsigned last = type->rank - 1u;
  int64_t strides[IR_MAX_RANK], constants[IR_MAX_RANK], next[IR_MAX_RANK];
  int64_t registers = distribute_registers(plan->layout), bits = ir_scalar_bits(type->element);
  ir_type_strides(type, strides);
  if (access->mask || bits < 8 || registers % run || strides[last] != 1 || run * bits / 8 > WIDEST ||
      alignment_of(access->memref, 0) % (run * bits / 8) || divisor_of_index(access->start[last]) % run)
    return false;
  for (unsigned i = 0; i < last; i++)
    if (strides[i] == IR_DYNAMIC || strides[i] % run)
      return false;
  if (access->bounded >> last & 1 && (type->shape[last] == IR_DYNAMIC || type->shape[last] % run))
    return false;
  for (unsigned i = 0; i < plan->layout->num_digits; i++) {
    const layout_digit *digit = &plan->layout->digits[i];
    if (digit->level != LAYOUT_REGISTER && access->memory_dim[digit->dim] == (int)last &&
        digit->dim_stride * access->scale[digit->dim] % run)
      return false;
  }
  for (int64_t r = 0; r < registers; r++) {
    constants_of(plan, r, r % run ? next : constants);
    if (r % run) {
      next[last] -= r % run;
      if (memcmp(next, constants, sizeof next))
        return false;
    } else if (constants[last] % run) {
      return false;
    }
  }
  return true;
}

static access_plan plan_access(distributor *d, const layout *l, const lane_access *access) {
  access_plan plan = {.d = d, .layout = l, .access = access, .run = 16};
  const ir_type *type = access->memref->type;
  for (unsigned dim = 0; dim < type->rank; dim++) {
    int64_t scale[LAYOUT_MAX_RANK];
    for (unsigned i = 0; i < l->rank; i++)
      scale[i] = access->memory_dim[i] == (int)dim ? access->scale[i] : 0;
    ir_index base = ir_index_add(&d->at, access->start[dim], distribute_lane_offset(d, l, scale));
    plan.base[dim] = ir_index_value(&d->at, base);
    if (access->bounded >> dim & 1)
      plan.end[dim] = ir_index_value(&d->at, ir_dim(&d->at, access->memref, dim));
  }
  while (plan.run > 1 && !can_run(&plan, plan.run))
    plan.run /= 2;
  return plan;
}

static known_index *index_at(access_plan *plan, unsigned dim, int64_t constant) {
  distributor *d = plan->d;
  for (known_index *known = plan->known; known; known = known->next)
    if (known->dim == dim && known->constant == constant)
      return known;
  known_index *made = IR_NEW(&d->module->arena, known_index);
  *made = (known_index){dim, constant, plan->base[dim], NULL, plan->known};
  if (constant)
    made->index = ir_binary(&d->at, OP_ARITH_ADDI, plan->base[dim], ir_const_index(&d->at, constant));
  if (plan->end[dim]) /* unsigned: positions before the start are out of bounds, too */
    made->inside = distribute_compare(d, COMPARE_UNSIGNED_LESS, made->index, plan->end[dim]);
  return plan->known = made;
}

/* The subscripts of a register's element, and the condition for it to be accessed; NULL: always. */
static ir_value *subscripts_of(access_plan *plan, int64_t reg, ir_value **subscripts) {
  distributor *d = plan->d;
  int64_t constants[IR_MAX_RANK];
  ir_value *condition = plan->access->mask ? distribute_get(d, plan->access->mask, reg) : NULL;
  constants_of(plan, reg, constants);
  for (unsigned dim = 0; dim < plan->access->memref->type->rank; dim++) {
    known_index *known = index_at(plan, dim, constants[dim]);
    subscripts[dim] = known->index;
    if (known->inside)
      condition = condition ? ir_binary(&d->at, OP_ARITH_ANDI, condition, known->inside) : known->inside;
  }
  return condition;
}

/* memref.load or .store of one element, vector.load or .store of more; `stored` is NULL for loads. */
static ir_op *move(const access_plan *plan, ir_builder *at, ir_value *const *subscripts, ir_value *stored) {
  ir_value *operands[IR_MAX_RANK + 2], *memref = plan->access->memref;
  unsigned count = 0;
  if (stored)
    operands[count++] = stored;
  operands[count++] = memref;
  for (unsigned i = 0; i < memref->type->rank; i++)
    operands[count++] = subscripts[i];
  bool single = plan->run == 1;
  ir_scalar element = memref->type->element;
  const ir_type *type = single ? ir_type_scalar(at->module, element) : distribute_type(plan->d, element, plan->run);
  ir_named_attr alignment = {"alignment", ir_attr_int(at->module, ir_type_scalar(at->module, IR_I64),
                                                      plan->run * ir_scalar_bits(element) / 8)};
  ir_op_spec spec = {.operands = operands, .num_operands = count, .types = &type, .num_results = stored ? 0 : 1,
                     .attrs = &alignment, .num_attrs = single ? 0 : 1};
  static const ir_opcode codes[2][2] = {{OP_VECTOR_LOAD, OP_VECTOR_STORE}, {OP_MEMREF_LOAD, OP_MEMREF_STORE}};
  ir_op *op = ir_op_create(at, codes[single][stored != NULL], &spec);
  op->mark = plan->d->access;
  return op;
}

/* ------------------------------------------------------------------------------------------------------------- loads */

static ir_value *load_run(access_plan *plan, int64_t reg, ir_value *padding) {
  distributor *d = plan->d;
  ir_value *subscripts[IR_MAX_RANK];
  ir_value *condition = subscripts_of(plan, reg, subscripts);
  if (!condition)
    return ir_result(move(plan, &d->at, subscripts, NULL), 0);
  ir_op *branch = distribute_if(d, condition, padding->type);
  ir_builder inside = ir_builder_at_end(ir_region(branch, 0)), outside = ir_builder_at_end(ir_region(branch, 1));
  ir_value *loaded = ir_result(move(plan, &inside, subscripts, NULL), 0);
  ir_terminator(&inside, OP_SCF_YIELD, 1, &loaded);
  ir_terminator(&outside, OP_SCF_YIELD, 1, &padding);
  return ir_result(branch, 0);
}

/* Puts runs together: registers of one vector. */
static ir_value *join_runs(distributor *d, const access_plan *plan, ir_scalar element, int64_t registers,
                           ir_value *const *runs) {
  if (plan->run == 1)
    return distribute_pack(d, element, registers, runs);
  if (plan->run == registers)
    return runs[0];
  ir_value *result = ir_const(&d->at, distribute_type(d, element, registers), 0);
  for (int64_t r = 0; r < registers; r += plan->run) {
    ir_value *operands[] = {runs[r], result};
    ir_named_attr attrs[] = {{"offsets", distribute_numbers(d, 1, &r)},
                             {"strides", distribute_numbers(d, 1, (const int64_t[]){1})}};
    ir_op_spec spec = {.operands = operands, .num_operands = 2, .num_results = 1, .attrs = attrs, .num_attrs = 2};
    result = ir_result(ir_op_create(&d->at, OP_VECTOR_INSERT_STRIDED_SLICE, &spec), 0);
  }
  return result;
}

ir_value *distribute_load(distributor *d, const layout *l, const lane_access *access, ir_value *padding) {
  int64_t registers = distribute_registers(l), first[IR_MAX_RANK], other[IR_MAX_RANK];
  ir_scalar element = access->memref->type->element;
  d->access += DISTRIBUTE_ACCESS;
  access_plan plan = plan_access(d, l, access);
  ir_value **runs = IR_NEW_ARRAY(&d->module->arena, ir_value *, registers);
  if (padding && plan.run > 1)
    padding = ir_unary(&d->at, OP_VECTOR_BROADCAST, padding, distribute_type(d, element, plan.run));
  for (int64_t r = 0; r < registers; r += plan.run) {
    runs[r] = NULL;
    constants_of(&plan, r, first);
    for (int64_t before = 0; before < r && !runs[r] && !access->mask; before += plan.run) {
      constants_of(&plan, before, other);
      if (!memcmp(first, other, sizeof first))
        runs[r] = runs[before]; /* the same elements again */
    }
    if (!runs[r])
      runs[r] = load_run(&plan, r, padding);
  }
  return join_runs(d, &plan, element, registers, runs);
}

/* ------------------------------------------------------------------------------------------------------------ stores */

/* The hardware index without what only tells replicas apart. */
static int64_t writer_of(const layout *l, layout_level level, int64_t index) {
  int64_t writer = 0;
  for (unsigned i = 0; i < l->num_digits; i++) {
    const layout_digit *digit = &l->digits[i];
    if (digit->level == level && digit->dim_stride)
      writer += index / digit->hardware_stride % digit->size * digit->hardware_stride;
  }
  return writer;
}

/* Whether this lane is the one that writes; NULL: all are. */
static ir_value *writer_condition(distributor *d, const layout *l) {
  bool all = true;
  for (int64_t thread = 0; thread < d->threads && all; thread++)
    all = writer_of(l, LAYOUT_LANE, thread % d->warp) == thread % d->warp &&
          writer_of(l, LAYOUT_WARP, thread / d->warp) == thread / d->warp;
  if (all)
    return NULL;
  layout writer = distribute_lane_part(l); /* as a layout from hardware to the number of the writer */
  const int64_t one = 1;
  writer.rank = 1;
  for (unsigned i = 0; i < writer.num_digits; i++) {
    layout_digit *digit = &writer.digits[i];
    digit->dim = 0;
    digit->dim_stride = digit->hardware_stride * (digit->level == LAYOUT_WARP ? d->warp : 1);
  }
  ir_value *number = ir_index_value(&d->at, distribute_lane_offset(d, &writer, &one));
  return distribute_compare(d, COMPARE_EQUAL, d->thread, number);
}

static void store_run(access_plan *plan, int64_t reg, ir_value *vector) {
  distributor *d = plan->d;
  ir_value *subscripts[IR_MAX_RANK], *condition = subscripts_of(plan, reg, subscripts);
  int64_t *registers = IR_NEW_ARRAY(&d->module->arena, int64_t, plan->run);
  for (int64_t i = 0; i < plan->run; i++)
    registers[i] = reg + i;
  ir_value *part = plan->run == 1 ? distribute_get(d, vector, reg) : distribute_pick(d, vector, plan->run, registers);
  if (!condition) {
    move(plan, &d->at, subscripts, part);
    return;
  }
  ir_builder inside = ir_builder_at_end(ir_region(distribute_if(d, condition, NULL), 0));
  move(plan, &inside, subscripts, part);
  ir_terminator(&inside, OP_SCF_YIELD, 0, NULL);
}

void distribute_store(distributor *d, const layout *l, const lane_access *access, ir_value *vector) {
  d->access += DISTRIBUTE_ACCESS;
  ir_value *condition = writer_condition(d, l);
  ir_builder outside = d->at;
  if (condition)
    d->at = ir_builder_at_end(ir_region(distribute_if(d, condition, NULL), 0));
  access_plan plan = plan_access(d, l, access);
  for (int64_t r = 0; r < distribute_registers(l); r += plan.run)
    if (writer_of(l, LAYOUT_REGISTER, r) == r)
      store_run(&plan, r, vector);
  if (condition)
    ir_terminator(&d->at, OP_SCF_YIELD, 0, NULL);
  d->at = outside;
}

lane_access distribute_scratch(distributor *d, ir_scalar element, const layout *l) {
  lane_access access = {0};
  int64_t size = 1;
  for (unsigned dim = l->rank; dim-- > 0;) {
    access.scale[dim] = size;
    size *= layout_extent(l, dim);
  }
  for (shared_scratch *known = d->scratch; known && !access.memref; known = known->next)
    if (known->memref->type->element == element && known->memref->type->shape[0] >= size)
      access.memref = known->memref;
  if (access.memref)
    return access;
  const ir_type *type = ir_type_memref(d->module, element, 1, &size, NULL, 0, IR_SPACE_WORKGROUP);
  ir_op_spec spec = {.types = &type, .num_results = 1};
  shared_scratch *made = IR_NEW(&d->module->arena, shared_scratch);
  *made = (shared_scratch){ir_result(ir_op_create(&d->entry, OP_MEMREF_ALLOCA, &spec), 0), d->scratch};
  d->scratch = made;
  access.memref = made->memref;
  return access;
}

/* --------------------------------------------------------------------------------------------------------------- ops */

/* The mask of a transfer has the dims of the memory, in order; brought to the vector's layout. */
static ir_value *mask_of(distributor *d, const ir_op *op, unsigned group, const lane_access *access, const layout *l) {
  if (!ir_group_size(op, group))
    return NULL;
  ir_value *mask = ir_group_operand(op, group, 0);
  if (mask->type->kind != IR_TYPE_VECTOR) {
    const ir_type *type = distribute_type(d, IR_I1, distribute_registers(l));
    return ir_unary(&d->at, OP_VECTOR_BROADCAST, distribute_lane(d, mask, NULL), type);
  }
  layout wanted = *l, from = distribute_layout(mask);
  wanted.rank = mask->type->rank;
  for (unsigned i = 0; i < l->num_digits; i++) {
    layout_digit *digit = &wanted.digits[i];
    int memory_dim = access->memory_dim[digit->dim];
    unsigned before = 0;
    for (unsigned dim = 0; dim < l->rank; dim++)
      before += access->memory_dim[dim] >= 0 && access->memory_dim[dim] < memory_dim;
    digit->dim = memory_dim < 0 ? 0 : before;
    if (memory_dim < 0)
      digit->dim_stride = 0;
  }
  return distribute_convert(d, distribute_lane(d, mask, NULL), &from, &wanted, NULL);
}

/* The access of a transfer whose base is operand `base`. */
static lane_access access_of(distributor *d, const ir_op *op, unsigned base, const layout *l) {
  lane_access access = {.memref = distribute_lane(d, ir_operand(op, base), NULL)};
  const ir_map *map = ir_attr_get(op, "permutation_map")->map;
  const ir_attr *in_bounds = ir_attr_get(op, "in_bounds");
  for (unsigned i = 0; i < access.memref->type->rank; i++)
    access.start[i] = ir_index_of(distribute_lane(d, ir_operand(op, base + 1 + i), NULL));
  for (unsigned dim = 0; dim < l->rank; dim++) {
    access.memory_dim[dim] = ir_map_result_dim(map, dim);
    access.scale[dim] = 1;
    if (access.memory_dim[dim] >= 0 && !in_bounds->elements[dim]->value)
      access.bounded |= UINT32_C(1) << access.memory_dim[dim];
  }
  access.mask = mask_of(d, op, ir_info_num_groups(ir_op_row(op)) - 1, &access, l);
  return access;
}

bool distribute_read(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_result(op, 0));
  lane_access access = access_of(d, op, 0, &l);
  ir_value *padding = distribute_lane(d, ir_group_operand(op, 2, 0), NULL);
  distribute_set(d, op, distribute_load(d, &l, &access, padding));
  return true;
}

bool distribute_write(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_operand(op, 0));
  lane_access access = access_of(d, op, 1, &l);
  distribute_store(d, &l, &access, distribute_lane(d, ir_operand(op, 0), NULL));
  return true;
}

/* Element by element: nothing is known of the positions. */
bool distribute_gather(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_result(op, 0));
  unsigned rank = ir_group_size(op, 1);
  const ir_type *index = ir_type_index(d->module), *element = ir_type_scalar(d->module, ir_result(op, 0)->type->element);
  lane_access access = {.memref = distribute_lane(d, ir_operand(op, 0), NULL)};
  access_plan plan = {.d = d, .layout = &l, .access = &access, .run = 1};
  ir_value *parts[3], *subscripts[IR_MAX_RANK];
  for (unsigned i = 0; i < 3; i++)
    parts[i] = distribute_lane(d, ir_group_operand(op, 2 + i, 0), &l);
  for (unsigned i = 0; i < rank; i++)
    subscripts[i] = distribute_lane(d, ir_group_operand(op, 1, i), NULL);
  ir_value *last = subscripts[rank - 1];
  int64_t registers = distribute_registers(&l);
  d->access += DISTRIBUTE_ACCESS;
  ir_value **values = IR_NEW_ARRAY(&d->module->arena, ir_value *, registers);
  for (int64_t r = 0; r < registers; r++) {
    ir_value *offset = ir_convert(&d->at, distribute_get(d, parts[0], r), index), *pass = distribute_get(d, parts[2], r);
    ir_op *branch = distribute_if(d, distribute_get(d, parts[1], r), element);
    ir_builder inside = ir_builder_at_end(ir_region(branch, 0)), outside = ir_builder_at_end(ir_region(branch, 1));
    subscripts[rank - 1] = ir_binary(&inside, OP_ARITH_ADDI, last, offset);
    ir_value *loaded = ir_result(move(&plan, &inside, subscripts, NULL), 0);
    ir_terminator(&inside, OP_SCF_YIELD, 1, &loaded);
    ir_terminator(&outside, OP_SCF_YIELD, 1, &pass);
    values[r] = ir_result(branch, 0);
  }
  distribute_set(d, op, distribute_pack(d, element->element, registers, values));
  return true;
}
