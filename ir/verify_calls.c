/* verify_calls.c - functions call no deeper than the stack of whoever runs them is good for: none calls itself, not
 * even through others, and a chain of calls is at most IR_MAX_NESTING long.
 *
 * A depth-first search of the graph of calls. Its stack is an array with room for every function, as chains in a
 * damaged module may be long. ir_op.mark of a function is its number, counted from 1.
 * Terminates: a function is entered once, and each entry goes over its calls once. */
#include "op_hooks.h"

typedef struct graph_node {
  size_t next, end; /* its calls that the search has not followed yet */
  unsigned depth;   /* the longest chain of calls that starts here, as far as it is known */
  bool entered, done;
} graph_node;

typedef struct call_graph {
  graph_node *nodes;
  ir_op **calls; /* those of one function stand together */
  size_t num_nodes, num_calls;
} call_graph;

static call_graph collect(ir_module *module) {
  call_graph graph = {0};
  ir_block *top = ir_region(module->root, 0);
  for (const ir_op *op = module->root; op; op = ir_next_inside(module->root, op)) {
    graph.num_nodes += op->code == OP_FUNC_FUNC && op->block == top;
    graph.num_calls += op->code == OP_FUNC_CALL;
  }
  graph.nodes = IR_NEW_ARRAY(&module->arena, graph_node, graph.num_nodes);
  graph.calls = IR_NEW_ARRAY(&module->arena, ir_op *, graph.num_calls);
  graph.num_nodes = graph.num_calls = 0;
  for (ir_op *op = top->first; op; op = op->next) {
    if (op->code != OP_FUNC_FUNC)
      continue;
    graph_node *node = &graph.nodes[graph.num_nodes++];
    *node = (graph_node){.next = graph.num_calls};
    for (ir_op *call = ir_next_inside(op, op); call; call = ir_next_inside(op, call))
      if (call->code == OP_FUNC_CALL)
        graph.calls[graph.num_calls++] = call;
    node->end = graph.num_calls;
    op->mark = (uint32_t)graph.num_nodes;
  }
  return graph;
}

/* Follows all calls from `start`; `stack` has room for all nodes. */
static bool search(const call_graph *graph, graph_node *start, graph_node **stack) {
  size_t height = 0;
  stack[height++] = start;
  start->entered = true;
  while (height) {
    graph_node *node = stack[height - 1];
    if (node->next == node->end) {
      node->done = true;
      height--;
      continue;
    }
    const ir_op *call = graph->calls[node->next];
    const char *name = ir_attr_string_or(call, "callee", "");
    graph_node *callee = &graph->nodes[ir_module_lookup(call->module, name)->mark - 1];
    if (!callee->entered) {
      callee->entered = true;
      stack[height++] = callee; /* and then to this call once more */
      continue;
    }
    if (!callee->done)
      return ir_op_error(call, "is recursive: '%s' must not call itself, not even through other functions", name);
    if (callee->depth == IR_MAX_NESTING)
      return ir_op_error(call, "begins a chain of more than %d calls", IR_MAX_NESTING);
    if (node->depth <= callee->depth)
      node->depth = callee->depth + 1;
    node->next++;
  }
  return true;
}

bool verify_call_graph(ir_module *module) {
  size_t mark = ir_arena_mark(&module->arena);
  call_graph graph = collect(module);
  graph_node **stack = IR_NEW_ARRAY(&module->arena, graph_node *, graph.num_nodes);
  bool valid = true;
  for (size_t i = 0; valid && graph.num_calls && i < graph.num_nodes; i++)
    valid = graph.nodes[i].entered || search(&graph, &graph.nodes[i], stack);
  ir_arena_rewind(&module->arena, mark);
  return valid;
}
