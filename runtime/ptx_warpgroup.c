/* ptx_warpgroup.c - wgmma: D = A * B, or A * B + D, where A is 64 x K, B K x N and D 64 x N, of the four warps of a
 * warpgroup.
 *
 * Warp w of the four has rows 16 * w .. + 15 of A and D, so that each warp computes its part by itself. Register r of D
 * holds row lane / 4 + 8 * (r / 2 % 2) of them, column 8 * (r / 4) + 2 * (lane % 4) + r % 2; A is as in mma.sync. At
 * the end of the block all four must have started the same products.
 *
 * A product is computed when it is waited for, the latest that a machine may do. Until then its registers must not be
 * used, nor the shared memory written that it reads; and what it reads must be ready when it is started, the earliest.
 *
 * Matrices in shared memory are read in chunks of 16 bytes, along K or, of an MN-major matrix, along M or N. Where they
 * are, a descriptor tells: see chunk_address. Sums are rounded as those of mma.sync. */
#include "runtime/ptx_machine.h"

#include <string.h>

enum { ROWS = 16, MAX_COLUMNS = 256, MAX_DEPTH = 16, WARPS = 4 };

/* ------------------------------------------------------------------------------------------------------- operands */

/* What the operands of an instruction are. */
typedef struct parts {
  const ptx_operand *result, *left, *right, *accumulates; /* left and right: registers or descriptors */
  bool left_shared, negative;
  bool left_mn_major, right_mn_major;
  ptx_type type; /* of A and B */
  unsigned columns, depth;
} parts;

static parts parts_of(const ptx_warp *warp, const ptx_instruction *instruction) {
  parts all = {.result = ptx_operand_of(warp, instruction, 0), .type = (ptx_type)instruction->type[1]};
  all.columns = instruction->num_first * 2u;
  all.depth = instruction->field[PTX_SHAPE] == SHAPE_M64K16 ? 16 : 8;
  all.left = all.result + instruction->num_first;
  all.left_shared = all.left->bits == 64;
  all.right = all.left + (all.left_shared ? 1 : 4);
  all.accumulates = all.right + 1;
  const ptx_operand *numbers = all.accumulates + 1;
  all.negative = ptx_lane_value(warp, &numbers[0], 0) != ptx_lane_value(warp, &numbers[1], 0);
  if (all.type != PTX_TF32) { /* which is always K-major */
    all.left_mn_major = all.left_shared && ptx_lane_value(warp, &numbers[2], 0);
    all.right_mn_major = ptx_lane_value(warp, &numbers[all.left_shared ? 3 : 2], 0);
  }
  return all;
}

static unsigned num_left(const parts *all) { return all->left_shared ? 0 : 4; }

/* -------------------------------------------------------------------------------------------------------- matrices */

/* A matrix in shared memory, or the 16 rows of it that a warp has. Its rows are those of A or the columns of B. */
typedef struct matrix {
  uint32_t start, leading, stride, swizzle; /* bytes; no swizzle: 0 */
  unsigned first, rows, depth, element;     /* the first row; bytes of an element */
  bool mn_major;
  ptx_type type;
} matrix;

static matrix read_descriptor(uint64_t bits, const parts *all, bool left, unsigned warp) {
  static const uint8_t swizzles[] = {0, 128, 64, 32};
  return (matrix){.start = (uint32_t)(bits & 0x3fff) << 4,
                  .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                  .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                  .swizzle = swizzles[bits >> 62],
                  .first = left ? ROWS * (warp % WARPS) : 0,
                  .rows = left ? ROWS : all->columns,
                  .depth = all->depth,
                  .element = ptx_types[all->type].bits / 8u,
                  .mn_major = left ? all->left_mn_major : all->right_mn_major,
                  .type = all->type};
}

static unsigned count_chunks(const matrix *matrix) {
  return matrix->rows * matrix->depth * matrix->element / PTX_CHUNK_BYTES;
}

