/* hooks.h - the functions that the EMIT columns of ir/op.def name. */
#ifndef TEC_BACKEND_HOOKS_H
#define TEC_BACKEND_HOOKS_H
#include "backend/llvm.h"

#define OP_HOOK(NAME) bool NAME(emitter *e, const ir_op *op)
#define PIECE_HOOK(NAME) LLVMValueRef NAME(emitter *e, const ir_op *op, const LLVMValueRef *x)

/* control.c */
OP_HOOK(emit_affine_apply);
OP_HOOK(emit_affine_max);
OP_HOOK(emit_affine_min);
OP_HOOK(emit_call);
OP_HOOK(emit_for);
OP_HOOK(emit_forall);
OP_HOOK(emit_if);
OP_HOOK(emit_by_target);

/* arith.c */
OP_HOOK(emit_constant_op);
PIECE_HOOK(emit_addf);
PIECE_HOOK(emit_addi);
PIECE_HOOK(emit_andi);
PIECE_HOOK(emit_bitcast);
PIECE_HOOK(emit_ceildivsi);
PIECE_HOOK(emit_cmpf);
PIECE_HOOK(emit_cmpi);
PIECE_HOOK(emit_divf);
PIECE_HOOK(emit_divsi);
PIECE_HOOK(emit_divui);
PIECE_HOOK(emit_extf);
PIECE_HOOK(emit_extsi);
PIECE_HOOK(emit_extui);
PIECE_HOOK(emit_floordivsi);
PIECE_HOOK(emit_fptosi);
PIECE_HOOK(emit_fptoui);
PIECE_HOOK(emit_maximumf);
PIECE_HOOK(emit_maxnumf);
PIECE_HOOK(emit_maxsi);
PIECE_HOOK(emit_maxui);
PIECE_HOOK(emit_minimumf);
PIECE_HOOK(emit_minnumf);
PIECE_HOOK(emit_minsi);
PIECE_HOOK(emit_minui);
PIECE_HOOK(emit_mulf);
PIECE_HOOK(emit_muli);
PIECE_HOOK(emit_negf);
PIECE_HOOK(emit_ori);
PIECE_HOOK(emit_remsi);
PIECE_HOOK(emit_remui);
PIECE_HOOK(emit_select);
PIECE_HOOK(emit_shli);
PIECE_HOOK(emit_shrsi);
PIECE_HOOK(emit_shrui);
PIECE_HOOK(emit_sitofp);
PIECE_HOOK(emit_subf);
PIECE_HOOK(emit_subi);
PIECE_HOOK(emit_truncf);
PIECE_HOOK(emit_uitofp);
PIECE_HOOK(emit_xori);

/* math.c */
PIECE_HOOK(emit_absf);
PIECE_HOOK(emit_absi);
PIECE_HOOK(emit_acos);
PIECE_HOOK(emit_asin);
PIECE_HOOK(emit_atan);
PIECE_HOOK(emit_atan2);
PIECE_HOOK(emit_cbrt);
PIECE_HOOK(emit_ceil);
PIECE_HOOK(emit_cos);
PIECE_HOOK(emit_cosh);
PIECE_HOOK(emit_erf);
PIECE_HOOK(emit_erfc);
PIECE_HOOK(emit_exp);
PIECE_HOOK(emit_exp2);
PIECE_HOOK(emit_expm1);
PIECE_HOOK(emit_floor);
PIECE_HOOK(emit_trunc);
PIECE_HOOK(emit_round);
PIECE_HOOK(emit_roundeven);
PIECE_HOOK(emit_copysign);
PIECE_HOOK(emit_fpowi);
PIECE_HOOK(emit_fma_op);
PIECE_HOOK(emit_isfinite);
PIECE_HOOK(emit_isinf);
PIECE_HOOK(emit_isnan);
PIECE_HOOK(emit_log);
PIECE_HOOK(emit_log10);
PIECE_HOOK(emit_log1p);
PIECE_HOOK(emit_log2);
PIECE_HOOK(emit_powf);
PIECE_HOOK(emit_remf);
PIECE_HOOK(emit_rsqrt);
PIECE_HOOK(emit_sin);
PIECE_HOOK(emit_sinh);
PIECE_HOOK(emit_sqrt);
PIECE_HOOK(emit_tan);
PIECE_HOOK(emit_tanh);

/* memory.c */
OP_HOOK(emit_alloc);
OP_HOOK(emit_alloca_op);
OP_HOOK(emit_collapse_shape);
OP_HOOK(emit_copy);
OP_HOOK(emit_dealloc);
OP_HOOK(emit_expand_shape);
OP_HOOK(emit_gather);
OP_HOOK(emit_get_global);
OP_HOOK(emit_memref_cast);
OP_HOOK(emit_memref_dim);
OP_HOOK(emit_extract_pointer);
OP_HOOK(emit_memref_load);
OP_HOOK(emit_memref_store);
OP_HOOK(emit_subview);
OP_HOOK(emit_transfer_read);
OP_HOOK(emit_transfer_write);
OP_HOOK(emit_vector_load);
OP_HOOK(emit_vector_store);

/* tile.c */
OP_HOOK(emit_tile_load);
OP_HOOK(emit_tile_mulf);
OP_HOOK(emit_tile_store);
OP_HOOK(emit_tile_zero);

/* vector.c */
OP_HOOK(emit_broadcast);
OP_HOOK(emit_contract);
OP_HOOK(emit_create_mask);
OP_HOOK(emit_deinterleave);
OP_HOOK(emit_extract);
OP_HOOK(emit_extract_strided_slice);
OP_HOOK(emit_insert);
OP_HOOK(emit_insert_strided_slice);
OP_HOOK(emit_interleave);
OP_HOOK(emit_multi_reduction);
OP_HOOK(emit_shape_cast);
OP_HOOK(emit_vector_bitcast);
OP_HOOK(emit_step_op);
OP_HOOK(emit_transpose_op);
OP_HOOK(emit_vector_elements);

#undef OP_HOOK
#undef PIECE_HOOK
#endif
