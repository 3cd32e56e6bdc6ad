/* build.h - short ways to create the ops that passes create most. All take their place and location from the builder.
 *
 * ir_index is an index that is either a constant (value == NULL) or an SSA value of type index; arithmetic on it folds
 * constants and otherwise creates affine.apply / affine.min / affine.max, so offsets stay analysable. */
#ifndef TEC_IR_BUILD_H
#define TEC_IR_BUILD_H
#include "ir.h"

typedef struct ir_index {
  ir_value *value;
  int64_t constant;
} ir_index;

static inline ir_index ir_index_const(int64_t constant) { return (ir_index){.constant = constant}; }
/* A value that is an arith.constant becomes a constant. */
ir_index ir_index_of(ir_value *value);
static inline bool ir_index_is_const(ir_index x, int64_t constant) { return !x.value && x.constant == constant; }
static inline bool ir_index_equal(ir_index a, ir_index b) {
  return a.value == b.value && (a.value || a.constant == b.constant);
}
/* The constant; IR_DYNAMIC for a value. */
static inline int64_t ir_index_static(ir_index x) { return x.value ? IR_DYNAMIC : x.constant; }
/* As an SSA value: creates an arith.constant for constants. */
ir_value *ir_index_value(ir_builder *builder, ir_index x);
/* map(operands): one result; folds when all operands are constant, composes with affine.apply producers. */
ir_index ir_index_apply(ir_builder *builder, const ir_expr *expr, unsigned num_dims, const ir_index *dims);
ir_index ir_index_add(ir_builder *builder, ir_index a, ir_index b);
ir_index ir_index_sub(ir_builder *builder, ir_index a, ir_index b);
ir_index ir_index_mul(ir_builder *builder, ir_index a, ir_index b); /* one side constant, or arith.muli */
ir_index ir_index_scale(ir_builder *builder, ir_index a, int64_t factor);
ir_index ir_index_min(ir_builder *builder, ir_index a, ir_index b);
ir_index ir_index_max(ir_builder *builder, ir_index a, ir_index b);
/* b > 0 */
ir_index ir_index_ceildiv(ir_builder *builder, ir_index a, int64_t b);
ir_index ir_index_floordiv(ir_builder *builder, ir_index a, int64_t b);
ir_index ir_index_mod(ir_builder *builder, ir_index a, int64_t b);
/* A number that the index is never below, by what is known of loops and of affine maps; INT64_MIN if there is none. */
int64_t ir_index_least(ir_index x);
/* The same from above: INT64_MAX if there is none. */
int64_t ir_index_most(ir_index x);
/* The integer is what its op computes of its operands as numbers of any size: nothing has wrapped around, no bit was
 * lost, by what is known of the same. */
bool ir_is_exact(const ir_value *value);
/* At least, and at most; INT64_MIN and INT64_MAX where there are no such bounds. */
typedef struct ir_range {
  int64_t low, high;
} ir_range;
/* That of an expression of loops, which go round so often, and do; of what may not fit in 64 bits there is none. */
ir_range ir_expr_range(const ir_expr *expr, const int64_t *extents);
/* A number that divides the index, by what is known of the same; 0 for the constant 0, which everything divides. */
uint64_t ir_index_divisor(ir_index x);
/* The value is an index, or an integer as wide: casts between these change nothing. */
static inline bool ir_is_index_wide(const ir_value *value) {
  return value->type->kind == IR_TYPE_SCALAR && (value->type->element == IR_INDEX || value->type->element == IR_I64);
}
/* a / b, rounded down; b > 0. */
static inline int64_t ir_floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }
/* The extent of a dim of a tensor or memref value: a constant where the type knows it, else tensor.dim / memref.dim. */
ir_index ir_dim(ir_builder *builder, ir_value *value, unsigned dim);
/* The op is a tensor.dim or memref.dim of a dim that its value has, and that is known when compiling. */
bool ir_is_dim(const ir_op *op, unsigned *dim);
/* That of a loop of a structured op, of the operand that ir_loop_extent finds. */
ir_index ir_loop_dim(ir_builder *builder, const ir_op *op, unsigned loop);

/* Offsets, sizes and strides of extract_slice, insert_slice, subview: entry `i` of operand group `group`, whose static
 * values stand in the attribute `name`. */
