/* parse_create.c - from a complete draft to the op: counts, bodies that follow from the row, regions. See parser.h. */
#include "build.h"
#include "parser.h"
#include "row.h"

/* The body of a structured op follows from its row, and need not be written. */
static bool has_implied_body(const ir_op_info *info) {
  return info->regions && info->traits & IR_STRUCTURED && !(info->traits & IR_OWN_BODY);
}

static unsigned count_results(const ir_draft *draft) {
  return draft->infers ? row_num_results(draft->info) : draft->types.count;
}

static bool check_counts(ir_parser *parser, const ir_draft *draft) {
  unsigned groups[IR_MAX_GROUPS];
  for (unsigned i = 0; i < IR_MAX_GROUPS; i++)
    groups[i] = draft->groups[i].count;
  bool unwritten = has_implied_body(draft->info) && !draft->num_regions;
  return row_check_counts(&(row_subject){.module = parser->module,
                                         .loc = draft->loc,
                                         .info = draft->info,
                                         .groups = groups,
                                         .num_results = count_results(draft),
                                         .num_regions = unwritten ? draft->info->regions : draft->num_regions});
}

/* A structured op whose region is not written must be one that has a row for it, on operands with elements. */
static bool check_implied_body(ir_parser *parser, const ir_draft *draft) {
  unsigned last = ir_info_num_groups(draft->info) - 1;
  unsigned inputs = 0, commas = 0;
  for (unsigned i = 0; i < last; i++)
    inputs += draft->groups[i].count;
  if (!inputs || !draft->groups[last].count)
    return parse_error_at(parser, draft->loc, "'%s' needs ins and outs", draft->info->name);
  for (const char *at = draft->info->loops; at && *at; at++)
    commas += *at == ',';
  static const char *const numbers[] = {"one input", "two inputs", "three inputs"};
  unsigned expected = draft->info->combine ? 2 : commas ? commas : 1;
  if (inputs != expected || draft->groups[last].count != 1)
    return parse_error_at(parser, draft->loc, "'%s' expects %s and one output", draft->info->name,
                          numbers[expected - 1]);
  for (unsigned i = 0; i <= last; i++)
    for (unsigned k = 0; k < draft->groups[i].count; k++) {
      const ir_type *type = draft->groups[i].values[k]->type;
      if (type->kind != IR_TYPE_SCALAR && !ir_type_is_shaped(type))
        return parse_error_at(parser, draft->groups[i].locs[k], "'%s' expects tensors, memrefs or scalars",
                              draft->info->name);
    }
  return true;
}

/* Gives the region, read before its op existed, to the op. */
static void adopt_region(ir_op *op, unsigned i, const ir_block *read) {
  ir_block *region = ir_region(op, i);
  *region = *read;
  region->parent = op;
  for (ir_op *inner = region->first; inner; inner = inner->next)
    inner->block = region;
  for (unsigned k = 0; k < region->num_args; k++)
    region->args[k]->block = region;
}

/* Builds the body that the row implies. A written one must be just that, since the pretty form does not show it. */
static bool imply_body(ir_parser *parser, const ir_draft *draft, ir_op *op) {
  if (!draft->num_regions) {
    ir_structured_build_body(op);
    return true;
  }
  ir_block written = *ir_region(op, 0);
  *ir_region(op, 0) = (ir_block){.parent = op};
  ir_structured_build_body(op);
  return ir_same_body(&written, ir_region(op, 0)) ||
         parse_error_at(parser, draft->loc, "this is not the body of '%s'; linalg.generic can have any body",
                        draft->info->name);
}

bool parse_create_op(ir_parser *parser, ir_draft *draft, ir_block *block, ir_op **created) {
  if (!check_counts(parser, draft) || !parse_check_attrs(parser, draft))
    return false;
  bool implied = has_implied_body(draft->info);
  if (implied && !check_implied_body(parser, draft))
    return false;
  parser_values operands = {0};
  const ir_type *inferred[IR_MAX_INFERRED] = {0}; /* unknown until the op is there to infer from */
  ir_op_spec spec = {.types = draft->infers ? inferred : draft->types.types,
                     .num_results = count_results(draft),
                     .attrs = draft->attrs.entries,
                     .num_attrs = draft->attrs.count};
  for (unsigned i = 0, count = ir_info_num_groups(draft->info); i < count; i++) {
    spec.groups[i] = draft->groups[i].count;
    for (unsigned k = 0; k < draft->groups[i].count; k++)
      PARSE_PUSH(parser, &operands, values, draft->groups[i].values[k]);
  }
  spec.operands = operands.values;
  spec.num_operands = operands.count;
  ir_builder builder = {.module = parser->module, .block = block, .loc = draft->loc};
  ir_op *op = ir_op_create(&builder, draft->code, &spec);
  for (unsigned i = 0; i < draft->num_regions; i++)
    adopt_region(op, i, &draft->regions[i]);
  *created = op;
  if (draft->infers && !draft->info->infer(op, inferred))
    return false;
  for (unsigned i = 0; draft->infers && i < op->num_results; i++)
    ir_result(op, i)->type = inferred[i];
  return !implied || imply_body(parser, draft, op);
}
