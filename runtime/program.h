/* program.h - how the entry points of a GPU program are run: launches of kernels, with sizes computed from the extents
 * of the arguments. A GPU backend fills one program_routine an entry point; program_create copies it, program files
 * hold it, kernel_device.c runs it. (Host programs have none: their code does all this.) Plain data and what its
 * operations do, no dependencies.
 *
 * Sizes. `values` is straight-line code over 64-bit integers, evaluated once a call: value i is an operation on values
 * before it. Whatever needs a size names a value. A value is *undefined* after overflow, after division by a divisor
 * that is not positive, or when an operand is; PROGRAM_SELECT only looks at what it selects. Undefined values do no
 * harm until something that runs needs one: then the call fails.
 *
 * A call evaluates the values; `misfit` must be 0; results get their extents; `workspace_bytes` of device memory,
 * 128-byte aligned, are provided; the launches run in order, each after all before it. A launch with an empty grid is
 * left out. */
#ifndef TEC_RUNTIME_PROGRAM_H
#define TEC_RUNTIME_PROGRAM_H
#include <stdbool.h>
#include <stdint.h>

/* What an undefined value is evaluated to. */
#define PROGRAM_UNDEFINED INT64_MIN

typedef enum program_operation {
  PROGRAM_CONSTANT, /* `constant` */
  PROGRAM_EXTENT, /* extent number `constant`: all extents of all arguments one after the other, static ones included */
  PROGRAM_ADD,
  PROGRAM_SUB,
  PROGRAM_MUL,
  PROGRAM_FLOORDIV, /* rounds down */
  PROGRAM_CEILDIV,  /* rounds up */
  PROGRAM_MOD,      /* of floordiv: never negative */
  PROGRAM_MIN,      /* of conditions: and */
  PROGRAM_MAX,      /* of conditions: or */
  PROGRAM_EQUAL,    /* conditions are 1 or 0 */
  PROGRAM_LESS,
  PROGRAM_SELECT,  /* operand 0 != 0 ? operand 1 : operand 2 */
  PROGRAM_INTEGER, /* what argument number `constant`, an integer scalar, is */
  PROGRAM_NUM_OPERATIONS
} program_operation;

/* Of two values, for the operations that have two. */
static inline int64_t program_operate(program_operation operation, int64_t lhs, int64_t rhs) {
  int64_t result, rest = rhs > 0 ? lhs % rhs : 0;
  bool divides = operation == PROGRAM_FLOORDIV || operation == PROGRAM_CEILDIV || operation == PROGRAM_MOD;
  if (lhs == PROGRAM_UNDEFINED || rhs == PROGRAM_UNDEFINED || (divides && rhs <= 0))
    return PROGRAM_UNDEFINED;
  switch (operation) {
  case PROGRAM_ADD:
    return __builtin_add_overflow(lhs, rhs, &result) ? PROGRAM_UNDEFINED : result;
  case PROGRAM_SUB:
    return __builtin_sub_overflow(lhs, rhs, &result) ? PROGRAM_UNDEFINED : result;
  case PROGRAM_MUL:
    return __builtin_mul_overflow(lhs, rhs, &result) ? PROGRAM_UNDEFINED : result;
  case PROGRAM_FLOORDIV:
    return lhs / rhs - (rest < 0);
  case PROGRAM_CEILDIV:
    return lhs / rhs + (rest > 0);
  case PROGRAM_MOD:
    return rest < 0 ? rest + rhs : rest;
  case PROGRAM_MIN:
    return lhs < rhs ? lhs : rhs;
  case PROGRAM_MAX:
    return lhs > rhs ? lhs : rhs;
  case PROGRAM_EQUAL:
    return lhs == rhs;
  case PROGRAM_LESS:
    return lhs < rhs;
  default:
    return PROGRAM_UNDEFINED;
  }
}

typedef struct program_value {
  program_operation operation;
  int64_t constant;     /* of the first two operations and PROGRAM_INTEGER */
  uint32_t operands[3]; /* of the others: numbers of values before this one */
} program_value;

typedef enum program_argument_kind {
  PROGRAM_TENSOR,    /* the address of tensor `tensor`, plus `value` bytes */
  PROGRAM_WORKSPACE, /* the address of the workspace, plus `value` bytes */
  PROGRAM_SIZE,      /* `value` itself, 64 bits */
  PROGRAM_SCALAR,    /* what is in the scalar `tensor`, in as many bytes as its type has */
  PROGRAM_NUM_ARGUMENT_KINDS
} program_argument_kind;

/* One parameter of a kernel. */
typedef struct program_argument {
  program_argument_kind kind;
  uint32_t tensor; /* an argument of the entry point or, after these, a result */
  uint32_t value;
} program_argument;

typedef struct program_launch {
  const char *kernel;    /* its name in the program's code */
  uint32_t grid[3];      /* values: blocks along x, y, z */
  uint32_t block[3];     /* threads along x, y, z; at least 1 each */
  uint32_t shared_bytes; /* dynamic shared memory of a block */
  uint32_t num_arguments;
  const program_argument *arguments;
} program_launch;

typedef struct program_routine {
  uint32_t num_values;
  const program_value *values;
  uint32_t misfit; /* a value: 0 when the shapes of the arguments fit together, else as in tec_host_shapes */
  uint32_t num_extents;
  const uint32_t *extents;  /* values: all extents of all results, static ones included */
  uint32_t workspace_bytes; /* a value */
  uint32_t num_launches;
  const program_launch *launches;
} program_routine;
#endif
