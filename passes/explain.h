/* explain.h - says in words what became of a module's functions (explain.c). */
#ifndef TEC_PASSES_EXPLAIN_H
#define TEC_PASSES_EXPLAIN_H
#include "ir/ir.h"

#include <stdio.h>

/* Describes each public function of a scheduled module: its kernels, what each computes and from which lines, and what
 * passes through memory between them. False when writing failed. */
bool explain_write(FILE *out, ir_module *module);
#endif
