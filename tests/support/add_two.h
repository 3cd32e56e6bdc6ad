/* add_two.h - what all devices of GPU programs must do, on stand-ins for their drivers, shown by one program: its
 * kernel, launched twice over a vector, adds 1. */
#ifndef TEC_TESTS_ADD_TWO_H
#define TEC_TESTS_ADD_TWO_H
#include "runtime/tec.h"
#include "tests/support/messages.h"
#include "tests/support/stand_in.h"

/* A device, and what is particular to it. */
typedef struct add_two_device {
  const char *name, *target;    /* of the device and its programs */
  const char *library, *symbol; /* the stand-in for its driver; its state, which starts with a stand_in */
  size_t state_size;
  uint32_t shared_bytes;                          /* that kernels may ask for at launch */
  void (*assert_nothing_held)(const void *state); /* fails the test if the driver has given out what is not back */
  const char *code, *fault;                       /* of the kernel "add_one"; a piece of the message about a fault */
  const char *unseen;                             /* the function that may fail without a message; NULL: none */
} add_two_device;

/* How the kernel is launched; 0 and NULL stand for what works. */
typedef struct add_two_kernel {
  const char *name, *code;
  size_t size;                  /* of the code; 0: up to its NUL */
  uint32_t items, shared_bytes; /* of a work-group or block; 32 items are what adds 1 to the whole vector */
} add_two_kernel;

/* The SPIR-V module with the kernel "add_one", with room for more words behind it; the caller frees it. */
char *add_two_spirv(size_t *size);
/* The state of the stand-in; the library stays loaded. */
void *add_two_driver(const add_two_device *device);
/* A program of one f32 vector and one result of its length, by way of a workspace. */
tec_program *add_two_program(tec_context *context, const add_two_device *device, const add_two_kernel *kernel);
/* Calls it on 0, 1, .. count - 1, in the memory of `place`; count <= 100. *result may come from an earlier call. */
tec_status add_two_call(tec_program *program, int64_t count, DLDevice place, DLManagedTensor **result);
/* Calls it on as many numbers in the host's memory and fails the test if a result is wrong. */
void add_two_check(tec_program *program, int64_t count, const messages *kept, DLManagedTensor **result);

/* Calls it twice, and once for nothing: the kernel runs in order, memory is kept from call to call and goes back at the
 * end, and the device's clock says `seconds`. Returns the state of the stand-in, which knows the last launch. */
const void *add_two_runs(const add_two_device *device, tec_context_options options, double seconds);
/* Fails the first call of the driver, then the second, and so on through loading and two calls of the program: each
 * gives one error, holds nothing, and the next call works. There must be more than `least` such calls. */
void add_two_faults(const add_two_device *device, unsigned least);
/* The program is refused with one message that contains `message`, and nothing is held. */
void add_two_refused(const add_two_device *device, tec_context_options options, const add_two_kernel *kernel,
                     const char *message);
#endif
