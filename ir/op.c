/* op.c - the op table, expanded from op.def, and look-ups in it. */
#include "format.h"
#include "op_hooks.h"

static const ir_op_info rows[] = {
#define IR(...) __VA_ARGS__
#define PASS(...)
#define EMIT(...)
#define OP(ID, NAME, ROW) [OP_##ID] = {.name = NAME, ROW},
#include "op.def"
#undef OP
#undef IR
#undef PASS
#undef EMIT
};

const ir_op_info *ir_op_info_of(ir_opcode code) { return &rows[code]; }

bool ir_opcode_find(const char *name, size_t size, ir_opcode *code) {
  for (unsigned i = 0; i < IR_NUM_OPCODES; i++)
    if (format_is_name(rows[i].name, name, size)) {
      *code = (ir_opcode)i;
      return true;
    }
  return false;
}

unsigned ir_info_num_groups(const ir_op_info *info) {
  unsigned count = 0;
  for (const char *at = info->operands; at && *at; at++)
    count += (at == info->operands || at[-1] == ' ') && *at != ' ';
  return count;
}
