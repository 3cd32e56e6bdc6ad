/* run_program.c - runs a compiled program file with libtec-rt alone: no compiler, no LLVM.
 *
 *   tcc-attn compile attention.mlir -o attention.tecp
 *   cc run_program.c $(pkg-config --cflags --libs tec-rt) -o run_program
 *   ./run_program attention.tecp */
#include <tec.h>

#include <stdio.h>

enum { MAX_ARGUMENTS = 16 };

static void print_message(void *user, tec_severity severity, const char *text) {
  (void)user, (void)severity;
  fputs(text, stderr);
}

/* Calls the program's only entry point on tensors full of zeros; a real program has better ones. */
static tec_status run(tec_context *context, tec_program *program) {
  tec_entry entry;
  tec_status status = tec_program_find(program, NULL, &entry);
  if (status)
    return status;
  if (entry.num_arguments > MAX_ARGUMENTS || entry.num_results > MAX_ARGUMENTS)
    return TEC_INVALID;
  DLManagedTensor *arguments[MAX_ARGUMENTS] = {0}, *results[MAX_ARGUMENTS] = {0};
  const DLTensor *views[MAX_ARGUMENTS];
  for (uint32_t i = 0; i < entry.num_arguments && !status; i++) {
    const tec_type *type = &entry.arguments[i];
    status = tec_tensor_create(context, type->dtype, type->ndim, type->shape, &arguments[i]);
    if (!status)
      views[i] = &arguments[i]->dl_tensor;
  }
  if (!status)
    status = tec_program_call(program, entry.name, entry.num_arguments, views, entry.num_results, results);
  if (!status)
    printf("%s ran on %s\n", entry.name, tec_program_target(program));
  for (uint32_t i = 0; i < entry.num_arguments; i++)
    tec_tensor_release(arguments[i]);
  for (uint32_t i = 0; i < entry.num_results; i++)
    tec_tensor_release(results[i]);
  return status;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: run_program FILE\n");
    return 2;
  }
  tec_context_options options = {sizeof options, .message = print_message};
  tec_context *context;
  tec_program *program = NULL;
  if (tec_context_create(&options, &context))
    return 1;
  tec_status status = tec_program_load(context, arguments[1], &program);
  if (!status)
    status = run(context, program);
  tec_program_destroy(program);
  tec_context_destroy(context);
  return status ? 1 : 0;
}
