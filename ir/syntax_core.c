/* syntax_core.c - the textual form of modules, functions, and the arith and affine ops that no format describes. */
#include "op_hooks.h"
#include "parser.h"
#include "printer.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------ modules */

static bool parse_symbol_name(ir_parser *parser, ir_draft *draft) {
  size_t size;
  const char *name;
  if (!parse_at(parser, LEX_SYMBOL))
    return parse_error(parser, "expected a symbol such as @name");
  if (!parse_string(parser, &name, &size))
    return false;
  if (strlen(name) != size)
    return parse_error(parser, "a symbol has no NUL");
  draft_attr(parser, draft, "sym_name", ir_attr_string(parser->module, name, size));
  return true;
}

/* module @name attributes {..} {..} */
bool parse_module(ir_parser *parser, ir_draft *draft) {
  if (parse_at(parser, LEX_SYMBOL) && !parse_symbol_name(parser, draft))
    return false;
  return parse_attributes(parser, draft) && parse_region(parser, draft, NULL, 0);
}

void print_module(ir_printer *printer, const ir_op *op) {
  print_text(printer, " ");
  if (ir_attr_get(op, "sym_name")) {
    print_symbol(printer, ir_attr_string_or(op, "sym_name", ""));
    print_text(printer, " ");
  }
  print_attr_dict(printer, op, "sym_name", "attributes");
  if (op->num_attrs > (ir_attr_get(op, "sym_name") ? 1u : 0u))
    print_text(printer, " ");
  print_region(printer, ir_region(op, 0), false, 0);
}

/* ---------------------------------------------------------------------------------------------------- functions */

/* The parts of a function's header. */
typedef struct signature {
  parser_args args;
  parser_types inputs, results;
  parser_attrs arg_attrs, res_attrs; /* a dictionary each */
  bool named;                        /* the arguments have names */
} signature;

static bool parse_one_dict(ir_parser *parser, parser_attrs *list) {
  parser_entries entries = {0};
  if (parse_at(parser, '{') && !parse_attr_entries(parser, &entries))
    return false;
  PARSE_PUSH(parser, list, attrs, ir_attr_dict(parser->module, entries.count, entries.entries));
  return true;
}

static bool parse_signature_args(ir_parser *parser, signature *header) {
  if (!parse_expect(parser, '('))
    return false;
  header->named = parse_at(parser, LEX_VALUE);
  for (bool first = true; !parse_accept(parser, ')'); first = false) {
    const ir_type *type;
    if (!first && !parse_expect(parser, ','))
      return false;
    if (header->named ? !parse_arg(parser, &header->args) : !parse_type(parser, &type))
      return false;
    if (header->named)
      type = header->args.args[header->args.count - 1].type;
    PARSE_PUSH(parser, &header->inputs, types, type);
    if (!parse_one_dict(parser, &header->arg_attrs) || !parse_skip_location(parser))
      return false;
  }
  return true;
}

/* -> type, or -> (type {..}, ..) */
static bool parse_signature_results(ir_parser *parser, signature *header) {
  if (!parse_accept(parser, LEX_ARROW))
    return true;
  bool list = parse_accept(parser, '(');
  if (list && parse_accept(parser, ')'))
    return true;
  do {
    const ir_type *type;
    if (!parse_type(parser, &type))
      return false;
    PARSE_PUSH(parser, &header->results, types, type);
    if (list && !parse_one_dict(parser, &header->res_attrs))
      return false;
  } while (list && parse_accept(parser, ','));
  return !list || parse_expect(parser, ')');
}

static void keep_dicts(ir_parser *parser, ir_draft *draft, const char *name, const parser_attrs *dicts) {
  bool any = false;
  for (unsigned i = 0; i < dicts->count; i++)
    any |= dicts->attrs[i]->count > 0;
  if (any)
    draft_attr(parser, draft, name, ir_attr_array(parser->module, dicts->count, dicts->attrs));
}

