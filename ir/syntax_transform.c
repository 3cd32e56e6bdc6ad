/* syntax_transform.c - the textual form of the transform ops that no format describes. */
#include "op_hooks.h"
#include "parser.h"
#include "printer.h"

/* As upstream numbers them. */
static const char *const failure_modes[] = {[1] = "propagate", [2] = "suppress"};

/* transform.sequence %root : T failures(propagate) attributes {..} {^bb0(..): ..} */
bool parse_sequence(ir_parser *parser, ir_draft *draft) {
  if (parse_at(parser, LEX_VALUE) &&
      (!parse_operand(parser, draft, 0) || !parse_expect(parser, ':') || !parse_type_of(parser, draft, 0)))
    return false;
  if (!parse_expect_word(parser, "failures") || !parse_expect(parser, '('))
    return false;
  int64_t mode = parse_at_word(parser, failure_modes[1]) ? 1 : parse_at_word(parser, failure_modes[2]) ? 2 : 0;
  if (!mode)
    return parse_error(parser, "expected 'propagate' or 'suppress'");
  lex_advance(&parser->lex);
  draft_attr(parser, draft, "failure_propagation_mode",
             ir_attr_int(parser->module, ir_type_scalar(parser->module, IR_I32), mode));
  return parse_expect(parser, ')') && parse_attributes(parser, draft) &&
         parse_region(parser, draft, NULL, OP_TRANSFORM_YIELD) && parse_attr_dict(parser, draft);
}

void print_sequence(ir_printer *printer, const ir_op *op) {
  if (ir_group_size(op, 0)) {
    print_text(printer, " ");
    print_group(printer, op, 0);
    print_text(printer, " : ");
    print_group_types(printer, op, 0);
  }
  int64_t mode = ir_attr_int_or(op, "failure_propagation_mode", 1);
  print_format(printer, " failures(%s)", failure_modes[mode == 2 ? 2 : 1]);
  print_attr_dict(printer, op, "failure_propagation_mode", " attributes");
  print_text(printer, " ");
  print_region(printer, ir_region(op, 0), true, 0);
}

/* transform.structured.fuse_ext %target, %stop {..} : (T, ..) -> (T, ..); without types all results are handles, as
 * many as are named. */
bool parse_fuse_ext(ir_parser *parser, ir_draft *draft) {
  if (!parse_operand(parser, draft, 0))
    return false;
  if (parse_accept(parser, ',') && !parse_operand(parser, draft, 1))
    return false;
  if (!parse_attr_dict(parser, draft))
    return false;
  ir_loc loc = parse_loc(parser);
  if (!parse_accept(parser, ':')) {
    for (unsigned i = 0; i < draft->num_named; i++)
      draft_result(parser, draft, ir_type_handle(parser->module));
    return true;
  }
  parser_types inputs = {0};
  if (!parse_function_type(parser, &inputs, &draft->types))
    return false;
  bool same = inputs.count == draft->groups[0].count + draft->groups[1].count;
  for (unsigned i = 0; same && i < inputs.count; i++)
    same = inputs.types[i] == draft->groups[i].values[0]->type;
  return same || parse_error_at(parser, loc, "expected the types of the operands");
}

void print_fuse_ext(ir_printer *printer, const ir_op *op) {
  print_text(printer, " ");
  print_operands(printer, op);
  print_attr_dict(printer, op, NULL, "");
  print_text(printer, " : (");
  print_operand_types(printer, op);
  print_text(printer, ")");
  print_arrow_results(printer, op);
}
