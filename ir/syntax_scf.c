/* syntax_scf.c - the textual form of the structured control flow. */
#include "op_hooks.h"
#include "parser.h"
#include "printer.h"

/* %name = %value, ..: names the region's arguments and adds the values to a group. */
static bool parse_assignments(ir_parser *parser, ir_draft *draft, unsigned group, parser_args *args) {
  if (!parse_expect(parser, '('))
    return false;
  do {
    struct parser_arg arg = {.name = parser->lex.token};
    if (!parse_expect(parser, LEX_VALUE) || !parse_expect(parser, '=') || !parse_operand(parser, draft, group))
      return false;
    arg.type = draft->groups[group].values[draft->groups[group].count - 1]->type;
    PARSE_PUSH(parser, args, args, arg);
  } while (parse_accept(parser, ','));
  return parse_expect(parser, ')');
}

/* -> (T, ..): as many as the group has values, and of their types. */
static bool parse_carried_types(ir_parser *parser, ir_draft *draft, unsigned group) {
  const parser_values *list = &draft->groups[group];
  ir_loc loc = parse_loc(parser);
  if (!parse_expect(parser, LEX_ARROW) || !parse_type_group(parser, &draft->types))
    return false;
  bool same = draft->types.count == list->count;
  for (unsigned i = 0; same && i < list->count; i++)
    same = draft->types.types[i] == list->values[i]->type;
  return same || parse_error_at(parser, loc, "the result types are those of the values carried in");
}

static void print_assignments(ir_printer *printer, const ir_op *op, unsigned group, const char *word,
                              unsigned first_arg) {
  for (unsigned i = 0; i < ir_group_size(op, group); i++) {
    if (i)
      print_text(printer, ", ");
    else
      print_format(printer, " %s(", word);
    print_value(printer, ir_region(op, 0)->args[first_arg + i]);
    print_text(printer, " = ");
    print_value(printer, ir_group_operand(op, group, i));
  }
  if (ir_group_size(op, group))
    print_text(printer, ")");
}

/* ---------------------------------------------------------------------------------------------------------- for */

enum { FOR_LOWER, FOR_UPPER, FOR_STEP, FOR_INITS };

/* scf.for %i = %lower to %upper step %step iter_args(%a = %x, ..) -> (T, ..) : i32 {..} {..} */
bool parse_for(ir_parser *parser, ir_draft *draft) {
  parser_args args = {0};
  struct parser_arg counter = {.name = parser->lex.token};
  if (!parse_expect(parser, LEX_VALUE) || !parse_expect(parser, '=') || !parse_operand(parser, draft, FOR_LOWER) ||
      !parse_expect_word(parser, "to") || !parse_operand(parser, draft, FOR_UPPER) ||
      !parse_expect_word(parser, "step") || !parse_operand(parser, draft, FOR_STEP))
    return false;
  counter.type = draft->groups[FOR_LOWER].values[0]->type;
  PARSE_PUSH(parser, &args, args, counter);
  if (parse_accept_word(parser, "iter_args") &&
      (!parse_assignments(parser, draft, FOR_INITS, &args) || !parse_carried_types(parser, draft, FOR_INITS)))
    return false;
  if (parse_accept(parser, ':') && !parse_type_of(parser, draft, FOR_LOWER))
    return false;
  return parse_region(parser, draft, &args, draft->types.count ? 0 : OP_SCF_YIELD) && parse_attr_dict(parser, draft);
}

void print_for(ir_printer *printer, const ir_op *op) {
  static const char *const words[] = {" = ", " to ", " step "};
  const ir_block *body = ir_region(op, 0);
  print_text(printer, " ");
  print_enter_region(printer, body);
  print_value(printer, body->args[0]);
  for (unsigned i = 0; i < 3; i++) {
    print_text(printer, words[i]);
    print_value(printer, ir_operand(op, i));
  }
  print_assignments(printer, op, FOR_INITS, "iter_args", 1);
  print_arrow_tuple(printer, op);
  if (body->args[0]->type != ir_type_index(op->module)) {
    print_text(printer, " : ");
    print_type(printer, body->args[0]->type);
  }
  print_text(printer, " ");
  print_region(printer, body, false, op->num_results ? 0 : OP_SCF_YIELD);
  print_attr_dict(printer, op, NULL, "");
}

/* ------------------------------------------------------------------------------------------------------- forall */

enum { FORALL_LOWER, FORALL_UPPER, FORALL_STEP, FORALL_OUTS };

static void draft_constants(ir_parser *parser, ir_draft *draft, const char *name, unsigned count, int64_t value) {
  parser_ints ints = {0};
  for (unsigned i = 0; i < count; i++)
    PARSE_PUSH(parser, &ints, ints, value);
  draft_attr(parser, draft, name, ir_attr_i64s(parser->module, ints.count, ints.ints));
}