/* func.func private @name(%a: T {..}, ..) -> (T, ..) attributes {..} {..}; a declaration has types only and no body.
 * transform.named_sequence has the same syntax. */
bool parse_function(ir_parser *parser, ir_draft *draft) {
  signature header = {0};
  static const char *const visibilities[] = {"private", "public", "nested"};
  for (unsigned i = 0; i < 3; i++)
    if (parse_accept_word(parser, visibilities[i])) {
      if (i != 1)
        draft_attr(parser, draft, "sym_visibility",
                   ir_attr_string(parser->module, visibilities[i], strlen(visibilities[i])));
      break;
    }
  if (!parse_symbol_name(parser, draft) || !parse_signature_args(parser, &header) ||
      !parse_signature_results(parser, &header) || !parse_attributes(parser, draft))
    return false;
  draft_attr(parser, draft, "function_type",
             ir_attr_type(parser->module, ir_type_function(parser->module, header.inputs.count, header.inputs.types,
                                                           header.results.count, header.results.types)));
  keep_dicts(parser, draft, "arg_attrs", &header.arg_attrs);
  keep_dicts(parser, draft, "res_attrs", &header.res_attrs);
  if (parse_at(parser, '{')) {
    ir_loc loc = parse_loc(parser);
    if (header.inputs.count && !header.named)
      return parse_error(parser, "the arguments of a function with a body need names");
    return parse_region(parser, draft, &header.args,
                        draft->code == OP_TRANSFORM_NAMED_SEQUENCE ? OP_TRANSFORM_YIELD : 0) &&
           (draft->regions[draft->num_regions - 1].first ||
            parse_error_at(parser, loc, "the body of a function ends with func.return; a declaration has no braces"));
  }
  draft->num_regions = 1; /* empty: a declaration */
  draft->regions[0] = (ir_block){0};
  return true;
}

static void print_dict_of(ir_printer *printer, const ir_op *op, const char *name, unsigned i) {
  const ir_attr *dicts = ir_attr_get(op, name);
  if (dicts && dicts->kind == IR_ATTR_ARRAY && i < dicts->count && dicts->elements[i]->count) {
    print_text(printer, " ");
    print_attr(printer, dicts->elements[i]);
  }
}

void print_function(ir_printer *printer, const ir_op *op) {
  const ir_type *type = ir_attr_get(op, "function_type")->type;
  const ir_block *body = ir_region(op, 0);
  bool has_body = body->first != NULL;
  print_text(printer, " ");
  if (ir_attr_get(op, "sym_visibility"))
    print_format(printer, "%s ", ir_attr_string_or(op, "sym_visibility", ""));
  print_symbol(printer, ir_attr_string_or(op, "sym_name", ""));
  print_text(printer, "(");
  if (has_body)
    print_enter_region(printer, body);
  for (unsigned i = 0; i < type->num_inputs; i++) {
    print_text(printer, i ? ", " : "");
    if (has_body && i < body->num_args) {
      print_value(printer, body->args[i]);
      print_text(printer, ": ");
    }
    print_type(printer, type->inputs[i]);
    print_dict_of(printer, op, "arg_attrs", i);
  }
  print_text(printer, type->num_results ? ") -> " : ")");
  bool list = type->num_results > 1 || ir_attr_get(op, "res_attrs");
  print_text(printer, list ? "(" : "");
  for (unsigned i = 0; i < type->num_results; i++) {
    print_text(printer, i ? ", " : "");
    print_type(printer, type->results[i]);
    print_dict_of(printer, op, "res_attrs", i);
  }
  print_text(printer, list ? ")" : "");
  print_attr_dict(printer, op, "sym_name sym_visibility function_type arg_attrs res_attrs", " attributes");
  if (has_body) {
    print_text(printer, " ");
    print_region(printer, body, false, 0);
  }
}

/* -------------------------------------------------------------------------------------------------------- arith */

