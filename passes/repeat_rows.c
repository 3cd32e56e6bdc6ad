/* repeat_rows.c - the pass "repeat-rows": a product of one row goes to the matrix unit with that row in all its rows.
 *
 *     contract row (k), factor (n, k), sums (n)      becomes
 *     extract [0] of contract (rows of `row` (m, k)), factor (n, k), (rows of `sums` (m, n))
 *
 * Vectors have no dims of one element, so one query's products are those of a matrix and a row, which lanes would
 * multiply on their own, from shared memory and in as many steps as there are terms. The matrix unit has nothing else
 * to do, and factors come to it by copies that run ahead. As all rows are the same, every lane has what it needs of the
 * result's: neither the broadcast nor the extract moves anything.
 *
 * Only where factors go through shared memory.
 * Terminates: one walk; what is made has rows, and is left alone. */
#include "passes/anchor.h"
#include "passes/passes.h"

/* The operand that is the row of a product with columns (n, k) or (k, n), of two loops; -1: it is none. */
static int find_row(const ir_op *contract) {
  int row = -1;
  for (unsigned i = 0; i < 3; i++)
    if (ir_operand(contract, i)->type->kind != IR_TYPE_VECTOR)
      return -1;
  for (unsigned side = 0; side < 2; side++)
    if (ir_contract_map(contract, side)->num_results == 1 && ir_contract_map(contract, 1 - side)->num_results == 2)
      row = (int)side;
  const ir_map *out = ir_contract_map(contract, 2);
  bool fits = row >= 0 && out->num_dims == 2 && out->num_results == 1;
  return fits && ir_map_find_dim(ir_contract_map(contract, (unsigned)row), (unsigned)ir_map_result_dim(out, 0)) < 0
             ? row
             : -1;
}

/* The map with a loop of rows before all others; `rows`: it has them. */
static const ir_attr *with_rows(ir_module *module, const ir_map *map, bool rows) {
  unsigned dims[IR_MAX_RANK] = {0}, count = rows;
  for (unsigned i = 0; i < map->num_results; i++)
    dims[count++] = (unsigned)ir_map_result_dim(map, i) + 1;
  return ir_attr_map(module, ir_map_select(module, map->num_dims + 1, count, dims));
}

static ir_value *repeat(ir_builder *builder, ir_value *row, int64_t rows) {
  int64_t shape[] = {rows, row->type->shape[0]};
  const ir_type *type = ir_type_vector(builder->module, row->type->element, 2, shape);
  return ir_create(builder, OP_VECTOR_BROADCAST, type, 1, &row, 0, NULL);
}

/* The contraction with `rows` equal rows. */
static ir_op *create_product(ir_builder *builder, const ir_op *contract, unsigned row, int64_t rows) {
  ir_module *module = builder->module;
  const ir_attr *iterators = ir_attr_get(contract, "iterator_types"), *kinds[3];
  ir_value *operands[] = {repeat(builder, ir_operand(contract, row), rows), ir_operand(contract, 1 - row),
                          repeat(builder, ir_operand(contract, 2), rows)};
  const ir_attr *maps[] = {with_rows(module, ir_contract_map(contract, row), true),
                           with_rows(module, ir_contract_map(contract, 1 - row), false),
                           with_rows(module, ir_contract_map(contract, 2), true)};
  kinds[0] = ir_attr_keyword(module, "vector.iterator_type", "parallel");
  for (unsigned i = 0; i < 2; i++)
    kinds[1 + i] = iterators->elements[i];
  ir_named_attr attrs[] = {{"indexing_maps", ir_attr_array(module, 3, maps)},
                           {"iterator_types", ir_attr_array(module, 3, kinds)},
                           {"kind", ir_attr_get(contract, "kind")}};
  return ir_create(builder, OP_VECTOR_CONTRACT, operands[2]->type, 3, operands, attrs[2].attr ? 3 : 2, attrs)->op;
}

static bool visit(ir_op *op, void *data) {
  const target_facts *facts = data;
  int row = op->code == OP_VECTOR_CONTRACT ? find_row(op) : -1;
  if (row < 0)
    return true;
  ir_builder builder = ir_builder_before(op);
  ir_op *product = create_product(&builder, op, (unsigned)row, target_least_rows(facts));
  anchor_product found;
  bool fits = false;
  for (unsigned i = 0; anchor_find_product(product, &found) && i < facts->num_matrices; i++)
    fits |= anchor_fits(product, &found, &facts->matrices[i]);
  if (!fits) { /* the rows that were made for it are dead, too */
    ir_op_erase(product);
    return true;
  }
  ir_replace_uses(ir_result(op, 0), ir_vector_row(&builder, ir_result(product, 0), 0));
  ir_op_erase(op);
  return true;
}

bool pass_repeat_rows(ir_op *kernel, const pass_options *options) {
  const target_facts *facts = options->target;
  target_facts copy = *facts;
  return !facts->num_matrices || !facts->copy_stages || ir_walk(ir_region(kernel, 0), visit, &copy);
}