/* in (%n, 4), or = (0, ..) to (%n, ..) step (1, ..) */
static bool parse_forall_ranges(ir_parser *parser, ir_draft *draft, unsigned rank) {
  ir_loc loc = parse_loc(parser);
  if (parse_accept_word(parser, "in")) {
    draft_constants(parser, draft, "staticLowerBound", rank, 0);
    draft_constants(parser, draft, "staticStep", rank, 1);
    if (!parse_mixed(parser, draft, '(', ')', FORALL_UPPER, "staticUpperBound"))
      return false;
  } else if (!parse_expect(parser, '=') || !parse_mixed(parser, draft, '(', ')', FORALL_LOWER, "staticLowerBound") ||
             !parse_expect_word(parser, "to") ||
             !parse_mixed(parser, draft, '(', ')', FORALL_UPPER, "staticUpperBound") ||
             !parse_expect_word(parser, "step") || !parse_mixed(parser, draft, '(', ')', FORALL_STEP, "staticStep")) {
    return false;
  }
  if (draft_find_attr(draft, "staticLowerBound")->count != rank ||
      draft_find_attr(draft, "staticUpperBound")->count != rank || draft_find_attr(draft, "staticStep")->count != rank)
    return parse_error_at(parser, loc, "expected %u bounds, one an induction variable", rank);
  return true;
}

/* scf.forall (%i, ..) in (..) shared_outs(%o = %x, ..) -> (T, ..) {..} {..} */
bool parse_forall(ir_parser *parser, ir_draft *draft) {
  parser_args args = {0};
  if (!parse_expect(parser, '('))
    return false;
  for (bool first = true; !parse_accept(parser, ')'); first = false) {
    if (!first && !parse_expect(parser, ','))
      return false;
    struct parser_arg counter = {.name = parser->lex.token, .type = ir_type_index(parser->module)};
    if (!parse_expect(parser, LEX_VALUE))
      return false;
    PARSE_PUSH(parser, &args, args, counter);
  }
  if (!parse_forall_ranges(parser, draft, args.count))
    return false;
  if (parse_accept_word(parser, "shared_outs") &&
      (!parse_assignments(parser, draft, FORALL_OUTS, &args) || !parse_carried_types(parser, draft, FORALL_OUTS)))
    return false;
  return parse_region(parser, draft, &args, OP_SCF_IN_PARALLEL) && parse_attr_dict(parser, draft);
}

static bool all_equal(const ir_attr *attr, int64_t value) {
  for (unsigned i = 0; i < attr->count; i++)
    if (attr->ints[i] != value)
      return false;
  return true;
}

void print_forall(ir_printer *printer, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  unsigned rank = ir_attr_get(op, "staticUpperBound")->count;
  print_enter_region(printer, body);
  print_text(printer, " (");
  for (unsigned i = 0; i < rank; i++) {
    print_text(printer, i ? ", " : "");
    print_value(printer, body->args[i]);
  }
  if (all_equal(ir_attr_get(op, "staticLowerBound"), 0) && all_equal(ir_attr_get(op, "staticStep"), 1)) {
    print_text(printer, ") in ");
    print_mixed(printer, op, "(", ")", FORALL_UPPER, "staticUpperBound");
  } else {
    print_text(printer, ") = ");
    print_mixed(printer, op, "(", ")", FORALL_LOWER, "staticLowerBound");
    print_text(printer, " to ");
    print_mixed(printer, op, "(", ")", FORALL_UPPER, "staticUpperBound");
    print_text(printer, " step ");
    print_mixed(printer, op, "(", ")", FORALL_STEP, "staticStep");
  }
  print_assignments(printer, op, FORALL_OUTS, "shared_outs", rank);
  print_arrow_tuple(printer, op);
  print_text(printer, " ");
  print_region(printer, body, false, OP_SCF_IN_PARALLEL);
  print_attr_dict(printer, op, "staticLowerBound staticUpperBound staticStep", "");
}

/* ----------------------------------------------------------------------------------------------------------- if */

/* scf.if %condition -> (T, ..) {..} else {..} {..} */
bool parse_if(ir_parser *parser, ir_draft *draft) {
  if (!parse_operand(parser, draft, 0))
    return false;
  if (parse_accept(parser, LEX_ARROW) && !parse_type_group(parser, &draft->types))
    return false;
  ir_opcode terminator = draft->types.count ? 0 : OP_SCF_YIELD;
  if (!parse_region(parser, draft, NULL, terminator))
    return false;
  if (parse_accept_word(parser, "else")) {
    if (!parse_region(parser, draft, NULL, terminator))
      return false;
  } else {
    draft->regions[draft->num_regions++] = (ir_block){0};
  }
  return parse_attr_dict(parser, draft);
}

void print_if(ir_printer *printer, const ir_op *op) {
  ir_opcode implied = op->num_results ? 0 : OP_SCF_YIELD;
  print_text(printer, " ");
  print_value(printer, ir_operand(op, 0));
  print_arrow_tuple(printer, op);
  print_text(printer, " ");
  print_region(printer, ir_region(op, 0), false, implied);
  if (ir_region(op, 1)->first) {
    print_text(printer, " else ");
    print_region(printer, ir_region(op, 1), false, implied);
  }
  print_attr_dict(printer, op, NULL, "");
}
