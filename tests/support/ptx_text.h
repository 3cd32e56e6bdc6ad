/* ptx_text.h - for the tests of the PTX emulator. */
#ifndef TEC_TESTS_PTX_TEXT_H
#define TEC_TESTS_PTX_TEXT_H
#include <stdint.h>

/* ptxas accepts the text, or is not here; otherwise the test ends. */
void check_with_ptxas(const char *text);
/* The bits of a whole number from -4 to 4 in a type that PTX has. */
uint32_t encode(const char *type, int value);
#endif