/* arith.constant {..} value : type */
bool parse_constant(ir_parser *parser, ir_draft *draft) {
  const ir_attr *value;
  if (!parse_attr_dict(parser, draft))
    return false;
  ir_loc loc = parse_loc(parser);
  if (!parse_attr(parser, NULL, &value))
    return false;
  if (value->kind == IR_ATTR_BOOL)
    value = ir_attr_int(parser->module, ir_type_scalar(parser->module, IR_I1), value->value);
  if (!value->type || value->kind == IR_ATTR_TYPE || value->kind == IR_ATTR_I64S)
    return parse_error_at(parser, loc, "a constant is a number or dense<..>");
  draft_attr(parser, draft, "value", value);
  draft_result(parser, draft, value->type);
  return true;
}

void print_constant(ir_printer *printer, const ir_op *op) {
  print_attr_dict(printer, op, "value", "");
  print_text(printer, " ");
  print_attr(printer, ir_attr_get(op, "value"));
}

/* arith.select %c, %a, %b {..} : type; the condition's type first where it is not i1 */
bool parse_select(ir_parser *parser, ir_draft *draft) {
  if (!parse_operand(parser, draft, 0) || !parse_expect(parser, ',') || !parse_operand(parser, draft, 1) ||
      !parse_expect(parser, ',') || !parse_operand(parser, draft, 2) || !parse_attr_dict(parser, draft) ||
      !parse_expect(parser, ':'))
    return false;
  const ir_type *condition = draft->groups[0].values[0]->type;
  if (condition->kind != IR_TYPE_SCALAR && (!parse_type_of(parser, draft, 0) || !parse_expect(parser, ',')))
    return false;
  return parse_type_of(parser, draft, 1);
}

void print_select(ir_printer *printer, const ir_op *op) {
  print_text(printer, " ");
  print_operands(printer, op);
  print_attr_dict(printer, op, NULL, "");
  print_text(printer, " : ");
  if (ir_operand(op, 0)->type->kind != IR_TYPE_SCALAR) {
    print_type(printer, ir_operand(op, 0)->type);
    print_text(printer, ", ");
  }
  print_type(printer, ir_operand(op, 1)->type);
}

/* ------------------------------------------------------------------------------------------------------- affine */

/* affine.apply affine_map<..>(%dims, ..)[%symbols, ..] {..} */
bool parse_affine(ir_parser *parser, ir_draft *draft) {
  const ir_attr *map;
  ir_loc loc = parse_loc(parser);
  if (!parse_attr(parser, NULL, &map))
    return false;
  if (map->kind != IR_ATTR_MAP)
    return parse_error_at(parser, loc, "expected an affine map");
  draft_attr(parser, draft, "map", map);
  if (!parse_expect(parser, '(') || !parse_operands(parser, draft, 0) || !parse_expect(parser, ')'))
    return false;
  unsigned dims = draft->groups[0].count;
  if (parse_accept(parser, '[') && (!parse_operands(parser, draft, 0) || !parse_expect(parser, ']')))
    return false;
  if (dims != map->map->num_dims || draft->groups[0].count - dims != map->map->num_syms)
    return parse_error_at(parser, loc, "this map has %u dims and %u symbols, but %u and %u operands are given",
                          map->map->num_dims, map->map->num_syms, dims, draft->groups[0].count - dims);
  return parse_attr_dict(parser, draft);
}

void print_affine(ir_printer *printer, const ir_op *op) {
  const ir_attr *map = ir_attr_get(op, "map");
  print_text(printer, " ");
  print_attr(printer, map);
  print_text(printer, "(");
  for (unsigned i = 0; i < op->num_operands; i++) {
    print_text(printer, i == map->map->num_dims ? ")[" : i ? ", " : "");
    print_value(printer, ir_operand(op, i));
  }
  print_text(printer, map->map->num_syms ? "]" : ")");
  print_attr_dict(printer, op, "map", "");
}
