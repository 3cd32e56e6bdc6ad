/* shapes_places.c - what a shape function asks of subscripts and slices: that they lie within their tensors, as far as
 * extents, and integer arguments, tell. What it asks of one in a branch counts where that is taken, if that shows.
 *
 * Invariant: a dim is marked only if it is surely within whenever what was asked for holds.
 * Terminates: loops run over ops of a body, dims, loops and terms of a linear form; branches are left towards the
 * function. */
#include "passes/clamp.h"
#include "passes/mask.h"
#include "passes/reads.h"
#include "passes/shapes.h"

/* Sums of products of such numbers are numbers of 64 bits; they are near (mask.h). */
enum { FAR = 1 << 29 };

static bool find_number(shapes *s, ir_index index, ir_index *found) {
  *found = index;
  return !index.value || shapes_find_index(s, index.value, found);
}

/* Whether what is in the loop or the branch `around` is done at all; NULL where that is not known before the call. */
static ir_value *find_condition(shapes *s, const ir_op *around) {
  ir_index lower, upper;
  if (around->code == OP_SCF_IF)
    return shapes_find_index(s, ir_operand(around, 0), &lower) ? ir_value_map_get(s->values, ir_operand(around, 0))
                                                               : NULL;
  if (around->code != OP_SCF_FOR || !find_number(s, ir_bounds_of(around, 0).lower, &lower) ||
      !find_number(s, ir_bounds_of(around, 0).upper, &upper))
    return NULL;
  return ir_compare(&s->builder, OP_ARITH_CMPI, IR_SIGNED_LESS, ir_index_value(&s->builder, lower),
                    ir_index_value(&s->builder, upper));
}

void shapes_guard(shapes *s, const ir_op *op, ir_value *before) {
  for (ir_op *around; s->misfit != before && op != s->function; op = around) {
    around = ir_op_parent(op);
    ir_value *condition = around != s->function ? find_condition(s, around) : NULL;
    if (!condition)
      continue;
    bool first = op->block == ir_region(around, 0);
    s->misfit = ir_select(&s->builder, condition, first ? s->misfit : before, first ? before : s->misfit);
  }
}

/* Asks for a <= b, but where a loop of the op has no iterations. */
static void require_in_loops(shapes *s, const ir_op *op, ir_index a, ir_index b) {
  ir_value *before = s->misfit;
  ir_index extent;
  shapes_require(s, IR_SIGNED_LESS_EQUAL, a, b);
  for (unsigned loop = 0; s->misfit != before && loop < ir_structure_of(op)->num_loops; loop++)
    if (shapes_find_origin(s, extent_of_loop(op, loop), &extent) && (extent.value || !extent.constant)) {
      ir_value *count = ir_index_value(&s->builder, extent), *none = ir_const_index(&s->builder, 0);
      ir_value *empty = ir_compare(&s->builder, OP_ARITH_CMPI, IR_EQUAL, count, none);
      s->misfit = ir_select(&s->builder, empty, before, s->misfit);
    }
}

/* What a subscript comes to: from `first` to before `end`, or less of that where it is divided; without iterations
 * anything. */
typedef struct span {
  ir_index first, end;
} span;

static ir_index less_one(shapes *s, ir_index x) { return ir_index_add(&s->builder, x, ir_index_const(-1)); }

static ir_index and_one(shapes *s, ir_index x) { return ir_index_add(&s->builder, x, ir_index_const(1)); }

/* Sums of a few numbers of at most so many are numbers of 64 bits. */
static const int64_t most_of_span = INT64_C(1) << 58;

/* Of a number that is that far from any extent only without iterations, since sums with it may wrap around. */
static span span_of_constant(shapes *s, const ir_op *op, int64_t constant) {
  bool is_near = constant <= most_of_span && constant >= -most_of_span;
  if (!is_near)
    require_in_loops(s, op, ir_index_const(1), ir_index_const(0));
  ir_index first = ir_index_const(is_near ? constant : 0);
  return (span){first, and_one(s, first)};
}

/* Multiplied, by what is that large only if no product may wrap around. */
static void scale_span(shapes *s, const ir_op *op, int64_t by, span *found) {
  enum { LARGE = 1 << 14 };
  const int64_t most = most_of_span / (by < 0 ? -(by + 1) + 1 : by ? by : 1);
  if (by > LARGE || by < -LARGE) {
    require_in_loops(s, op, ir_index_const(-most), found->first);
    require_in_loops(s, op, less_one(s, found->end), ir_index_const(most));
  }
  ir_index first = ir_index_scale(&s->builder, found->first, by);
  ir_index last = ir_index_scale(&s->builder, less_one(s, found->end), by);
  *found = by < 0 ? (span){last, and_one(s, first)} : (span){first, and_one(s, last)};
}

