/* syntax_gpu.c - the textual form of the gpu ops that no format describes: their keywords stand bare in the text, and
 * as #gpu<..> in the op. */
#include "op_hooks.h"
#include "parser.h"
#include "printer.h"

#include <string.h>

/* A bare word as the attribute `#gpu<KIND word>`. */
static bool parse_gpu_keyword(ir_parser *parser, ir_draft *draft, const char *name, const char *kind) {
  lex_token word = parser->lex.token;
  char text[64];
  size_t size = strlen(kind);
  if (!parse_at(parser, LEX_WORD) || word.size + size + 2 > sizeof text)
    return parse_error(parser, "expected a word for '%s'", name);
  memcpy(text, kind, size);
  text[size++] = ' ';
  memcpy(text + size, word.text, word.size);
  text[size + word.size] = 0;
  lex_advance(&parser->lex);
  draft_attr(parser, draft, name, ir_attr_keyword(parser->module, "gpu", text));
  return true;
}

/* The word behind the kind. */
static const char *gpu_keyword(const ir_op *op, const char *name) {
  const char *text = ir_attr_string_or(op, name, ""), *blank = strchr(text, ' ');
  return blank ? blank + 1 : text;
}

/* gpu.thread_id x */
bool parse_thread_id(ir_parser *parser, ir_draft *draft) {
  if (!parse_gpu_keyword(parser, draft, "dimension", "dim") || !parse_attr_dict(parser, draft))
    return false;
  draft_result(parser, draft, ir_type_index(parser->module));
  return true;
}

void print_thread_id(ir_printer *printer, const ir_op *op) {
  print_format(printer, " %s", gpu_keyword(op, "dimension"));
  print_attr_dict(printer, op, "dimension", "");
}

/* gpu.subgroup_reduce add %value : (T) -> T */
bool parse_subgroup_reduce(ir_parser *parser, ir_draft *draft) {
  return parse_gpu_keyword(parser, draft, "op", "all_reduce_op") && parse_operand(parser, draft, 0) &&
         parse_attr_dict(parser, draft) && parse_expect(parser, ':') && parse_expect(parser, '(') &&
         parse_type_of(parser, draft, 0) && parse_expect(parser, ')') && parse_expect(parser, LEX_ARROW) &&
         parse_result_type(parser, draft);
}

void print_subgroup_reduce(ir_printer *printer, const ir_op *op) {
  print_format(printer, " %s ", gpu_keyword(op, "op"));
  print_value(printer, ir_operand(op, 0));
  print_attr_dict(printer, op, "op", "");
  print_text(printer, " : (");
  print_type(printer, ir_operand(op, 0)->type);
  print_text(printer, ") -> ");
  print_type(printer, ir_result(op, 0)->type);
}

/* gpu.shuffle xor %value, %offset, %width : T */
bool parse_shuffle(ir_parser *parser, ir_draft *draft) {
  if (!parse_gpu_keyword(parser, draft, "mode", "shuffle_mode"))
    return false;
  for (unsigned i = 0; i < 3; i++)
    if ((i && !parse_expect(parser, ',')) || !parse_operand(parser, draft, i))
      return false;
  return parse_attr_dict(parser, draft) && parse_expect(parser, ':') && parse_type_of(parser, draft, 0);
}

void print_shuffle(ir_printer *printer, const ir_op *op) {
  print_format(printer, " %s", gpu_keyword(op, "mode"));
  for (unsigned i = 0; i < 3; i++) {
    print_text(printer, i ? ", " : " ");
    print_value(printer, ir_operand(op, i));
  }
  print_attr_dict(printer, op, "mode", "");
  print_text(printer, " : ");
  print_type(printer, ir_operand(op, 0)->type);
}
