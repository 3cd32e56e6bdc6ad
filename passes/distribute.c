/* distribute.c - the pass "distribute": makes kernels for one lane from kernels on vectors with layouts.
 *
 * Each top-level scf.forall with `tec.threads` is rebuilt op by op, in order, next to the old one, which goes at the
 * end. Each op is handled alone: layouts and conversions were decided before, and stand in the attributes
 * `tec.layouts`. Barriers are placed at last, from what the new kernel reads and writes.
 * Invariants: scalars are the same in all lanes of a kernel, so its loops and branches are taken by all lanes together;
 * the branches made here (distribute_if) are not, hold no barrier and are told apart by ir_op.mark.
 * Terminates: each op of the old kernel is visited once, except in barriers.c, see there. */
#include "passes/distribute.h"
#include "passes/memory.h"

#include <string.h>

enum { MAX_REGISTERS = 4096, MAX_THREADS = 1024 };

/* ------------------------------------------------------------------------------------------------------- layouts */

/* The op whose attribute has the layout of a value, and the entry there. */
static const ir_op *owner_of(const ir_value *value, unsigned *entry) {
  *entry = value->op ? value->index : value->index - 1;
  return value->op ? value->op : value->block->parent;
}

static bool find_layout(const ir_value *value, layout *l, const char **why) {
  unsigned entry;
  const ir_op *op = owner_of(value, &entry);
  const ir_attr *all = ir_attr_get(op, PASS_LAYOUTS);
  *why = "it has no entry in 'tec.layouts'";
  return all && all->kind == IR_ATTR_ARRAY && entry < all->count && all->elements[entry]->kind == IR_ATTR_STRING &&
         layout_parse(all->elements[entry]->string, l, why);
}

layout distribute_layout(const ir_value *value) {
  layout l = {0};
  const char *why;
  find_layout(value, &l, &why);
  return l;
}

void distribute_set_layout(ir_op *op, unsigned result, const layout *l) {
  ir_module *module = op->module;
  const ir_attr *old = ir_attr_get(op, PASS_LAYOUTS),
                **texts = IR_NEW_ARRAY(&module->arena, const ir_attr *, op->num_results);
  char text[LAYOUT_MAX_TEXT];
  for (unsigned i = 0; i < op->num_results; i++)
    texts[i] = old && i < old->count ? old->elements[i] : ir_attr_string(module, "", 0);
  layout_print(l, text, sizeof text);
  texts[result] = ir_attr_cstr(module, text);
  ir_attr_set(op, PASS_LAYOUTS, ir_attr_array(module, op->num_results, texts));
}

/* Each coordinate of the shape is held by exactly one register of one lane and its replicas. */
static bool fits_shape(const layout *l, const ir_type *type) {
  layout canonical = layout_coalesce(l);
  int64_t extents[LAYOUT_MAX_RANK];
  if (l->rank != type->rank)
    return false;
  for (unsigned dim = 0; dim < l->rank; dim++)
    extents[dim] = 1;
  for (unsigned i = 0; i < canonical.num_digits; i++) {
    const layout_digit *digit = &canonical.digits[i];
    if (!digit->dim_stride)
      continue;
    if (digit->dim_stride != extents[digit->dim])
      return false;
    extents[digit->dim] *= digit->size;
    for (unsigned k = 0; k < i; k++) { /* no two digits read the same part of the hardware's index */
      const layout_digit *a = &canonical.digits[k], *b = digit;
      bool apart = b->hardware_stride % (a->hardware_stride * a->size) == 0 ||
                   a->hardware_stride % (b->hardware_stride * b->size) == 0;
      if (a->dim_stride && a->level == b->level && !apart)
        return false;
    }
  }
  return !memcmp(extents, type->shape, l->rank * sizeof *extents);
}

typedef struct layout_check {
  const ir_block *kernel;
  int64_t threads, warp;
} layout_check;