ir_index ir_mixed(const ir_op *op, unsigned group, const char *name, unsigned i);
/* The extents of the op's result: what its type shows, and for the dynamic ones, in order, operands from `first`. */
void ir_spelled_extents(const ir_op *op, unsigned first, ir_index *extents);
/* So many elements a tensor.pad puts before those of the dim (side 0), or behind them (1). */
static inline ir_index ir_padding(const ir_op *pad, unsigned side, unsigned dim) {
  return ir_mixed(pad, 1 + side, side ? "static_high" : "static_low", dim);
}
/* The other way round: adds the indices that are values to `operands`, those of the spec, as operand group `group`, and
 * gives the attribute with all others. */
const ir_attr *ir_add_mixed(ir_module *module, ir_op_spec *spec, ir_value **operands, unsigned group, unsigned count,
                            const ir_index *indices);
/* What such an op takes of each dim. */
typedef struct ir_slice {
  unsigned rank;
  ir_index offsets[IR_MAX_RANK], sizes[IR_MAX_RANK], strides[IR_MAX_RANK];
} ir_slice;

ir_slice ir_slice_of(const ir_op *op);

/* The range of a loop. */
typedef struct ir_bounds {
  ir_index lower, upper, step;
} ir_bounds;

/* That of an scf.for, or of loop `dim` of an scf.forall. */
ir_bounds ir_bounds_of(const ir_op *loop, unsigned dim);

/* The value counts a loop of an scf.for or scf.forall: its range. */
bool ir_induction(const ir_value *value, ir_bounds *bounds);

/* All of the indices are that constant. */
bool ir_indices_are(unsigned count, const ir_index *indices, int64_t constant);

bool ir_slice_has_unit_strides(const ir_slice *slice);
/* The dims of the larger side of a slice that its smaller side, of that type, has kept, in order: fills kept[], returns
 * how many there are. A size that is spelled 1 can have been dropped, one that only turns out to be 1 is kept. */
unsigned ir_slice_kept_dims(const ir_op *slice, const ir_type *type, unsigned *kept);
/* Same offsets, sizes and strides: in one dim of each, and in all; and of two such ops. */
bool ir_slice_dim_equal(const ir_slice *a, unsigned i, const ir_slice *b, unsigned k);
bool ir_slices_equal(const ir_slice *a, const ir_slice *b);
bool ir_slice_equal(const ir_op *a, const ir_op *b);

ir_value *ir_const_index(ir_builder *builder, int64_t value);
/* arith.constant. */
ir_value *ir_constant(ir_builder *builder, const ir_type *type, const ir_attr *value);
/* A splat in a scalar or static shaped type: of the cell, or of `value` (rounded, or converted for integers). */
ir_value *ir_splat(ir_builder *builder, const ir_type *type, ir_cell cell);
ir_value *ir_const(ir_builder *builder, const ir_type *type, double value);
bool ir_value_constant(const ir_value *value, const ir_attr **attr);
/* The value is a constant, or a splat of one, scalar or shaped (linalg.fill and vector.broadcast of one included). */
bool ir_value_splat(const ir_value *value, ir_cell *cell);
/* Both compute the same of their arguments and of what comes from outside; neither has ops with regions. */
bool ir_same_body(const ir_block *a, const ir_block *b);
/* That number is 0. */
bool ir_value_is_zero(const ir_value *value);

/* The result of an op with that one, whose operand groups follow from the number of operands (see ir_op_spec); `type`
 * is NULL where it is inferred. */
ir_value *ir_create(ir_builder *builder, ir_opcode code, const ir_type *type, unsigned num_operands,
                    ir_value *const *operands, unsigned num_attrs, const ir_named_attr *attrs);
