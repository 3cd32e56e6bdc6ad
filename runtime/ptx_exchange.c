/* ptx_exchange.c - what the lanes of a warp tell each other without memory. All lanes named by a mask are here, see
 * gather in ptx_warp.c; lanes with different masks may be, too, so that each looks at its own. */
#include "runtime/ptx_machine.h"

static uint32_t members_of(const ptx_warp *warp, const ptx_instruction *instruction, unsigned lane, uint32_t lanes) {
  const ptx_operand *members = ptx_operand_of(warp, instruction, instruction->num_operands - 1u);
  return (uint32_t)ptx_lane_value(warp, members, lane) & lanes;
}

/* The control word has the bound in its lower bits and above them a mask that divides the warp into segments. */
static bool shuffle(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_operand *operands = ptx_operand_of(warp, instruction, 0);
  uint32_t values[PTX_LANES], valid = 0;
  PTX_FOR_LANES(lane, lanes) {
    uint32_t distance = (uint32_t)ptx_lane_value(warp, &operands[3], lane) & 31;
    uint32_t control = (uint32_t)ptx_lane_value(warp, &operands[4], lane), segment = control >> 8 & 31;
    uint32_t bound = (lane & segment) | (control & 31 & ~segment), from;
    bool in_range;
    switch (instruction->field[PTX_SHUFFLE]) {
    case SHUFFLE_UP:
      from = lane - distance;
      in_range = (int32_t)from >= (int32_t)bound;
      break;
    case SHUFFLE_DOWN:
      from = lane + distance;
      in_range = from <= bound;
      break;
    case SHUFFLE_BUTTERFLY:
      from = lane ^ distance;
      in_range = from <= bound;
      break;
    default:
      from = (lane & segment) | (distance & ~segment);
      in_range = from <= bound;
    }
    if (!in_range)
      from = lane;
    if (!(members_of(warp, instruction, lane, lanes) >> from & 1))
      return ptx_stop(warp, instruction, lane, "reads from lane %u, which does not take part", from);
    values[lane] = (uint32_t)ptx_lane_value(warp, &operands[2], from);
    valid |= (uint32_t)in_range << lane;
  }
  PTX_FOR_LANES(lane, lanes) ptx_set_lane(warp, &operands[0], lane, values[lane]);
  ptx_set_predicate(warp, &operands[1], lanes, valid);
  return true;
}

static bool vote(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  bool ballot = instruction->field[PTX_VOTE] == VOTE_BALLOT;
  uint32_t truth = ptx_predicate(warp, ptx_operand_of(warp, instruction, ballot ? 1 : 2)), result = 0;
  PTX_FOR_LANES(lane, lanes) {
    uint32_t members = members_of(warp, instruction, lane, lanes), yes = truth & members;
    if (ballot)
      ptx_set_lane(warp, ptx_operand_of(warp, instruction, 0), lane, yes);
    bool holds = instruction->field[PTX_VOTE] == VOTE_ANY   ? yes != 0
                 : instruction->field[PTX_VOTE] == VOTE_ALL ? yes == members
                                                            : yes == 0 || yes == members;
    result |= (uint32_t)holds << lane;
  }
  if (!ballot) {
    ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 0), lanes, result);
    ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 1), lanes, ~result);
  }
  return true;
}

static bool match(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  bool all = instruction->op == OP_MATCH_ALL;
  const ptx_operand *value = ptx_operand_of(warp, instruction, all ? 2 : 1);
  uint32_t result[PTX_LANES], holds = 0;
  PTX_FOR_LANES(lane, lanes) {
    uint32_t members = members_of(warp, instruction, lane, lanes), equal = 0;
    PTX_FOR_LANES(other, members) {
      bool same = ptx_lane_value(warp, value, other) == ptx_lane_value(warp, value, lane);
      equal |= (uint32_t)same << other;
    }
    result[lane] = !all || equal == members ? equal : 0;
    holds |= (uint32_t)(equal == members) << lane;
  }
  PTX_FOR_LANES(lane, lanes) ptx_set_lane(warp, ptx_operand_of(warp, instruction, 0), lane, result[lane]);
  if (all)
    ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 1), lanes, holds);
  return true;
}

static bool reduce(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  const ptx_operand *value = ptx_operand_of(warp, instruction, 1);
  uint32_t result[PTX_LANES];
  PTX_FOR_LANES(lane, lanes) {
    uint32_t members = members_of(warp, instruction, lane, lanes), first = ptx_first_lane(members);
    result[lane] = (uint32_t)ptx_lane_value(warp, value, first);
    PTX_FOR_LANES(other, members & (members - 1))
    result[lane] = (uint32_t)ptx_combine(instruction, result[lane], ptx_lane_value(warp, value, other), 0);
  }
  PTX_FOR_LANES(lane, lanes) ptx_set_lane(warp, ptx_operand_of(warp, instruction, 0), lane, result[lane]);
  return true;
}

/* The least of the members leads. */
static bool elect(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  uint32_t elected = 0;
  PTX_FOR_LANES(lane, lanes) {
    uint32_t leader = ptx_first_lane(members_of(warp, instruction, lane, lanes));
    elected |= (uint32_t)(leader == lane) << lane;
    ptx_set_lane(warp, ptx_operand_of(warp, instruction, 0), lane, leader);
  }
  ptx_set_predicate(warp, ptx_operand_of(warp, instruction, 1), lanes, elected);
  return true;
}

bool ptx_execute_exchange(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  switch (instruction->op) {
  case OP_SHFL:
    return shuffle(warp, instruction, lanes);
  case OP_VOTE:
    return vote(warp, instruction, lanes);
  case OP_MATCH:
  case OP_MATCH_ALL:
    return match(warp, instruction, lanes);
  case OP_REDUX:
    return reduce(warp, instruction, lanes);
  case OP_ELECT:
    return elect(warp, instruction, lanes);
  default: /* OP_ACTIVEMASK */
    PTX_FOR_LANES(lane, lanes) ptx_set_lane(warp, ptx_operand_of(warp, instruction, 0), lane, lanes);
    return true;
  }
}
