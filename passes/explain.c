/* explain.c - what became of a function, in words and with the lines of the source; see explain.h.
 *
 * Each op keeps the place in the source that it was made from, and ops of merged bodies keep theirs, so a kernel's
 * lines are those of all ops inside. A parallel loop that is in no other is a kernel; what else computes there runs by
 * itself; views, constants and index arithmetic cost nothing and are passed over.
 * Terminates: one walk over each function. */
#include "passes/explain.h"

#include "ir/text.h"
#include "passes/tile.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 4096 };

typedef struct kernel_facts {
  ir_module *module;
  unsigned products, softmaxes, online, reductions, elementwise;
  unsigned lines[MAX_LINES], num_lines;
} kernel_facts;

static void add_line(kernel_facts *facts, ir_loc loc) {
  unsigned line, column;
  if (!ir_loc_resolve(facts->module, loc, NULL, &line, &column) || facts->num_lines == MAX_LINES)
    return;
  for (unsigned i = 0; i < facts->num_lines; i++)
    if (facts->lines[i] == line)
      return;
  facts->lines[facts->num_lines++] = line;
}

static bool in_sequential_loop(const ir_op *op) {
  for (const ir_op *around = ir_op_parent(op); around; around = ir_op_parent(around))
    if (around->code == OP_SCF_FOR)
      return true;
  return false;
}

static void add_op(kernel_facts *facts, const ir_op *op) {
  bool inner = ir_op_parent(op) && ir_op_has(ir_op_parent(op), IR_STRUCTURED);
  if (inner && !ir_op_has(op, IR_CONSTANT) && !ir_op_has(op, IR_TERMINATOR))
    add_line(facts, op->loc);
  /* A product with a diagonal matrix is the scaling of rows that comes with a running softmax. */
  const ir_op *first = op->num_operands ? ir_operand(op, 0)->op : NULL;
  bool scales_rows = op->code == OP_LINALG_EXT_DIAG || (first && first->code == OP_LINALG_EXT_DIAG);
  if (inner || !ir_op_has(op, IR_STRUCTURED) || tile_is_cheap(op) || scales_rows)
    return;
  add_line(facts, op->loc);
  if (pass_op_info_of(op->code)->states) {
    facts->softmaxes++;
    facts->online += in_sequential_loop(op);
  } else if (ir_is_contraction(op)) {
    facts->products++;
  } else if (ir_structure_of(op)->reductions) {
    facts->reductions++;
  } else {
    facts->elementwise++;
  }
}