ir_value *ir_unary(ir_builder *builder, ir_opcode code, ir_value *x, const ir_type *result);
ir_value *ir_binary(ir_builder *builder, ir_opcode code, ir_value *lhs, ir_value *rhs); /* result type of lhs */
/* Predicates of arith.cmpi, and of arith.cmpf, as MLIR numbers them. */
typedef enum ir_predicate {
  IR_EQUAL,
  IR_NOT_EQUAL,
  IR_SIGNED_LESS,
  IR_SIGNED_LESS_EQUAL,
  IR_SIGNED_GREATER,
  IR_SIGNED_GREATER_EQUAL,
  IR_UNSIGNED_LESS,
  IR_UNSIGNED_LESS_EQUAL,
  IR_UNSIGNED_GREATER,
  IR_UNSIGNED_GREATER_EQUAL,
  IR_ORDERED_EQUAL = 1,
  IR_ORDERED_GREATER = 2,
  IR_ORDERED_GREATER_EQUAL = 3,
  IR_ORDERED_LESS = 4,
  IR_ORDERED_LESS_EQUAL = 5,
  IR_UNORDERED_GREATER = 9,
  IR_UNORDERED_GREATER_EQUAL = 10,
  IR_UNORDERED_LESS = 11,
  IR_UNORDERED_LESS_EQUAL = 12,
  IR_UNORDERED_NOT_EQUAL = 13,
} ir_predicate;
/* Of a comparison. */
ir_predicate ir_predicate_of(const ir_op *op);
/* What holds of integers where that predicate does not. */
ir_predicate ir_predicate_opposite(ir_predicate predicate);
/* The same of signed integers. */
ir_predicate ir_predicate_signed(ir_predicate predicate);
/* The op by which a vector.contract or vector.multi_reduction combines elements: what its `kind` (add without one) does
 * to their type; 0, which no verified op has, where that is nothing. And the kind of which that is the op, or NULL. */
ir_opcode ir_combine_of(const ir_op *op);
const char *ir_combine_kind(ir_opcode code);
/* arith.cmpi or arith.cmpf. */
ir_value *ir_compare(ir_builder *builder, ir_opcode code, ir_predicate predicate, ir_value *lhs, ir_value *rhs);
ir_value *ir_select(ir_builder *builder, ir_value *condition, ir_value *yes, ir_value *no);
/* linalg.index, in the body of a structured op. */
ir_value *ir_loop_index(ir_builder *builder, unsigned loop);
/* Widens or narrows between scalar types, or vectors of one shape; the value itself if the type fits. Integers are
 * taken as signed. */
ir_value *ir_convert(ir_builder *builder, ir_value *x, const ir_type *type);

ir_value *ir_empty(ir_builder *builder, ir_scalar element, unsigned rank, const ir_index *shape);
ir_value *ir_fill(ir_builder *builder, ir_value *scalar, ir_value *out);
/* With the number, in the type of its elements. */
ir_value *ir_fill_const(ir_builder *builder, double number, ir_value *out);
/* Unit strides; the result has the full rank unless `type` (may be NULL) drops unit dims. */
ir_value *ir_extract_slice(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes,
                           const ir_type *type);
/* Of full rank, elements `steps` apart. */
ir_value *ir_extract_strided(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes,
                             const ir_index *steps);
/* The result shows the dims that `type` does. */
ir_value *ir_extract_part(ir_builder *builder, ir_value *source, const ir_slice *part, const ir_type *type);
/* The element at subscripts that are expressions of those dims. */
ir_value *ir_extract_at(ir_builder *builder, ir_value *tensor, const ir_expr *const *subscripts, unsigned num_dims,
                        const ir_index *dims);
ir_value *ir_insert_slice(ir_builder *builder, ir_value *source, ir_value *into, const ir_index *offsets,
                          const ir_index *sizes);
ir_value *ir_insert_part(ir_builder *builder, ir_value *source, ir_value *into, const ir_slice *part);
/* tensor.parallel_insert_slice, for the region of scf.forall.in_parallel. */
void ir_parallel_insert_slice(ir_builder *builder, ir_value *source, ir_value *into, const ir_index *offsets,
                              const ir_index *sizes);
/* memref.subview of all dims; or of elements `steps` apart (NULL: next to each other) that shows only the dims `kept`,
 * in order: all others have the size 1. */
ir_value *ir_subview(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes);
ir_value *ir_subview_of_dims(ir_builder *builder, ir_value *source, const ir_index *offsets, const ir_index *sizes,
                             const ir_index *steps, unsigned num_kept, const unsigned *kept);