static void divide_span(shapes *s, const ir_expr *division, span *found) {
  int64_t by = division->rhs->value;
  bool is_natural = !found->first.value && found->first.constant >= 0;
  switch (division->kind) {
  case IR_EXPR_FLOORDIV:
    found->first = ir_index_floordiv(&s->builder, found->first, by);
    found->end = and_one(s, ir_index_floordiv(&s->builder, less_one(s, found->end), by));
    return;
  case IR_EXPR_CEILDIV:
    found->first = ir_index_ceildiv(&s->builder, found->first, by);
    found->end = and_one(s, ir_index_ceildiv(&s->builder, less_one(s, found->end), by));
    return;
  default:
    found->first = ir_index_const(0);
    found->end = is_natural ? ir_index_min(&s->builder, found->end, ir_index_const(by)) : ir_index_const(by);
  }
}

/* False where an extent is not known before the call. */
static bool find_span(shapes *s, const ir_op *op, const ir_expr *subscript, span *found) {
  digits digits;
  ir_index extent;
  span other;
  if (recast_digits(subscript, &digits)) {
    if (!shapes_find_origin(s, extent_of_loop(op, digits.loop), &extent))
      return false;
    *found = (span){ir_index_const(0), recast_digits_end(&s->builder, &digits, extent)};
    return true;
  }
  if (subscript->kind == IR_EXPR_CONST) {
    *found = span_of_constant(s, op, subscript->value);
    return true;
  }
  bool is_sum = subscript->kind == IR_EXPR_ADD; /* others have a constant on their right */
  if (!find_span(s, op, subscript->lhs, found) || (is_sum && !find_span(s, op, subscript->rhs, &other)))
    return false;
  if (is_sum)
    *found = (span){ir_index_add(&s->builder, found->first, other.first),
                    less_one(s, ir_index_add(&s->builder, found->end, other.end))};
  else if (subscript->kind == IR_EXPR_MUL)
    scale_span(s, op, subscript->rhs->value, found);
  else
    divide_span(s, subscript, found);
  return true;
}

/* Subscripts that are no plain loops begin and end within the operand. */
void shapes_check_maps(shapes *s, const ir_op *op) {
  const ir_structure *structure = ir_structure_of(op);
  for (unsigned i = 0; i < op->num_operands; i++)
    for (unsigned dim = 0; dim < structure->maps[i]->num_results; dim++) {
      const ir_expr *subscript = structure->maps[i]->results[dim];
      ir_index extent;
      span span;
      if (subscript->kind == IR_EXPR_DIM || !shapes_find_extent(s, ir_operand(op, i), dim, &extent) ||
          !find_span(s, op, subscript, &span) || (!span.first.value && !span.end.value && !extent.value))
        continue;
      require_in_loops(s, op, ir_index_const(0), span.first);
      require_in_loops(s, op, span.end, extent);
    }
}

/* Adds what a linear form has besides loops; false, with nothing asked for, where it is not known before the call. */
static bool add_start(shapes *s, const ir_op *op, const mask_bound *form, ir_index *first, ir_index *last) {
  ir_value *before = s->misfit;
  ir_index start = ir_index_const(form->constant);
  bool known = form->constant <= FAR && form->constant >= -FAR;
  for (unsigned i = 0; known && i < form->count; i++) {
    ir_index part;
    known =
        form->coefficients[i] <= FAR && form->coefficients[i] >= -FAR && shapes_find_index(s, form->values[i], &part);
    if (known && part.value && part.value->type->element != IR_INDEX)
      part = ir_index_of(ir_unary(&s->builder, OP_ARITH_INDEX_CAST, part.value, ir_type_index(op->module)));
    if (known && s->reads_positions) { /* so that no sum of such wraps around */
      require_in_loops(s, op, ir_index_const(-FAR), part);
      require_in_loops(s, op, part, ir_index_const(FAR));
    }
    if (known)
      start = ir_index_add(&s->builder, start, ir_index_scale(&s->builder, part, form->coefficients[i]));
  }
  if (!known)
    s->misfit = before;
  *first = ir_index_add(&s->builder, *first, start);
  *last = ir_index_add(&s->builder, *last, start);
  return known;
}

/* The subscript of a read in the body of `op`, a sum of loop indices times numbers and of what is known before the
 * call, begins and ends within the dim. False where it is something else. */
