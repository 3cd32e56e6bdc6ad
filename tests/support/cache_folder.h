/* cache_folder.h - an empty folder of a test's own for what the command keeps from one run to the next. */
#ifndef TEC_TESTS_CACHE_FOLDER_H
#define TEC_TESTS_CACHE_FOLDER_H

/* Makes it, for XDG_CACHE_HOME to name; fails the test where it cannot. Returns its path, a constant from then on. */
const char *cache_folder_begin(void);
/* Removes it with all that is in it. */
void cache_folder_end(void);
#endif
