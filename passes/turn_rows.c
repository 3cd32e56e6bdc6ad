/* turn_rows.c - pass "turn-rows": the few rows of a product x W^T, as of a linear layer, are its lanes (hosts).
 *
 *     y[r, c] = sum x[r, k] * w[c, k]     becomes     xt[k, r] = x[r, k];  yt[c, r] = sum w[c, k] * xt[k, r];
 *                                                     y[r, c] = yt[c, r]
 *
 * Terms are neighbours in both factors, so one of them has to be turned for lanes to be anything else. That is w where
 * y is written as it lies, though x may be a hundredth of it. With rows in lanes w is read where it lies, element by
 * element, once for each two registers of rows: loads as many as multiply-adds, or half of them, which a core with one
 * pipe for these has to spare (16 rows 1.25 to 1.5 times as fast, 32 1.15 to 1.3 times, 64 1.08 to 1.15 times, Zen 4),
 * and which small tiles take from panels just as well (16 rows 1.2 to 1.5 times, 32 1.1 to 1.15 times, AVX2). With two
 * pipes it is faster still than to transpose w into panels, for up to 32 rows (16 and 32 rows of 4096 x 4096 1.2 and
 * 1.27 times, on two threads 1.47 times, Zen 5; 48 and 64 .9 to 1.15 times), or 64 where memory is far, too (16 and 32
 * rows 1.5 to 1.6 times, 48 and 64 of 4096 x 4096 1.2 times, of 768 x 3072 1.1 and 1.0; Granite Rapids).
 *
 * Invariants: sums have their terms in the same order. w lies in memory, and y makes no scores of a softmax, whose
 * kernel has an order of its own. Rows are whole registers.
 * Terminates: one walk over ops; what it makes is not turned again, since xt has its terms apart. */
#include "passes/body.h"
#include "passes/passes.h"
#include "passes/register_plan.h"
#include "passes/softmax.h"
#include "passes/tile_policy.h"

/* For each of the rows columns, at least, that pay for copying the rows and the result; and terms. */
enum { COLUMNS_A_ROW = 16, MIN_TERMS = 128 };

/* A product of two matrices: the side of the factor whose rows are few, and its loops. */
typedef struct turn {
  unsigned side, row, column, term;
} turn;

/* The value is a matrix of f32 over the two loops. */
static bool is_matrix(const ir_op *op, unsigned operand, unsigned outer, unsigned inner) {
  const ir_map *map = ir_structure_of(op)->maps[operand];
  return ir_operand(op, operand)->type->element == IR_F32 && map->num_results == 2 &&
         ir_map_result_dim(map, 0) == (int)outer && ir_map_result_dim(map, 1) == (int)inner;
}

/* So many rows are whole registers, and the other factor is so much larger that turning it takes longer. */
static bool are_few(const ir_op *op, const turn *t, const target_facts *facts) {
  int64_t rows = ir_loop_size(op, t->row), columns = ir_loop_size(op, t->column), terms = ir_loop_size(op, t->term);
  int64_t lanes = facts->vector_bits / 32;
  return rows > 0 && rows % lanes == 0 && !register_plan_takes_beside(rows, terms, facts) &&
         rows <= target_most_turned_rows(facts) && columns / COLUMNS_A_ROW >= rows && terms >= MIN_TERMS;
}

/* The sums start from one number, and are no scores. */
static bool can_turn(const ir_op *op) {
  ir_cell start;
  return op->num_results == 1 && ir_structure_of(op)->num_loops == 3 && ir_value_splat(ir_init(op, 0), &start) &&
         !softmax_may_follow(ir_result(op, 0));
}

static bool find_turn(const ir_op *op, const target_facts *facts, turn *t) {
  const ir_structure *structure = ir_structure_of(op);
  for (t->side = 0; t->side < 2; t->side++) {
    for (unsigned loop = 0; loop < 3; loop++) {
      bool is_row = ir_map_uses_dim(structure->maps[t->side], loop);
      *(ir_loop_is_reduction(structure, loop) ? &t->term : is_row ? &t->row : &t->column) = loop;
    }
    if (is_matrix(op, t->side, t->row, t->term) && is_matrix(op, 1 - t->side, t->column, t->term) &&
        is_matrix(op, 2, t->row, t->column) && !tile_maker(op, ir_input(op, 1 - t->side)) && are_few(op, t, facts) &&
        !register_plan_is_ready(op, 1 - t->side, facts))
      return true;
  }
  return false;
}

static void turn_rows(ir_op *op, const turn *t) {
  ir_builder builder = ir_builder_before(op);
  ir_module *module = op->module;
  const ir_type *result = ir_result(op, 0)->type, *rows = ir_input(op, t->side)->type;
  const ir_expr *reversed[] = {ir_expr_dim(module, 1), ir_expr_dim(module, 0)};
  const ir_map *identity = ir_map_identity(module, 2), *turned = ir_map_get(module, 2, 0, 2, reversed);
  ir_index shape[] = {ir_index_const(rows->shape[1]), ir_index_const(rows->shape[0])};
  ir_value *x = body_copy(&builder, ir_input(op, t->side), turned, ir_empty(&builder, IR_F32, 2, shape), identity);
  ir_attr_set(x->op, PASS_ONCE, ir_attr_unit(module));
  shape[0] = ir_index_const(result->shape[1]);
  ir_cell start = {0};
  ir_value_splat(ir_init(op, 0), &start);
  ir_value *sums = ir_fill_const(&builder, start.f, ir_empty(&builder, IR_F32, 2, shape));
  ir_value *factors[] = {ir_input(op, 1 - t->side), x};
  const ir_expr *dims[] = {ir_expr_dim(module, 0), ir_expr_dim(module, 1), ir_expr_dim(module, 2)};
  const ir_map *maps[] = {ir_map_get(module, 3, 0, 2, (const ir_expr *[]){dims[0], dims[2]}),
                          ir_map_get(module, 3, 0, 2, (const ir_expr *[]){dims[2], dims[1]}),
                          ir_map_get(module, 3, 0, 2, dims)};
  ir_value *y = body_contract(ir_generic(&builder, 2, factors, 1, &sums, maps, 3, ir_bit(2)));
  y = body_copy(&builder, y, turned, ir_empty(&builder, IR_F32, 2, (ir_index[]){shape[1], shape[0]}), identity);
  ir_replace_op(op, y);
}

void pass_turn_rows(ir_op *op, const pass_options *options) {
  turn turn;
  if (options->target->kind == TARGET_HOST && ir_is_contraction(op) && can_turn(op) &&
      find_turn(op, options->target, &turn))
    turn_rows(op, &turn);
}
