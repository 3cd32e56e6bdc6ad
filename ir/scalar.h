/* scalar.h - the hooks `scalar` and `undefined` of the elementwise rows of op.def.
 *
 * A hook sees one element of each operand: floats as double, all other types sign-extended to 64 bits (so a true i1 is
 * -1). It returns the exact or double-precision value; the caller rounds it to the result type (ir_scalar_round) or
 * wraps it (ir_scalar_wrap). No hook traps: where LLVM has poison (shifts by the width or more, float to integer out of
 * range) the value is 0 or saturates, and where it has undefined behaviour the row's `undefined` tells so
 * beforehand. */
#ifndef TEC_IR_SCALAR_H
#define TEC_IR_SCALAR_H
#include "ir.h"

typedef ir_cell ir_scalar_hook(const ir_op *op, const ir_cell *operands);

ir_scalar_hook scalar_addf, scalar_subf, scalar_mulf, scalar_divf, scalar_remf, scalar_maximumf, scalar_minimumf,
    scalar_maxnumf, scalar_minnumf, scalar_negf;
ir_scalar_hook scalar_addi, scalar_subi, scalar_muli, scalar_divsi, scalar_divui, scalar_remsi, scalar_remui,
    scalar_floordivsi, scalar_ceildivsi, scalar_ceildivui, scalar_andi, scalar_ori, scalar_xori, scalar_shli,
    scalar_shrsi, scalar_shrui, scalar_maxsi, scalar_maxui, scalar_minsi, scalar_minui;
ir_scalar_hook scalar_cmpf, scalar_cmpi, scalar_select;
ir_scalar_hook scalar_copy, scalar_zero_extend, scalar_sitofp, scalar_uitofp, scalar_fptosi, scalar_fptoui,
    scalar_bitcast;
ir_scalar_hook scalar_exp, scalar_exp2, scalar_expm1, scalar_log, scalar_log2, scalar_log10, scalar_log1p, scalar_tanh,
    scalar_sinh, scalar_cosh, scalar_sin, scalar_cos, scalar_tan, scalar_asin, scalar_acos, scalar_atan, scalar_atan2,
    scalar_cbrt, scalar_erfc, scalar_isnan, scalar_isinf, scalar_isfinite, scalar_sqrt, scalar_rsqrt, scalar_absf,
    scalar_erf, scalar_floor, scalar_ceil, scalar_trunc, scalar_round, scalar_roundeven, scalar_copysign, scalar_powf,
    scalar_fma, scalar_fpowi, scalar_absi;

/* The reason why the op has no value for these operands, or NULL. */
const char *undefined_quotient(const ir_op *op, const ir_cell *operands);          /* signed */
const char *undefined_unsigned_quotient(const ir_op *op, const ir_cell *operands); /* unsigned */
#endif