static bool check_layout(const ir_op *op, const ir_value *value, const layout_check *check) {
  layout l;
  const char *why;
  if (value->type->kind != IR_TYPE_VECTOR)
    return true;
  if (!find_layout(value, &l, &why))
    return ir_op_error(op, "cannot be distributed: %s", why);
  if (!fits_shape(&l, value->type))
    return ir_op_error(op, "cannot be distributed: its layout does not hold each element of the vector once");
  if (layout_size(&l, LAYOUT_BLOCK) > 1 || layout_size(&l, LAYOUT_LANE) > check->warp ||
      layout_size(&l, LAYOUT_WARP) * check->warp > check->threads || layout_size(&l, LAYOUT_REGISTER) > MAX_REGISTERS)
    return ir_op_error(op, "cannot be distributed: its layout is for more than the kernel's %lld threads",
                       (long long)check->threads);
  return true;
}

static bool check_op(const ir_op *op, const layout_check *check) {
  for (unsigned i = 0; i < op->num_operands; i++)
    if (ir_operand(op, i)->type->kind == IR_TYPE_VECTOR && ir_value_is_outside(ir_operand(op, i), check->kernel))
      return ir_op_error(op, "takes a vector from outside of its kernel; 'layout' computes it inside");
  for (unsigned i = 0; i < op->num_results; i++)
    if (!check_layout(op, ir_result(op, i), check))
      return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------------ new values */

const ir_type *distribute_type(const distributor *d, ir_scalar element, int64_t registers) {
  return ir_type_vector(d->module, element, 1, &registers);
}

void distribute_set(distributor *d, const ir_op *op, ir_value *value) {
  ir_value_map_set(d->lanes, ir_result(op, 0), value);
}

ir_value *distribute_lane(distributor *d, ir_value *value, const layout *wanted) {
  ir_value *lane = ir_value_map_get(d->lanes, value);
  if (lane == value &&
      (distribute_is_deferred(value) || distribute_is_in_place(d->facts, value) || distribute_is_late(d, value))) {
    if (value->op->code == OP_VECTOR_TRANSPOSE)
      distribute_transpose_now(d, value->op);
    else
      distribute_set(d, value->op, distribute_read_now(d, value->op));
    lane = ir_value_map_get(d->lanes, value);
    if (!ir_value_has_one_use(value))
      ir_value_map_set(d->lanes, value, value); /* other users, in other blocks, read it by themselves */
  }
  if (value->type->kind != IR_TYPE_VECTOR || !wanted)
    return lane;
  layout own = distribute_layout(value);
  return distribute_convert(d, lane, &own, wanted, NULL);
}

ir_op *distribute_if(distributor *d, ir_value *condition, const ir_type *result) {
  ir_op *branch = ir_if(&d->at, condition, result);
  branch->mark = d->access | DISTRIBUTE_DIVERGENT;
  return branch;
}

/* The op with other operands and result types, without its layouts and regions. */
static ir_op *recreate(distributor *d, const ir_op *op, ir_value *const *operands, const ir_type *const *types) {
  ir_op_spec spec = ir_op_spec_of(op, operands, types);
  ir_op *made = ir_op_create(&d->at, op->code, &spec);
  ir_attr_set(made, PASS_LAYOUTS, NULL);
  return made;
}

static const ir_type *lane_type_of(distributor *d, const ir_value *value) {
  if (value->type->kind != IR_TYPE_VECTOR)
    return value->type;
  layout l = distribute_layout(value);
  return distribute_type(d, value->type->element, distribute_registers(&l));
}

/* Element by element, in the layout of the result. */
static bool distribute_elementwise(distributor *d, const ir_op *op) {
  layout l = distribute_layout(ir_result(op, 0));
  ir_value **operands = IR_NEW_ARRAY(&d->module->arena, ir_value *, op->num_operands);
  for (unsigned i = 0; i < op->num_operands; i++)
    operands[i] = distribute_lane(d, ir_operand(op, i), &l);
  const ir_type *type = lane_type_of(d, ir_result(op, 0));
  distribute_set(d, op, ir_result(recreate(d, op, operands, &type), 0));
  return true;
}

/* Elements that differ are read from constant memory. */
static bool distribute_constant(distributor *d, const ir_op *op) {
  ir_value *value = ir_result(op, 0);
  const ir_type *type = lane_type_of(d, value);
  const ir_attr *attr = ir_attr_get(op, "value");
  ir_cell splat;
  if (ir_value_splat(value, &splat)) {
    distribute_set(d, op, ir_splat(&d->at, type, splat));
    return true;
  }
  layout l = distribute_layout(value);
  lane_access access = {.memref = memory_of_constant(&d->at, attr)};
  for (unsigned dim = 0; dim < l.rank; dim++) {
    access.memory_dim[dim] = (int)dim;
    access.scale[dim] = 1;
  }
  distribute_set(d, op, distribute_load(d, &l, &access, NULL));
  return true;
}

/* ----------------------------------------------------------------------------------------------------- control flow */

static bool distribute_block(distributor *d, const ir_block *from, ir_block *to, const ir_op *owner);

/* Does the loop carry, as this value, the left factor of a product that is made for the iteration before? It is carried
 * as words, lest each element gets a register. */
static bool carries_words(const ir_op *op, unsigned i) {
  const ir_value *value = op->code == OP_SCF_FOR ? ir_region(op, 0)->args[1 + i] : NULL;
  return value && ir_value_has_one_use(value) && value->uses->user->code == OP_VECTOR_CONTRACT &&
         !ir_use_index(value->uses) && ir_attr_get(value->uses->user, DISTRIBUTE_DELAYED);
}

/* What the op's operands [first, ..) become in the layouts of the results of `owner`. */
static void carried_values(distributor *d, const ir_op *op, unsigned first, const ir_op *owner, ir_value **values) {
  for (unsigned i = 0; i < owner->num_results; i++) {
    const ir_value *result = ir_result(owner, i);
    layout l = distribute_layout(result);
    values[i] = distribute_lane(d, ir_operand(op, first + i), result->type->kind == IR_TYPE_VECTOR ? &l : NULL);
    if (carries_words(owner, i))
      values[i] = distribute_to_words(d, values[i]);
  }
}

static bool distribute_control(distributor *d, const ir_op *op) {
  ir_arena *arena = &d->module->arena;
  unsigned own = op->num_operands - (op->code == OP_SCF_FOR ? op->num_results : 0); /* bounds, or the condition */
  ir_value **operands = IR_NEW_ARRAY(arena, ir_value *, op->num_operands);
  const ir_type **types = IR_NEW_ARRAY(arena, const ir_type *, op->num_results);
  for (unsigned i = 0; i < own; i++)
    operands[i] = distribute_lane(d, ir_operand(op, i), NULL);
  if (op->code == OP_SCF_FOR)
    carried_values(d, op, own, op, operands + own);
  for (unsigned i = 0; i < op->num_results; i++)
    types[i] = carries_words(op, i) ? operands[own + i]->type : lane_type_of(d, ir_result(op, i));
  ir_op *made = recreate(d, op, operands, types);
  ir_builder after = d->at;
  for (unsigned r = 0; r < op->num_regions; r++) {
    const ir_block *from = ir_region(op, r);
    if (!from->first)
      continue;
    d->at.block = ir_region(made, r);
    d->at.before = NULL;
    for (unsigned i = 0; i < from->num_args; i++) {
      ir_value *lane = ir_block_add_arg(ir_region(made, r), i ? types[i - 1] : from->args[i]->type);
      bool in_words = i && carries_words(op, i - 1);
      if (in_words)
        lane = distribute_from_words(d, lane, lane_type_of(d, ir_result(op, i - 1)));
      ir_value_map_set(d->lanes, from->args[i], lane);
    }
    if (!distribute_block(d, from, ir_region(made, r), op))
      return false;
  }
  d->at = after;
  for (unsigned i = 0; i < op->num_results; i++) {
    bool in_words = carries_words(op, i);
    ir_value *lane = ir_result(made, i);
    ir_value_map_set(d->lanes, ir_result(op, i),
                     in_words ? distribute_from_words(d, lane, lane_type_of(d, ir_result(op, i))) : lane);
  }
  if (d->late && d->late->block->parent == op) {
    unsigned i = ir_use_index(ir_result(d->late, 0)->uses);
    ir_value_map_set(d->lanes, ir_result(op, i), distribute_wait(d, ir_result(made, i), 0));
    d->late = NULL;
  }
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- ops */

static distribute_hook *hook_of(ir_opcode code) {
  static distribute_hook *const hooks[IR_NUM_OPCODES] = {
      [OP_ARITH_CONSTANT] = distribute_constant,
      [OP_SCF_FOR] = distribute_control,
      [OP_SCF_IF] = distribute_control,
      [OP_VECTOR_TRANSFER_READ] = distribute_read,
      [OP_VECTOR_TRANSFER_WRITE] = distribute_write,
      [OP_VECTOR_CONTRACT] = distribute_contract,
      [OP_VECTOR_MULTI_REDUCTION] = distribute_reduction,
      [OP_VECTOR_BROADCAST] = distribute_broadcast,
      [OP_VECTOR_TRANSPOSE] = distribute_transpose,
      [OP_VECTOR_SHAPE_CAST] = distribute_shape_cast,
      [OP_VECTOR_EXTRACT] = distribute_extract,
      [OP_VECTOR_STEP] = distribute_step,
      [OP_VECTOR_CREATE_MASK] = distribute_create_mask,
      [OP_VECTOR_EXT_TO_LAYOUT] = distribute_to_layout,
  };
  return hooks[code];
}

/* Barriers, and groups of a lane's own copies, write no memref. */
static bool writes_memref(const ir_op *op) { return ir_op_touches(op, IR_TYPE_MEMREF) && ir_op_has(op, IR_WRITES); }

/* An op on scalars: the same in all lanes, except that one lane does what writes memory. */
static void copy_scalar_op(distributor *d, const ir_op *op) {
  if (!writes_memref(op)) {
    ir_op_clone(&d->at, op, d->lanes);
    return;
  }
  d->access += DISTRIBUTE_ACCESS;
  ir_value *first = ir_compare(&d->at, OP_ARITH_CMPI, IR_EQUAL, d->thread, ir_const_index(&d->at, 0));
  ir_op *branch = distribute_if(d, first, NULL);
  ir_builder inside = ir_inside(branch, 0);
  ir_op_clone(&inside, op, d->lanes);
}

static bool distribute_op_now(distributor *d, const ir_op *op) {
  distribute_hook *hook = hook_of(op->code);
  if (hook && (ir_op_touches(op, IR_TYPE_VECTOR) || op->num_regions))
    return hook(d, op);
  if (ir_op_touches(op, IR_TYPE_VECTOR)) {
    if (ir_op_has(op, IR_ELEMENTWISE) && op->num_results == 1)
      return distribute_elementwise(d, op);
    return ir_op_error(op, "works on vectors in a way that lanes cannot share");
  }
  if (op->num_regions)
    return ir_internal_error(op, "distribute", "it cannot stand in a kernel");
  if (op->code == OP_MEMREF_ALLOCA) {
    distribute_place(d, op);
    return true;
  }
  copy_scalar_op(d, op);
  return true;
}

/* The value is as if it were made by the products that have been waited for: nobody moves up what reads it, or merges
 * what makes it with what others make in other blocks. */
static void hold(distributor *d, ir_value *value) {
  ir_value *lanes = distribute_lane(d, value, NULL), *words = distribute_to_words(d, lanes);
  if (words->type->element == IR_F32 && words->type->shape[0] % 2 == 0)
    ir_value_map_set(d->lanes, value, distribute_from_words(d, distribute_wait(d, words, 0), lanes->type));
}

static bool distribute_op(distributor *d, const ir_op *op) {
  bool behind = ir_attr_get(op, DISTRIBUTE_BEHIND);
  d->at.loc = op->loc;
  distribute_settle(d, op);
  if (behind)
    hold(d, ir_operand(op, 0));
  bool good = distribute_op_now(d, op);
  if (behind && good)
    hold(d, ir_result(op, 0));
  return good;
}

/* The ops of a block, then its terminator with what `owner` carries in its layouts. */
static bool distribute_block(distributor *d, const ir_block *from, ir_block *to, const ir_op *owner) {
  pending_product *outer = d->pending;
  d->pending = NULL;
  d->at.block = to;
  d->at.before = NULL;
  for (const ir_op *op = from->first; op != from->last; op = op->next)
    if (!distribute_op(d, op))
      return false;
  distribute_settle(d, NULL);
  d->pending = outer;
  ir_value **values = IR_NEW_ARRAY(&d->module->arena, ir_value *, owner->num_results);
  carried_values(d, from->last, 0, owner, values);
  ir_terminator(&d->at, from->last->code, owner->num_results, values);
  return true;
}

/* --------------------------------------------------------------------------------------------------------- kernels */

ir_value *distribute_thread_id(distributor *d) {
  ir_named_attr dimension = {"dimension", ir_attr_keyword(d->module, "gpu", "dim x")};
  return ir_create(&d->at, OP_GPU_THREAD_ID, NULL, 0, NULL, 1, &dimension);
}

static bool distribute_kernel(ir_op *kernel, int64_t threads, const target_facts *facts) {
  ir_module *module = kernel->module;
  int64_t warp = facts->warp;
  layout_check check = {ir_region(kernel, 0), threads, warp};
  if (threads < 1 || threads > MAX_THREADS || threads % warp)
    return ir_op_error(kernel, "'tec.threads' must be a multiple of %lld up to %d", (long long)warp, MAX_THREADS);
  if (kernel->num_results)
    return ir_op_error(kernel, "is a kernel that gives tensors; 'bufferize' must come before 'distribute'");
  for (const ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op))
    if (!check_op(op, &check))
      return false;
  distributor d = {.module = module,
                   .threads = threads,
                   .warp = warp,
                   .facts = facts,
                   .at = ir_builder_before(kernel),
                   .lanes = ir_value_map_create(module)};
  for (const ir_op *op = ir_next_inside(kernel, kernel); op; op = ir_next_inside(kernel, op)) {
    const ir_type *type = op->code == OP_MEMREF_ALLOCA ? op->results[0].type : NULL;
    if (type && type->space == IR_SPACE_WORKGROUP && ir_type_is_static(type))
      d.kept_bytes += (uint64_t)ir_type_bytes(type);
  }
  ir_op *made = recreate(&d, kernel, NULL, NULL);
  const ir_block *body = ir_region(kernel, 0);
  for (unsigned i = 0; i < body->num_args; i++)
    ir_value_map_set(d.lanes, body->args[i], ir_block_add_arg(ir_region(made, 0), body->args[i]->type));
  d.at.block = ir_region(made, 0);
  d.at.before = NULL;
  d.thread = distribute_thread_id(&d);
  d.entry = ir_builder_before(d.thread->op);
  if (facts->warpgroup)
    d.first = distribute_exchange(&d, d.thread, "shuffle_mode idx", ir_const(&d.at, ir_type_scalar(module, IR_I32), 0));
  if (!distribute_block(&d, body, ir_region(made, 0), kernel))
    return false;
  ir_op_erase(kernel);
  if (ir_contains(made, OP_NVGPU_MMA_SYNC)) /* factors are in registers, more than several blocks have */
    ir_attr_set(made, "tec.blocks", ir_attr_i64(module, 1));
  distribute_barriers(made);
  return true;
}

/* Kernels that ask for the number of the lane are at the LANE stage already. */
static bool visit(ir_op *kernel, const pass_options *options) {
  if (ir_attr_get(kernel, PASS_BY_ELEMENT)) {
    distributor d = {.module = kernel->module, .facts = options->target};
    return distribute_elements(&d, kernel);
  }
  int64_t threads = ir_attr_int_or(kernel, "tec.threads", 0);
  return !threads || ir_contains(kernel, OP_GPU_THREAD_ID) || distribute_kernel(kernel, threads, options->target);
}

bool pass_distribute(ir_module *module, const pass_options *options) {
  if (!options->target || !options->target->warp)
    return ir_error(module, (ir_loc){0}, "pass 'distribute' is for targets with lanes");
  return pass_visit_kernels(module, options, visit);
}
