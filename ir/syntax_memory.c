/* syntax_memory.c - the textual form of reshapes, padding, transfers, contractions and globals. */
#include "op_hooks.h"
#include "parser.h"
#include "printer.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------- reshapes */

/* The output shape that older texts leave out. */
static bool draft_static_shape(ir_parser *parser, ir_draft *draft, ir_loc loc) {
  const ir_type *type = draft->types.types[0];
  if (!ir_type_is_shaped(type) || !ir_type_is_static(type))
    return parse_error_at(parser, loc, "expected 'output_shape' since the result type is not static");
  draft_attr(parser, draft, "static_output_shape", ir_attr_i64s(parser->module, type->rank, type->shape));
  return true;
}

/* tensor.expand_shape %src [[0], [1, 2]] output_shape [4, %n, 8] {..} : T into T; collapse_shape is the same without
 * output shape. */
bool parse_reshape(ir_parser *parser, ir_draft *draft) {
  bool expands = ir_info_num_groups(draft->info) == 2;
  const char *name = "reassociation";
  if (!parse_operand(parser, draft, 0) || !parse_inherent(parser, draft, name, strlen(name)))
    return false;
  if (expands && parse_accept_word(parser, "output_shape") &&
      !parse_mixed(parser, draft, '[', ']', 1, "static_output_shape"))
    return false;
  if (!parse_attr_dict(parser, draft) || !parse_expect(parser, ':') || !parse_type_of(parser, draft, 0) ||
      !parse_expect_word(parser, "into"))
    return false;
  ir_loc loc = parse_loc(parser);
  if (!parse_result_type(parser, draft))
    return false;
  return !expands || draft_find_attr(draft, "static_output_shape") || draft_static_shape(parser, draft, loc);
}

void print_reshape(ir_printer *printer, const ir_op *op) {
  print_text(printer, " ");
  print_value(printer, ir_operand(op, 0));
  print_text(printer, " ");
  print_attr(printer, ir_attr_get(op, "reassociation"));
  if (ir_attr_get(op, "static_output_shape"))
    print_mixed(printer, op, " output_shape [", "]", 1, "static_output_shape");
  print_attr_dict(printer, op, "reassociation static_output_shape", "");
  print_text(printer, " : ");
  print_type(printer, ir_operand(op, 0)->type);
  print_text(printer, " into ");
  print_result_types(printer, op);
}

/* ---------------------------------------------------------------------------------------------------------- pad */

enum { PAD_LOW = 1, PAD_HIGH };

/* tensor.pad %source nofold low[..] high[..] {^bb0(..): ..} {..} : T to T */
bool parse_pad(ir_parser *parser, ir_draft *draft) {
  if (!parse_operand(parser, draft, 0))
    return false;
  if (parse_accept_word(parser, "nofold"))
    draft_attr(parser, draft, "nofold", ir_attr_unit(parser->module));
  return parse_expect_word(parser, "low") && parse_mixed(parser, draft, '[', ']', PAD_LOW, "static_low") &&
         parse_expect_word(parser, "high") && parse_mixed(parser, draft, '[', ']', PAD_HIGH, "static_high") &&
         parse_region(parser, draft, NULL, 0) && parse_attr_dict(parser, draft) && parse_expect(parser, ':') &&
         parse_type_of(parser, draft, 0) && parse_expect_word(parser, "to") && parse_result_type(parser, draft);
}

void print_pad(ir_printer *printer, const ir_op *op) {
  print_text(printer, " ");
  print_value(printer, ir_operand(op, 0));
  if (ir_attr_get(op, "nofold"))
    print_text(printer, " nofold");
  print_mixed(printer, op, " low[", "]", PAD_LOW, "static_low");
  print_mixed(printer, op, " high[", "] ", PAD_HIGH, "static_high");
  print_region(printer, ir_region(op, 0), true, 0);
  print_attr_dict(printer, op, "nofold static_low static_high", "");
  print_text(printer, " : ");
  print_type(printer, ir_operand(op, 0)->type);
  print_text(printer, " to ");
  print_result_types(printer, op);
}

/* tensor.generate %m, %n {^bb0(..): ..} {..} : T */
bool parse_generate(ir_parser *parser, ir_draft *draft) {
  return parse_operands(parser, draft, 0) && parse_region(parser, draft, NULL, 0) && parse_attr_dict(parser, draft) &&
         parse_expect(parser, ':') && parse_result_type(parser, draft);
}

void print_generate(ir_printer *printer, const ir_op *op) {
  print_text(printer, " ");
  print_group(printer, op, 0);
  print_text(printer, op->num_operands ? " " : "");
  print_region(printer, ir_region(op, 0), true, 0);
  print_attr_dict(printer, op, "", "");
  print_text(printer, " : ");
  print_result_types(printer, op);
}

/* ---------------------------------------------------------------------------------------------------- transfers */

