/* test_elementwise.c - every elementwise op in the host's code: each row of the op table, for all types that it takes,
 * compiled and compared lane by lane with the oracle's scalar function. */
#include "tests/support/host_machine.h"

#include "ir/text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = 19, MAX_OPERANDS = 3 };

static void store_cell(void *memory, size_t i, ir_scalar type, ir_cell cell) {
  unsigned bytes = (ir_scalar_bits(type) + 7) / 8;
  uint64_t bits = ir_scalar_is_float(type) ? ir_float_to_bits(type, cell.f) : (uint64_t)cell.i;
  if (type == IR_I1)
    bits &= 1;
  memcpy((char *)memory + i * bytes, &bits, bytes);
}

static ir_cell load_cell(const void *memory, size_t i, ir_scalar type) {
  unsigned bytes = (ir_scalar_bits(type) + 7) / 8;
  uint64_t bits = 0;
  memcpy(&bits, (const char *)memory + i * bytes, bytes);
  if (ir_scalar_is_float(type))
    return (ir_cell){.f = ir_float_from_bits(type, bits)};
  return (ir_cell){.i = ir_scalar_wrap(type, (int64_t)bits)};
}

/* Lane values that show edges: of both signs, halves, zero, infinities and NaN; the last operand of integer ops is
 * small and positive, for divisors and shifts. */
static ir_cell sample(ir_scalar type, unsigned lane, bool small) {
  static const double floats[LANES] = {0.5, -1.25, 3,        0,         -0.0, 100.125, -7.75, 1e-3,    2.5,      -2.5,
                                       0.7, 1,     INFINITY, -INFINITY, NAN,  6,       0.1,   1.0 / 3, 12345.678};
  /* Next to what lies halfway between two bf16, where f32 already is. */
  static const int64_t large[] = {0x40400001, 0x40bfffff, -0x40400001, 0x10100000000001, -0x102fffffffffff};
  static const int64_t integers[LANES] = {0, 1, -1, 5, -5, 127, -128, 100, 7, -7, 3, 2, 64, 33, 99, -100, 12, 31, -2};
  if (ir_scalar_is_float(type))
    return (ir_cell){.f = ir_scalar_round(type, floats[small ? (lane * 7 + 3) % LANES : lane])};
  if (!small && lane % 4 == 3 && ir_scalar_bits(type) >= 32)
    return (ir_cell){.i = ir_scalar_wrap(type, large[lane / 4])};
  return (ir_cell){.i = ir_scalar_wrap(type, small ? 1 + lane % 3 : integers[lane])};
}

static bool same(ir_scalar type, ir_cell value, ir_cell expected, bool exactly) {
  if (!ir_scalar_is_float(type))
    return value.i == expected.i;
  double rounded = ir_scalar_round(type, expected.f);
  if (isnan(rounded) || isinf(rounded) || value.f == rounded)
    return isnan(rounded) ? isnan(value.f) : value.f == rounded;
  double unit = type == IR_F64 ? 0x1p-51 : type == IR_F32 ? 0x1p-22 : type == IR_F16 ? 0x1p-10 : 0x1p-7;
  return !exactly && fabs(value.f - rounded) <= unit * fabs(rounded) + 0x1p-24;
}

/* Runs `row` on vectors of `from`, the last of several operands of `last`, giving `to`, compiled for `target`; false
 * where the language has no such op. */
