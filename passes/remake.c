/* remake.c - pass "remake": weights of a softmax that others than its own products read are made anew for each reader.
 *
 * The gradients of attention read the weights again, W = softmax(S), and what is made of them element by element, rows
 * of keys by columns of queries and the other way around. They would be stored, a matrix of queries by keys for each
 * head. Instead each such reader gets ops of its own, which scheduling puts into its loops, tile by tile: the product
 * of the scores and all other products of few terms again, and
 *
 *     W[q, k] = e^(S[q, k] - max[q]) * (1 / sum[q])
 *
 * of the statistics, which the softmax has anyway. The sum along keys that a softmax's own gradient has needs no
 * weights, as sums may change places (T. Dao et al., "FlashAttention", 2022, appendix B):
 *
 *     sum_k W[q, k] (sum_d x[q, d] y[k, d])     becomes     sum_d x[q, d] (sum_k W[q, k] y[k, d])
 *
 * with the softmax's product by y, which programs mostly have for themselves. All that is a few products more, and
 * memory for rows instead of matrices.
 *
 * Where somebody reads the weights as they are, as a result of the program say, nothing changes.
 * Terminates: what reads the weights is walked once, readers of readers for a number of steps; what is made again comes
 * from a walk upwards that makes each op once. */
#include "passes/body.h"
#include "passes/extent.h"
#include "passes/mask.h"
#include "passes/passes.h"
#include "passes/softmax.h"
#include "passes/tile.h"
#include "passes/tile_policy.h"

enum {
  MAX_READERS = 32,     /* ops that are looked at: of the weights, and of what is made of them */
  FEW_TERMS = 256,      /* of products that are made again */
  FEW_BYTES = 3 << 23,  /* of weights, which caches hold */
  MANY_BYTES = 1 << 30, /* .. and those that are not to be stored, whatever that saves */
  MANY_CORES = 8,
};

/* The weights, or what is made of them element by element; `keys` is the dim that rows go along. */
typedef struct matrix {
  ir_value *value;
  unsigned keys;
} matrix;

/* A reader of such a matrix that does not make one element of each: a product, or a sum. */
typedef struct reader {
  ir_op *op;
  unsigned operand;
  int keys;    /* its loop; -1: none is just that */
  bool is_own; /* the softmax's own product, which needs no weights but in its loop */
} reader;

typedef struct remake {
  ir_op *softmax;
  unsigned keys;
  ir_value *reciprocal;
  matrix made[MAX_READERS];
  reader readers[MAX_READERS];
  unsigned num_made, num_readers, num_steps;
} remake;

/* --------------------------------------------------------------------------------------------------------- readers */

/* Has an element for each of the softmax's weights, but for dims of extent 1. */
static bool is_matrix(const remake *r, const ir_value *value) {
  return value->type->kind == IR_TYPE_TENSOR && ir_type_has_extents_of(value->type, ir_result(r->softmax, 0)->type);
}

/* Makes one matrix, element by element. */
static bool is_by_element(const remake *r, const ir_op *op) {
  return op->num_results == 1 && op->block == r->softmax->block && body_is_elementwise(op) &&
         is_matrix(r, ir_result(op, 0)) && ir_map_is_identity(ir_init_map(op, 0));
}

static bool is_own_product(const remake *r, const ir_op *op, unsigned operand, int keys) {
  return ir_is_contraction(op) && keys >= 0 && ir_structure_of(op)->reductions == ir_bit((unsigned)keys) &&
         tile_find_running(ir_operand(op, operand)) == r->softmax && ir_operand(op, 0) != ir_operand(op, 1) &&
         ir_value_is_zero(ir_init(op, 0));
}

static bool add_made(remake *r, ir_value *value, unsigned keys) {
  for (unsigned i = 0; i < r->num_made; i++)
    if (r->made[i].value == value)
      return r->made[i].keys == keys;
  if (r->num_made == MAX_READERS)
    return false;
  r->made[r->num_made++] = (matrix){value, keys};
  return true;
}

