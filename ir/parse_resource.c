/* parse_resource.c - the section {-# .. #-} at the end of a text, which holds the bytes of large constants:
 *
 *   {-# dialect_resources: {builtin: {weights: "0x04000000...", ..}, ..}, external_resources: {..} #-}
 *
 * Attributes name what stands there before the section is reached, and are complete when they are made. So the first
 * one reads ahead to the section, and the parser passes over it later. Read ahead, once, are tokens only: reading
 * takes time linear in the text. Entries nest three deep, neither more nor less. */
#include "parser.h"

enum { DEPTH = 3 }; /* kind of resource, owner, resource */

/* A name, quoted or not, without its quotes. */
static bool name_of(ir_parser *parser, lex_token token, lex_token *name) {
  unsigned quotes = token.kind == LEX_STRING;
  if (token.kind != LEX_WORD && token.kind != LEX_STRING)
    return parse_error(parser, "expected the name of a resource");
  *name = (lex_token){.kind = LEX_WORD, .text = token.text + quotes, .size = token.size - 2 * quotes};
  return true;
}

/* name: {..} or name: value; `kept`: all around it is named as what attributes refer to is. */
static bool parse_entry(ir_parser *parser, unsigned depth, bool kept) {
  lex_token name = {0}, value;
  if (!name_of(parser, parser->lex.token, &name))
    return false;
  lex_advance(&parser->lex);
  if (!parse_expect(parser, ':'))
    return false;
  if (depth < DEPTH) {
    kept &= lex_is(name, depth == 1 ? "dialect_resources" : "builtin");
    if (!parse_expect(parser, '{'))
      return false;
    for (bool first = true; !parse_accept(parser, '}'); first = false)
      if ((!first && !parse_expect(parser, ',')) || !parse_entry(parser, depth + 1, kept))
        return false;
    return true;
  }
  value = parser->lex.token;
  if (value.kind != LEX_STRING && value.kind != LEX_WORD && value.kind != LEX_INTEGER)
    return parse_error(parser, "expected the value of a resource");
  if (kept && value.kind == LEX_STRING)
    ir_names_add(&parser->resources, (ir_definition){.name = name.text,
                                                     .size = (uint32_t)name.size,
                                                     .what = value.text + 1,
                                                     .count = (unsigned)value.size - 2,
                                                     .loc = parse_loc(parser)});
  lex_advance(&parser->lex);
  return true;
}

bool parse_resources(ir_parser *parser) {
  if (parser->end.begin) {
    parser->lex = parser->end;
    return true;
  }
  lex_advance(&parser->lex);
  for (bool first = true; !parse_accept(parser, LEX_RESOURCES_END); first = false)
    if ((!first && !parse_expect(parser, ',')) || !parse_entry(parser, 1, true))
      return false;
  if (!parse_at(parser, LEX_END))
    return parse_error(parser, "resources are the end of a text");
  parser->end = parser->lex;
  return true;
}

const ir_definition *parse_find_resource(ir_parser *parser, lex_token token) {
  lex_token name = {0};
  if (!name_of(parser, token, &name))
    return NULL;
  if (!parser->end.begin) {
    lex_state here = parser->lex;
    while (!parse_at(parser, LEX_RESOURCES) && !parse_at(parser, LEX_END) && !parse_at(parser, LEX_ERROR))
      lex_advance(&parser->lex);
    if (parse_at(parser, LEX_ERROR) || (parse_at(parser, LEX_RESOURCES) && !parse_resources(parser)))
      return NULL;
    parser->lex = here;
  }
  const ir_definition *found = ir_names_find(&parser->resources, name.text, name.size);
  if (!found)
    parse_error(parser, "there is no resource '%.*s'", (int)name.size, name.text);
  return found;
}
