/* test_spirv_labels.c - ids of labels in words made by hand: which are mended, and which cannot be. */
#include "backend/spirv.h"

#include <criterion/criterion.h>
#include <string.h>

enum { BOUND = 20 };
/* Ids: types void 1, i32 2, i64 3, bool 4, function 5; constants 6 (bool), 7 (i32), 8 (i64). */
#define HEADER 0x07230203, 0x10300, 0, BOUND, 0
#define OP(opcode, length) ((length) << 16 | (opcode))
#define TYPES OP(19, 2), 1, OP(21, 4), 2, 32, 0, OP(21, 4), 3, 64, 0, OP(20, 2), 4, OP(33, 3), 5, 1
#define CONSTANTS OP(41, 3), 4, 6, OP(43, 4), 2, 7, 42, OP(43, 5), 3, 8, 42, 0
#define FUNCTION(id) OP(54, 5), 1, id, 0, 5
#define LABEL(id) OP(248, 2), id
#define BRANCH(id) OP(249, 2), id
#define RETURN OP(253, 1)
#define END OP(56, 1)
#define COUNT(words) (sizeof(words) / sizeof *(words))

/* Mends the words in place and compares; the bound among the expected words is `bound`. */
#define expect_mended(words, expected, bound)                                                                          \
  do {                                                                                                                 \
    cr_assert(spirv_mend_labels(words, COUNT(words)));                                                                 \
    cr_assert_eq((words)[3], (uint32_t)(bound), "bound %u", (words)[3]);                                               \
    (words)[3] = BOUND;                                                                                                \
    for (size_t at = 0; at < COUNT(words); at++)                                                                       \
      cr_assert_eq((words)[at], (expected)[at], "word %zu: %u, not %u", at, (words)[at], (expected)[at]);              \
  } while (0)

Test(spirv_labels, each_function_gets_ids_after_those_of_all_values) {
  /* The first function's labels are named as a value of it, and far beyond the bound; the second's as the first's. */
  uint32_t words[] = {HEADER, TYPES,        CONSTANTS,  FUNCTION(9), LABEL(7), BRANCH(900), LABEL(900), RETURN,
                      END,    FUNCTION(10), LABEL(900), BRANCH(7),   LABEL(7), RETURN,      END};
  const uint32_t expected[] = {HEADER, TYPES,        CONSTANTS, FUNCTION(9), LABEL(11), BRANCH(12), LABEL(12), RETURN,
                               END,    FUNCTION(10), LABEL(13), BRANCH(14),  LABEL(14), RETURN,     END};
  expect_mended(words, expected, 15);
}

Test(spirv_labels, labels_are_found_in_each_instruction_that_has_some) {
  /* Labels 2 to 5 are named as the types are, which stay. */
#define BODY(a, b, c, d)                                                                                               \
  LABEL(a), OP(246, 4), d, c, 2, OP(250, 4), 6, b, c, LABEL(b), OP(247, 3), c, 0, OP(250, 6), 6, c, d, 2, 3, LABEL(c), \
      OP(245, 7), 2, 10, 7, a, 7, b, OP(251, 7), 7, d, 2, c, 3, b, LABEL(d), OP(251, 9), 8, d, 2, 0, c, 3, 0, b, END
  uint32_t words[] = {HEADER, TYPES, CONSTANTS, FUNCTION(9), BODY(2, 3, 4, 5)};
  const uint32_t expected[] = {HEADER, TYPES, CONSTANTS, FUNCTION(9), BODY(11, 12, 13, 14)};
  expect_mended(words, expected, 15);
}

Test(spirv_labels, what_cannot_be_told_apart_is_refused) {
  uint32_t twice[] = {HEADER, TYPES, CONSTANTS, FUNCTION(9), LABEL(10), BRANCH(10), LABEL(10), RETURN, END};
  cr_assert_not(spirv_mend_labels(twice, COUNT(twice)));
  uint32_t value_twice[] = {HEADER, TYPES, CONSTANTS, FUNCTION(8), LABEL(10), RETURN, END};
  cr_assert_not(spirv_mend_labels(value_twice, COUNT(value_twice)));
  uint32_t value_beyond[] = {HEADER, TYPES, CONSTANTS, FUNCTION(BOUND), LABEL(10), RETURN, END};
  cr_assert_not(spirv_mend_labels(value_beyond, COUNT(value_beyond)));
  uint32_t elsewhere[] = {HEADER, TYPES,        CONSTANTS, FUNCTION(9), LABEL(11), RETURN,
                          END,    FUNCTION(10), LABEL(12), BRANCH(11),  END};
  cr_assert_not(spirv_mend_labels(elsewhere, COUNT(elsewhere)));
  uint32_t selector[] = {HEADER, TYPES, CONSTANTS, FUNCTION(9), LABEL(10), OP(251, 5), 6, 10, 0, 10, END};
  cr_assert_not(spirv_mend_labels(selector, COUNT(selector)));
}

/* Modules that end early, or with any one word changed: mended or refused, but nothing else happens. */
Test(spirv_labels, damaged_words_do_no_harm) {
  const uint32_t whole[] = {HEADER, TYPES, CONSTANTS, FUNCTION(9), BODY(2, 3, 4, 5)};
  unsigned refused = 0;
  for (size_t i = 0; i < 4 * COUNT(whole); i++) {
    static const uint32_t changes[] = {0, 1, 1 << 16, UINT32_MAX};
    size_t size = i % 4 ? COUNT(whole) : i / 4;
    uint32_t *words = malloc(size * sizeof *words + 1); /* of this size, for sanitizers to see what lies beyond */
    cr_assert(words);
    memcpy(words, whole, size * sizeof *words);
    if (i / 4 < size)
      words[i / 4] ^= changes[i % 4];
    refused += !spirv_mend_labels(words, size);
    free(words);
  }
  cr_assert_gt(refused, COUNT(whole));
}
