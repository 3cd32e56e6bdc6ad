/* expression.h - what one element of a tensor is, as a scalar expression that sees through the ops that compute it.
 *
 * An expression is built over the loops of one structured op, the root. Elementwise ops, broadcasts, transposes, unit
 * dims added and dropped, fills and casts vanish; a reduction of one loop becomes a node that binds that loop. So two
 * programs that split the same computation differently over ops have the same expression. Nodes are interned: equal
 * expressions are one pointer. What cannot be seen through is a leaf: a value and its subscripts.
 *
 * Termination: expressions follow use-def chains upwards, and look at each value once, however often it is used. The
 * number of values and nodes is bounded; beyond it everything is a leaf. */
#ifndef TEC_PASSES_EXPRESSION_H
#define TEC_PASSES_EXPRESSION_H
#include "ir/build.h"

enum { EXPRESSION_MAX_NODES = 512, EXPRESSION_MAX_SEEN = 1024, EXPRESSION_ZERO = -1 };
enum { EXPRESSION_SLOTS = 2 * EXPRESSION_MAX_SEEN }; /* of a hash table: at most half of them are taken */

typedef enum expression_kind {
  EXPRESSION_LEAF,     /* value[subscripts] */
  EXPRESSION_CONSTANT, /* attr */
  EXPRESSION_INDEX,    /* the current iteration of loop `loop` */
  EXPRESSION_OP,       /* code(arguments) with the attributes */
  EXPRESSION_REDUCE    /* code (addf, maximumf or andi) of arguments[0] over loop `loop`, from the neutral element */
} expression_kind;

typedef struct expression {
  expression_kind kind;
  const ir_type *type; /* scalar */
  ir_value *value;
  int subscripts[IR_MAX_RANK]; /* a loop of the root, or EXPRESSION_ZERO in a unit dim */
  const ir_attr *attr;
  int loop;
  ir_opcode code;
  const ir_named_attr *attrs;
  unsigned num_attrs, num_arguments;
  const struct expression *arguments[3];
  unsigned number; /* in the space, behind its arguments */
  uint32_t loops;  /* with which the value varies, as bits */
} expression;

/* A value met on the way, and what it is. */
typedef struct expression_seen {
  ir_value *value;              /* a tensor, or what an op of a body computes */
  int subscripts[IR_MAX_LOOPS]; /* of the tensor, as for a leaf, or what the loops of the body's op are */
  const expression *node;       /* NULL: it is on its way, or depends on what no expression can say */
} expression_seen;

typedef struct expression_space {
  ir_module *module;
  ir_op *root;
  unsigned num_loops;
  int64_t extents[IR_MAX_LOOPS];
  expression nodes[EXPRESSION_MAX_NODES];
  expression_seen seen[EXPRESSION_MAX_SEEN];
  unsigned num_nodes, num_seen;
  uint16_t node_slots[EXPRESSION_SLOTS], seen_slots[EXPRESSION_SLOTS]; /* one more than the index, by hash; 0: free */
} expression_space;

/* Over the loops of `root`, a structured op, as if none was a reduction. */
void expression_begin(expression_space *space, ir_op *root);
/* The scalar of the root's body; NULL where it depends on what no expression can say (memory, tensor.extract). */
const expression *expression_of_scalar(expression_space *space, ir_value *scalar);
/* The element of a tensor whose subscripts are the root's loops in order, all but `without` (-1: all). NULL where it
 * depends on what no expression can say. */
const expression *expression_of_element(expression_space *space, ir_value *tensor, int without);
/* The scalar of the body of an op whose loops are the root's in order, all but `without` (-1: all). NULL as before. */
const expression *expression_of_inner(expression_space *space, ir_op *op, ir_value *scalar, int without);
/* The op node code(a, b) without attributes (b may be NULL), and a float constant. NULL when there is no room. */
const expression *expression_apply(expression_space *space, ir_opcode code, const expression *a, const expression *b);
const expression *expression_constant(expression_space *space, const ir_type *type, double value);
/* The node is that op. */
bool expression_is_op(const expression *node, ir_opcode code);
/* The node is a float constant, or that one. */
bool expression_is_number(const expression *node);
bool expression_is_constant(const expression *node, double value);
/* Does the value of the node vary with the loop? */
bool expression_depends(const expression *node, int loop);
/* Is a reduction of the loop part of it? */
bool expression_reduces(const expression_space *space, const expression *node, int loop);
/* A tensor over all loops of the root in order but `without` (-1: all), with that element: one that is there already,
 * or a new linalg.generic at the builder's place. NULL where the expression holds a reduction, or depends on
 * `without`. */
ir_value *expression_materialize(expression_space *space, ir_builder *builder, const expression *node, int without);
/* tensor.empty of the root's extents, at the builder's place. */
ir_value *expression_empty(expression_space *space, ir_builder *builder, ir_scalar element);
#endif