static bool add_use(remake *r, const ir_use *use, unsigned keys) {
  ir_op *op = use->user;
  unsigned operand = ir_use_index(use);
  if (op->code == OP_TENSOR_DIM)
    return true;
  if (op->block != r->softmax->block || !ir_op_has(op, IR_STRUCTURED) || operand >= ir_num_inputs(op))
    return false;
  int loop = ir_map_result_dim(ir_structure_of(op)->maps[operand], keys);
  if (is_by_element(r, op))
    return loop >= 0 && add_made(r, ir_result(op, 0), (unsigned)loop);
  for (unsigned i = 0; i < r->num_readers; i++)
    if (r->readers[i].op == op)
      return true;
  bool reduces = ir_is_contraction(op) || (loop >= 0 && ir_loop_is_reduction(ir_structure_of(op), (unsigned)loop));
  if (!reduces || op->num_results != 1 || r->num_readers == MAX_READERS)
    return false;
  r->readers[r->num_readers++] = (reader){op, operand, loop, is_own_product(r, op, operand, loop)};
  return true;
}

/* False where somebody reads matrices otherwise than by products and sums. */
static bool find_readers(remake *r) {
  add_made(r, ir_result(r->softmax, 0), r->keys);
  for (unsigned i = 0; i < r->num_made; i++)
    for (const ir_use *use = r->made[i].value->uses; use; use = use->next)
      if (!add_use(r, use, r->made[i].keys))
        return false;
  return true;
}

/* A product of few terms. */
static bool is_short_product(const remake *r, const ir_op *op) {
  return op && op->block == r->softmax->block && ir_op_has(op, IR_STRUCTURED) && ir_is_contraction(op) &&
         is_matrix(r, ir_result(op, 0)) &&
         ir_loop_size(op, (unsigned)ir_last_reduction(ir_structure_of(op))) <= FEW_TERMS;
}

/* The op is made again where its result is wanted. */
static bool is_made_again(const remake *r, const ir_op *op) {
  return is_short_product(r, op) || (op && ir_op_has(op, IR_STRUCTURED) && is_by_element(r, op));
}

/* Some of the value's elements are hidden, by a condition that the program computes. `steps`: how many ops are looked
 * at. */
static bool is_hidden(const remake *r, const ir_value *value, unsigned *steps) {
  const ir_op *op = value->op;
  if (!op || op->block != r->softmax->block || !body_is_elementwise(op) || !*steps || !--*steps)
    return false;
  bool found = false;
  for (const ir_op *inner = ir_region(op, 0)->first; inner && !found; inner = inner->next) {
    if (inner->code != OP_ARITH_SELECT)
      continue;
    const ir_value *condition = ir_operand(inner, 0);
    bool is_read = !condition->op && condition->block == ir_region(op, 0);
    bool is_computed = is_read ? condition->index < ir_num_inputs(op) && ir_input(op, condition->index)->op : true;
    found = is_computed && (mask_is_hidden(ir_operand(inner, 1)) || mask_is_hidden(ir_operand(inner, 2)));
  }
  for (unsigned i = 0; i < ir_num_inputs(op) && !found; i++)
    found = is_hidden(r, ir_input(op, i), steps);
  return found;
}

/* A product of few terms is what the scores are made of, element by element. */
static bool are_of_product(const remake *r) {
  const ir_op *op = ir_operand(r->softmax, 0)->op;
  for (unsigned steps = 0;
       op && ir_op_has(op, IR_STRUCTURED) && is_by_element(r, op) && ir_num_inputs(op) && steps < MAX_READERS;
       steps++) {
    unsigned input = 0;
    while (input + 1 < ir_num_inputs(op) && !is_matrix(r, ir_input(op, input)))
      input++;
    op = ir_input(op, input)->op;
  }
  return is_short_product(r, op);
}

/* A few cores of a host store matrices in the time that the further products would take (2048 keys of 64 features, one
 * thread: 1.2 times as fast; Zen 4). But of what is masked only tiles with visible scores are made again (causal 1.4 to
 * 1.5 times as fast so), many cores wait for memory, and at some size it is too much memory. */
static bool is_worth_it(const remake *r, const target_facts *target) {
  unsigned steps = MAX_READERS;
  bool is_open = false;
  const ir_type *type = ir_result(r->softmax, 0)->type;
  double bytes = ir_scalar_bytes(type->element);
  for (unsigned dim = 0; dim < type->rank; dim++) {
    is_open |= type->shape[dim] == IR_DYNAMIC;
    bytes *= (double)type->shape[dim];
  }
  bool is_cheap =
      is_hidden(r, ir_operand(r->softmax, 0), &steps) || target_is_gpu(target) || target->threads >= MANY_CORES;
  return are_of_product(r) && (is_open || bytes > (is_cheap ? FEW_BYTES : MANY_BYTES));
}