/* The map of a transfer that names none: the innermost dims, in order. */
static const ir_map *minor_identity(ir_module *module, unsigned num_dims, unsigned num_results) {
  unsigned dims[IR_MAX_RANK];
  for (unsigned i = 0; i < num_results; i++)
    dims[i] = num_dims - num_results + i;
  return ir_map_select(module, num_dims, num_results, dims);
}

/* Fills in the permutation map and in_bounds where they have their defaults. */
static bool draft_transfer_defaults(ir_parser *parser, ir_draft *draft, const ir_type *base, const ir_type *vector) {
  if (!ir_type_is_shaped(base) || vector->kind != IR_TYPE_VECTOR)
    return parse_error_at(parser, draft->loc, "'%s' is between a memref or tensor and a vector", draft->info->name);
  if (!draft_find_attr(draft, "permutation_map")) {
    if (vector->rank > base->rank)
      return parse_error_at(parser, draft->loc, "'%s' needs a permutation_map: the vector has more dims",
                            draft->info->name);
    const ir_map *map = minor_identity(parser->module, base->rank, vector->rank);
    draft_attr(parser, draft, "permutation_map", ir_attr_map(parser->module, map));
  }
  if (!draft_find_attr(draft, "in_bounds")) {
    const ir_attr *elements[IR_MAX_RANK];
    for (unsigned i = 0; i < vector->rank; i++)
      elements[i] = ir_attr_bool(parser->module, false);
    draft_attr(parser, draft, "in_bounds", ir_attr_array(parser->module, vector->rank, elements));
  }
  return true;
}

/* %base[%i, ..] */
static bool parse_indexed(ir_parser *parser, ir_draft *draft, unsigned base, unsigned indices) {
  return parse_operand(parser, draft, base) && parse_expect(parser, '[') && parse_operands(parser, draft, indices) &&
         parse_expect(parser, ']');
}

enum { READ_BASE, READ_INDICES, READ_PADDING, READ_MASK };

/* vector.transfer_read %base[%i, ..], %padding, %mask {..} : base type, vector type */
bool parse_transfer_read(ir_parser *parser, ir_draft *draft) {
  if (!parse_indexed(parser, draft, READ_BASE, READ_INDICES) || !parse_expect(parser, ',') ||
      !parse_operand(parser, draft, READ_PADDING))
    return false;
  if (parse_accept(parser, ',') && !parse_operand(parser, draft, READ_MASK))
    return false;
  return parse_attr_dict(parser, draft) && parse_expect(parser, ':') && parse_type_of(parser, draft, READ_BASE) &&
         parse_expect(parser, ',') && parse_result_type(parser, draft) &&
         draft_transfer_defaults(parser, draft, draft->groups[READ_BASE].values[0]->type, draft->types.types[0]);
}

enum { WRITE_VALUE, WRITE_BASE, WRITE_INDICES, WRITE_MASK };

/* vector.transfer_write %vector, %base[%i, ..], %mask {..} : vector type, base type */
bool parse_transfer_write(ir_parser *parser, ir_draft *draft) {
  if (!parse_operand(parser, draft, WRITE_VALUE) || !parse_expect(parser, ',') ||
      !parse_indexed(parser, draft, WRITE_BASE, WRITE_INDICES))
    return false;
  if (parse_accept(parser, ',') && !parse_operand(parser, draft, WRITE_MASK))
    return false;
  if (!parse_attr_dict(parser, draft) || !parse_expect(parser, ':') || !parse_type_of(parser, draft, WRITE_VALUE) ||
      !parse_expect(parser, ',') || !parse_type_of(parser, draft, WRITE_BASE))
    return false;
  const ir_type *base = draft->groups[WRITE_BASE].values[0]->type;
  if (base->kind == IR_TYPE_TENSOR)
    draft_result(parser, draft, base);
  return draft_transfer_defaults(parser, draft, base, draft->groups[WRITE_VALUE].values[0]->type);
}

/* The attributes that need not be shown, as a list for print_attr_dict. */
static const char *transfer_defaults(const ir_op *op, const ir_type *base, const ir_type *vector) {
  const ir_attr *map = ir_attr_get(op, "permutation_map"), *bounds = ir_attr_get(op, "in_bounds");
  bool default_map =
           map && vector->rank <= base->rank && map->map == minor_identity(op->module, base->rank, vector->rank),
       default_bounds = true;
  for (unsigned i = 0; bounds && i < bounds->count; i++)
    default_bounds &= !bounds->elements[i]->value;
  if (default_map)
    return default_bounds ? "permutation_map in_bounds" : "permutation_map";
  return default_bounds ? "in_bounds" : NULL;
}