/* Row and k of the first element of a chunk. */
static void chunk_place(const matrix *matrix, unsigned chunk, unsigned *row, unsigned *k) {
  unsigned elements = PTX_CHUNK_BYTES / matrix->element;
  unsigned across = matrix->mn_major ? matrix->depth : matrix->depth / elements;
  *row = matrix->first + chunk / across * (matrix->mn_major ? elements : 1);
  *k = chunk % across * (matrix->mn_major ? 1 : elements);
}

/* With rows of the swizzle's width W, 8 of which are a pattern:
 *   K-major: a pattern's rows are 8 rows of the matrix, `stride` from one 8 to the next.
 *   MN-major: a pattern's rows are 8 of k, `stride` from one 8 to the next, and `leading` from one W to the next.
 * Within a pattern the place of a chunk in its row is exclusive-ored with the row's number: of 8, 4 or 2 chunks, and
 * rows of 128 bytes. Without a swizzle 8 rows of 16 bytes are together, `leading` from one to the next along k. */
static uint32_t chunk_address(const matrix *matrix, unsigned row, unsigned k) {
  uint32_t width = matrix->swizzle ? matrix->swizzle : PTX_CHUNK_BYTES, address = matrix->start;
  uint32_t mask = matrix->swizzle ? matrix->swizzle / PTX_CHUNK_BYTES - 1 : 0;
  if (matrix->mn_major) {
    uint32_t along = row * matrix->element;
    address += along / width * matrix->leading + along % width + k / 8 * matrix->stride + k % 8 * width;
  } else {
    uint32_t along = k * matrix->element;
    address += row / 8 * matrix->stride + row % 8 * width;
    address += matrix->swizzle ? along : along / width * matrix->leading;
  }
  return address ^ (address >> 3 & mask << 4);
}

static bool check_descriptor(ptx_warp *warp, const ptx_instruction *instruction, uint64_t bits, const matrix *matrix) {
  const ptx_launch_state *launch = warp->worker->launch;
  uint32_t alignment = warp->worker->module->dynamic_alignment, pattern = 8 * matrix->swizzle;
  bool dynamic = launch->shared_bytes > launch->static_shared_bytes;
  if (bits >> 49 & 7)
    return ptx_stop(warp, instruction, 0, "the base offset of the matrix descriptor is %u, not 0",
                    (unsigned)(bits >> 49 & 7));
  if (bits & 0x3ff1c000c000c000)
    return ptx_stop(warp, instruction, 0, "the matrix descriptor 0x%016llx has bits without a meaning",
                    (unsigned long long)bits);
  if (dynamic && launch->static_shared_bytes)
    return ptx_stop(warp, instruction, 0,
                    "the kernel has static and dynamic shared memory, which a matrix descriptor cannot tell apart");
  if (!matrix->swizzle)
    return !matrix->mn_major || ptx_stop(warp, instruction, 0, "an MN-major matrix needs a swizzle");
  if (dynamic && alignment < pattern)
    return ptx_stop(warp, instruction, 0, "a swizzle of %u bytes needs shared memory aligned to %u, not %u",
                    matrix->swizzle, pattern, alignment);
  if (matrix->start % pattern >= matrix->swizzle)
    return ptx_stop(warp, instruction, 0, "the matrix starts at 0x%x, which is not in the first of 8 rows of %u bytes",
                    matrix->start, matrix->swizzle);
  return true;
}

/* The bytes are ready, and are held for a product. */
static bool hold_matrix(ptx_warp *warp, const ptx_instruction *instruction, uint64_t bits, const matrix *matrix) {
  if (!check_descriptor(warp, instruction, bits, matrix))
    return false;
  for (unsigned i = 0; i < count_chunks(matrix); i++) {
    unsigned row, k;
    chunk_place(matrix, i, &row, &k);
    uint32_t address = chunk_address(matrix, row, k), bytes = warp->worker->launch->shared_bytes;
    if (bytes < PTX_CHUNK_BYTES || address > bytes - PTX_CHUNK_BYTES)
      return ptx_stop(warp, instruction, 0, "16 bytes at 0x%x of a matrix are not in shared memory", address);
    if (!ptx_race_product(warp, instruction, address))
      return false;
  }
  return true;
}