/* --------------------------------------------------------------------------------------------------- weights again */

/* 1 / sum of each row, 0 where the sum is 0. */
static ir_value *create_reciprocal(const remake *r) {
  ir_value *sum = ir_result(r->softmax, SOFTMAX_SUM);
  ir_builder builder = ir_builder_before(r->softmax->next);
  ir_op *generic = body_by_element(&builder, 1, &sum, pass_empty_like(&builder, sum, sum->type->element));
  ir_builder body = body_of(generic);
  ir_value *one = ir_const(&body, body_argument(generic, 0)->type, 1);
  return body_finish(&body, generic, body_quotient(&body, one, body_argument(generic, 0), false));
}

/* The weights of these scores. The exponential is as in decompose.c: approximate, and of no large number. */
static ir_value *create_weights(remake *r, ir_builder *builder, ir_value *scores) {
  ir_module *module = builder->module;
  const ir_type *type = ir_result(r->softmax, 0)->type;
  const int64_t dropped[] = {r->keys};
  const ir_map *all = ir_map_identity(module, type->rank), *rows = ir_map_without(module, type->rank, 1, dropped);
  if (!r->reciprocal)
    r->reciprocal = create_reciprocal(r);
  ir_value *ins[] = {scores, ir_result(r->softmax, SOFTMAX_MAX), r->reciprocal};
  ir_value *out = pass_empty_like(builder, scores, type->element);
  ir_op *generic = ir_generic(builder, 3, ins, 1, &out, (const ir_map *[]){all, rows, rows, all}, type->rank, 0);
  ir_builder body = body_of(generic);
  ir_value *max = body_argument(generic, 1), *score = ir_convert(&body, body_argument(generic, 0), max->type);
  ir_cell lowest = {.f = ir_scalar_lowest(max->type->element)}; /* which it is anyway, for hidden.c to know */
  max = ir_binary(&body, OP_ARITH_MAXIMUMF, max, ir_splat(&body, max->type, lowest));
  ir_value *power = ir_unary(&body, OP_MATH_EXP, ir_binary(&body, OP_ARITH_SUBF, score, max), max->type);
  ir_attr_set(power->op, "fastmath", ir_attr_keyword(module, "arith.fastmath", "afn"));
  ir_attr_set(power->op, "tec.bounded", ir_attr_unit(module));
  return body_finish(&body, generic, ir_binary(&body, OP_ARITH_MULF, power, body_argument(generic, 2)));
}

/* The matrix again, of ops of its own; `again` has those that are made already. */
static ir_value *make_again(remake *r, ir_builder *builder, ir_value_map *again, ir_value *matrix) {
  ir_value *known = ir_value_map_get(again, matrix);
  if (known != matrix)
    return known;
  ir_value *made = matrix;
  if (matrix == ir_result(r->softmax, 0)) {
    made = create_weights(r, builder, make_again(r, builder, again, ir_operand(r->softmax, 0)));
  } else if (is_made_again(r, matrix->op) && r->num_steps) {
    r->num_steps--;
    for (unsigned i = 0; i < ir_num_inputs(matrix->op); i++)
      make_again(r, builder, again, ir_input(matrix->op, i));
    made = ir_result(ir_op_clone(builder, matrix->op, again), 0);
  }
  ir_value_map_set(again, matrix, made);
  return made;
}

/* ------------------------------------------------------------------------------------------ sums that change places */

/* sum_k W[q, k] (sum_d x[q, d] y[k, d]), whose loops are numbered: the dims of the weights, then the terms. */
typedef struct double_sum {
  ir_op *sum;                    /* over keys */
  ir_op *product;                /* of x and y */
  unsigned x, y;                 /* its operands */
  unsigned places[IR_MAX_LOOPS]; /* the numbers of its loops */
  unsigned num_loops;
} double_sum;

/* The body makes its result so of its first two arguments. */
static bool combines_by(const ir_op *op, ir_opcode code) {
  const ir_op *combiner = body_combiner(op);
  return combiner && combiner->code == code;
}

/* Numbers the loops of the product, whose result is read under the map `read` of dims of the weights. False unless keys
 * are a loop of one factor alone, y, and the terms those of both. */
