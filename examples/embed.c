/* embed.c - the compiler inside another program: parse text, compile it, run it on tensors of one's own, read an error.
 *
 *   cc embed.c $(pkg-config --cflags --libs tec) -o embed */
#include <tec.h>

#include <stdio.h>
#include <string.h>

/* One head of attention with an unknown number of queries and keys. */
static const char text[] =
    "func.func @attention(%q: tensor<?x4xf32>, %k: tensor<4x?xf32>, %v: tensor<?x2xf32>) -> tensor<?x2xf32> {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %m = tensor.dim %q, %c0 : tensor<?x4xf32>\n"
    "  %n = tensor.dim %k, %c1 : tensor<4x?xf32>\n"
    "  %e0 = tensor.empty(%m, %n) : tensor<?x?xf32>\n"
    "  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  %s = linalg.matmul ins(%q, %k : tensor<?x4xf32>, tensor<4x?xf32>) outs(%z0 : tensor<?x?xf32>) -> "
    "tensor<?x?xf32>\n"
    "  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  %e1 = tensor.empty(%m) : tensor<?x2xf32>\n"
    "  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x2xf32>) -> tensor<?x2xf32>\n"
    "  %r = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x2xf32>) outs(%z1 : tensor<?x2xf32>) -> "
    "tensor<?x2xf32>\n"
    "  return %r : tensor<?x2xf32>\n"
    "}\n";

static void print_message(void *user, tec_severity severity, const char *message) {
  (void)severity;
  fprintf(stderr, "%s says:\n%s", (const char *)user, message);
}

/* A row-major tensor over the caller's own memory. */
static DLTensor tensor_of(float *data, int64_t *shape) {
  DLTensor tensor = {.data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
  return tensor;
}

static tec_status compile(tec_context *context, tec_program **program) {
  tec_module *module;
  tec_status status = tec_module_parse(context, "attention", text, strlen(text), &module);
  if (status)
    return status;
  tec_compile_options options = {sizeof options, .target = "host"};
  status = tec_module_compile(module, &options, program);
  tec_module_destroy(module);
  return status;
}

static tec_status run(tec_program *program) {
  /* The second key is far ahead of the others for this query, so that the result is the second value. */
  float query[1 * 4] = {1, 0, 0, 0}, key[4 * 3] = {0, 40, 0}, value[3 * 2] = {1, 2, 3, 4, 5, 6};
  int64_t query_shape[] = {1, 4}, key_shape[] = {4, 3}, value_shape[] = {3, 2}, wrong_shape[] = {2, 3};
  DLTensor tensors[] = {tensor_of(query, query_shape), tensor_of(key, key_shape), tensor_of(value, value_shape)};
  const DLTensor *arguments[] = {&tensors[0], &tensors[1], &tensors[2]};
  DLManagedTensor *result = NULL; /* NULL asks for a new tensor */
  tec_status status = tec_program_call(program, "attention", 3, arguments, 1, &result);
  if (status)
    return status;
  const float *numbers = (const float *)result->dl_tensor.data;
  printf("result: %g %g\n", (double)numbers[0], (double)numbers[1]);
  bool right = numbers[0] == 3 && numbers[1] == 4;
  tec_tensor_release(result);

  tensors[2].shape = wrong_shape; /* An error: the message goes to print_message. */
  result = NULL;
  status = tec_program_call(program, "attention", 3, arguments, 1, &result);
  return right && status == TEC_INVALID ? TEC_OK : TEC_INTERNAL;
}

int main(void) {
  tec_context_options options = {sizeof options, .message = print_message, .user = "tcc-attn"};
  tec_context *context;
  tec_program *program;
  if (tec_context_create(&options, &context))
    return 1;
  tec_status status = compile(context, &program);
  if (!status) {
    status = run(program);
    tec_program_destroy(program);
  }
  tec_context_destroy(context);
  return status ? 1 : 0;
}
