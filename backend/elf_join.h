/* elf_join.h - several ELF object files as one. */
#ifndef TEC_BACKEND_ELF_JOIN_H
#define TEC_BACKEND_ELF_JOIN_H
#include "ir/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct elf_file {
  const char *bytes; /* aligned to 8 */
  size_t size;
} elf_file;

/* Makes one object file of those that LLVM has written for one 64-bit little-endian machine. What one defines and hides
 * (STV_HIDDEN) the others may use; in the result nobody else sees it. *bytes comes from malloc; temporary memory from
 * the arena. False where a file is something else, or there is no memory. */
bool elf_join(ir_arena *arena, unsigned count, const elf_file *files, char **bytes, size_t *size);
#endif
