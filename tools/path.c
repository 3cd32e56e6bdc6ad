/* path.c - do two paths name the same file? It may be there or not, and have several names. */
#include "tools/path.h"

#include "tools/tensors.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a text names, which stands at `path` as well, without a NUL behind it. */
static path_file find(const char *text, const char *path, size_t size) {
  struct stat status;
  if (!strcmp(text, "-"))
    return (path_file){PATH_STANDARD};
  if (!stat(text, &status))
    return (path_file){S_ISREG(status.st_mode) ? PATH_FILE : PATH_NONE, status.st_dev, status.st_ino};
  const char *slash = memrchr(path, '/', size);
  size_t folder_size = slash ? (size_t)(slash + 1 - path) : 0;
  char *folder = slash ? strndup(path, folder_size) : strdup(".");
  bool is_there = folder && !stat(folder, &status);
  free(folder);
  if (!is_there)
    return (path_file){PATH_NONE};
  return (path_file){PATH_FILE, status.st_dev, status.st_ino, path + folder_size, size - folder_size};
}

path_file path_find(const char *path) { return path ? find(path, path, strlen(path)) : (path_file){PATH_NONE}; }

path_file *path_find_all(const char *list, uint32_t *count) {
  *count = tensors_count(list);
  path_file *files = calloc(*count + 1, sizeof *files);
  for (uint32_t i = 0; i < *count && files; i++) {
    size_t size = strcspn(list, ",");
    char *text = strndup(list, size);
    if (text)
      files[i] = find(text, list, size);
    free(text);
    list += size + 1;
  }
  if (!files)
    *count = 0;
  return files;
}

bool path_is_same(path_file a, path_file b) {
  if (a.kind != b.kind || a.kind == PATH_NONE)
    return false;
  return a.device == b.device && a.inode == b.inode && a.name_size == b.name_size &&
         (!a.name_size || !memcmp(a.name, b.name, a.name_size));
}

bool path_overwrites(path_file output, path_file input) {
  return output.kind == PATH_FILE && path_is_same(output, input);
}
