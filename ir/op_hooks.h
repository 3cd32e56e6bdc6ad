/* op_hooks.h - the hook functions that the IR columns of op.def name; internal to ir/. */
#ifndef TEC_IR_OP_HOOKS_H
#define TEC_IR_OP_HOOKS_H
#include "ir.h"
#include "interp_internal.h"

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
bool verify_call(const ir_op *op);
bool verify_for(const ir_op *op);
bool verify_forall(const ir_op *op);
bool verify_func(const ir_op *op);
bool verify_if(const ir_op *op);
bool verify_in_parallel(const ir_op *op);
bool verify_transform_fuse(const ir_op *op);
bool verify_transform_match(const ir_op *op);
bool verify_transform_sequence(const ir_op *op);
bool verify_transform_target(const ir_op *op);

/* verify_gpu.c */
bool verify_async_copy(const ir_op *op);
bool verify_async_group(const ir_op *op);
bool verify_async_wait(const ir_op *op);
bool verify_ldmatrix(const ir_op *op);
bool verify_mma_sync(const ir_op *op);
bool verify_dpas(const ir_op *op);
bool verify_subgroup_reduce(const ir_op *op);
bool verify_block_load(const ir_op *op);
bool verify_warpgroup_mma(const ir_op *op);
bool verify_warpgroup_wait(const ir_op *op);
bool verify_prefetch(const ir_op *op);
bool verify_shuffle(const ir_op *op);
bool verify_thread_id(const ir_op *op);
bool infer_async_token(const ir_op *op, const ir_type **types);
bool infer_shuffle(const ir_op *op, const ir_type **types);

/* verify_scalar.c */
bool verify_affine(const ir_op *op);
bool verify_cast(const ir_op *op);
bool verify_compare(const ir_op *op);
bool verify_constant(const ir_op *op);
bool verify_float(const ir_op *op);
bool verify_float_operand(const ir_op *op);
bool verify_integer(const ir_op *op);
bool verify_integer_power(const ir_op *op);
bool verify_select(const ir_op *op);
bool infer_as_first(const ir_op *op, const ir_type **types);
bool infer_as_second(const ir_op *op, const ir_type **types);
bool infer_as_third(const ir_op *op, const ir_type **types);
bool infer_compare(const ir_op *op, const ir_type **types);
bool infer_element(const ir_op *op, const ir_type **types);
bool infer_index(const ir_op *op, const ir_type **types);

/* attention.c */
bool verify_attention(const ir_op *op);
bool verify_attention_index(const ir_op *op);

/* torch.c */
bool verify_scan(const ir_op *op);
bool verify_scatter(const ir_op *op);
bool verify_sort(const ir_op *op);

/* verify_structured.c */
/* Static extents agree along each loop of the structure, subscripts stay in bounds. */
bool verify_loop_extents(const ir_op *op, const ir_structure *structure);
/* The ops of a body are free of effects. */
bool verify_body_ops(const ir_block *body);
bool verify_linalg_index(const ir_op *op);
bool verify_softmax(const ir_op *op);

/* verify_tensor.c */
bool verify_allocation(const ir_op *op);
bool verify_assert(const ir_op *op);
bool verify_collapse_shape(const ir_op *op);
bool verify_concat(const ir_op *op);
bool verify_dealloc(const ir_op *op);
bool verify_dim(const ir_op *op);
bool verify_extract_pointer(const ir_op *op);
bool verify_element_read(const ir_op *op);
bool verify_element_write(const ir_op *op);
bool verify_expand_shape(const ir_op *op);
bool verify_computed_shape(const ir_op *op);
bool verify_extract_slice(const ir_op *op);
bool verify_from_elements(const ir_op *op);
bool verify_generate(const ir_op *op);
bool verify_get_global(const ir_op *op);
bool verify_global(const ir_op *op);
bool verify_insert_slice(const ir_op *op);
bool verify_memref_copy(const ir_op *op);
bool verify_to_tensor(const ir_op *op);
bool verify_materialize(const ir_op *op);
bool verify_pad(const ir_op *op);
bool verify_parallel_insert_slice(const ir_op *op);
bool verify_shape_knowledge(const ir_op *op);
bool verify_tensor_splat(const ir_op *op);

