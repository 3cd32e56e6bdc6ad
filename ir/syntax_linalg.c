/* syntax_linalg.c - the textual form of the structured ops of linalg and linalg_ext.
 *
 * One syntax serves all: NAME parts ins(..) outs(..) parts body -> types, where the parts are attributes in any order.
 * They differ in how the body is written:
 *   hidden   the row gives it                        linalg.matmul, linalg.broadcast, linalg_ext.diag
 *   block    {^bb0(..): ..}                          linalg.generic
 *   payload  { arith.addf } in front, or (..) {..}   linalg.reduce, linalg.map
 * Results are the tensors among the outs, so their types may be left out. */
#include "op_hooks.h"
#include "parser.h"
#include "printer.h"

#include <string.h>

enum { INS, OUTS };

/* ins(%a, %b : T, T) */
static bool parse_operand_clause(ir_parser *parser, ir_draft *draft, unsigned group) {
  if (!parse_expect(parser, '('))
    return false;
  if (parse_accept(parser, ')'))
    return true;
  return parse_operands(parser, draft, group) && parse_expect(parser, ':') && parse_types_of(parser, draft, group) &&
         parse_expect(parser, ')');
}

/* `name = attribute` or dimension(1), of the attributes that the row has; sets *found where there was one. */
static bool parse_named_part(ir_parser *parser, ir_draft *draft, bool *found) {
  format_word word;
  lex_token name = parser->lex.token;
  *found = name.kind == LEX_WORD && format_find_word(draft->info->attrs, name.text, name.size, &word, NULL);
  if (!*found)
    return true;
  lex_advance(&parser->lex);
  if (parse_accept(parser, '('))
    return parse_inherent(parser, draft, name.text, name.size) && parse_expect(parser, ')');
  return parse_expect(parser, '=') && parse_inherent(parser, draft, name.text, name.size);
}

/* Attributes before ins or after outs: named ones and dictionaries. */
static bool parse_parts(ir_parser *parser, ir_draft *draft) {
  for (;;) {
    bool found;
    if (!parse_named_part(parser, draft, &found))
      return false;
    if (found)
      continue;
    if (parse_accept_word(parser, "attrs")) {
      if (!parse_expect(parser, '=') || !parse_attr_entries(parser, &draft->attrs))
        return false;
    } else if (parse_at(parser, '{')) {
      if (!parse_attr_entries(parser, &draft->attrs))
        return false;
    } else {
      return true;
    }
  }
}

static bool parse_ins_outs(ir_parser *parser, ir_draft *draft) {
  if (parse_accept_word(parser, "ins") && !parse_operand_clause(parser, draft, INS))
    return false;
  return parse_expect_word(parser, "outs") && parse_operand_clause(parser, draft, OUTS);
}

/* The types written behind an op are those of its results. */
static bool check_written(ir_parser *parser, const ir_draft *draft, const parser_types *written, ir_loc loc) {
  bool same = written->count == draft->types.count;
  for (unsigned i = 0; same && i < written->count; i++)
    same = written->types[i] == draft->types.types[i];
  return same ||
         parse_error_at(parser, loc, "the result types of '%s' are those of its tensor outs", draft->info->name);
}

/* -> types or : types, if there are any; the results are the tensors of the outs in any case. */
static bool parse_dps_results(ir_parser *parser, ir_draft *draft) {
  const parser_values *outs = &draft->groups[OUTS];
  for (unsigned i = 0; i < outs->count; i++)
    if (outs->values[i]->type->kind == IR_TYPE_TENSOR)
      draft_result(parser, draft, outs->values[i]->type);
  parser_types written = {0};
  ir_loc loc = parse_loc(parser);
  if (parse_accept(parser, LEX_ARROW)) {
    if (!parse_type_group(parser, &written))
      return false;
  } else if (parse_accept(parser, ':')) {
    if (!parse_type_list(parser, &written))
      return false;
  } else {
    return true;
  }
  return check_written(parser, draft, &written, loc);
}

/* --------------------------------------------------------------------------------------------------- hidden bodies */

bool parse_structured(ir_parser *parser, ir_draft *draft) {
  return parse_parts(parser, draft) && parse_ins_outs(parser, draft) && parse_parts(parser, draft) &&
         parse_dps_results(parser, draft);
}

