/* launch.h - the code of a function around its kernels, evaluated symbolically: sizes as values of program.h.
 *
 * What a function computes outside of kernels must be known before any kernel runs: index arithmetic over the extents
 * of the arguments, views, and memory. Each SSA value there is one of the kinds below; what is LAUNCH_UNKNOWN is no
 * error until a launch needs it. Slots are found through ir_op.mark, so two functions are evaluated one after the
 * other. */
#ifndef TEC_BACKEND_LAUNCH_H
#define TEC_BACKEND_LAUNCH_H
#include "ir/build.h"
#include "runtime/program.h"

typedef enum launch_kind { LAUNCH_UNKNOWN, LAUNCH_SIZE, LAUNCH_SCALAR, LAUNCH_MEMREF } launch_kind;

/* Numbers are of values of the routine. */
typedef struct launch_value {
  launch_kind kind;
  uint32_t size;              /* LAUNCH_SIZE */
  program_argument_kind base; /* LAUNCH_MEMREF: PROGRAM_TENSOR or PROGRAM_WORKSPACE */
  uint32_t tensor;            /* LAUNCH_SCALAR, and LAUNCH_MEMREF with PROGRAM_TENSOR */
  uint32_t offset;            /* LAUNCH_MEMREF: in bytes */
  uint32_t *dims;             /* LAUNCH_MEMREF: `rank` sizes, then `rank` strides in elements */
} launch_value;

typedef struct launch_plan {
  ir_module *module; /* its arena owns everything here */
  program_value *values;
  unsigned num_values;
  size_t values_capacity;
  launch_value *slots;
  unsigned num_slots;
  size_t slots_capacity;
  program_launch *launches;
  unsigned num_launches;
  size_t launches_capacity;
  uint32_t workspace; /* bytes so far */
  unsigned depth;     /* of calls */
} launch_plan;

/* Runs a kernel op (a top-level scf.forall): adds its launch to the plan. */
typedef bool launch_kernel(void *data, launch_plan *plan, const ir_op *op);

void launch_plan_init(launch_plan *plan, ir_module *module);
/* Evaluates a function called from outside, and all that it calls; fills the routine. */
bool launch_entry(launch_plan *plan, ir_op *function, launch_kernel *kernel, void *data, program_routine *routine);

uint32_t launch_constant(launch_plan *plan, int64_t value);
bool launch_is_constant(const launch_plan *plan, uint32_t number, int64_t *value);
/* With constants folded. */
uint32_t launch_binary(launch_plan *plan, program_operation operation, uint32_t lhs, uint32_t rhs);
const launch_value *launch_get(const launch_plan *plan, const ir_value *value);
/* A constant or an operand; false if it is not known before the launch. */
bool launch_index(launch_plan *plan, ir_index index, uint32_t *number);
void launch_add(launch_plan *plan, const program_launch *launch);
#endif
