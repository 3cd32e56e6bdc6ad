/* syntax_memory.c - the textual form of reshapes, transfers, contractions and globals. */
#include "op_hooks.h"
#include "parser.h"
#include "printer.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------- reshapes */

/* The output shape that older texts leave out. */
bool complete_expand_shape(ir_parser *parser, ir_draft *draft) {
  const ir_type *type = draft->types.types[0];
  if (draft_find_attr(draft, "static_output_shape"))
    return true;
  if (!ir_type_is_shaped(type) || !ir_type_is_static(type))
    return parse_error_at(parser, draft->loc, "expected 'output_shape' since the result type is not static");
  draft_attr(parser, draft, "static_output_shape", ir_attr_i64s(parser->module, type->rank, type->shape));
  return true;
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
static bool complete_transfer(ir_parser *parser, ir_draft *draft, const ir_type *base, const ir_type *vector) {
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

bool complete_transfer_read(ir_parser *parser, ir_draft *draft) {
  return complete_transfer(parser, draft, draft->groups[0].values[0]->type, draft->types.types[0]);
}

bool complete_transfer_write(ir_parser *parser, ir_draft *draft) {
  const ir_type *base = draft->groups[1].values[0]->type;
  if (base->kind == IR_TYPE_TENSOR)
    draft_result(parser, draft, base);
  return complete_transfer(parser, draft, base, draft->groups[0].values[0]->type);
}

const char *implied_transfer(const ir_op *op) {
  bool reads = op->code == OP_VECTOR_TRANSFER_READ;
  const ir_type *base = ir_operand(op, reads ? 0 : 1)->type,
                *vector = (reads ? ir_result(op, 0) : ir_operand(op, 0))->type;
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