static bool check_linear(shapes *s, ir_op *op, ir_value *subscript, ir_value *source, unsigned dim) {
  mask_bound form;
  ir_index extent, count, first = ir_index_const(0), last = first;
  if (!mask_linear(&form, op, subscript, s->reads_positions) || form.num_quotients || form.least || form.most ||
      !shapes_find_extent(s, source, dim, &extent))
    return false;
  for (unsigned loop = 0; loop < ir_structure_of(op)->num_loops; loop++) {
    int64_t step = form.steps[loop];
    if (step > FAR || step < -FAR || !shapes_find_origin(s, extent_of_loop(op, loop), &count) || count.constant > FAR)
      return false;
    ir_index reach = ir_index_scale(&s->builder, ir_index_add(&s->builder, count, ir_index_const(-1)), step);
    ir_index *end = step > 0 ? &last : &first;
    *end = ir_index_add(&s->builder, *end, reach);
  }
  if (!add_start(s, op, &form, &first, &last))
    return false;
  require_in_loops(s, op, ir_index_const(0), first);
  require_in_loops(s, op, last, ir_index_add(&s->builder, extent, ir_index_const(-1)));
  return true;
}

/* It is known before the call whether the op is done: at the function's top, in the body of an op there, and in
 * branches and loops of which that is known. */
static bool is_foreseen(shapes *s, const ir_op *op) {
  const ir_op *around = ir_op_parent(op);
  if (ir_op_has(around, IR_STRUCTURED))
    around = ir_op_parent(around);
  while (around != s->function && find_condition(s, around))
    around = ir_op_parent(around);
  return around == s->function;
}

/* What is read or written at a place that any may turn out to be has one. */
static void check_place(shapes *s, ir_op *op, ir_value *whole) {
  const ir_op *around = ir_op_parent(op);
  ir_index extent;
  for (unsigned dim = 0; is_foreseen(s, op) && dim < whole->type->rank; dim++)
    if (!(op->mark & ir_bit(dim)) && shapes_find_extent(s, whole, dim, &extent) && (extent.value || !extent.constant)) {
      if (ir_op_has(around, IR_STRUCTURED))
        require_in_loops(s, around, ir_index_const(1), extent);
      else
        shapes_require(s, IR_SIGNED_LESS_EQUAL, ir_index_const(1), extent);
    }
}

static bool reads_within(shapes *s, ir_op *op, ir_op *read, unsigned dim) {
  return read->mark & ir_bit(dim) ||
         clamp_is_within(ir_operand(read, 1 + dim), ir_index_const(1), ir_operand(read, 0), dim) ||
         check_linear(s, op, ir_operand(read, 1 + dim), ir_operand(read, 0), dim);
}

/* What the body reads lies within its tensor, as far as that shows. */
static void check_body(shapes *s, ir_op *op) {
  for (ir_op *read = ir_region(op, 0)->first; read; read = read->next)
    for (unsigned dim = 0; read->code == OP_TENSOR_EXTRACT && dim + 1 < read->num_operands; dim++)
      if (reads_within(s, op, read, dim))
        read->mark |= ir_bit(dim);
}

/* Reads by the indices of loops end within the tensor that is read. */
static void check_reads(shapes *s, ir_op *op) {
  read_subscript subscripts[IR_MAX_RANK];
  for (ir_op *read = ir_region(op, 0)->first; read; read = read->next) {
    if (read->code != OP_TENSOR_EXTRACT || !read_subscripts(op, read, subscripts))
      continue;
    ir_value *source = ir_operand(read, 0);
    read->mark = UINT32_MAX;
    for (unsigned dim = 0; dim < source->type->rank; dim++) {
      read_subscript at = subscripts[dim];
      ir_index last, extent, ignored;
      span span;
      if (!at.index || !shapes_find_extent(s, source, dim, &extent) || !find_span(s, op, at.index, &span) ||
          (ir_index_is_const(span.first, 0) && ir_index_equal(span.end, extent)) ||
          (at.condition && !shapes_find_index(s, at.condition, &ignored)))
        continue;
      last = span.end;
      if (at.condition) {
        ir_value *all = ir_index_value(&s->builder, last);
        ir_value *one = ir_index_value(&s->builder, ir_index_min(&s->builder, last, ir_index_const(1)));
        ir_value *repeats = ir_value_map_get(s->values, at.condition);
        last = ir_index_of(ir_select(&s->builder, repeats, at.zero_where ? one : all, at.zero_where ? all : one));
      }
      shapes_require(s, IR_SIGNED_LESS_EQUAL, ir_index_const(0), span.first);
      shapes_require(s, IR_SIGNED_LESS_EQUAL, last, extent);
    }
  }
}

