/* generate.c - random tensor programs; see generate.h.
 *
 * Every dim of every tensor is one of a few symbols (an extent, static or dynamic), so ops that fit are found by
 * comparing symbols, and an extent is spelled as a constant or as the value of one tensor.dim. Each op is added by one
 * emit_ function, which gives up (returns false) when no tensor fits; the number of attempts is bounded. */
#include "tests/support/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SYMBOLS = 24, MAX_TENSORS = 64, MAX_RANK = GENERATE_MAX_RANK };

typedef struct symbol {
  int64_t extent;
  bool dynamic; /* then %dim<number> is its value */
} symbol;

typedef struct tensor {
  unsigned rank, dims[MAX_RANK]; /* symbols */
} tensor;

typedef struct generator {
  FILE *out;
  uint64_t state;
  const generate_options *options;
  const char *element;
  symbol symbols[MAX_SYMBOLS];
  tensor tensors[MAX_TENSORS];
  unsigned num_symbols, num_tensors, num_arguments, next_name;
  unsigned num_loops; /* of the op emitted last */
  unsigned product;   /* of weights; 0: there is none */
  long root_at;       /* where its attribute goes in the text */
} generator;

/* splitmix64 */
static uint64_t next_random(generator *g) {
  uint64_t z = g->state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static unsigned below(generator *g, unsigned n) { return (unsigned)(next_random(g) % n); }

/* A random permutation of 0 .. count - 1 (inside-out shuffle). */
static void shuffle(generator *g, unsigned count, unsigned *permutation) {
  for (unsigned i = 0; i < count; i++) {
    unsigned other = below(g, i + 1);
    permutation[i] = i;
    permutation[i] = permutation[other];
    permutation[other] = i;
  }
}

static unsigned add_symbol(generator *g, int64_t extent, bool dynamic) {
  g->symbols[g->num_symbols] = (symbol){extent, dynamic};
  return g->num_symbols++;
}

static void print_type(generator *g, const tensor *t, const char *element) {
  fprintf(g->out, "tensor<");
  for (unsigned i = 0; i < t->rank; i++) {
    const symbol *s = &g->symbols[t->dims[i]];
    if (s->dynamic)
      fprintf(g->out, "?x");
    else
      fprintf(g->out, "%lldx", (long long)s->extent);
  }
  fprintf(g->out, "%s>", element);
}

/* Emits tensor.empty of the shape and returns the number of its name, %e<number>. */
static unsigned emit_empty(generator *g, const tensor *t) {
  unsigned name = g->next_name++;
  const char *separator = "";
  fprintf(g->out, "  %%e%u = tensor.empty(", name);
  for (unsigned i = 0; i < t->rank; i++)
    if (g->symbols[t->dims[i]].dynamic) {
      fprintf(g->out, "%s%%dim%u", separator, t->dims[i]);
      separator = ", ";
    }
  fprintf(g->out, ") : ");
  print_type(g, t, g->element);
  fprintf(g->out, "\n");
  return name;
}

/* Emits a fill with a named constant (%zero, %lowest ..) and returns the number of its name, %f<number>. */
static unsigned emit_fill(generator *g, const tensor *t, const char *constant) {
  unsigned empty = emit_empty(g, t), name = g->next_name++;
  fprintf(g->out, "  %%f%u = linalg.fill ins(%s : %s) outs(%%e%u : ", name, constant, g->element, empty);
  print_type(g, t, g->element);
  fprintf(g->out, ") -> ");
  print_type(g, t, g->element);
  fprintf(g->out, "\n");
  return name;
}

/* The position of a symbol among the loops, or -1. */
static int find(const unsigned *symbols, unsigned count, unsigned wanted) {
  for (unsigned i = 0; i < count; i++)
    if (symbols[i] == wanted)
      return (int)i;
  return -1;
}

/* affine_map<(d0, d1, ..) -> (..)> from loops, which are symbols, to a tensor's dims. */
static void print_map(generator *g, const unsigned *loops, unsigned num_loops, const tensor *t) {
  fprintf(g->out, "affine_map<(");
  for (unsigned i = 0; i < num_loops; i++)
    fprintf(g->out, "%sd%u", i ? ", " : "", i);
  fprintf(g->out, ") -> (");
  for (unsigned i = 0; i < t->rank; i++)
    fprintf(g->out, "%sd%d", i ? ", " : "", find(loops, num_loops, t->dims[i]));
  fprintf(g->out, ")>");
}

static bool has_distinct_dims(const tensor *t) {
  for (unsigned i = 0; i < t->rank; i++)
    if (find(t->dims, i, t->dims[i]) >= 0)
      return false;
  return true;
}

static bool is_subset(const tensor *small, const tensor *large) {
  for (unsigned i = 0; i < small->rank; i++)
    if (find(large->dims, large->rank, small->dims[i]) < 0)
      return false;
  return true;
}

/* Any tensor with distinct dims and a rank of at least `rank`; false if a few draws find none. */
static bool pick(generator *g, unsigned rank, unsigned *number) {
  for (unsigned attempt = 0; attempt < 8; attempt++) {
    /* later tensors more often, so that programs are deep */
    unsigned a = below(g, g->num_tensors), b = below(g, g->num_tensors);
    *number = a > b ? a : b;
    if (g->tensors[*number].rank >= rank && has_distinct_dims(&g->tensors[*number]))
      return true;
  }
  return false;
}

static unsigned add_tensor(generator *g, const tensor *t) {
  g->tensors[g->num_tensors] = *t;
  return g->num_tensors++;
}

/* The opening of a linalg.generic that computes the next tensor; leaves a place for the root's attribute. */
static void open_generic(generator *g, const unsigned *loops, unsigned num_loops, unsigned num_ins, const unsigned *ins,
                         const tensor *out, char out_kind, unsigned out_name) {
  fprintf(g->out, "  %%t%u = linalg.generic {indexing_maps = [", g->num_tensors);
  for (unsigned i = 0; i < num_ins; i++) {
    print_map(g, loops, num_loops, &g->tensors[ins[i]]);
    fprintf(g->out, ", ");
  }
  print_map(g, loops, num_loops, out);
  fprintf(g->out, "], iterator_types = [");
  for (unsigned i = 0; i < num_loops; i++)
    fprintf(g->out, "%s\"%s\"", i ? ", " : "", find(out->dims, out->rank, loops[i]) < 0 ? "reduction" : "parallel");
  fprintf(g->out, "]} ins(");
  for (unsigned i = 0; i < num_ins; i++)
    fprintf(g->out, "%s%%t%u", i ? ", " : "", ins[i]);
  for (unsigned i = 0; i < num_ins; i++) {
    fprintf(g->out, i ? ", " : " : ");
    print_type(g, &g->tensors[ins[i]], g->element);
  }
  fprintf(g->out, ") outs(%%%c%u : ", out_kind, out_name);
  print_type(g, out, g->element);
  fprintf(g->out, ")");
  fflush(g->out);
  g->root_at = ftell(g->out);
  g->num_loops = num_loops;
  fprintf(g->out, "                         {\n  ^bb0(");
  for (unsigned i = 0; i < num_ins; i++)
    fprintf(g->out, "%%x%u: %s, ", i, g->element);
  fprintf(g->out, "%%y: %s):\n", g->element);
}

static void close_generic(generator *g, const tensor *out) {
  fprintf(g->out, "    linalg.yield %%v : %s\n  } -> ", g->element);
  print_type(g, out, g->element);
  fprintf(g->out, "\n");
  add_tensor(g, out);
}

/* A constant table for the next op. */
static void emit_table(generator *g, unsigned size, const char *type) {
  fprintf(g->out, "  %%table%u = arith.constant dense<[", g->num_tensors);
  for (unsigned i = 0; i < size; i++)
    fprintf(g->out, "%s%d.%u", i ? ", " : "", (int)below(g, 5) - 2, 25 * below(g, 4));
  fprintf(g->out, "]> : %s\n  %%size%u = arith.constant %u : index\n", type, g->num_tensors, size);
}

/* Makes %w of %u and of that table's element at a place that the op's loops tell. */
static void emit_lookup(generator *g, const tensor *out, const char *type) {
  fprintf(g->out,
          "    %%p = linalg.index %u : index\n    %%q = linalg.index 0 : index\n"
          "    %%r = arith.addi %%p, %%q : index\n    %%place = arith.remui %%r, %%size%u : index\n"
          "    %%entry = tensor.extract %%table%u[%%place] : %s\n    %%w = arith.mulf %%u, %%entry : %s\n",
          below(g, out->rank), g->num_tensors, g->num_tensors, type, g->element);
}

/* Elementwise: one or two inputs (the second broadcast along what it lacks), sometimes a comparison of indices. */
static bool emit_elementwise(generator *g) {
  unsigned first, ins[2], num_ins = 1;
  if (!pick(g, 1, &first))
    return false;
  ins[0] = first;
  tensor out = g->tensors[first];
  for (unsigned i = 0; i < g->num_tensors && num_ins == 1; i++) {
    unsigned candidate = below(g, g->num_tensors);
    if (candidate != first && is_subset(&g->tensors[candidate], &out) && has_distinct_dims(&g->tensors[candidate]))
      ins[num_ins++] = candidate;
  }
  unsigned empty = emit_empty(g, &out);
  static const unsigned table_sizes[] = {1, 3, 8, 11, 16, 17};
  char table[32];
  unsigned table_size = g->options->tables ? table_sizes[below(g, 6)] : 0;
  snprintf(table, sizeof table, "tensor<%ux%s>", table_size, g->element);
  if (table_size)
    emit_table(g, table_size, table);
  open_generic(g, out.dims, out.rank, num_ins, ins, &out, 'e', empty);
  static const char *const binary[] = {"addf", "subf", "mulf", "maximumf"};
  const char *element = g->element;
  if (num_ins == 2)
    fprintf(g->out, "    %%u = arith.%s %%x0, %%x1 : %s\n", binary[below(g, 4)], element);
  else
    fprintf(g->out, "    %%u = arith.mulf %%x0, %%half : %s\n", element);
  const char *made = table_size ? "w" : "u";
  if (table_size)
    emit_lookup(g, &out, table);
  switch (out.rank >= 2 ? below(g, 4) : below(g, 3)) {
  case 0:
    fprintf(g->out, "    %%v = math.%s %%%s : %s\n", g->num_tensors % 2 ? "tanh" : "atan", made, element);
    break;
  case 1:
    if (g->num_tensors % 2)
      fprintf(g->out, "    %%v = arith.negf %%%s : %s\n", made, element);
    else
      fprintf(g->out, "    %%t = math.isfinite %%%s : %s\n    %%v = arith.select %%t, %%%s, %%zero : %s\n", made,
              element, made, element);
    break;
  case 2:
    fprintf(g->out, "    %%v = arith.maximumf %%%s, %%zero : %s\n", made, element);
    break;
  default: /* a causal mask over the last two dims */
    fprintf(g->out,
            "    %%i = linalg.index %u : index\n    %%j = linalg.index %u : index\n"
            "    %%c = arith.cmpi sge, %%i, %%j : index\n    %%v = arith.select %%c, %%%s, %%lowest : %s\n",
            out.rank - 2, out.rank - 1, made, element);
  }
  close_generic(g, &out);
  return true;
}

/* The sum or maximum along one dim. */
static void emit_reduction_of(generator *g, unsigned in, unsigned dropped, bool sum, const char *start) {
  const tensor source = g->tensors[in];
  tensor out = {.rank = source.rank - 1};
  for (unsigned i = 0, n = 0; i < source.rank; i++)
    if (i != dropped)
      out.dims[n++] = source.dims[i];
  unsigned init = emit_fill(g, &out, start);
  open_generic(g, source.dims, source.rank, 1, &in, &out, 'f', init);
  fprintf(g->out, "    %%v = arith.%s %%x0, %%y : %s\n", sum ? "addf" : "maximumf", g->element);
  close_generic(g, &out);
}

static bool emit_reduction(generator *g) {
  unsigned in;
  if (!pick(g, 2, &in))
    return false;
  unsigned dropped = below(g, g->tensors[in].rank);
  bool sum = below(g, 2);
  emit_reduction_of(g, in, dropped, sum, sum ? "%zero" : "%lowest");
  return true;
}

/* A contraction of two tensors over one symbol that both have; shared other symbols are batch loops. */
static bool emit_contraction_of(generator *g, unsigned lhs, unsigned rhs, unsigned contracted) {
  const tensor *a = &g->tensors[lhs], *b = &g->tensors[rhs];
  tensor out = {0};
  unsigned loops[2 * MAX_RANK], num_loops = 0, ins[] = {lhs, rhs};
  for (unsigned side = 0; side < 2; side++) {
    const tensor *t = side ? b : a;
    for (unsigned i = 0; i < t->rank; i++)
      if (t->dims[i] != contracted && find(out.dims, out.rank, t->dims[i]) < 0) {
        if (out.rank == MAX_RANK)
          return false;
        out.dims[out.rank++] = t->dims[i];
      }
  }
  memcpy(loops, out.dims, sizeof out.dims);
  num_loops = out.rank;
  loops[num_loops++] = contracted;
  unsigned init = emit_fill(g, &out, "%zero");
  open_generic(g, loops, num_loops, 2, ins, &out, 'f', init);
  fprintf(g->out, "    %%p = arith.mulf %%x0, %%x1 : %s\n    %%v = arith.addf %%y, %%p : %s\n", g->element, g->element);
  close_generic(g, &out);
  return true;
}

static bool emit_contraction(generator *g) {
  unsigned lhs, rhs;
  if (!pick(g, 1, &lhs) || !pick(g, 1, &rhs))
    return false;
  const tensor *a = &g->tensors[lhs];
  unsigned contracted = a->dims[below(g, a->rank)];
  if (find(g->tensors[rhs].dims, g->tensors[rhs].rank, contracted) < 0 || a->rank + g->tensors[rhs].rank < 3)
    return false;
  return emit_contraction_of(g, lhs, rhs, contracted);
}

/* A matrix of numbers of usual size over two symbols, by its bits. */
static unsigned emit_constant(generator *g, const tensor *t) {
  static const struct {
    const char *element;
    unsigned bits, fraction_bits, bias;
  } formats[] = {{"f16", 16, 10, 15}, {"bf16", 16, 7, 127}, {"f32", 32, 23, 127}, {"f64", 64, 52, 1023}};
  unsigned format = 0;
  while (strcmp(formats[format].element, g->element))
    format++;
  unsigned bits = formats[format].bits, fraction_bits = formats[format].fraction_bits;
  fprintf(g->out, "  %%t%u = arith.constant dense<\"0x", g->num_tensors);
  for (int64_t i = 0; i < g->symbols[t->dims[0]].extent * g->symbols[t->dims[1]].extent; i++) {
    uint64_t random = next_random(g), number = random >> 1 & (((uint64_t)1 << fraction_bits) - 1);
    number |= (uint64_t)(formats[format].bias - below(g, 3)) << fraction_bits | (random & 1) << (bits - 1);
    for (unsigned at = 0; at < bits; at += 8)
      fprintf(g->out, "%02x", (unsigned)(number >> at & 0xFF));
  }
  fprintf(g->out, "\"> : ");
  print_type(g, t, g->element);
  fprintf(g->out, "\n");
  return add_tensor(g, t);
}

/* A product of an argument with weights, which lie along the terms or across them; its result is one of the
 * program's. */
static bool emit_weights(generator *g) {
  static const int64_t columns[] = {8, 16, 20, 33, 70, 130, 256};
  unsigned lhs = below(g, g->num_arguments), terms = g->tensors[lhs].dims[g->tensors[lhs].rank - 1];
  if (g->symbols[terms].dynamic)
    return false;
  unsigned column = add_symbol(g, columns[below(g, 7)], false), turned = below(g, 2);
  tensor weights = {2, {turned ? column : terms, turned ? terms : column}};
  unsigned rhs = emit_constant(g, &weights);
  g->product = g->num_tensors;
  return emit_contraction_of(g, lhs, rhs, terms);
}

static bool emit_transpose(generator *g) {
  unsigned in;
  if (!pick(g, 2, &in))
    return false;
  const tensor source = g->tensors[in];
  unsigned permutation[MAX_RANK];
  tensor out = {.rank = source.rank};
  shuffle(g, source.rank, permutation);
  for (unsigned i = 0; i < source.rank; i++)
    out.dims[i] = source.dims[permutation[i]];
  unsigned empty = emit_empty(g, &out);
  fprintf(g->out, "  %%t%u = linalg.transpose ins(%%t%u : ", g->num_tensors, in);
  print_type(g, &source, g->element);
  fprintf(g->out, ") outs(%%e%u : ", empty);
  print_type(g, &out, g->element);
  fprintf(g->out, ") permutation = [");
  for (unsigned i = 0; i < source.rank; i++)
    fprintf(g->out, "%s%u", i ? ", " : "", permutation[i]);
  fprintf(g->out, "]");
  g->root_at = 0;
  fprintf(g->out, "\n");
  add_tensor(g, &out);
  return true;
}

/* Softmax in one of its two spellings; the second shows the running state as well. */
static bool emit_softmax_of(generator *g, unsigned in, unsigned dim) {
  const tensor source = g->tensors[in];
  tensor statistics = {.rank = source.rank - 1};
  for (unsigned i = 0, n = 0; i < source.rank; i++)
    if (i != dim)
      statistics.dims[n++] = source.dims[i];
  unsigned empty = emit_empty(g, &source);
  if (below(g, 2)) {
    fprintf(g->out, "  %%t%u = linalg.softmax dimension(%u) ins(%%t%u : ", g->num_tensors, dim, in);
    print_type(g, &source, g->element);
    fprintf(g->out, ") outs(%%e%u : ", empty);
    print_type(g, &source, g->element);
    fprintf(g->out, ") -> ");
    print_type(g, &source, g->element);
    fprintf(g->out, "\n");
  } else {
    unsigned max = emit_fill(g, &statistics, "%infinity"), sum = emit_fill(g, &statistics, "%zero");
    unsigned scale = emit_empty(g, &statistics), name = g->next_name++;
    fprintf(g->out, "  %%s%u:4 = linalg_ext.softmax dimension(%u) ins(%%t%u : ", name, dim, in);
    print_type(g, &source, g->element);
    fprintf(g->out, ") outs(%%e%u, %%f%u, %%f%u, %%e%u", empty, max, sum, scale);
    for (unsigned repeat = 0; repeat < 2; repeat++) {
      fprintf(g->out, repeat ? ") : " : " : ");
      for (unsigned i = 0; i < 4; i++) {
        fprintf(g->out, i ? ", " : "");
        print_type(g, i ? &statistics : &source, g->element);
      }
    }
    /* a name of the family %t<n> for result 0 */
    fprintf(g->out, "\n  %%t%u = tensor.cast %%s%u#0 : ", g->num_tensors, name);
    print_type(g, &source, g->element);
    fprintf(g->out, " to ");
    print_type(g, &source, g->element);
    fprintf(g->out, "\n");
  }
  g->root_at = 0;
  add_tensor(g, &source);
  return true;
}

static bool emit_softmax(generator *g) {
  unsigned in;
  return pick(g, 1, &in) && emit_softmax_of(g, in, below(g, g->tensors[in].rank));
}

/* softmax(Q K^T) V on the first three arguments, (.., m, d), (.., n, d), (.., n, e), with something between. */
static bool emit_attention(generator *g) {
  const tensor q = g->tensors[0];
  unsigned d = q.dims[q.rank - 1];
  if (!emit_contraction_of(g, 0, 1, d))
    return false;
  unsigned scores = g->num_tensors - 1, keys = g->tensors[scores].dims[g->tensors[scores].rank - 1];
  if (!emit_softmax_of(g, scores, g->tensors[scores].rank - 1))
    return false;
  return emit_contraction_of(g, g->num_tensors - 1, 2, keys);
}

/* ------------------------------------------------------------------------------------------- attention, spelled out */

/* A tensor of the shape of the first input, the others broadcast along what they lack; in the body `$` stands for the
 * element type and %v is the result. Returns its number. */
static unsigned emit_map(generator *g, const char *body, unsigned num_ins, const unsigned *ins) {
  const tensor out = g->tensors[ins[0]];
  open_generic(g, out.dims, out.rank, num_ins, ins, &out, 'e', emit_empty(g, &out));
  for (; *body; body++)
    *body == '$' ? fputs(g->element, g->out) : fputc(*body, g->out);
  close_generic(g, &out);
  return g->num_tensors - 1;
}

/* What may happen to scores before softmax: scale, bias, soft cap, masks, positions. Every row keeps a visible
 * score. */
static unsigned emit_score_steps(generator *g, unsigned scores) {
  enum { BIAS = 3 }; /* the argument that has the rows and keys of the scores */
  char positions[160], text[640];
  unsigned rank = g->tensors[scores].rank, steps = below(g, 4);
  snprintf(positions, sizeof positions, "    %%i = linalg.index %u : index\n    %%j = linalg.index %u : index\n",
           rank - 2, rank - 1);
  for (unsigned step = 0; step < steps; step++) {
    unsigned ins[] = {scores, BIAS}, num_ins = 1;
    const char *own = "    %v = arith.mulf %x0, %half : $\n", *before = "";
    switch (below(g, 6)) {
    case 0:
      break;
    case 1:
      own = "    %u = math.tanh %x0 : $\n    %v = arith.addf %u, %u : $\n";
      break;
    case 2:
      num_ins = 2, own = "    %v = arith.addf %x1, %x0 : $\n";
      break;
    case 3:
      num_ins = 2, own = "    %c = arith.cmpf ogt, %x1, %zero : $\n    %v = arith.select %c, %x0, %lowest : $\n";
      break;
    case 4:
      before = positions;
      own = below(g, 2) ? "    %c = arith.cmpi sle, %j, %i : index\n    %v = arith.select %c, %x0, %infinity : $\n"
                        : "    %three = arith.constant 3 : index\n    %p = arith.divui %j, %three : index\n"
                          "    %r = arith.divui %i, %three : index\n    %c = arith.cmpi sle, %p, %r : index\n"
                          "    %v = arith.select %c, %x0, %infinity : $\n";
      break;
    default:
      before = positions;
      own = "    %d = arith.subi %j, %i : index\n    %k = arith.index_cast %d : index to i32\n"
            "    %f = arith.sitofp %k : i32 to $\n    %h = arith.mulf %f, %half : $\n    %v = arith.addf %x0, %h : $\n";
    }
    snprintf(text, sizeof text, "%s%s", before, own);
    scores = emit_map(g, text, num_ins, ins);
  }
  return scores;
}

/* Exponentials over their sum: less the maximum or something else, of base e or 2, with a sink or without, a quotient
 * or a product; now and then one that only looks like softmax. */
static unsigned emit_spelled_softmax(generator *g, unsigned scores) {
  unsigned last = g->tensors[scores].rank - 1;
  emit_reduction_of(g, 3, 1, false, "%infinity"); /* one number a row, to be a sink or a shift */
  unsigned row = g->num_tensors - 1;
  emit_reduction_of(g, scores, last, false, below(g, 4) ? "%infinity" : "%lowest");
  unsigned shift = g->num_tensors - 1;
  bool sink = below(g, 3) == 0, near_miss = below(g, 8) == 0;
  if (sink && below(g, 2))
    shift = emit_map(g, "    %v = arith.maximumf %x0, %x1 : $\n", 2, (unsigned[]){shift, row});
  unsigned exponentials = emit_map(g,
                                   below(g, 4) ? "    %u = arith.subf %x0, %x1 : $\n    %v = math.exp %u : $\n"
                                               : "    %u = arith.subf %x0, %x1 : $\n    %v = math.exp2 %u : $\n",
                                   2, (unsigned[]){scores, shift});
  emit_reduction_of(g, exponentials, last, true, near_miss ? "%half" : "%zero");
  unsigned sum = g->num_tensors - 1;
  if (sink)
    sum = emit_map(g, "    %u = arith.subf %x1, %x2 : $\n    %w = math.exp %u : $\n    %v = arith.addf %w, %x0 : $\n",
                   3, (unsigned[]){sum, row, shift});
  if (below(g, 2))
    return emit_map(g, "    %v = arith.divf %x0, %x1 : $\n", 2, (unsigned[]){exponentials, sum});
  sum = emit_map(g, "    %one = arith.constant 1.0 : $\n    %v = arith.divf %one, %x0 : $\n", 1, &sum);
  return emit_map(g, "    %v = arith.mulf %x1, %x0 : $\n", 2, (unsigned[]){exponentials, sum});
}

/* Scores, what is done to them, softmax, what is done to the weights, one product or two with them. */
static void emit_spelled_attention(generator *g) {
  const tensor q = g->tensors[0];
  if (!emit_contraction_of(g, 0, 1, q.dims[q.rank - 1]))
    return;
  unsigned scores = emit_score_steps(g, g->num_tensors - 1);
  const tensor *shape = &g->tensors[scores];
  unsigned keys = shape->dims[shape->rank - 1];
  unsigned weights = emit_spelled_softmax(g, scores);
  switch (below(g, 4)) {
  case 0:
    weights = emit_map(g, "    %v = arith.mulf %x1, %x0 : $\n", 2, (unsigned[]){weights, 3});
    break;
  case 1:
    weights = emit_map(g, "    %v = arith.mulf %x0, %x0 : $\n", 1, &weights);
    break;
  default:
    break;
  }
  if (below(g, 3) == 0) {
    unsigned values = 2;
    values = emit_map(g, "    %v = arith.maximumf %x0, %zero : $\n", 1, &values);
    emit_contraction_of(g, weights, values, keys);
  }
  emit_contraction_of(g, weights, 2, keys);
}

/* Merges two neighbouring static dims. */
static bool emit_collapse(generator *g) {
  unsigned in;
  if (!pick(g, 2, &in) || g->num_symbols == MAX_SYMBOLS)
    return false;
  const tensor source = g->tensors[in];
  unsigned at = below(g, source.rank - 1);
  const symbol *a = &g->symbols[source.dims[at]], *b = &g->symbols[source.dims[at + 1]];
  if (a->dynamic || b->dynamic)
    return false;
  tensor out = {.rank = source.rank - 1};
  for (unsigned i = 0; i < out.rank; i++)
    out.dims[i] = source.dims[i < at ? i : i + 1];
  out.dims[at] = add_symbol(g, a->extent * b->extent, false);
  fprintf(g->out, "  %%t%u = tensor.collapse_shape %%t%u [", g->num_tensors, in);
  for (unsigned i = 0, dim = 0; i < out.rank; i++, dim++) {
    fprintf(g->out, "%s[%u", i ? ", " : "", dim);
    if (i == at)
      fprintf(g->out, ", %u", ++dim);
    fprintf(g->out, "]");
  }
  fprintf(g->out, "] : ");
  print_type(g, &source, g->element);
  fprintf(g->out, " into ");
  print_type(g, &out, g->element);
  fprintf(g->out, "\n");
  g->root_at = 0;
  add_tensor(g, &out);
  return true;
}

/* A part of one static dim. */
static bool emit_slice(generator *g) {
  unsigned in;
  if (!pick(g, 1, &in) || g->num_symbols == MAX_SYMBOLS)
    return false;
  const tensor source = g->tensors[in];
  unsigned dim = below(g, source.rank);
  int64_t extent = g->symbols[source.dims[dim]].extent;
  if (g->symbols[source.dims[dim]].dynamic || extent < 2)
    return false;
  int64_t offset = below(g, (unsigned)extent - 1), size = 1 + below(g, (unsigned)(extent - offset));
  tensor out = source;
  out.dims[dim] = add_symbol(g, size, false);
  fprintf(g->out, "  %%t%u = tensor.extract_slice %%t%u[", g->num_tensors, in);
  for (unsigned i = 0; i < source.rank; i++)
    fprintf(g->out, "%s%lld", i ? ", " : "", (long long)(i == dim ? offset : 0));
  fprintf(g->out, "] [");
  for (unsigned i = 0; i < source.rank; i++) {
    const symbol *s = &g->symbols[out.dims[i]];
    if (s->dynamic)
      fprintf(g->out, "%s%%dim%u", i ? ", " : "", out.dims[i]);
    else
      fprintf(g->out, "%s%lld", i ? ", " : "", (long long)s->extent);
  }
  fprintf(g->out, "] [");
  for (unsigned i = 0; i < source.rank; i++)
    fprintf(g->out, "%s1", i ? ", " : "");
  fprintf(g->out, "] : ");
  print_type(g, &source, g->element);
  fprintf(g->out, " to ");
  print_type(g, &out, g->element);
  fprintf(g->out, "\n");
  g->root_at = 0;
  add_tensor(g, &out);
  return true;
}

static void emit_body(generator *g) {
  static bool (*const emitters[])(generator *) = {emit_elementwise, emit_elementwise, emit_contraction,
                                                  emit_contraction, emit_softmax,     emit_reduction,
                                                  emit_transpose,   emit_collapse,    emit_slice};
  unsigned steps = 1 + below(g, 5);
  if (g->options->weights)
    emit_weights(g);
  if (g->options->tables) /* that the next op reads, maybe */
    emit_elementwise(g);
  if (g->options->spelled)
    emit_spelled_attention(g);
  else if (below(g, 2))
    emit_attention(g);
  for (unsigned attempt = 0, done = 0; attempt < 12 && done < steps; attempt++)
    done += emitters[below(g, sizeof emitters / sizeof *emitters)](g);
  /* end with an op that a script can take for its root */
  for (unsigned attempt = 0; attempt < 40 && !g->root_at; attempt++)
    below(g, 2) ? emit_contraction(g) : emit_elementwise(g);
}

/* Q (b, m, d), K (b, n, d), V (b, n, e), and one tensor more over the same symbols. */
static void add_arguments(generator *g) {
  static const int64_t small[] = {1, 2, 3, 5, 7, 8, 12, 16, 17, 20}, large[] = {1, 2, 3, 16, 17, 31, 32, 33, 48, 70};
  const int64_t *extents = g->options->large ? large : small;
  unsigned symbols[5];
  for (unsigned i = 0; i < 5; i++) {
    bool dynamic = g->options->dynamic && below(g, 2);
    symbols[i] = add_symbol(g, extents[below(g, i ? 10 : 3)], dynamic);
  }
  unsigned b = symbols[0], m = symbols[1], n = symbols[2], d = symbols[3], e = symbols[4];
  bool batched = below(g, 2);
  const tensor arguments[] = {batched ? (tensor){3, {b, m, d}} : (tensor){2, {m, d}},
                              batched ? (tensor){3, {b, n, d}} : (tensor){2, {n, d}},
                              batched ? (tensor){3, {b, n, e}} : (tensor){2, {n, e}}, (tensor){2, {m, n}}};
  for (unsigned i = 0; i < 4; i++)
    add_tensor(g, &arguments[i]);
  g->num_arguments = 4;
}

static void emit_header(generator *g) {
  fprintf(g->out, "func.func @main(");
  for (unsigned i = 0; i < g->num_arguments; i++) {
    fprintf(g->out, "%s%%t%u: ", i ? ", " : "", i);
    print_type(g, &g->tensors[i], g->element);
  }
  fprintf(g->out, ") -> RESULTS {\n");
  fprintf(g->out,
          "  %%zero = arith.constant 0.0 : %s\n  %%half = arith.constant 0.5 : %s\n"
          "  %%lowest = arith.constant -30000.0 : %s\n",
          g->element, g->element, g->element);
  static const char *const infinities[][2] = {
      {"f16", "0xFC00"}, {"bf16", "0xFF80"}, {"f32", "0xFF800000"}, {"f64", "0xFFF0000000000000"}};
  for (unsigned i = 0; i < 4; i++)
    if (!strcmp(infinities[i][0], g->element))
      fprintf(g->out, "  %%infinity = arith.constant %s : %s\n", infinities[i][1], g->element);
  for (unsigned s = 0; s < g->num_symbols; s++) { /* each dynamic extent, from the first argument that has it */
    bool found = !g->symbols[s].dynamic;
    for (unsigned i = 0; i < g->num_arguments && !found; i++) {
      int dim = find(g->tensors[i].dims, g->tensors[i].rank, s);
      if (dim < 0)
        continue;
      fprintf(g->out, "  %%index%u = arith.constant %d : index\n  %%dim%u = tensor.dim %%t%u, %%index%u : ", s, dim, s,
              i, s);
      print_type(g, &g->tensors[i], g->element);
      fprintf(g->out, "\n");
      found = true;
    }
  }
}

static void emit_script(generator *g) {
  static const unsigned sizes[] = {0, 0, 1, 2, 3, 4, 5, 8};
  unsigned interchange[2 * MAX_RANK], tiles[2 * MAX_RANK], loops = 0;
  shuffle(g, g->num_loops, interchange);
  for (unsigned i = 0; i < g->num_loops; i++) {
    tiles[i] = sizes[below(g, 8)];
    loops += tiles[i] != 0;
  }
  if (!loops) {
    tiles[0] = 2;
    loops = 1;
  }
  fprintf(g->out,
          "transform.sequence failures(propagate) {\n^bb0(%%arg0: !transform.any_op):\n"
          "  %%0 = transform.structured.match attributes {__root__} in %%arg0 : (!transform.any_op) -> "
          "!transform.any_op\n  %%1, %%loops:%u = transform.structured.fuse_ext %%0 {tile_sizes = [",
          loops);
  for (unsigned i = 0; i < g->num_loops; i++)
    fprintf(g->out, "%s%u", i ? ", " : "", tiles[i]);
  fprintf(g->out, "], tile_interchange = [");
  for (unsigned i = 0; i < g->num_loops; i++)
    fprintf(g->out, "%s%u", i ? ", " : "", interchange[i]);
  fprintf(g->out, "]}\n  cleanup\n}\n");
}

/* Puts `with` in place of `what`, once; the text grows or shrinks. False when out of memory. */
static bool substitute(generated_program *program, const char *what, const char *with) {
  char *at = strstr(program->text, what);
  size_t head = (size_t)(at - program->text), tail = strlen(at + strlen(what));
  char *text = malloc(head + strlen(with) + tail + 1);
  if (!text)
    return false;
  memcpy(text, program->text, head);
  strcpy(text + head, with);
  strcpy(text + head + strlen(with), at + strlen(what));
  free(program->text);
  program->text = text;
  program->size = strlen(text);
  return true;
}

/* The types of the results as text. */
static char *result_types(generator *g, const unsigned *results, unsigned count) {
  char *text = NULL;
  size_t size;
  FILE *out = g->out;
  g->out = open_memstream(&text, &size);
  if (!g->out)
    return NULL;
  fprintf(g->out, "(");
  for (unsigned i = 0; i < count; i++) {
    fprintf(g->out, i ? ", " : "");
    print_type(g, &g->tensors[results[i]], g->element);
  }
  fprintf(g->out, ")");
  fclose(g->out);
  g->out = out;
  return text;
}

bool generate_program(uint64_t seed, const generate_options *options, generated_program *program) {
  generator g = {.state = seed, .options = options, .element = options->element ? options->element : "f32"};
  *program = (generated_program){.element = g.element};
  g.out = open_memstream(&program->text, &program->size);
  if (!g.out)
    return false;
  add_arguments(&g);
  emit_header(&g);
  emit_body(&g);
  unsigned results[] = {g.num_tensors - 1, g.num_arguments + below(&g, g.num_tensors - g.num_arguments)};
  results[1] = g.product ? g.product : results[1];
  program->num_results = results[0] != results[1] && (g.product || below(&g, 3) == 0) ? 2 : 1;
  char *types = result_types(&g, results, program->num_results);
  fprintf(g.out, program->num_results == 2 ? "  return %%t%u, %%t%u : " : "  return %%t%u : ", results[0], results[1]);
  fprintf(g.out, "%.*s\n}\n", types ? (int)strlen(types) - 2 : 0, types ? types + 1 : "");
  if (options->script && g.root_at)
    emit_script(&g);
  fclose(g.out);
  if (options->script && g.root_at)
    memcpy(program->text + g.root_at, " attrs = {__root__}", 19);
  bool done = types && program->text && substitute(program, "RESULTS", types);
  free(types);
  program->num_arguments = g.num_arguments;
  for (unsigned i = 0; i < g.num_arguments; i++) {
    program->ranks[i] = g.tensors[i].rank;
    for (unsigned k = 0; k < g.tensors[i].rank; k++) {
      program->shapes[i][k] = g.symbols[g.tensors[i].dims[k]].extent;
      program->dynamic[i] |= (uint32_t)g.symbols[g.tensors[i].dims[k]].dynamic << k;
    }
  }
  return done;
}
