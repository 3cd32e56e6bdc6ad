/* printer.h - what the parts of the printer, and the syntax hooks of single ops, share; internal to ir/.
 *
 * Text goes to one growing buffer. When memory runs out, the printer goes on without writing and the result is NULL. */
#ifndef TEC_IR_PRINTER_H
#define TEC_IR_PRINTER_H
#include "ir.h"

/* Text. */
void print_text(ir_printer *printer, const char *text);
void print_format(ir_printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_integer(ir_printer *printer, int64_t value);
/* ", " before all but the first (i == 0) element of a list. */
void print_separator(ir_printer *printer, unsigned i);
/* " {" .. "}" with the ops of the region: `label` shows its arguments as ^bb0(..), and its terminator is left out when
 * it has no operands and is `implied`. */
void print_region(ir_printer *printer, const ir_block *block, bool label, ir_opcode implied);
/* Makes the names of the region known before it is printed: for ops that show its arguments in their header. Follow it
 * with print_region of the same block. */
void print_enter_region(ir_printer *printer, const ir_block *block);

/* Parts. Lists are separated by ", ". */
void print_value(ir_printer *printer, const ir_value *value);
void print_operands(ir_printer *printer, const ir_op *op);
void print_operand_types(ir_printer *printer, const ir_op *op);
/* %a: T, .. */
void print_arguments(ir_printer *printer, const ir_block *block);
void print_group(ir_printer *printer, const ir_op *op, unsigned group);
void print_group_types(ir_printer *printer, const ir_op *op, unsigned group);
void print_type(ir_printer *printer, const ir_type *type);
void print_result_types(ir_printer *printer, const ir_op *op);
/* " -> T" or " -> (T, T)"; nothing without results. */
void print_arrow_results(ir_printer *printer, const ir_op *op);
/* " -> (T, ..)", as the loops of scf have it. */
void print_arrow_tuple(ir_printer *printer, const ir_op *op);
void print_attr(ir_printer *printer, const ir_attr *attr);
/* name = attribute, or just the name of a unit attribute. */
void print_entry(ir_printer *printer, const ir_named_attr *entry);
/* affine_map<..>, and the alias that was defined for it, or NULL. */
void print_map(ir_printer *printer, const ir_map *map);
const char *print_map_alias(const ir_printer *printer, const ir_map *map);
/* dense<..>, with its type where `typed`. */
void print_dense(ir_printer *printer, const ir_attr *attr, bool typed);
void print_symbol(ir_printer *printer, const char *name);
/* [1, 2] of an integer array attribute, or [] when it is absent. */
void print_ints(ir_printer *printer, const ir_op *op, const char *name);
void print_mixed(ir_printer *printer, const ir_op *op, const char *open, const char *close, unsigned group,
                 const char *name);
/* " {..}" with the op's attributes but those in the blank-separated list and the format; nothing when none is left.
 * `before` is put in front of it. */
void print_attr_dict(ir_printer *printer, const ir_op *op, const char *elided, const char *before);
/* iterator_types = ["parallel", ..] */
void print_iterator_types(ir_printer *printer, const ir_op *op);
#endif
