/* register_group.h - which ops the register tiles of another op compute, too (host). */
#ifndef TEC_PASSES_REGISTER_GROUP_H
#define TEC_PASSES_REGISTER_GROUP_H
#include "passes/register_plan.h"

enum { REGISTER_GROUP_MAX = 8 };

/* An elementwise op, or a reduction behind all others, that runs on the leader's tile while that is in registers. */
typedef struct register_member {
  ir_op *op;
  unsigned loops[IR_MAX_LOOPS]; /* by loop of the leader's result, or of its input: the op's own loop with the same
                                   iterations, or the innermost of several loops that have them together */
  uint32_t linked;              /* the operands (bits) that are the memory by which it belongs to the group */
  const ir_attr *groups;        /* a feeder's dims of that memory, by dim as the leader reads it; NULL: one each */
  const int64_t *part; /* of the innermost of these the iteration that a tile has alone; NULL: as many as fit */
} register_member;

/* The dims of the memory as the member has it that are one dim of it as the leader does; returns how many. */
static inline unsigned register_member_dims(const register_member *member, unsigned dim, unsigned *first) {
  const ir_attr *group = member->groups ? member->groups->elements[dim] : NULL;
  *first = group ? (unsigned)group->elements[0]->value : dim;
  return group ? group->count : 1;
}

typedef struct register_group {
  register_member prologue; /* makes what the leader's one output starts from; op NULL if there is none */
  const ir_op *loop;    /* around the leader: the prologue stands before it, and is for its first iteration; or NULL */
  unsigned num_feeders; /* the first makes what the leader reads as input `fed`, a reduction once, others read that */
  register_member feeders[REGISTER_GROUP_MAX];
  unsigned fed;
  bool is_fed_alone;        /* the leader is a contraction that alone reads what its one feeder makes */
  register_member rewriter; /* makes something else of that in place, behind the leader; op NULL if there is none */
  unsigned count;
  register_member epilogues[REGISTER_GROUP_MAX]; /* each works on the result of the op before */
} register_group;

/* What can join `leader`, a structured op on memrefs with the plan: no op between the members has effects, so that the
 * whole group may run where its last member stands. */
void register_group_find(ir_op *leader, const register_plan *plan, const target_facts *facts, register_group *group);
/* The op is the group's prologue or one of its feeders. */
bool register_group_takes_before(const register_group *group, const ir_op *op);
/* Gives what the first feeder makes memory of its own where nobody else reads that before it is made anew: it is only
 * held in registers then, as memory that is only written goes. */
void register_group_keep(ir_op *leader, const register_group *group);
/* A product before the op has it as its group's last member, a reduction: it leads no group itself. */
bool register_group_follows(const ir_op *op, const target_facts *facts);

/* Lets ops come together. Moves what starts a reduction up to before the product whose group can take that in; and an
 * elementwise op that writes memory of its own up to right behind the op that makes what it reads, where that
 * changes nothing and the two can be one group. */
void register_group_advance(ir_op *op, const target_facts *facts);
#endif
