/* test_bufferize.c - what must hold of memory in every bufferized program, over random ones: arguments are read-
 * only, each allocation is given back once in its own block, and views and scratch are all that is left of tensors.
 * Then the same once scratch is shared, and how much is left of it. */
#include "ir/text.h"
#include "passes/memory.h"
#include "passes/pass.h"
#include "tests/support/generate.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUM_SEEDS = 60 };

static void show(void *user, ir_severity severity, const char *text) {
  if (severity == IR_ERROR)
    fprintf(stderr, "%s", text);
}

typedef struct findings {
  unsigned num_inputs, allocations, releases, misplaced, written_inputs, tensors;
} findings;

static void check_write(findings *found, const ir_value *memref) {
  memref = view_root(memref);
  bool is_constant = memref->op && memref->op->code == OP_MEMREF_GET_GLOBAL;
  found->written_inputs += is_constant || (!memref->op && memref->index < found->num_inputs);
}

static bool inspect(ir_op *op, void *data) {
  findings *found = data;
  for (unsigned i = 0; i < op->num_operands; i++)
    found->tensors += ir_operand(op, i)->type->kind == IR_TYPE_TENSOR;
  for (unsigned i = 0; i < op->num_results; i++)
    found->tensors += ir_result(op, i)->type->kind == IR_TYPE_TENSOR;
  if (ir_op_has(op, IR_DPS))
    for (unsigned i = 0; i < ir_num_inits(op); i++)
      check_write(found, ir_init(op, i));
  switch (op->code) {
  case OP_MEMREF_COPY:
  case OP_MEMREF_STORE:
    check_write(found, ir_operand(op, 1));
    break;
  case OP_MEMREF_ALLOC:
    found->allocations++;
    break;
  case OP_MEMREF_DEALLOC:
    found->releases++;
    found->misplaced += !ir_operand(op, 0)->op || ir_operand(op, 0)->op->block != op->block;
    break;
  default:
    break;
  }
  return true;
}

/* Returns the number of allocations. `facts` may be NULL: then small scratch is on the stack. */
static unsigned check_passes(const char *list, const target_facts *facts, uint64_t seed,
                             const generate_options *options) {
  generated_program program;
  cr_assert(generate_program(seed, options, &program));
  ir_module *module = ir_module_create(show, NULL);
  cr_assert(ir_parse(module, "program", program.text, program.size), "seed %u", (unsigned)seed);
  pass_options passes = {.target = facts, .verify = true, .fuse = true};
  cr_assert(pass_run(module, list, &passes), "seed %u:\n%s", (unsigned)seed, program.text);
  findings found = {.num_inputs = program.num_arguments};
  ir_op *function = ir_module_lookup(module, "main");
  cr_assert_eq(ir_region(function, 0)->num_args, program.num_arguments + program.num_results);
  ir_walk(ir_region(function, 0), inspect, &found);
  cr_expect_eq(found.tensors, 0, "seed %u", (unsigned)seed);
  cr_expect_eq(found.written_inputs, 0, "seed %u writes an input", (unsigned)seed);
  cr_expect_eq(found.allocations, found.releases, "seed %u", (unsigned)seed);
  cr_expect_eq(found.misplaced, 0, "seed %u", (unsigned)seed);
  ir_module_destroy(module);
  free(program.text);
  return found.allocations;
}

static void check_seed(uint64_t seed, const generate_options *options) {
  check_passes("shapes,decompose-softmax,bufferize", NULL, seed, options);
}

Test(bufferize, random_programs) {
  for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++)
    check_seed(seed, &(generate_options){0});
}

Test(bufferize, dynamic_extents) {
  for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++)
    check_seed(seed, &(generate_options){.dynamic = true});
}

Test(bufferize, half_precision) {
  for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++)
    check_seed(seed, &(generate_options){.element = "f16"});
}

Test(bufferize, shared_memory) {
  unsigned before = 0, after = 0;
  target_facts facts;
  cr_assert(target_find("nvptx:sm_80", &facts));
  for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++) {
    const generate_options options = {.dynamic = seed % 2};
    before += check_passes("shapes,decompose-softmax,bufferize", &facts, seed, &options);
    after += check_passes("shapes,decompose-softmax,bufferize,share-memory", &facts, seed, &options);
  }
  cr_assert_lt(after, before);
}

