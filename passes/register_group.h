/* register_group.h - which ops the register tiles of another op compute, too (host). */
#ifndef TEC_PASSES_REGISTER_GROUP_H
#define TEC_PASSES_REGISTER_GROUP_H
#include "passes/register_plan.h"

enum { REGISTER_GROUP_MAX = 8 };

/* An elementwise op on the result of the op before it in the group, while that is in registers. */
typedef struct register_epilogue {
  ir_op *op;
  unsigned loops[IR_MAX_LOOPS]; /* by loop of the leader's result: the op's own loop with the same iterations */
  uint32_t previous;            /* the operands (bits) that are the result before */
} register_epilogue;

typedef struct register_group {
  ir_op *fill; /* gives the leader's one output its first content: a scalar, repeated; NULL if there is none */
  unsigned count;
  register_epilogue epilogues[REGISTER_GROUP_MAX];
} register_group;

/* What can join `leader`, a structured op on memrefs with the plan: no op between the members has effects, so that the
 * whole group may run where its last member stands. */
void register_group_find(ir_op *leader, const register_plan *plan, register_group *group);
#endif