void print_transfer(ir_printer *printer, const ir_op *op) {
  bool reads = op->code == OP_VECTOR_TRANSFER_READ;
  const ir_value *base = ir_operand(op, reads ? READ_BASE : WRITE_BASE);
  const ir_type *vector = reads ? ir_result(op, 0)->type : ir_operand(op, WRITE_VALUE)->type;
  print_text(printer, " ");
  if (!reads) {
    print_value(printer, ir_operand(op, WRITE_VALUE));
    print_text(printer, ", ");
  }
  print_value(printer, base);
  print_text(printer, "[");
  print_group(printer, op, reads ? READ_INDICES : WRITE_INDICES);
  print_text(printer, "]");
  for (unsigned group = reads ? READ_PADDING : WRITE_MASK; group <= READ_MASK; group++)
    if (ir_group_size(op, group)) {
      print_text(printer, ", ");
      print_group(printer, op, group);
    }
  print_attr_dict(printer, op, transfer_defaults(op, base->type, vector), "");
  print_text(printer, " : ");
  print_type(printer, reads ? base->type : vector);
  print_text(printer, ", ");
  print_type(printer, reads ? vector : base->type);
}

/* ---------------------------------------------------------------------------------------------------- contract */

/* vector.contract {indexing_maps, iterator_types, kind} %lhs, %rhs, %acc {..} : T, T into T */
bool parse_contract(ir_parser *parser, ir_draft *draft) {
  if (!parse_attr_dict(parser, draft))
    return false;
  draft_iterator_types(parser, draft, "vector.iterator_type");
  if (!draft_find_attr(draft, "kind"))
    draft_attr(parser, draft, "kind", ir_attr_keyword(parser->module, "vector.kind", "add"));
  for (unsigned i = 0; i < 3; i++)
    if ((i && !parse_expect(parser, ',')) || !parse_operand(parser, draft, i))
      return false;
  if (!parse_attr_dict(parser, draft) || !parse_expect(parser, ':') || !parse_type_of(parser, draft, 0) ||
      !parse_expect(parser, ',') || !parse_type_of(parser, draft, 1) || !parse_expect_word(parser, "into"))
    return false;
  return parse_type_of(parser, draft, 2);
}

void print_contract(ir_printer *printer, const ir_op *op) {
  print_text(printer, " {indexing_maps = ");
  print_attr(printer, ir_attr_get(op, "indexing_maps"));
  print_text(printer, ", ");
  print_iterator_types(printer, op);
  print_format(printer, ", kind = #vector.kind<%s>}", ir_attr_string_or(op, "kind", "add"));
  print_text(printer, " ");
  print_operands(printer, op);
  print_attr_dict(printer, op, "indexing_maps iterator_types kind", "");
  static const char *const words[] = {" : ", ", ", " into "};
  for (unsigned i = 0; i < 3; i++) {
    print_text(printer, words[i]);
    print_type(printer, ir_operand(op, i)->type);
  }
}

/* ------------------------------------------------------------------------------------------------------ globals */

/* memref.global "private" constant @name : memref<..> = dense<..> {..} */
bool parse_global(ir_parser *parser, ir_draft *draft) {
  size_t size;
  const char *text;
  if (parse_at(parser, LEX_STRING)) {
    if (!parse_string(parser, &text, &size))
      return false;
    draft_attr(parser, draft, "sym_visibility", ir_attr_string(parser->module, text, size));
  }
  if (parse_accept_word(parser, "constant"))
    draft_attr(parser, draft, "constant", ir_attr_unit(parser->module));
  if (!parse_at(parser, LEX_SYMBOL))
    return parse_error(parser, "expected a symbol such as @name");
  if (!parse_string(parser, &text, &size))
    return false;
  draft_attr(parser, draft, "sym_name", ir_attr_string(parser->module, text, size));
  const ir_type *type;
  if (!parse_expect(parser, ':'))
    return false;
  ir_loc loc = parse_loc(parser);
  if (!parse_type(parser, &type))
    return false;
  if (type->kind != IR_TYPE_MEMREF || !ir_type_is_static(type))
    return parse_error_at(parser, loc, "a global has a static memref type");
  draft_attr(parser, draft, "type", ir_attr_type(parser->module, type));
  const ir_attr *value;
  const ir_type *content = ir_type_tensor(parser->module, type->element, type->rank, type->shape);
  if (!parse_expect(parser, '=') || !parse_attr(parser, content, &value))
    return false;
  draft_attr(parser, draft, "initial_value", value);
  return parse_attr_dict(parser, draft);
}

void print_global(ir_printer *printer, const ir_op *op) {
  const ir_attr *visibility = ir_attr_get(op, "sym_visibility"), *value = ir_attr_get(op, "initial_value");
  if (visibility) {
    print_text(printer, " ");
    print_attr(printer, visibility);
  }
  print_text(printer, ir_attr_get(op, "constant") ? " constant " : " ");
  print_symbol(printer, ir_attr_string_or(op, "sym_name", ""));
  print_text(printer, " : ");
  print_type(printer, ir_attr_get(op, "type")->type);
  print_text(printer, " = ");
  print_dense(printer, value, false);
  print_attr_dict(printer, op, "sym_name sym_visibility type initial_value constant", "");
}
