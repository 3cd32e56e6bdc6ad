/* tec_interp.c - the reference interpreter as a device: the program's code is the text of its module, as it was written
 * where no pass has changed it, so that errors at run time show the place in the user's file.
 *
 * The target "interp:double" runs throughout in double precision and hands out float results as f64, so that nothing is
 * lost before a caller compares. Buffer arguments are rounded back to their type. */
#include "ir/interp.h"
#include "ir/text.h"
#include "runtime/tec_compiler.h"

#include <stdlib.h>
#include <string.h>

static void interp_unload(void *loaded) { ir_module_destroy(loaded); }

static tec_status interp_load(tec_program *program, void **loaded) {
  ir_module *module = ir_module_create(compiler_message, program->context);
  if (!module)
    return runtime_error(program->context, TEC_OUT_OF_MEMORY, "no address space for a module");
  if (!ir_parse(module, program->source ? program->source : "<program>", program->code, program->code_size)) {
    ir_module_destroy(module);
    return TEC_INVALID;
  }
  *loaded = module;
  return TEC_OK;
}

static int64_t count_elements(const DLTensor *tensor) {
  return runtime_num_elements(tensor->dtype, tensor->ndim, tensor->shape);
}

static void load_cells(const DLTensor *tensor, ir_tensor *cells) {
  const char *data = runtime_tensor_data(tensor);
  bool is_float = runtime_dtype_is_float(tensor->dtype);
  size_t width = tensor->dtype.bits / 8;
  /* Integers are signless: the interpreter's cells are sign-extended. */
  DLDataType dtype = tensor->dtype;
  if (dtype.code == kDLUInt)
    dtype.code = kDLInt;
  for (int64_t i = 0, count = count_elements(tensor); i < count; i++, data += width)
    if (is_float)
      cells->cells[i].f = runtime_load_float(dtype, data);
    else
      cells->cells[i].i = runtime_load_int(dtype, data);
}

static void store_cells(const ir_tensor *cells, const DLTensor *tensor) {
  char *data = runtime_tensor_data(tensor);
  bool is_float = runtime_dtype_is_float(tensor->dtype);
  size_t width = tensor->dtype.bits / 8;
  for (int64_t i = 0, count = count_elements(tensor); i < count; i++, data += width)
    if (is_float)
      runtime_store_float(tensor->dtype, data, cells->cells[i].f);
    else
      runtime_store_int(tensor->dtype, data, cells->cells[i].i);
}

static bool take_argument(const DLTensor *tensor, ir_scalar element, ir_tensor *cells) {
  cells->element = element;
  cells->rank = (unsigned)tensor->ndim;
  for (int32_t d = 0; d < tensor->ndim; d++)
    cells->shape[d] = tensor->shape[d];
  if (!ir_tensor_allocate(cells))
    return false;
  load_cells(tensor, cells);
  return true;
}

static tec_status give_results(tec_program *program, const tec_entry *entry, const ir_tensor *cells,
                               DLManagedTensor **results) {
  for (uint32_t i = 0; i < entry->num_results; i++) {
    tec_status status = call_result(program, entry, i, cells[i].shape, &results[i]);
    if (status)
      return status;
    store_cells(&cells[i], &results[i]->dl_tensor);
  }
  return TEC_OK;
}

static tec_status interpret(tec_program *program, const tec_entry *entry, const DLTensor *const *arguments,
                            DLManagedTensor **results, ir_tensor *inputs, ir_tensor *outputs) {
  ir_module *module = program->loaded;
  const ir_op *function = ir_module_lookup(module, entry->name);
  if (!function)
    return runtime_error(program->context, TEC_INVALID, "the program's text has no '%s'", entry->name);
  const ir_type *type = ir_attr_get(function, "function_type")->type;
  unsigned num_tied = 0;
  const int64_t *tied = ir_attr_i64s_of(function, "tec.tied", &num_tied);
  if (type->num_inputs != entry->num_arguments || type->num_results != entry->num_results + num_tied)
    return runtime_error(program->context, TEC_INVALID, "the program's text does not fit its entry '%s'", entry->name);
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    if (!take_argument(arguments[i], type->inputs[i]->element, &inputs[i]))
      return runtime_error(program->context, TEC_OUT_OF_MEMORY, "out of memory");
  ir_precision precision = !strcmp(program->target, "interp:double") ? IR_PRECISION_DOUBLE
                           : !strcmp(program->target, "interp:tf32") ? IR_PRECISION_TF32
                                                                     : IR_PRECISION_DECLARED;
  if (!ir_interpret(module, entry->name, precision, entry->num_arguments, inputs, type->num_results, outputs))
    return TEC_INVALID;
  for (unsigned i = 0; i < num_tied; i++) {
    ir_tensor before = inputs[tied[i]];
    inputs[tied[i]] = outputs[entry->num_results + i];
    outputs[entry->num_results + i] = before;
  }
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    if (entry->arguments[i].kind == TEC_KIND_BUFFER)
      store_cells(&inputs[i], arguments[i]);
  return give_results(program, entry, outputs, results);
}

static tec_status interp_call(tec_program *program, const tec_entry *entry, const DLTensor *const *arguments,
                              DLManagedTensor **results) {
  ir_tensor *inputs = calloc(entry->num_arguments + 1, sizeof *inputs);
  /* Results that are in memory of arguments come out behind the others. */
  ir_tensor *outputs = calloc(entry->num_results + entry->num_arguments + 1, sizeof *outputs);
  tec_status status = TEC_OUT_OF_MEMORY;
  if (inputs && outputs)
    status = interpret(program, entry, arguments, results, inputs, outputs);
  else
    runtime_error(program->context, status, "out of memory");
  for (uint32_t i = 0; inputs && i < entry->num_arguments; i++)
    ir_tensor_release(&inputs[i]);
  for (uint32_t i = 0; outputs && i < entry->num_results + entry->num_arguments; i++)
    ir_tensor_release(&outputs[i]);
  free(inputs);
  free(outputs);
  return status;
}

static const program_runner interp_runner = {.load = interp_load, .call = interp_call, .unload = interp_unload};

const runtime_device interp_device = {
    .name = "interp",
    .target = "interp",
    .reports = true,
    .doc = "the reference interpreter (--check compares with it in double precision)",
    .runner = &interp_runner,
};