static void read_matrix(ptx_warp *warp, const ptx_instruction *instruction, const matrix *matrix, float *factor,
                        unsigned row_step, unsigned depth_step) {
  unsigned elements = PTX_CHUNK_BYTES / matrix->element;
  unsigned step = matrix->mn_major ? row_step : depth_step;
  for (unsigned i = 0; i < count_chunks(matrix); i++) {
    unsigned row, k;
    chunk_place(matrix, i, &row, &k);
    uint32_t address = chunk_address(matrix, row, k);
    float *to = factor + (row - matrix->first) * row_step + k * depth_step;
    for (unsigned e = 0; e < elements; e++) {
      uint32_t value = 0;
      memcpy(&value, warp->worker->shared + address + e * matrix->element, matrix->element);
      to[e * step] = ptx_element_value(matrix->type, value);
    }
    ptx_race_product_done(warp, instruction, address);
  }
}

/* ------------------------------------------------------------------------------------------------------- registers */

uint32_t ptx_count_uses(const ptx_module *module) {
  uint32_t count = 0;
  for (unsigned i = 0; i < 2; i++)
    count += (module->file_bytes[i] + PTX_USE_BYTES - 1) / PTX_USE_BYTES;
  return count;
}

static ptx_register_use *use_of(const ptx_warp *warp, const ptx_operand *operand) {
  const unsigned char *place = ptx_lanes(warp, operand);
  return &warp->uses[(place - warp->files[FILE_ENTRY]) / PTX_USE_BYTES];
}

static bool holds(const ptx_operand *registers, unsigned count, const ptx_operand *operand) {
  for (unsigned i = 0; i < count; i++)
    if (registers[i].file == operand->file && registers[i].offset == operand->offset)
      return true;
  return false;
}

/* An instruction may not use a register as it does. */
static bool stop_use(ptx_warp *warp, const ptx_instruction *instruction, const ptx_operand *operand) {
  const ptx_module *module = warp->worker->module;
  for (uint32_t i = 0; i < warp->num_products; i++) {
    const ptx_instruction *product = &module->code[warp->products[i].instruction];
    parts all = parts_of(warp, product);
    if (holds(all.result, product->num_first, operand) || holds(all.left, num_left(&all), operand))
      return ptx_stop(warp, instruction, 0, "uses a register of the product of line %u: wait for it first",
                      product->line);
  }
  return ptx_stop(warp, instruction, 0, "uses a register of a product: wait for it first");
}

bool ptx_check_registers(ptx_warp *warp, const ptx_instruction *instruction) {
  if (instruction->op == OP_WGMMA || instruction->op == OP_CALL)
    return true;
  for (unsigned i = 0; i < instruction->num_operands; i++) {
    const ptx_operand *operand = ptx_operand_of(warp, instruction, i);
    bool written = i < instruction->num_written;
    if (operand->file > FILE_FUNCTION)
      continue;
    ptx_register_use *use = use_of(warp, operand);
    if (use->results || (written && use->factors))
      return stop_use(warp, instruction, operand);
    if (written)
      use->changed = (uint32_t)warp->executed;
  }
  return true;
}

/* How many products under way add to the same registers in the same shape, which keeps them in order. */
static unsigned count_alike(const ptx_warp *warp, const ptx_instruction *instruction, const parts *all) {
  unsigned count = 0;
  for (uint32_t i = 0; i < warp->num_products; i++) {
    const ptx_instruction *other = &warp->worker->module->code[warp->products[i].instruction];
    const ptx_operand *result = ptx_operand_of(warp, other, 0);
    count += result->file == all->result->file && result->offset == all->result->offset &&
             other->num_first == instruction->num_first && other->type[1] == instruction->type[1];
  }
  return count;
}