static bool check_elementwise(const char *target, const ir_op_info *row, unsigned num_operands, ir_scalar from,
                              ir_scalar last, ir_scalar to, const char *attribute) {
  char text[3000];
  ir_scalar types[MAX_OPERANDS];
  for (unsigned i = 0; i < num_operands; i++)
    types[i] = i && i + 1 == num_operands ? last : from;
  int at = snprintf(text, sizeof text, "func.func @f(%%r: memref<19x%s>", ir_scalar_name(to));
  for (unsigned i = 0; i < num_operands; i++)
    at += snprintf(text + at, sizeof text - at, ", %%x%u: memref<19x%s>", i, ir_scalar_name(types[i]));
  at += snprintf(text + at, sizeof text - at, ") {\n  %%i = arith.constant 0 : index\n");
  for (unsigned i = 0; i < num_operands; i++)
    at += snprintf(text + at, sizeof text - at,
                   "  %%p%u = arith.constant %s : %s\n  %%v%u = vector.transfer_read %%x%u[%%i], %%p%u "
                   "{in_bounds = [true]} : memref<19x%s>, vector<19x%s>\n",
                   i, ir_scalar_is_float(types[i]) ? "0.0" : "0", ir_scalar_name(types[i]), i, i, i,
                   ir_scalar_name(types[i]), ir_scalar_name(types[i]));
  at += snprintf(text + at, sizeof text - at, "  %%o = \"%s\"(", row->name);
  for (unsigned i = 0; i < num_operands; i++)
    at += snprintf(text + at, sizeof text - at, "%s%%v%u", i ? ", " : "", i);
  at += snprintf(text + at, sizeof text - at, ") <{%s}> : (", attribute);
  for (unsigned i = 0; i < num_operands; i++)
    at += snprintf(text + at, sizeof text - at, "%svector<19x%s>", i ? ", " : "", ir_scalar_name(types[i]));
  snprintf(text + at, sizeof text - at,
           ") -> vector<19x%s>\n  vector.transfer_write %%o, %%r[%%i] {in_bounds = [true]} : vector<19x%s>, "
           "memref<19x%s>\n  return\n}\n",
           ir_scalar_name(to), ir_scalar_name(to), ir_scalar_name(to));
  ir_module *module = ir_module_create(NULL, NULL);
  bool known = ir_parse(module, "test.mlir", text, strlen(text));
  uint64_t memory[MAX_OPERANDS + 1][LANES] = {0};
  for (unsigned i = 0; i < num_operands; i++)
    for (unsigned lane = 0; lane < LANES; lane++)
      store_cell(memory[i + 1], lane, types[i], sample(types[i], lane, i + 1 == num_operands && i));
  const ir_op *op = known ? ir_region(ir_region(module->root, 0)->first, 0)->last->prev->prev : NULL;
  if (known) {
    void *data[] = {memory[0], memory[1], memory[2], memory[3]};
    cr_assert_eq(machine_run_for(target, text, data, (int64_t[]){19, 19, 19, 19}), 0);
    for (unsigned lane = 0; lane < LANES; lane++) {
      ir_cell operands[MAX_OPERANDS];
      for (unsigned i = 0; i < num_operands; i++)
        operands[i] = load_cell(memory[i + 1], lane, types[i]);
      ir_cell value = load_cell(memory[0], lane, to), expected = row->scalar(op, operands);
      if (!ir_scalar_is_float(to))
        expected.i = ir_scalar_wrap(to, expected.i);
      bool out_of_range = ir_scalar_is_float(from) && !ir_scalar_is_float(to) && to != IR_I1 &&
                          !(fabs(operands[0].f) < 100 && operands[0].f >= 0);
      if (out_of_range && strncmp(row->name, "arith.cmp", 9))
        continue;
      cr_assert(same(to, value, expected, to != from),
                "%s %s to %s, lane %u: of %g (%lld), %g (%lld): %g (%lld), expected %g (%lld)", row->name,
                ir_scalar_name(from), ir_scalar_name(to), lane, operands[0].f, (long long)operands[0].i, operands[1].f,
                (long long)operands[1].i, value.f, (long long)value.i, expected.f, (long long)expected.i);
    }
  }
  ir_module_destroy(module);
  return known;
}

static unsigned count_words(const char *text) {
  unsigned count = 0;
  for (; *text; text += strspn(text, " ")) {
    count++;
    text += strcspn(text, " ");
  }
  return count;
}

/* Each op of one type gives in every type that it takes what the oracle gives; so do casts for every pair of types. */
Test(elementwise, ops_agree_with_the_oracle, .timeout = 120) {
  static const ir_scalar types[] = {IR_F16, IR_BF16, IR_F32, IR_F64, IR_I8, IR_I32, IR_I64, IR_INDEX, IR_I1};
  enum { NUM_TYPES = sizeof types / sizeof *types };
  for (unsigned code = 0; code < IR_NUM_OPCODES; code++) {
    const ir_op_info *row = ir_op_info_of((ir_opcode)code);
    bool compares = row->attrs && strstr(row->attrs, "predicate");
    bool tests = !strncmp(row->name, "math.is", 7);
    if (!(row->traits & IR_ELEMENTWISE) || (row->traits & IR_INFER && !compares && !tests))
      continue; /* operands of several types: select, fpowi, see below */
    unsigned num_operands = count_words(row->operands), known = 0;
    for (unsigned i = 0; i < NUM_TYPES; i++)
      for (unsigned k = 0; k < NUM_TYPES; k++) {
        if (row->traits & IR_SAME_TYPE && i != k)
          continue;
        for (unsigned predicate = 0; predicate < (compares ? 10 : 1); predicate++) {
          char attribute[40] = "";
          if (compares)
            snprintf(attribute, sizeof attribute, "predicate = %u : i64", predicate + 1);
          if (!compares || predicate + 1 < 10 || ir_scalar_is_float(types[i]))
            known += check_elementwise("host", row, num_operands, types[i], types[i], types[k], attribute);
          if (types[i] == IR_F16 || types[k] == IR_F16) /* without conversions in hardware */
            check_elementwise("host:x86-64", row, num_operands, types[i], types[i], types[k], attribute);
          if (i != k && num_operands > 1) /* math.fpowi */
            known += check_elementwise("host", row, num_operands, types[i], types[k], types[i], attribute);
        }
      }
    cr_assert(known, "%s takes no type", row->name);
  }
}