static int compare_lines(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

/* "lines 3, 7-9" */
static void write_lines(FILE *out, kernel_facts *facts) {
  qsort(facts->lines, facts->num_lines, sizeof *facts->lines, compare_lines);
  for (unsigned i = 0, last; i < facts->num_lines; i = last + 1) {
    for (last = i; last + 1 < facts->num_lines && facts->lines[last + 1] == facts->lines[last] + 1;)
      last++;
    fprintf(out, "%s%u", i ? ", " : facts->num_lines > 1 ? " (lines " : " (line ", facts->lines[i]);
    if (last > i)
      fprintf(out, "-%u", facts->lines[last]);
  }
  fprintf(out, facts->num_lines ? ")\n" : "\n");
}

static void write_count(FILE *out, unsigned *parts, unsigned count, const char *one, const char *many) {
  if (!count)
    return;
  fprintf(out, (*parts)++ ? ", " : "");
  if (count > 1)
    fprintf(out, "%u %s", count, many);
  else
    fprintf(out, "%s", one);
}

static void write_kernel(FILE *out, ir_op *loop, unsigned number) {
  kernel_facts *facts = IR_NEW(&loop->module->arena, kernel_facts);
  facts->module = loop->module;
  for (const ir_op *op = ir_next_inside(loop, loop); op; op = ir_next_inside(loop, op))
    add_op(facts, op);
  unsigned parts = 0;
  bool attention = facts->softmaxes && facts->products > 1;
  fprintf(out, "  kernel %u: %s", number, attention ? "attention: " : "");
  write_count(out, &parts, facts->products, "a product", "products");
  const char *softmax = facts->online ? "a softmax that runs along with the loop over keys" : "a softmax of whole rows";
  write_count(out, &parts, facts->softmaxes, softmax, "softmaxes");
  write_count(out, &parts, facts->reductions, "a reduction", "reductions");
  write_count(out, &parts, facts->elementwise, "an elementwise step", "elementwise steps");
  if (!parts)
    fprintf(out, "moves data");
  write_lines(out, facts);
}

/* Costs something when it runs at the top of a function. What is made for an insertion alone is computed where it goes
 * (bufferize_prepare.c). */
static bool runs(const ir_op *op) {
  if (ir_op_has(op, IR_STRUCTURED))
    return !tile_is_cheap(op);
  switch (op->code) {
  case OP_SCF_FORALL:
  case OP_SCF_FOR:
  case OP_SCF_IF:
  case OP_FUNC_CALL:
  case OP_TENSOR_PAD:
  case OP_TENSOR_FROM_ELEMENTS:
    return true;
  case OP_TENSOR_INSERT_SLICE: {
    const ir_value *source = ir_operand(op, 0);
    return !source->op || !ir_value_has_one_use(source) ||
           (source->op->code != OP_SCF_FORALL && !ir_op_has(source->op, IR_STRUCTURED));
  }
  default:
    return false;
  }
}

/* Some use, also of a view of the value or of what it is a part of, is by something that runs. */
static bool is_read_again(const ir_value *value) {
  for (const ir_use *use = value->uses; use; use = use->next) {
    const ir_op *user = use->user;
    const ir_opcode around = ir_op_parent(user)->code;
    if ((around != OP_FUNC_FUNC && around != OP_SCF_FOR && around != OP_SCF_IF) || runs(user))
      return true;
    bool shows = ir_op_has(user, IR_VIEW) || user->code == OP_TENSOR_INSERT_SLICE;
    if (shows && is_read_again(ir_result(user, 0)))
      return true;
  }
  return false;
}

static void write_between(FILE *out, const ir_op *op, unsigned *stored) {
  for (unsigned i = 0; i < op->num_results; i++) {
    const ir_type *type = ir_result(op, i)->type;
    if (!ir_type_is_shaped(type) || !is_read_again(ir_result(op, i)))
      continue;
    ++*stored;
    if (op->code != OP_TENSOR_INSERT_SLICE) /* most of it was there before */
      fprintf(out, "    stores %s for what follows\n", ir_print_type(op->module, type));
  }
}

/* What the function did so far. */
typedef struct tally {
  unsigned kernels, stored;
} tally;

/* In loops and branches, kernels are launched from there. */
static void write_block(FILE *out, ir_block *block, tally *tally) {
  for (ir_op *op = block->first; op; op = op->next) {
    unsigned line, column;
    if (!runs(op))
      continue;
    bool encloses = op->code == OP_SCF_FOR || op->code == OP_SCF_IF;
    if (op->code == OP_SCF_FORALL) {
      write_kernel(out, op, ++tally->kernels);
    } else {
      if (op->code == OP_TENSOR_INSERT_SLICE)
        fprintf(out, "  puts %s into %s", ir_print_type(op->module, ir_operand(op, 0)->type),
                ir_print_type(op->module, ir_operand(op, 1)->type));
      else
        fprintf(out, "  %s: %s", encloses ? "in" : "by itself", ir_op_row(op)->name);
      if (ir_loc_resolve(op->module, op->loc, NULL, &line, &column))
        fprintf(out, " (line %u)", line);
      fputc('\n', out);
    }
    for (unsigned i = 0; encloses && i < op->num_regions; i++)
      write_block(out, ir_region(op, i), tally);
    write_between(out, op, &tally->stored);
  }
}

static void write_function(FILE *out, ir_op *function) {
  const char *file = "";
  unsigned line = 0, column;
  tally tally = {0};
  ir_loc_resolve(function->module, function->loc, &file, &line, &column);
  fprintf(out, "@%s (%s:%u)\n", ir_attr_string_or(function, "sym_name", ""), file, line);
  write_block(out, ir_region(function, 0), &tally);
  fprintf(out, "  %u kernel%s, %s\n", tally.kernels, tally.kernels == 1 ? "" : "s",
          tally.stored ? "with tensors in memory between them" : "with nothing in memory between");
}

bool explain_write(FILE *out, ir_module *module) {
  for (ir_op *op = ir_region(module->root, 0)->first; op; op = op->next)
    if (ir_is_exported(op))
      write_function(out, op);
  return !ferror(out);
}