static bool check_own_registers(ptx_warp *warp, const ptx_instruction *instruction, const parts *all) {
  unsigned alike = count_alike(warp, instruction, all), results = instruction->num_first;
  if (!warp->product_fence)
    return ptx_stop(warp, instruction, 0, "there is no wgmma.fence before the first product");
  for (unsigned i = 0; i < results + num_left(all); i++) {
    const ptx_operand *operand = &all->result[i];
    const ptx_register_use *use = use_of(warp, operand);
    if (i < results ? use->results != alike || use->factors : use->results)
      return stop_use(warp, instruction, operand);
    if (use->changed > warp->product_fence)
      return ptx_stop(warp, instruction, 0, "registers of the product were changed after the last wgmma.fence");
  }
  return true;
}

/* A product is under way from now on, or no longer. */
static void use_registers(ptx_warp *warp, const ptx_instruction *instruction, const parts *all, bool starts) {
  uint16_t change = starts ? 1 : UINT16_MAX;
  for (unsigned i = 0; i < instruction->num_first; i++) {
    ptx_register_use *use = use_of(warp, &all->result[i]);
    use->results = (uint16_t)(use->results + change);
  }
  for (unsigned i = 0; i < num_left(all); i++) {
    ptx_register_use *use = use_of(warp, &all->left[i]);
    use->factors = (uint16_t)(use->factors + change);
  }
}

/* -------------------------------------------------------------------------------------------------------- products */

static bool is_uniform(const ptx_warp *warp, const ptx_operand *operand) {
  if (operand->bits == 1)
    return !ptx_predicate(warp, operand) || ptx_predicate(warp, operand) == PTX_ALL_LANES;
  for (unsigned lane = 1; lane < PTX_LANES; lane++)
    if (ptx_lane_value(warp, operand, lane) != ptx_lane_value(warp, operand, 0))
      return false;
  return true;
}

/* Of what a warp was asked to do, to compare with the other warps of its warpgroup. */
static void digest(ptx_warp *warp, const ptx_product *product) {
  const uint64_t values[] = {product->instruction + 1u, product->left, product->right, product->accumulates};
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
    warp->product_digest = (warp->product_digest ^ values[i]) * 0x9e3779b97f4a7c15u + (warp->product_digest >> 29);
}

static bool start_product(ptx_warp *warp, const ptx_instruction *instruction) {
  const ptx_worker *worker = warp->worker;
  parts all = parts_of(warp, instruction);
  if ((warp->number | (WARPS - 1)) >= worker->launch->num_warps)
    return ptx_stop(warp, instruction, 0, "the warpgroup lacks warps: the block has %u", worker->launch->num_warps);
  if (!is_uniform(warp, all.right) || !is_uniform(warp, all.accumulates) ||
      (all.left_shared && !is_uniform(warp, all.left)))
    return ptx_stop(warp, instruction, 0, "a descriptor or the predicate differs between the lanes");
  if (!check_own_registers(warp, instruction, &all))
    return false;
  ptx_product product = {.instruction = (uint32_t)(instruction - worker->module->code),
                         .group = warp->product_groups,
                         .left = all.left_shared ? ptx_lane_value(warp, all.left, 0) : 0,
                         .right = ptx_lane_value(warp, all.right, 0),
                         .accumulates = ptx_predicate(warp, all.accumulates) != 0};
  matrix left = read_descriptor(product.left, &all, true, warp->number);
  matrix right = read_descriptor(product.right, &all, false, warp->number);
  if ((all.left_shared && !hold_matrix(warp, instruction, product.left, &left)) ||
      !hold_matrix(warp, instruction, product.right, &right))
    return false;
  if (!ptx_grow(&warp->products, &warp->capacity_products, warp->num_products, sizeof *warp->products))
    return ptx_stop_memory(warp, instruction);
  warp->products[warp->num_products++] = product;
  use_registers(warp, instruction, &all, true);
  digest(warp, &product);
  return true;
}

/* Columns are a multiple of 8, and that many at once go into a register of the host. */
static void multiply(float sum[ROWS][MAX_COLUMNS], float left[ROWS][MAX_DEPTH], float right[MAX_DEPTH][MAX_COLUMNS],
                     unsigned depth, unsigned columns) {
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned column = 0; column < columns; column += 8)
      for (unsigned k = 0; k < depth; k++)
        for (unsigned i = 0; i < 8; i++)
          sum[row][column + i] += left[row][k] * right[k][column + i];
}

