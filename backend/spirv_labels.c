/* spirv_labels.c - gives the labels of a SPIR-V module ids of their own.
 *
 * LLVM may name a label as it named one of an earlier module (see spirv_write.c): as a value, or a label of another
 * function, is named here, or beyond the bound. Where an operand is a label is known by its position, and it is one of
 * its own function; so each function's labels get the ids after those of all values, one function after the other. Two
 * labels of one function under one id cannot be told apart: such a module has to be written again.
 *
 * Invariant: what is not a label keeps its id. The words are the same, but for ids of labels and the bound; they depend
 * on the module alone, and not on what was written before. Each loop moves on by at least a word. */
#include "backend/spirv.h"

#include <stdlib.h>

/* The bound is what the specification allows each module. */
enum { HEADER_WORDS = 5, BOUND_WORD = 3, MAX_BOUND = 0x3fffff };
enum { TYPE_INT = 21, FUNCTION = 54, FUNCTION_END = 56, LABEL = 248, SWITCH = 251 };

typedef struct {
  uint32_t given, fresh;
} label;

typedef struct {
  uint32_t *words;
  size_t num_words;
  size_t *definitions; /* by id: where what is no label is defined; 0: nowhere */
  label *labels;       /* of the function at hand, by `given`; room for those of the module */
  size_t num_labels;
  uint32_t next; /* the first id that is free */
} mender;

static uint32_t opcode_at(const mender *m, size_t at) { return m->words[at] & 0xffff; }
static uint32_t length_at(const mender *m, size_t at) { return m->words[at] >> 16; }

/* The word of an instruction that holds the id it defines; 0: it defines none. Those not listed have a type before
 * it. */
static unsigned result_word(uint32_t opcode) {
  static const struct {
    uint16_t first, last, word;
  } rows[] = {
      {0, 0, 0},     {2, 6, 0},       {7, 7, 1},       {8, 10, 0},      {11, 11, 1},     {13, 17, 0},
      {19, 39, 1},   {56, 56, 0},     {62, 64, 0},     {71, 72, 0},     {73, 73, 1},     {74, 76, 0},
      {224, 225, 0}, {228, 228, 0},   {246, 247, 0},   {248, 248, 1},   {249, 257, 0},   {317, 317, 0},
      {331, 332, 0}, {5576, 5576, 0}, {5578, 5578, 0}, {5630, 5630, 0}, {6142, 6143, 0}, {6231, 6235, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (opcode >= rows[i].first && opcode <= rows[i].last)
      return rows[i].word;
  return 2;
}

/* Fills `definitions`, sets `next`, and makes room for the labels. False: an id is defined twice or beyond the bound,
 * or the instructions do not end with the words. */
static bool find_definitions(mender *m) {
  size_t num_labels = 0;
  for (size_t at = HEADER_WORDS; at < m->num_words; at += length_at(m, at)) {
    uint32_t length = length_at(m, at);
    unsigned word = result_word(opcode_at(m, at));
    if (!length || length > m->num_words - at || (word && word >= length))
      return false;
    num_labels += opcode_at(m, at) == LABEL;
    if (!word || opcode_at(m, at) == LABEL)
      continue;
    uint32_t id = m->words[at + word];
    if (id >= m->words[BOUND_WORD] || m->definitions[id])
      return false;
    m->definitions[id] = at;
    if (id >= m->next)
      m->next = id + 1;
  }
  m->labels = malloc(num_labels * sizeof *m->labels + 1);
  return m->labels;
}

static int compare_labels(const void *lhs, const void *rhs) {
  uint32_t a = ((const label *)lhs)->given, b = ((const label *)rhs)->given;
  return (a > b) - (a < b);
}

/* Collects the labels of the function that starts there. False: two of them have one id. */
static bool collect_labels(mender *m, size_t at) {
  m->num_labels = 0;
  for (; at < m->num_words && opcode_at(m, at) != FUNCTION_END; at += length_at(m, at))
    if (opcode_at(m, at) == LABEL)
      m->labels[m->num_labels++] = (label){m->words[at + 1], m->next++};
  qsort(m->labels, m->num_labels, sizeof *m->labels, compare_labels);
  for (size_t i = 1; i < m->num_labels; i++)
    if (m->labels[i - 1].given == m->labels[i].given)
      return false;
  return true;
}

/* The words of a literal of a switch, by the type of the selector; 0: that is not known. */
static unsigned literal_words(const mender *m, uint32_t selector) {
  uint32_t bound = m->words[BOUND_WORD];
  size_t value = selector < bound ? m->definitions[selector] : 0;
  uint32_t type_id = value && length_at(m, value) > 1 ? m->words[value + 1] : bound;
  size_t type = type_id < bound ? m->definitions[type_id] : 0;
  if (!type || opcode_at(m, type) != TYPE_INT || length_at(m, type) < 3)
    return 0;
  return m->words[type + 2] > 32 ? 2 : 1;
}

/* Renames the labels in an instruction: in words first, first + stride, .. last. */
static bool rename_labels(mender *m, size_t at) {
  enum { END = UINT16_MAX };
  static const struct {
    uint16_t opcode, first, stride, last;
  } rows[] = {
      {245, 4, 2, END},                    /* phi: a value and where it comes from, in turn */
      {246, 1, 1, 2},                      /* loop merge */
      {247, 1, 1, 1},                      /* selection merge */
      {LABEL, 1, 1, 1},    {249, 1, 1, 1}, /* branch */
      {250, 2, 1, 3},                      /* conditional branch */
      {SWITCH, 2, 1, END},                 /* the default, then literals, each before its label */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].opcode != opcode_at(m, at))
      continue;
    uint32_t length = length_at(m, at);
    unsigned literal = rows[i].opcode == SWITCH && length > 1 ? literal_words(m, m->words[at + 1]) : 0;
    if (rows[i].opcode == SWITCH && !literal)
      return false;
    for (unsigned word = rows[i].first; word < length && word <= rows[i].last; word += rows[i].stride + literal) {
      label key = {m->words[at + word], 0};
      const label *found = bsearch(&key, m->labels, m->num_labels, sizeof key, compare_labels);
      if (!found)
        return false;
      m->words[at + word] = found->fresh;
    }
  }
  return true;
}

bool spirv_mend_labels(uint32_t *words, size_t num_words) {
  if (num_words <= HEADER_WORDS || words[BOUND_WORD] > MAX_BOUND)
    return false;
  mender m = {.words = words, .num_words = num_words, .next = 1};
  m.definitions = calloc(words[BOUND_WORD] + 1, sizeof *m.definitions);
  bool sound = m.definitions && find_definitions(&m);
  for (size_t at = HEADER_WORDS; sound && at < num_words; at += length_at(&m, at))
    sound = (opcode_at(&m, at) != FUNCTION || collect_labels(&m, at)) && rename_labels(&m, at);
  words[BOUND_WORD] = m.next;
  free(m.definitions);
  free(m.labels);
  return sound;
}