static bool number_loops(const remake *r, double_sum *s, const ir_map *read) {
  const ir_structure *structure = ir_structure_of(s->product);
  bool has_keys = false;
  s->num_loops = read->num_dims;
  for (unsigned loop = 0; loop < structure->num_loops; loop++) {
    int dim = ir_map_find_dim(ir_init_map(s->product, 0), loop), side = ir_loop_side(structure, loop);
    int place = dim < 0 ? (int)s->num_loops++ : ir_map_result_dim(read, (unsigned)dim);
    if (place < 0 || (dim < 0 && (side >= 0 || !ir_map_uses_dim(structure->maps[0], loop))))
      return false;
    s->places[loop] = (unsigned)place;
    if (place != (int)r->keys)
      continue;
    has_keys = side >= 0;
    s->y = side > 0;
    s->x = 1 - s->y;
  }
  return has_keys && s->num_loops <= IR_MAX_RANK && ir_map_is_projected_permutation(read);
}

/* The reader adds up, along keys, the weights times a product. */
static bool match_double_sum(const remake *r, const reader *reader, double_sum *match) {
  ir_op *sum = reader->op, *step = ir_operand(sum, reader->operand)->op;
  const ir_value *weights = ir_result(r->softmax, 0);
  if (ir_num_inputs(sum) != 1 || !ir_map_is_identity(ir_structure_of(sum)->maps[0]) ||
      ir_structure_of(sum)->reductions != ir_bit(r->keys) || !combines_by(sum, OP_ARITH_ADDF) ||
      !ir_map_is_projected_permutation(ir_init_map(sum, 0)) || !is_by_element(r, step) || ir_num_inputs(step) != 2 ||
      !combines_by(step, OP_ARITH_MULF))
    return false;
  unsigned other = ir_input(step, 0) == weights;
  *match = (double_sum){.sum = sum, .product = ir_input(step, other)->op};
  return ir_input(step, 1 - other) == weights && ir_map_is_identity(ir_structure_of(step)->maps[1 - other]) &&
         is_short_product(r, match->product) && ir_value_is_zero(ir_init(match->product, 0)) &&
         number_loops(r, match, ir_structure_of(step)->maps[other]);
}

/* The map in those numbers, where `places` has those of its dims; or in these without that of keys. */
static const ir_map *renumber(const double_sum *s, const ir_map *map, const unsigned *places, int keys) {
  unsigned numbers[IR_MAX_RANK];
  for (unsigned dim = 0; dim < map->num_results; dim++) {
    unsigned place = places[ir_map_result_dim(map, dim)];
    numbers[dim] = place - (keys >= 0 && place > (unsigned)keys);
  }
  return ir_map_select(s->sum->module, s->num_loops - (keys >= 0), map->num_results, numbers);
}

/* The numbers of the loops of a product of the weights with y; false where they do not agree. */
static bool number_own_loops(const double_sum *s, const reader *reader, unsigned *places) {
  const ir_structure *own = ir_structure_of(reader->op);
  const ir_map *weights = own->maps[reader->operand], *y = own->maps[1 - reader->operand];
  const ir_map *inside = ir_structure_of(s->product)->maps[s->y];
  for (unsigned loop = 0; loop < own->num_loops; loop++)
    places[loop] = IR_MAX_LOOPS;
  for (unsigned dim = 0; dim < weights->num_results; dim++)
    places[ir_map_result_dim(weights, dim)] = dim;
  for (unsigned dim = 0; dim < y->num_results; dim++) {
    unsigned *place = &places[ir_map_result_dim(y, dim)], number = s->places[ir_map_result_dim(inside, dim)];
    if (*place != IR_MAX_LOOPS && *place != number)
      return false;
    *place = number;
  }
  return true;
}

/* The softmax's product with y that the program has before the sum, and the map of its dims in numbers without keys;
 * NULL: none. */
static ir_value *find_own_product(const remake *r, const double_sum *s, const ir_map **map) {
  for (unsigned i = 0; i < r->num_readers; i++) {
    const reader *reader = &r->readers[i];
    unsigned places[IR_MAX_LOOPS];
    if (!reader->is_own || ir_operand(reader->op, reader->operand) != ir_result(r->softmax, 0) ||
        ir_operand(reader->op, 1 - reader->operand) != ir_operand(s->product, s->y) ||
        !ir_op_is_before(reader->op, s->sum) || !number_own_loops(s, reader, places))
      continue;
    *map = renumber(s, ir_init_map(reader->op, 0), places, (int)r->keys);
    return ir_result(reader->op, 0);
  }
  return NULL;
}