static void print_operand_clause(ir_printer *printer, const ir_op *op, unsigned group, const char *word) {
  if (!ir_group_size(op, group))
    return;
  print_format(printer, " %s(", word);
  print_group(printer, op, group);
  print_text(printer, " : ");
  print_group_types(printer, op, group);
  print_text(printer, ")");
}

static void print_ins_outs(ir_printer *printer, const ir_op *op) {
  print_operand_clause(printer, op, INS, "ins");
  print_operand_clause(printer, op, OUTS, "outs");
}

void print_structured(ir_printer *printer, const ir_op *op) {
  static const char *const lists[] = {"dimensions", "permutation"};
  bool has_list = false;
  if (ir_attr_get(op, "dimension"))
    print_format(printer, " dimension(%lld)", (long long)ir_attr_int_or(op, "dimension", 0));
  if (ir_attr_get(op, "indexing_maps")) {
    print_text(printer, " indexing_maps = ");
    print_attr(printer, ir_attr_get(op, "indexing_maps"));
  }
  for (unsigned i = 0; i < 2; i++)
    has_list |= format_find_word(ir_op_row(op)->attrs, lists[i], strlen(lists[i]), NULL, NULL);
  if (!has_list)
    print_attr_dict(printer, op, "dimension indexing_maps layout", "");
  print_ins_outs(printer, op);
  for (unsigned i = 0; i < 2; i++)
    if (ir_attr_get(op, lists[i])) {
      print_format(printer, " %s = ", lists[i]);
      print_ints(printer, op, lists[i]);
    }
  if (ir_attr_get(op, "layout")) {
    print_text(printer, " layout = ");
    print_attr(printer, ir_attr_get(op, "layout"));
  }
  if (has_list)
    print_attr_dict(printer, op, "dimensions permutation", "");
  else
    print_arrow_results(printer, op);
}

/* linalg.softmax's dictionary stands before its dimension. */
void print_softmax(ir_printer *printer, const ir_op *op) {
  print_attr_dict(printer, op, "dimension", "");
  print_format(printer, " dimension(%lld)", (long long)ir_attr_int_or(op, "dimension", 0));
  print_ins_outs(printer, op);
  print_arrow_results(printer, op);
}

/* ------------------------------------------------------------------------------------------------------- generic */

/* Iterator types are strings in pretty text and keywords in the op. */
void draft_iterator_types(ir_parser *parser, ir_draft *draft, const char *keyword) {
  for (unsigned i = 0; i < draft->attrs.count; i++) {
    ir_named_attr *entry = &draft->attrs.entries[i];
    if (strcmp(entry->name, "iterator_types") || entry->attr->kind != IR_ATTR_ARRAY)
      continue;
    parser_attrs types = {0};
    for (unsigned k = 0; k < entry->attr->count; k++) {
      const ir_attr *type = entry->attr->elements[k];
      if (type->kind == IR_ATTR_STRING)
        type = ir_attr_keyword(parser->module, keyword, type->string);
      PARSE_PUSH(parser, &types, attrs, type);
    }
    entry->attr = ir_attr_array(parser->module, types.count, types.attrs);
  }
}

void print_iterator_types(ir_printer *printer, const ir_op *op) {
  const ir_attr *types = ir_attr_get(op, "iterator_types");
  print_text(printer, "iterator_types = [");
  for (unsigned i = 0; i < types->count; i++)
    print_format(printer, "%s\"%s\"", i ? ", " : "", types->elements[i]->string);
  print_text(printer, "]");
}

bool parse_generic_linalg(ir_parser *parser, ir_draft *draft) {
  if (!parse_parts(parser, draft) || !parse_ins_outs(parser, draft))
    return false;
  if (parse_accept_word(parser, "attrs") && (!parse_expect(parser, '=') || !parse_attr_entries(parser, &draft->attrs)))
    return false;
  draft_iterator_types(parser, draft, "linalg.iterator_type");
  return parse_region(parser, draft, NULL, 0) && parse_dps_results(parser, draft);
}