/* Between a lane's registers of D and the sums. */
static void move_results(ptx_warp *warp, const parts *all, float sum[ROWS][MAX_COLUMNS], bool store) {
  for (unsigned r = 0; r < all->columns / 2; r++) {
    uint32_t *words = ptx_lanes(warp, &all->result[r]);
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
      float *value = &sum[lane / 4 + 8 * (r / 2 % 2)][8 * (r / 4) + 2 * (lane % 4) + r % 2];
      if (store)
        memcpy(&words[lane], value, sizeof *value);
      else
        memcpy(value, &words[lane], sizeof *value);
    }
  }
}

static void finish_product(ptx_warp *warp, const ptx_product *product) {
  const ptx_instruction *instruction = &warp->worker->module->code[product->instruction];
  parts all = parts_of(warp, instruction);
  matrix right_matrix = read_descriptor(product->right, &all, false, warp->number);
  float left[ROWS][MAX_DEPTH], right[MAX_DEPTH][MAX_COLUMNS], sum[ROWS][MAX_COLUMNS];
  if (all.left_shared) {
    matrix left_matrix = read_descriptor(product->left, &all, true, warp->number);
    read_matrix(warp, instruction, &left_matrix, &left[0][0], MAX_DEPTH, 1);
  } else {
    ptx_read_factor(warp, all.left, all.type, ROWS, all.depth, &left[0][0], MAX_DEPTH, 1);
  }
  read_matrix(warp, instruction, &right_matrix, &right[0][0], 1, MAX_COLUMNS);
  for (unsigned row = 0; all.negative && row < ROWS; row++)
    for (unsigned k = 0; k < all.depth; k++)
      left[row][k] = -left[row][k];
  for (unsigned row = 0; row < ROWS; row++)
    memset(sum[row], 0, all.columns * sizeof **sum);
  if (product->accumulates)
    move_results(warp, &all, sum, false);
  multiply(sum, left, right, all.depth, all.columns);
  move_results(warp, &all, sum, true);
  use_registers(warp, instruction, &all, false);
}

/* The products of all groups but the `pending` latest end. All lanes have waited for what they read, so that it comes
 * before what any of them does next: as after a barrier of the warp, a new epoch begins. */
static void wait_products(ptx_warp *warp, uint64_t pending) {
  uint32_t done = 0;
  while (done < warp->num_products && warp->products[done].group + pending < warp->product_groups)
    finish_product(warp, &warp->products[done++]);
  if (!done)
    return;
  warp->num_products -= done;
  memmove(warp->products, warp->products + done, warp->num_products * sizeof *warp->products);
  warp->clock[warp->number]++;
}

bool ptx_execute_warpgroup(ptx_warp *warp, const ptx_instruction *instruction, uint32_t lanes) {
  if (lanes != PTX_ALL_LANES)
    return ptx_stop(warp, instruction, ptx_first_lane(lanes), "all 32 lanes of the warp must take part");
  switch (instruction->op) {
  case OP_WGMMA:
    return start_product(warp, instruction);
  case OP_WGMMA_COMMIT:
    warp->product_groups++;
    return true;
  case OP_WGMMA_WAIT:
    wait_products(warp, ptx_lane_value(warp, ptx_operand_of(warp, instruction, 0), 0));
    return true;
  default: /* OP_WGMMA_FENCE */
    warp->product_fence = (uint32_t)warp->executed;
    return true;
  }
}

bool ptx_check_products(ptx_worker *worker) {
  for (uint32_t i = 0; i < worker->launch->num_warps; i++) {
    ptx_warp *warp = &worker->warps[i];
    uint32_t first = i / WARPS * WARPS;
    if (warp->num_products)
      return ptx_stop(warp, &worker->module->code[warp->products[0].instruction], 0,
                      "the kernel ends and has not waited for the product");
    if (warp->product_digest != worker->warps[first].product_digest)
      return ptx_stop(warp, NULL, PTX_LANES, "warps %u and %u of a warpgroup started different products", first, i);
  }
  return true;
}
