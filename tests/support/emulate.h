/* emulate.h - runs a function whose kernels are at the LANE stage on the PTX emulator, which checks every access and
 * looks for races. A failure ends the test. */
#ifndef TEC_TESTS_EMULATE_H
#define TEC_TESTS_EMULATE_H
#include "ir/interp.h"
#include "passes/target.h"
#include "runtime/ptx.h"

enum { EMULATE_MAX_TENSORS = 8 };

/* Runs the first function of the module on the tensors, its arguments and then its results, in place. Returns the sums
 * of what its launches counted, without lines. `what` is for messages. */
ptx_report emulate(ir_module *module, const target_facts *facts, unsigned count, ir_tensor *tensors, const char *what);
#endif