/* verify_tile.c */
bool verify_tile_load(const ir_op *op);
bool verify_tile_mulf(const ir_op *op);
bool verify_tile_store(const ir_op *op);
bool verify_tile_zero(const ir_op *op);

/* verify_vector.c */
bool verify_create_mask(const ir_op *op);
bool verify_gather(const ir_op *op);
bool verify_to_layout(const ir_op *op);
bool verify_insert_strided_slice(const ir_op *op);
bool verify_multi_reduction(const ir_op *op);
bool verify_transfer_read(const ir_op *op);
bool verify_transfer_write(const ir_op *op);
bool verify_vector_broadcast(const ir_op *op);
bool verify_vector_contract(const ir_op *op);
bool verify_vector_elements(const ir_op *op);
bool verify_vector_insert(const ir_op *op);
bool verify_vector_load(const ir_op *op);
bool verify_vector_shape_cast(const ir_op *op);
bool verify_vector_bitcast(const ir_op *op);
bool infer_vector_interleave(const ir_op *op, const ir_type **types);
bool infer_vector_deinterleave(const ir_op *op, const ir_type **types);
bool verify_vector_step(const ir_op *op);
bool verify_vector_store(const ir_op *op);
bool infer_strided_slice(const ir_op *op, const ir_type **types);
bool infer_vector_extract(const ir_op *op, const ir_type **types);
bool infer_vector_transpose(const ir_op *op, const ir_type **types);
/* syntax_*.c: the textual form where no format can describe it */
#define SYNTAX(NAME)                                                                                                   \
  bool parse_##NAME(ir_parser *parser, ir_draft *draft);                                                               \
  void print_##NAME(ir_printer *printer, const ir_op *op);
SYNTAX(module)
SYNTAX(function)
SYNTAX(constant)
SYNTAX(compare)
SYNTAX(select)
SYNTAX(affine)
SYNTAX(structured)
SYNTAX(generic_linalg)
SYNTAX(payload)
SYNTAX(extension)
SYNTAX(for)
SYNTAX(forall)
SYNTAX(in_parallel)
SYNTAX(if)
SYNTAX(reshape)
SYNTAX(pad)
SYNTAX(generate)
SYNTAX(contract)
SYNTAX(global)
SYNTAX(sequence)
SYNTAX(match)
SYNTAX(fuse_ext)
#undef SYNTAX
bool parse_transfer_read(ir_parser *parser, ir_draft *draft);
bool parse_transfer_write(ir_parser *parser, ir_draft *draft);
void print_transfer(ir_printer *printer, const ir_op *op);
void print_softmax(ir_printer *printer, const ir_op *op);

/* fold.c */
ir_value *fold_binary(ir_builder *builder, ir_op *op);
ir_value *fold_select(ir_builder *builder, ir_op *op);
ir_value *fold_compare_choice(ir_builder *builder, ir_op *op);
ir_value *fold_cast(ir_builder *builder, ir_op *op);
ir_value *fold_concat(ir_builder *builder, ir_op *op);
ir_value *fold_reshape(ir_builder *builder, ir_op *op);
ir_value *fold_computed_shape(ir_builder *builder, ir_op *op);
ir_value *fold_transpose(ir_builder *builder, ir_op *op);
ir_value *fold_broadcast(ir_builder *builder, ir_op *op);
ir_value *fold_vector_extract(ir_builder *builder, ir_op *op);
ir_value *fold_extract_slice(ir_builder *builder, ir_op *op);
ir_value *fold_insert_slice(ir_builder *builder, ir_op *op);

/* fold_affine.c */
ir_value *fold_affine(ir_builder *builder, ir_op *op);
ir_value *fold_compare(ir_builder *builder, ir_op *op);
ir_value *fold_quotient(ir_builder *builder, ir_op *op);
ir_value *fold_extremum(ir_builder *builder, ir_op *op);
#endif
