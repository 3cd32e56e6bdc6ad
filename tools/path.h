/* path.h - do two paths name the same file? */
#ifndef TEC_TOOLS_PATH_H
#define TEC_TOOLS_PATH_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum path_kind {
  PATH_NONE,     /* a device, a pipe, or a place where no file can be: never the same as anything */
  PATH_STANDARD, /* "-" */
  PATH_FILE      /* a regular file, or one that is not there yet */
} path_kind;

/* What a path names, to be compared. */
typedef struct path_file {
  path_kind kind;
  dev_t device;
  ino_t inode;      /* the file's; its folder's where it is not there yet */
  const char *name; /* in the folder, part of the path; none where the file is there */
  size_t name_size;
} path_file;

/* The path must outlive the result; NULL is PATH_NONE. */
path_file path_find(const char *path);
/* Those of a comma-separated list, to be freed. None for NULL, or where memory runs out. */
path_file *path_find_all(const char *list, uint32_t *count);
/* Two outputs are one. */
bool path_is_same(path_file a, path_file b);
/* The output is the file that the input is. */
bool path_overwrites(path_file output, path_file input);
#endif