/* vector.extract of one iteration of the outermost dim. */
ir_value *ir_vector_row(ir_builder *builder, ir_value *vector, int64_t row);
/* vector.extract_strided_slice along the outermost dim. */
ir_value *ir_vector_slice(ir_builder *builder, ir_value *vector, int64_t first, int64_t count);
/* memref.load, or vector.load of a vector (NULL: no vector); memref.store or vector.store where there is a value. */
ir_op *ir_access(ir_builder *builder, const ir_type *vector, ir_value *memory, ir_value *const *indices,
                 ir_value *stored);
/* vector.transfer_read of the type `vector` from base[indices], with `value` as padding (NULL: 0), or .transfer_write
 * of `value`, which has that type: its dim i lies along dim dims[i] of the base (NULL: the last ones), and surely ends
 * in there where in_bounds[i] (NULL: all do). */
ir_op *ir_transfer(ir_builder *builder, ir_opcode code, const ir_type *vector, ir_value *value, ir_value *base,
                   ir_value *const *indices, const unsigned *dims, const bool *in_bounds);
/* A structured op of the row: `ins` then `outs`; tensor results follow from outs; the body is built from the row. */
ir_op *ir_structured(ir_builder *builder, ir_opcode code, unsigned num_ins, ir_value *const *ins, unsigned num_outs,
                     ir_value *const *outs, unsigned num_attrs, const ir_named_attr *attrs);
/* A linalg.generic without body: its block has one scalar argument a operand; the caller fills it up to
 * linalg.yield. */
ir_op *ir_generic(ir_builder *builder, unsigned num_ins, ir_value *const *ins, unsigned num_outs, ir_value *const *outs,
                  const ir_map *const *maps, unsigned num_loops, uint32_t reductions);
/* From 2 to IR_MOST_STACKED tensors of one type as one, with a dim that numbers them before their dim `dim`, or behind
 * the last: a linalg.generic that chooses each element by that number. */
enum { IR_MOST_STACKED = 4 };
ir_value *ir_stack(ir_builder *builder, unsigned dim, unsigned count, ir_value *const *parts);
/* Creates the terminator `code` (linalg.yield, scf.yield, func.return, ..) at the builder's place. */
ir_op *ir_terminator(ir_builder *builder, ir_opcode code, unsigned count, ir_value *const *values);
/* tensor.collapse_shape, or that of a memref: counts[d] neighbouring dims become dim d of the type. */
ir_value *ir_collapse(ir_builder *builder, ir_value *value, const ir_type *type, const unsigned *counts);
/* The neighbours, up to before `end`, of the wider side of such an op, or of a tensor.expand_shape or that of a memref,
 * that are dim `i` of the other side. */
typedef struct ir_dims {
  unsigned first, end;
} ir_dims;
ir_dims ir_dims_of(const ir_op *reshape, unsigned i);
/* How many those of each dim are. */
void ir_merged_counts(const ir_op *reshape, unsigned *counts);
/* A memref of rank 1 as one of that shape, row-major. */
ir_value *ir_rows_of(ir_builder *builder, ir_value *flat, unsigned rank, const int64_t *shape);
/* tensor.expand_shape: dim d of the value becomes counts[d] of the `rank` dims of these sizes. */
ir_value *ir_expand(ir_builder *builder, ir_value *value, unsigned rank, const ir_index *sizes, const unsigned *counts);
/* scf.for with an empty body: block arguments are the induction variable, then the carried values. */
ir_op *ir_for(ir_builder *builder, ir_index from, ir_index to, ir_index step, unsigned num_inits,
              ir_value *const *inits);
/* scf.if with empty branches, and a result of that type; NULL: with none. */
ir_op *ir_if(ir_builder *builder, ir_value *condition, const ir_type *result);
/* Ends the empty region of a loop or branch that carries nothing; what is built then goes before that. */
ir_builder ir_inside(ir_op *op, unsigned region);
/* An scf.for that carries nothing: its counter. The builder goes on inside. */
ir_index ir_enter_for(ir_builder *builder, ir_index from, ir_index to, int64_t step);
/* scf.forall with an empty body: block arguments are an induction variable a loop, then the shared outputs. */
ir_op *ir_forall(ir_builder *builder, unsigned num_loops, const ir_index *from, const ir_index *to,
                 const ir_index *step, unsigned num_outs, ir_value *const *outs);
/* scf.forall.in_parallel, which ends such a body; what is built then goes into it. */
ir_builder ir_in_parallel(ir_builder *builder);
#endif