/* So many elements from that position on, `step` apart, lie within the dim; of a position that is not known before the
 * call, they have a place there. Steps longer than the extent leave it like those that are as long. */
static void check_part(shapes *s, ir_op *op, ir_value *whole, unsigned dim, ir_index from, ir_index count,
                       ir_index step) {
  ir_index first, length, extent;
  if (op->mark & ir_bit(dim) || !shapes_find_extent(s, whole, dim, &extent) || !find_number(s, step, &step))
    return;
  bool is_known = find_number(s, from, &first);
  if (!find_number(s, count, &length) || (!is_known && !is_foreseen(s, op)))
    return;
  if (is_known)
    op->mark |= ir_bit(dim);
  else
    first = ir_index_const(0);
  if (!extent.value && !first.value && !length.value && !step.value)
    return;
  ir_index room = ir_index_sub(&s->builder, extent, first);
  shapes_require(s, IR_SIGNED_LESS_EQUAL, ir_index_const(0), first);
  shapes_require(s, IR_SIGNED_LESS_EQUAL, ir_index_const(0), length);
  if (!step.value) {
    shapes_require(s, IR_SIGNED_LESS_EQUAL, length, ir_index_ceildiv(&s->builder, room, step.constant));
    return;
  }
  /* As many of them as there are elements leave it as surely as more: so the product does not wrap around. */
  ir_index rest = ir_index_min(&s->builder, less_one(s, length), extent);
  ir_index reach = ir_index_mul(&s->builder, rest, ir_index_min(&s->builder, step, extent));
  ir_index none = ir_index_sub(&s->builder, ir_index_const(1), length); /* above 0 where there are no elements */
  shapes_require(s, IR_SIGNED_LESS_EQUAL, ir_index_const(0), step);
  shapes_require(s, IR_SIGNED_LESS, reach, ir_index_max(&s->builder, room, none));
}

static void check_slice(shapes *s, ir_op *op, ir_value *whole) {
  ir_slice slice = ir_slice_of(op);
  for (unsigned dim = 0; dim < slice.rank; dim++)
    check_part(s, op, whole, dim, slice.offsets[dim], slice.sizes[dim], slice.strides[dim]);
}

/* Nothing is padded by less than nothing. */
static void check_padding(shapes *s, const ir_op *op) {
  ir_index size;
  for (unsigned dim = 0; dim < ir_result(op, 0)->type->rank; dim++)
    for (unsigned side = 0; side < 2; side++)
      if (find_number(s, ir_padding(op, side, dim), &size))
        shapes_require(s, IR_SIGNED_LESS_EQUAL, ir_index_const(0), size);
}

/* What the op reads or writes lies within its tensor. Elements have a place, and lie there where integer arguments tell
 * where. */
void shapes_check_places(shapes *s, ir_op *op) {
  ir_value *before = s->misfit;
  bool inserts = op->code == OP_TENSOR_INSERT_SLICE || op->code == OP_TENSOR_INSERT;
  ir_value *whole = op->num_operands > inserts ? ir_operand(op, inserts) : NULL;
  if (ir_op_has(op, IR_STRUCTURED | IR_OWN_BODY)) {
    if (!s->reads_positions)
      check_reads(s, op);
    check_body(s, op);
  } else if (op->code == OP_TENSOR_EXTRACT_SLICE || op->code == OP_TENSOR_INSERT_SLICE) {
    check_slice(s, op, whole);
  } else if (op->code == OP_TENSOR_EXTRACT || op->code == OP_TENSOR_INSERT) {
    if (!s->reads_positions)
      check_place(s, op, whole);
    for (unsigned dim = 0; s->reads_positions && dim < whole->type->rank; dim++)
      check_part(s, op, whole, dim, ir_index_of(ir_operand(op, inserts + 1 + dim)), ir_index_const(1),
                 ir_index_const(1));
  } else if (op->code == OP_TENSOR_PAD) {
    check_padding(s, op);
  }
  shapes_guard(s, op, before);
}

/* Those at the top of the function: what is there is done in each call. */
void shapes_check_positions(shapes *s) {
  s->reads_positions = true;
  for (ir_op *op = ir_region(s->function, 0)->first; op; op = op->next) {
    s->builder.loc = op->loc;
    shapes_check_places(s, op);
  }
}