void print_generic_linalg(ir_printer *printer, const ir_op *op) {
  static const char *const strings[] = {"doc", "library_call"};
  print_text(printer, " {");
  for (unsigned i = 0; i < 2; i++)
    if (ir_attr_get(op, strings[i])) {
      print_format(printer, "%s = ", strings[i]);
      print_attr(printer, ir_attr_get(op, strings[i]));
      print_text(printer, ", ");
    }
  print_text(printer, "indexing_maps = ");
  print_attr(printer, ir_attr_get(op, "indexing_maps"));
  print_text(printer, ", ");
  print_iterator_types(printer, op);
  print_text(printer, "}");
  print_ins_outs(printer, op);
  print_attr_dict(printer, op, "indexing_maps iterator_types doc library_call", " attrs =");
  print_text(printer, " ");
  print_region(printer, ir_region(op, 0), true, 0);
  print_arrow_results(printer, op);
}

/* -------------------------------------------------------------------------------------------- ops of other projects */

/* parts ins(..) outs(..) {^bb0(%score: f32): ..} -> types, without parentheses around the types. */
bool parse_extension(ir_parser *parser, ir_draft *draft) {
  if (parse_accept(parser, '<') && (!parse_parts(parser, draft) || !parse_expect(parser, '>')))
    return false;
  if (!parse_parts(parser, draft) || !parse_ins_outs(parser, draft) || !parse_region(parser, draft, NULL, 0))
    return false;
  const parser_values *outs = &draft->groups[OUTS];
  for (unsigned i = 0; i < outs->count; i++)
    draft_result(parser, draft, outs->values[i]->type);
  parser_types written = {0};
  ir_loc loc = parse_loc(parser);
  if (!parse_expect(parser, LEX_ARROW) || !parse_type_list(parser, &written))
    return false;
  return check_written(parser, draft, &written, loc);
}

void print_extension(ir_printer *printer, const ir_op *op) {
  static const char *const named[] = {"unique_indices", "dimension", "inclusive"};
  if (ir_attr_get(op, "indexing_maps")) {
    print_text(printer, " <{indexing_maps = ");
    print_attr(printer, ir_attr_get(op, "indexing_maps"));
    print_text(printer, "}>");
  }
  print_attr_dict(printer, op, "indexing_maps unique_indices dimension inclusive", "");
  for (unsigned i = 0; i < sizeof named / sizeof *named; i++) {
    const ir_attr *attr = ir_attr_get(op, named[i]);
    if (attr && attr->kind == IR_ATTR_BOOL)
      print_format(printer, " %s(%s)", named[i], attr->value ? "true" : "false");
    else if (attr)
      print_format(printer, " %s(%lld)", named[i], (long long)attr->value);
  }
  print_ins_outs(printer, op);
  print_text(printer, " ");
  print_region(printer, ir_region(op, 0), true, 0);
  print_text(printer, " -> ");
  print_result_types(printer, op);
}

/* ------------------------------------------------------------------------------------------------------- payload */

/* The body of the short form: one elementwise op on the region's arguments. A reduction's current value comes first. */
static bool build_payload(ir_parser *parser, ir_draft *draft, ir_opcode code, const parser_entries *attrs, ir_loc loc) {
  const parser_values *ins = &draft->groups[INS], *outs = &draft->groups[OUTS];
  bool reduction = draft->code == OP_LINALG_REDUCE;
  const ir_op_info *info = ir_op_info_of(code);
  unsigned count = ir_info_num_groups(info);
  if (!(info->traits & IR_ELEMENTWISE) || outs->count != 1 || ins->count + reduction != count)
    return parse_error_at(parser, loc, "'%s' cannot be the body of this '%s'", info->name, draft->info->name);
  ir_block *block = &draft->regions[draft->num_regions++];
  *block = (ir_block){.parent = parser->module->root};
  parser_values args = {0};
  for (unsigned group = INS; group <= OUTS; group++)
    for (unsigned i = 0; i < draft->groups[group].count; i++) {
      const ir_type *type = draft->groups[group].values[i]->type;
      if (type->kind != IR_TYPE_SCALAR && !ir_type_is_shaped(type))
        return parse_error_at(parser, loc, "'%s' expects tensors or memrefs", draft->info->name);
      PARSE_PUSH(parser, &args, values, ir_block_add_arg(block, ir_type_scalar(parser->module, type->element)));
    }
  ir_value *operands[IR_MAX_GROUPS];
  for (unsigned i = 0; i < count; i++)
    operands[i] = args.values[!reduction ? i : i ? i - 1 : ins->count];
  ir_builder builder = {.module = parser->module, .block = block, .loc = loc};
  const ir_type *type = ir_type_scalar(parser->module, outs->values[0]->type->element);
  ir_value *result = ir_create(&builder, code, type, count, operands, attrs->count, attrs->entries);
  ir_op_create(&builder, OP_LINALG_YIELD, &(ir_op_spec){.operands = &result, .num_operands = 1});
  return true;
}

