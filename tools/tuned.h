/* tuned.h - tile sizes that `tune` found to be the fastest, kept in a file of the user's cache folder. */
#ifndef TEC_TOOLS_TUNED_H
#define TEC_TOOLS_TUNED_H
#include "tools/command.h"

/* What the sizes belong to: the module as it is printed, how it is compiled and by which version, the threads, and this
 * machine's processor. */
tec_status tuned_key(const tec_module *module, const tec_compile_options *compile, unsigned threads, uint64_t *key);
/* *tiles, to be freed, is what is stored under the key; NULL if nothing is. */
tec_status tuned_find(tec_context *context, uint64_t key, char **tiles);
/* Sets compile->tiles, where the command line says nothing, to what is stored for the module, if anything is; then
 * *stored holds it and is to be freed. */
tec_status tuned_choose(tec_context *context, const command_options *options, const tec_module *module,
                        unsigned threads, tec_compile_options *compile, char **stored);
/* Stores the sizes under the key; NULL: forgets those that are there. *path, to be freed, is where. */
tec_status tuned_store(tec_context *context, uint64_t key, const char *tiles, char **path);
#endif
