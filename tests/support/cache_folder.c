/* cache_folder.c - see cache_folder.h. */
#include "tests/support/cache_folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/tec-cache-XXXXXX";

const char *cache_folder_begin(void) {
  cr_assert(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
  return folder;
}

void cache_folder_end(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  cr_expect_eq(system(command), 0);
}