/* (%in: f32, %init: f32) {..}; older texts of linalg.map leave the init out. */
static bool parse_long_payload(ir_parser *parser, ir_draft *draft) {
  parser_args args = {0};
  if (!parse_expect(parser, '('))
    return false;
  for (bool first = true; !parse_accept(parser, ')'); first = false)
    if ((!first && !parse_expect(parser, ',')) || !parse_arg(parser, &args))
      return false;
  if (!parse_region(parser, draft, &args, 0))
    return false;
  const parser_values *outs = &draft->groups[OUTS];
  if (draft->code == OP_LINALG_MAP && args.count == draft->groups[INS].count && outs->count == 1 &&
      ir_type_is_shaped(outs->values[0]->type))
    ir_block_add_arg(&draft->regions[0], ir_type_scalar(parser->module, outs->values[0]->type->element));
  return true;
}

bool parse_payload(ir_parser *parser, ir_draft *draft) {
  parser_entries attrs = {0};
  const ir_definition *found = NULL;
  ir_loc loc = parse_loc(parser);
  if (parse_accept(parser, '{')) {
    loc = parse_loc(parser);
    lex_token name = parser->lex.token;
    if (!parse_expect(parser, LEX_WORD))
      return false;
    if (!(found = ir_names_find(&parser->ops, name.text, name.size)))
      return parse_error_at(parser, loc, "unknown op '%.*s'", (int)name.size, name.text);
    if ((parse_at(parser, '{') && !parse_attr_entries(parser, &attrs)) || !parse_expect(parser, '}'))
      return false;
  }
  ir_opcode code = found ? (ir_opcode)found->count : 0;
  if (!parse_ins_outs(parser, draft) || !parse_parts(parser, draft))
    return false;
  if (found ? !build_payload(parser, draft, code, &attrs, loc) : !parse_long_payload(parser, draft))
    return false;
  return parse_dps_results(parser, draft);
}

/* The op that the short form would name; NULL where the body is not of that shape. */
static const ir_op *short_payload(const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  const ir_op *payload = body->first;
  bool reduction = op->code == OP_LINALG_REDUCE;
  if (!payload || !payload->next || payload->next != body->last || payload->num_results != 1 ||
      !ir_op_has(payload, IR_SAME_TYPE) || body->last->num_operands != 1 ||
      ir_operand(body->last, 0) != ir_result(payload, 0) || ir_num_inits(op) != 1 || body->last->num_attrs ||
      payload->num_operands != ir_num_inputs(op) + reduction)
    return NULL;
  for (unsigned i = 0; i < payload->num_operands; i++)
    if (ir_operand(payload, i) != body->args[!reduction ? i : i ? i - 1 : ir_num_inputs(op)])
      return NULL;
  return ir_result(payload, 0)->type == body->args[ir_num_inputs(op)]->type ? payload : NULL;
}

void print_payload(ir_printer *printer, const ir_op *op) {
  const ir_op *payload = short_payload(op);
  const ir_block *body = ir_region(op, 0);
  if (payload) {
    print_format(printer, " { %s", ir_op_row(payload)->name);
    if (payload->num_attrs) {
      print_text(printer, " ");
      print_attr(printer, ir_attr_dict(op->module, payload->num_attrs, payload->attrs));
    }
    print_text(printer, " }");
  }
  print_ins_outs(printer, op);
  if (ir_attr_get(op, "dimensions")) {
    print_text(printer, " dimensions = ");
    print_ints(printer, op, "dimensions");
  }
  print_attr_dict(printer, op, "dimensions", "");
  if (payload)
    return;
  print_enter_region(printer, body);
  print_text(printer, " (");
  print_arguments(printer, body);
  print_text(printer, ") ");
  print_region(printer, body, false, 0);
}
