/* op_hooks.h - the hook functions that the IR columns of op.def name; internal to ir/. */
#ifndef TEC_IR_OP_HOOKS_H
#define TEC_IR_OP_HOOKS_H
#include "ir.h"
#include "interp_internal.h"

typedef bool ir_verify_hook(const ir_op *op);
typedef bool ir_infer_hook(const ir_op *op, const ir_type **types);
typedef ir_value *ir_fold_hook(ir_builder *builder, ir_op *op);
typedef bool ir_parse_hook(ir_parser *parser, ir_draft *draft);
typedef void ir_print_hook(ir_printer *printer, const ir_op *op);

/* structured.c: loops and maps that depend on attributes */
const ir_structure *structure_maps(const ir_op *op);      /* indexing_maps, iterator_types where given */
const ir_structure *structure_reduce(const ir_op *op);    /* dimensions are reductions */
const ir_structure *structure_broadcast(const ir_op *op); /* dimensions are absent from the input */
const ir_structure *structure_transpose(const ir_op *op); /* permutation */
const ir_structure *structure_map(const ir_op *op);       /* identity everywhere */
const ir_structure *structure_softmax(const ir_op *op);   /* dimension is a reduction */
const ir_structure *structure_diag(const ir_op *op);
const ir_structure *structure_layout(const ir_op *op); /* linalg_ext.batch_matmul */

/* verify_calls.c: not of one op, but of all calls of a module that is valid otherwise */
bool verify_call_graph(ir_module *module);

/* verify_control.c */
ir_verify_hook verify_call, verify_for, verify_forall, verify_func, verify_if, verify_in_parallel,
    verify_transform_fuse, verify_transform_match, verify_transform_sequence, verify_transform_target;

/* verify_gpu.c */
ir_verify_hook verify_async_copy, verify_async_group, verify_async_wait, verify_ldmatrix, verify_mma_sync, verify_dpas,
    verify_subgroup_reduce, verify_block_load, verify_warpgroup_mma, verify_warpgroup_wait, verify_prefetch,
    verify_shuffle, verify_thread_id;
ir_infer_hook infer_async_token, infer_shuffle;

/* verify_scalar.c */
ir_verify_hook verify_affine, verify_cast, verify_compare, verify_constant, verify_float, verify_float_operand,
    verify_integer, verify_integer_power, verify_select;
ir_infer_hook infer_as_first, infer_as_second, infer_as_third, infer_compare, infer_element, infer_index;

/* attention.c, torch.c */
ir_verify_hook verify_attention, verify_attention_index, verify_scan, verify_scatter, verify_sort;

/* verify_structured.c */
/* Static extents agree along each loop of the structure, subscripts stay in bounds. */
bool verify_loop_extents(const ir_op *op, const ir_structure *structure);
/* The ops of a body are free of effects. */
bool verify_body_ops(const ir_block *body);
ir_verify_hook verify_linalg_index, verify_softmax;

/* verify_tensor.c */
ir_verify_hook verify_allocation, verify_assert, verify_collapse_shape, verify_concat, verify_dealloc, verify_dim,
    verify_extract_pointer, verify_element_read, verify_element_write, verify_expand_shape, verify_computed_shape,
    verify_extract_slice, verify_from_elements, verify_generate, verify_get_global, verify_global, verify_insert_slice,
    verify_memref_copy, verify_to_tensor, verify_materialize, verify_pad, verify_parallel_insert_slice,
    verify_shape_knowledge, verify_tensor_splat;

/* verify_tile.c */
ir_verify_hook verify_tile_load, verify_tile_mulf, verify_tile_store, verify_tile_zero;

/* verify_vector.c */
ir_verify_hook verify_create_mask, verify_gather, verify_to_layout, verify_insert_strided_slice, verify_multi_reduction,
    verify_transfer_read, verify_transfer_write, verify_vector_broadcast, verify_vector_contract,
    verify_vector_elements, verify_vector_insert, verify_vector_load, verify_vector_shape_cast, verify_vector_bitcast,
    verify_vector_step, verify_vector_store;
ir_infer_hook infer_vector_interleave, infer_vector_deinterleave, infer_vector_shuffle, infer_strided_slice,
    infer_vector_extract, infer_vector_transpose;

/* syntax_*.c: the textual form where no format can describe it */
ir_parse_hook parse_module, parse_function, parse_constant, parse_select, parse_affine, parse_structured,
    parse_generic_linalg, parse_payload, parse_extension, parse_for, parse_forall, parse_if, parse_contract,
    parse_global, parse_sequence, parse_fuse_ext, complete_expand_shape, complete_transfer_read,
    complete_transfer_write;
ir_print_hook print_module, print_function, print_constant, print_select, print_affine, print_structured,
    print_generic_linalg, print_payload, print_extension, print_for, print_forall, print_if, print_contract,
    print_global, print_sequence, print_fuse_ext, print_softmax;
const char *implied_transfer(const ir_op *op);

/* fold.c */
ir_fold_hook fold_binary, fold_select, fold_compare_choice, fold_cast, fold_concat, fold_reshape, fold_computed_shape,
    fold_transpose, fold_broadcast, fold_vector_extract, fold_extract_slice, fold_insert_slice;

/* fold_affine.c */
ir_fold_hook fold_affine, fold_compare, fold_quotient, fold_extremum;
#endif
