/* text.h - text to modules and back, and the checks between. */
#ifndef TEC_IR_TEXT_H
#define TEC_IR_TEXT_H
#include "ir.h"

/* Parses `text` (`size` bytes, named `name` in diagnostics) into the module's root, pretty and generic form alike, and
 * verifies it. False after reported errors; the module is then only good for ir_module_destroy. */
bool ir_parse(ir_module *module, const char *name, const char *text, size_t size);

typedef struct ir_print_options {
  bool generic; /* the generic form of every op */
} ir_print_options;

/* The module as text; from malloc, the caller frees. `size` may be NULL. NULL when out of memory. */
char *ir_print_module(const ir_module *module, const ir_print_options *options, size_t *size);
/* Types and attributes as text in the module's arena, for diagnostics. */
const char *ir_print_type(ir_module *module, const ir_type *type);
const char *ir_print_attr(ir_module *module, const ir_attr *attr);

/* Checks every op against its row and hooks, and that all are legal in `stages` (ir_stage bits; 0: any). Reports all
 * errors found in one walk; false if there were any. */
bool ir_verify(ir_module *module, unsigned stages);
#endif