/* The same product, created; its dims are those of the weights without keys, then the terms. */
static ir_value *create_own_product(const remake *r, ir_builder *builder, const double_sum *s, const ir_map **map) {
  ir_module *module = builder->module;
  ir_value *weights = ir_result(r->softmax, 0);
  unsigned rank = weights->type->rank, outs[IR_MAX_LOOPS], all[IR_MAX_LOOPS];
  ir_index sizes[IR_MAX_RANK];
  for (unsigned loop = 0; loop < ir_structure_of(s->product)->num_loops; loop++)
    if (s->places[loop] >= rank)
      sizes[s->places[loop] - 1] = ir_loop_dim(builder, s->product, loop);
  for (unsigned i = 0; i + 1 < s->num_loops; i++) {
    outs[i] = i + (i >= r->keys);
    if (outs[i] < rank)
      sizes[i] = pass_dim(builder, weights, outs[i]);
  }
  for (unsigned loop = 0; loop < IR_MAX_LOOPS; loop++)
    all[loop] = loop;
  ir_value *ins[] = {weights, ir_operand(s->product, s->y)};
  ir_value *empty = ir_empty(builder, ir_result(s->product, 0)->type->element, s->num_loops - 1, sizes);
  ir_value *zeros = ir_fill_const(builder, 0, empty);
  const ir_map *maps[] = {ir_map_select(module, s->num_loops, rank, all),
                          renumber(s, ir_structure_of(s->product)->maps[s->y], s->places, -1),
                          ir_map_select(module, s->num_loops, s->num_loops - 1, outs)};
  *map = ir_map_identity(module, s->num_loops - 1);
  return body_contract(ir_generic(builder, 2, ins, 1, &zeros, maps, s->num_loops, ir_bit(r->keys)));
}

static void swap_sums(const remake *r, const double_sum *s) {
  ir_builder builder = ir_builder_before(s->sum);
  unsigned rank = ir_result(r->softmax, 0)->type->rank, dims[IR_MAX_RANK];
  const ir_map *of_product;
  ir_value *product = find_own_product(r, s, &of_product);
  product = product ? product : create_own_product(r, &builder, s, &of_product);
  for (unsigned dim = 0; dim < rank; dim++)
    dims[dim] = dim;
  uint32_t terms = (ir_bit(s->num_loops - 1) - 1) & ~(ir_bit(rank - 1) - 1);
  ir_value *ins[] = {ir_operand(s->product, s->x), product}, *init = ir_init(s->sum, 0);
  const ir_map *maps[] = {renumber(s, ir_structure_of(s->product)->maps[s->x], s->places, (int)r->keys), of_product,
                          renumber(s, ir_init_map(s->sum, 0), dims, (int)r->keys)};
  ir_op *generic = ir_generic(&builder, 2, ins, 1, &init, maps, s->num_loops - 1, terms);
  ir_replace_op(s->sum, body_contract(generic));
}

/* ------------------------------------------------------------------------------------------------------------ pass */

static void serve(remake *r, const reader *reader) {
  double_sum sums;
  if (match_double_sum(r, reader, &sums)) {
    swap_sums(r, &sums);
    return;
  }
  ir_builder builder = ir_builder_before(reader->op);
  ir_value_map *again = ir_value_map_create(builder.module);
  r->num_steps = MAX_READERS;
  for (unsigned i = 0; i < ir_num_inputs(reader->op); i++)
    ir_set_operand(reader->op, i, make_again(r, &builder, again, ir_input(reader->op, i)));
}

/* A product that is not the softmax's own reads the weights, or what is made of them. */
static bool has_other_products(const remake *r) {
  bool found = false;
  for (unsigned i = 0; i < r->num_readers; i++)
    found |= ir_is_contraction(r->readers[i].op) && !r->readers[i].is_own;
  return found;
}

void pass_remake(ir_op *op, const pass_options *options) {
  if (op->code != OP_LINALG_EXT_SOFTMAX) /* which raise makes of each */
    return;
  remake r = {.softmax = op, .keys = (unsigned)ir_attr_int_or(op, "dimension", 0)};
  if (!find_readers(&r) || !has_other_products(&r) || !is_worth_it(&r, options->target))
    return;
  if (options->explain)
    ir_remark(op->module, op->loc, "weights are made anew for each product behind them, not stored");
  for (unsigned i = 0; i < r.num_readers; i++)
    if (!r.readers[i].is_own)
      serve(&r, &r.readers[i]);
}
