/* distribute_shuffle.c - values that other lanes of the warp have.
 *
 * In a shuffle every lane offers one register and chooses the lane whose offer it takes. Which register of which lane
 * has the element that a lane wants in one of its registers follows from the two layouts: both are functions of its
 * coordinates. Where lanes want different registers of those they take from, there is one shuffle for each, and a lane
 * keeps the one that it wanted; where that would be too many, the value goes through shared memory instead.
 * Terminates: loops over registers and lanes. */
#include "passes/distribute.h"

#include <string.h>

enum { MAX_OFFERS = 4 }; /* shuffles for one register: more cost more than shared memory */

ir_value *distribute_exchange(distributor *d, ir_value *value, const char *mode, ir_value *lane) {
  const ir_type *type = value->type, *word = ir_type_scalar(d->module, IR_I32);
  if (type->element == IR_INDEX || type->element == IR_I1)
    value = ir_convert(&d->at, value, ir_type_scalar(d->module, type->element == IR_INDEX ? IR_I64 : IR_I32));
  ir_value *operands[] = {value, lane, ir_const(&d->at, word, (double)d->warp)};
  ir_named_attr attr = {"mode", ir_attr_keyword(d->module, "gpu", mode)};
  ir_op_spec spec = {.operands = operands, .num_operands = 3, .num_results = 2, .attrs = &attr, .num_attrs = 1};
  return ir_convert(&d->at, ir_result(ir_op_create(&d->at, OP_GPU_SHUFFLE, &spec), 0), type);
}

/* The registers that lanes offer for one register of the result. */
typedef struct offers {
  unsigned count;
  int64_t registers[MAX_OFFERS];
} offers;

/* False where the element is in another warp, nowhere, or there are too many. */
static bool find_offers(const distributor *d, const layout *from, const layout *to, const int64_t *start, int64_t reg,
                        offers *found) {
  found->count = 0;
  for (int64_t thread = 0; thread < d->threads; thread++) {
    int64_t hardware[LAYOUT_NUM_LEVELS] = {
        [LAYOUT_REGISTER] = reg, [LAYOUT_LANE] = thread % d->warp, [LAYOUT_WARP] = thread / d->warp};
    int64_t coord[LAYOUT_MAX_RANK], there[LAYOUT_NUM_LEVELS], check[LAYOUT_MAX_RANK];
    layout_eval(to, hardware, coord);
    for (unsigned dim = 0; dim < to->rank; dim++)
      coord[dim] += start[dim];
    layout_invert(from, coord, there);
    layout_eval(from, there, check);
    if (memcmp(coord, check, to->rank * sizeof *coord) || there[LAYOUT_REGISTER] >= distribute_registers(from) ||
        there[LAYOUT_WARP] != distribute_significant(from, LAYOUT_WARP, thread / d->warp))
      return false;
    unsigned i = 0;
    while (i < found->count && found->registers[i] != there[LAYOUT_REGISTER])
      i++;
    if (i == MAX_OFFERS)
      return false;
    if (i == found->count)
      found->registers[found->count++] = there[LAYOUT_REGISTER];
  }
  return true;
}

/* The digit tells the registers that are offered apart. */
static bool tells_apart(const offers *found, const layout_digit *digit) {
  bool differ = false;
  for (unsigned i = 1; i < found->count; i++)
    differ |= layout_position(digit, found->registers[i]) != layout_position(digit, found->registers[0]);
  return differ;
}

/* What the coordinates of register `reg` of this lane are at a digit: its place in the hardware's index. */
static ir_index locate(distributor *d, const layout_digit *digit, const layout *to, const int64_t *start, int64_t reg) {
  ir_module *module = d->module;
  int64_t scale[LAYOUT_MAX_RANK] = {0}, coord[LAYOUT_MAX_RANK];
  distribute_coord(to, reg, coord);
  scale[digit->dim] = 1;
  /* What the digit goes round in full does not matter. */
  int64_t constant = (coord[digit->dim] + start[digit->dim]) % (digit->size * digit->dim_stride);
  ir_index x = ir_index_add(&d->at, distribute_lane_offset(d, to, scale), ir_index_const(constant));
  const ir_expr *place = ir_expr_dim(module, 0);
  place = ir_expr_by(module, IR_EXPR_FLOORDIV, place, digit->dim_stride);
  place = ir_expr_by(module, IR_EXPR_MOD, place, digit->size);
  place = ir_expr_by(module, IR_EXPR_MUL, place, digit->hardware_stride);
  return ir_index_apply(&d->at, place, 1, &x);
}

/* The element for one register. */
static ir_value *take(distributor *d, ir_value *vector, const layout *from, const layout *to, const int64_t *start,
                      int64_t reg, const offers *found) {
  ir_index lane = ir_index_const(0), wanted = lane;
  int64_t numbers[MAX_OFFERS] = {0};
  for (unsigned i = 0; i < from->num_digits; i++) {
    const layout_digit *digit = &from->digits[i];
    if (digit->dim_stride && digit->level == LAYOUT_LANE)
      lane = ir_index_add(&d->at, lane, locate(d, digit, to, start, reg));
    if (!digit->dim_stride || digit->level != LAYOUT_REGISTER || !tells_apart(found, digit))
      continue;
    wanted = ir_index_add(&d->at, wanted, locate(d, digit, to, start, reg));
    for (unsigned k = 0; k < found->count; k++)
      numbers[k] += layout_position(digit, found->registers[k]) * digit->hardware_stride;
  }
  ir_value *number = ir_index_value(&d->at, wanted), *result = NULL;
  ir_value *source = ir_convert(&d->at, ir_index_value(&d->at, lane), ir_type_scalar(d->module, IR_I32));
  for (unsigned i = 0; i < found->count; i++) {
    ir_value *offer = distribute_get(d, vector, found->registers[i]);
    ir_value *taken = distribute_exchange(d, offer, "shuffle_mode idx", source);
    if (i) {
      ir_value *own = ir_const_index(&d->at, numbers[i]);
      taken = ir_select(&d->at, ir_compare(&d->at, OP_ARITH_CMPI, IR_EQUAL, number, own), taken, result);
    }
    result = taken;
  }
  return result;
}

ir_value *distribute_shuffle(distributor *d, ir_value *vector, const layout *from, const layout *to,
                             const int64_t *start) {
  int64_t count = distribute_registers(to);
  offers *all = IR_NEW_ARRAY(&d->module->arena, offers, count);
  ir_value **registers = IR_NEW_ARRAY(&d->module->arena, ir_value *, count);
  for (int64_t r = 0; r < count; r++)
    if (!find_offers(d, from, to, start, r, &all[r]))
      return NULL;
  for (int64_t r = 0; r < count; r++)
    registers[r] = take(d, vector, from, to, start, r, &all[r]);
  return distribute_pack(d, vector->type->element, count, registers);
}
