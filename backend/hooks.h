/* hooks.h - the functions that the EMIT columns of ir/op.def name. */
#ifndef TEC_BACKEND_HOOKS_H
#define TEC_BACKEND_HOOKS_H
#include "backend/llvm.h"

/* control.c */
emit_op_hook emit_affine_apply, emit_affine_max, emit_affine_min, emit_call, emit_for, emit_forall, emit_if,
    emit_by_target;

/* arith.c */
emit_op_hook emit_constant_op;
emit_piece_hook emit_addf, emit_addi, emit_andi, emit_bitcast, emit_ceildivsi, emit_ceildivui, emit_cmpf, emit_cmpi,
    emit_divf, emit_divsi, emit_divui, emit_extf, emit_extsi, emit_extui, emit_floordivsi, emit_fptosi, emit_fptoui,
    emit_maximumf, emit_maxnumf, emit_maxsi, emit_maxui, emit_minimumf, emit_minnumf, emit_minsi, emit_minui, emit_mulf,
    emit_muli, emit_negf, emit_ori, emit_remsi, emit_remui, emit_select, emit_shli, emit_shrsi, emit_shrui, emit_sitofp,
    emit_subf, emit_subi, emit_truncf, emit_uitofp, emit_xori;

/* math.c */
emit_piece_hook emit_absf, emit_absi, emit_acos, emit_asin, emit_atan, emit_atan2, emit_cbrt, emit_ceil, emit_cos,
    emit_cosh, emit_erf, emit_erfc, emit_exp, emit_exp2, emit_expm1, emit_floor, emit_trunc, emit_round, emit_roundeven,
    emit_copysign, emit_fpowi, emit_fma_op, emit_isfinite, emit_isinf, emit_isnan, emit_log, emit_log10, emit_log1p,
    emit_log2, emit_powf, emit_remf, emit_rsqrt, emit_sin, emit_sinh, emit_sqrt, emit_tan, emit_tanh;

/* memory.c */
emit_op_hook emit_alloc, emit_alloca_op, emit_collapse_shape, emit_copy, emit_dealloc, emit_expand_shape, emit_gather,
    emit_get_global, emit_memref_cast, emit_memref_dim, emit_extract_pointer, emit_memref_load, emit_memref_store,
    emit_subview, emit_transfer_read, emit_transfer_write, emit_vector_load, emit_vector_store;

/* tile.c */
emit_op_hook emit_tile_load, emit_tile_mulf, emit_tile_store, emit_tile_zero;

/* contract.c */
emit_op_hook emit_contract;

/* vector.c */
emit_op_hook emit_broadcast, emit_create_mask, emit_deinterleave, emit_extract, emit_extract_strided_slice, emit_insert,
    emit_insert_strided_slice, emit_interleave, emit_multi_reduction, emit_shape_cast, emit_shuffle_op,
    emit_vector_bitcast, emit_step_op, emit_transpose_op, emit_vector_elements;
#endif