/* Bytes that the allocations of a function ask for. */
static bool add_bytes(ir_op *op, void *data) {
  if (op->code == OP_MEMREF_ALLOC || op->code == OP_MEMREF_ALLOCA) {
    const ir_type *type = ir_result(op, 0)->type;
    *(int64_t *)data += ir_type_num_elements(type) * (ir_scalar_bits(type->element) / 8);
  }
  return true;
}

/* Two rows of statistics a query and one tile of scores: nothing grows with queries times keys. */
Test(bufferize, fused_attention_needs_tiles_only) {
  static const char text[] =
      "func.func @attention(%q: tensor<64x16xf32>, %k: tensor<16x512xf32>, %v: tensor<512x16xf32>) -> "
      "tensor<64x16xf32> {\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %low = arith.constant 0xFF800000 : f32\n"
      "  %es = tensor.empty() : tensor<64x512xf32>\n"
      "  %er = tensor.empty() : tensor<64xf32>\n"
      "  %eo = tensor.empty() : tensor<64x16xf32>\n"
      "  %max = linalg.fill ins(%low : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>\n"
      "  %sum = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>\n"
      "  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<64x512xf32>) -> tensor<64x512xf32>\n"
      "  %o0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<64x16xf32>) -> tensor<64x16xf32>\n"
      "  %s = linalg.matmul ins(%q, %k : tensor<64x16xf32>, tensor<16x512xf32>) outs(%s0 : tensor<64x512xf32>) -> "
      "tensor<64x512xf32>\n"
      "  %p:4 = linalg_ext.softmax dimension(1) ins(%s : tensor<64x512xf32>) outs(%es, %max, %sum, %er : "
      "tensor<64x512xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) : tensor<64x512xf32>, tensor<64xf32>, "
      "tensor<64xf32>, tensor<64xf32>\n"
      "  %o = linalg.matmul {__root__} ins(%p#0, %v : tensor<64x512xf32>, tensor<512x16xf32>) outs(%o0 : "
      "tensor<64x16xf32>) -> tensor<64x16xf32>\n"
      "  return %o : tensor<64x16xf32>\n"
      "}\n"
      "transform.sequence failures(propagate) {\n"
      "^bb0(%m: !transform.any_op):\n"
      "  %r = transform.structured.match attributes{\"__root__\"} in %m : (!transform.any_op) -> !transform.any_op\n"
      "  %t, %l:2 = transform.structured.fuse_ext %r {tile_sizes = [8, 0, 32], tile_interchange = [2, 1, 0]}\n"
      "}\n";
  ir_module *module = ir_module_create(show, NULL);
  cr_assert(ir_parse(module, "attention", text, sizeof text - 1));
  pass_options passes = {.verify = true, .fuse = true};
  cr_assert(pass_run(module, "transform,simplify,decompose-softmax,simplify,bufferize", &passes));
  int64_t bytes = 0;
  ir_walk(ir_region(module->root, 0), add_bytes, &bytes);
  cr_assert_eq(bytes, (64 + 64 + 8 * 32 + 8) * 4);
  ir_module_destroy(module);
}

/* However long a chain of products is, only one factor and one result are needed at a time. */
Test(bufferize, chains_need_two_buffers) {
  enum { LENGTH = 7, EXTENT = 192 };
  char text[4096];
  int size = snprintf(text, sizeof text,
                      "func.func @chain(%%v0: tensor<192x192xf32>) -> "
                      "tensor<192x192xf32> {\n");
  for (int i = 0; i < LENGTH; i++)
    size += snprintf(text + size, sizeof text - (size_t)size,
                     "%%e%d = tensor.empty() : tensor<192x192xf32>\n"
                     "%%v%d = linalg.matmul ins(%%v%d, %%v0 : tensor<192x192xf32>, tensor<192x192xf32>) "
                     "outs(%%e%d : tensor<192x192xf32>) -> tensor<192x192xf32>\n",
                     i, i + 1, i, i);
  size += snprintf(text + size, sizeof text - (size_t)size, "return %%v%d : tensor<192x192xf32>\n}\n", LENGTH);
  ir_module *module = ir_module_create(show, NULL);
  cr_assert(ir_parse(module, "chain", text, (size_t)size));
  pass_options passes = {.verify = true, .fuse = true};
  cr_assert(pass_run(module, "bufferize,share-memory", &passes));
  int64_t bytes = 0;
  ir_walk(ir_region(module->root, 0), add_bytes, &bytes);
  cr_assert_eq(bytes, 2 * EXTENT * EXTENT * 4);
  ir_module_destroy(module);
}
