/* ocloc.h - Intel's offline compiler. */
#ifndef TEC_TOOLS_OCLOC_H
#define TEC_TOOLS_OCLOC_H
#include "runtime/tec.h"

/* Machine code for a chip, "pvc", from SPIR-V. *binary is the caller's to tec_free. Errors are reported. */
tec_status ocloc_compile(tec_context *context, const char *chip, const char *code, size_t size, char **binary,
                         size_t *binary_size);
#endif
