/* test_tuned.c - the file of tile sizes: what is kept comes back; a damaged line counts as none, and so does what is no
 * such file. */
#include "tests/support/cache_folder.h"
#include "tests/support/messages.h"
#include "tools/tuned.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static messages said;
static tec_context *context;
static const char *folder;

/* The command's own, which tcc-attn.c defines. */
static char failure[5000];

tec_status command_failure(const char *text) {
  snprintf(failure, sizeof failure, "%s", text);
  return TEC_INVALID;
}

static void set_up(void) {
  context = messages_context(&said, (tec_context_options){0});
  folder = cache_folder_begin();
}

static void tear_down(void) {
  tec_context_destroy(context);
  cache_folder_end();
}

TestSuite(tuned, .init = set_up, .fini = tear_down);

static void store(uint64_t key, const char *tiles) {
  char *path;
  cr_assert_eq(tuned_store(context, key, tiles, &path), TEC_OK, "%s", failure);
  free(path);
}

static void expect_found(uint64_t key, const char *wanted) {
  char *tiles;
  cr_assert_eq(tuned_find(context, key, &tiles), TEC_OK);
  cr_expect_eq(!tiles, !wanted);
  cr_expect(!tiles || !wanted || !strcmp(tiles, wanted), "'%s' instead of '%s'", tiles, wanted);
  free(tiles);
}

Test(tuned, what_is_kept_last_comes_back) {
  expect_found(1, NULL);
  store(1, "rows=64");
  store(2, "rows=32,softmax=128");
  store(1, "columns=512");
  expect_found(1, "columns=512");
  expect_found(2, "rows=32,softmax=128");
  store(2, NULL);
  expect_found(1, "columns=512");
  expect_found(2, NULL);
}

Test(tuned, a_damaged_line_counts_as_none) {
  char path[64], *text;
  size_t size;
  store(7, "rows=32,softmax=128");
  snprintf(path, sizeof path, "%s/tcc-attn/tiles", folder);
  cr_assert_eq(tec_file_read(context, path, &text, &size), TEC_OK);
  for (size_t i = 0; i < size; i++)
    for (unsigned bit = 0; bit < 8; bit++) {
      text[i] ^= (char)(1 << bit);
      cr_assert_eq(tec_file_write(context, path, text, size), TEC_OK);
      expect_found(7, NULL);
      text[i] ^= (char)(1 << bit);
    }
  for (size_t length = 0; length < size; length++) {
    cr_assert_eq(tec_file_write(context, path, text, length), TEC_OK);
    expect_found(7, NULL);
  }
  tec_free(text);
}

/* Reading and writing it would wait for ever, or take all memory. */
Test(tuned, what_is_no_file_of_tile_sizes_counts_as_none, .timeout = 60) {
  char path[64], *kept = NULL;
  snprintf(path, sizeof path, "%s/tcc-attn/tiles", folder);
  store(1, "rows=64");
  for (int kind = 0; kind < 4; kind++) {
    cr_assert_eq(remove(path), 0);
    switch (kind) {
    case 0:
      cr_assert_eq(mkfifo(path, 0600), 0);
      break;
    case 1:
      cr_assert_eq(symlink("/dev/zero", path), 0);
      break;
    case 2:
      cr_assert_eq(mkdir(path, 0700), 0);
      break;
    default:
      fclose(fopen(path, "w"));
      cr_assert_eq(truncate(path, INT64_C(1) << 30), 0);
    }
    expect_found(1, NULL);
    *failure = 0;
    cr_expect_eq(tuned_store(context, 1, "rows=64", &kept), TEC_INVALID);
    cr_expect(strstr(failure, "tcc-attn/tiles': it is no file, or too large"), "%s", failure);
  }
}
