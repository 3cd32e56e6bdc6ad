/* add_two.h - a SPIR-V program for the tests of devices. */
#ifndef TEC_TESTS_ADD_TWO_H
#define TEC_TESTS_ADD_TWO_H
#include "runtime/tec.h"

/* The module with its kernel "add_one", with room for more words behind it; the caller frees it. */
char *add_two_code(size_t *size);
/* A program of one f32 vector and one result of its length, by way of a workspace, on a device: two launches of the
 * kernel with `items` work-items a work-group. */
tec_program *add_two_of(tec_context *context, const char *device, const char *kernel, uint32_t items, const char *code,
                        size_t size);
/* The same with the code as it is. */
tec_program *add_two_program(tec_context *context, const char *device, const char *kernel, uint32_t items);
/* Calls it on 0, 1, .. count - 1; count <= 100. *result may come from an earlier call. */
tec_status add_two_call(tec_program *program, int64_t count, DLManagedTensor **result);
#endif
