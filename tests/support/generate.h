/* generate.h - random tensor programs as text, for tests that hold over all programs.
 *
 * A program is one function @main over f32 (or narrower) tensors: chains of contractions, softmaxes, reductions,
 * elementwise generics with broadcasts and index comparisons, transposes, reshapes, slices; extents are ragged and some
 * are dynamic. With `script`, a transform script tiles the last structured op with random sizes and interchange. The
 * same seed gives the same text. */
#ifndef TEC_TESTS_GENERATE_H
#define TEC_TESTS_GENERATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GENERATE_MAX_ARGUMENTS = 6, GENERATE_MAX_RANK = 4 };

typedef struct generated_program {
  char *text; /* from malloc */
  size_t size;
  unsigned num_arguments;
  /* The extents to call it with, dynamic ones included. */
  unsigned ranks[GENERATE_MAX_ARGUMENTS];
  int64_t shapes[GENERATE_MAX_ARGUMENTS][GENERATE_MAX_RANK];
  uint32_t dynamic[GENERATE_MAX_ARGUMENTS]; /* bit k: dim k is `?` */
  unsigned num_results;
  const char *element; /* of all arguments: "f32", "f16", "bf16" or "f64" */
} generated_program;

typedef struct generate_options {
  bool script;         /* with a transform script */
  bool dynamic;        /* some extents are `?` */
  bool spelled;        /* begins with attention as exporters spell it: softmax and what is around it as generics */
  bool weights;        /* begins with a product of an argument and a constant, where that has static rows */
  bool tables;         /* elementwise ops read small tables at places that follow from the indices */
  bool large;          /* extents fill the tiles of matrix units, and more or less */
  const char *element; /* NULL: f32 */
} generate_options;

/* False when out of memory. The caller frees program->text. */
bool generate_program(uint64_t seed, const generate_options *options, generated_program *program);
#endif
