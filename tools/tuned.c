/* tuned.c - the file of tile sizes: a line for each key, "0123456789abcdef rows=64,softmax=128 fedcba9876543210".
 *
 * It is replaced whole, so that readers never see half of it; of two that write at once, one wins. The number at the
 * end of a line is a hash of what stands before it: a line that was damaged, or is of another form, counts as none. */
#include "tools/tuned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096, KEY_DIGITS = 16, MAX_BYTES = 16 << 20 /* more than any number of programs leaves */ };

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text) { return hash_bytes(hash, text, strlen(text) + 1); }

/* The processor's name as Linux tells it. */
static uint64_t hash_processor(uint64_t hash) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256];
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "model name", strlen("model name"))) {
      hash = hash_text(hash, line);
      break;
    }
  if (file)
    fclose(file);
  return hash;
}

tec_status tuned_key(const tec_module *module, const tec_compile_options *compile, unsigned threads, uint64_t *key) {
  char *text, settings[64];
  size_t size;
  tec_status status = tec_module_print(module, false, &text, &size);
  if (status)
    return status;
  snprintf(settings, sizeof settings, "%u threads, fuse %d", threads, !compile->no_fuse);
  *key = hash_bytes(UINT64_C(0xcbf29ce484222325), text, size);
  *key = hash_text(hash_text(hash_text(*key, compile->target ? compile->target : "host"), settings), tec_version());
  *key = hash_processor(*key);
  tec_free(text);
  return TEC_OK;
}

/* Where the file is; with `make`, its folder exists afterwards if it can be made. False: there is no cache folder. */
static bool find_path(char path[MAX_PATH], bool make) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  bool own = cache && *cache == '/';
  if (!own && !(home && *home == '/'))
    return false;
  int length = snprintf(path, MAX_PATH, "%s%s/tcc-attn/", own ? cache : home, own ? "" : "/.cache");
  if (length < 0 || (size_t)length + sizeof "tiles" > MAX_PATH)
    return false;
  for (char *slash = strchr(path + 1, '/'); slash && make; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  memcpy(path + length, "tiles", sizeof "tiles");
  return true;
}

/* Reading what is there comes to an end: it is no pipe and no device. */
static bool is_file(const char *path) {
  struct stat status;
  return !stat(path, &status) && S_ISREG(status.st_mode) && status.st_size <= MAX_BYTES;
}

/* The file is there to be read. */
static bool find_file(char path[MAX_PATH]) { return find_path(path, false) && !access(path, R_OK) && is_file(path); }

/* The line of the key in the file's text; NULL if there is none. */
static char *find_line(char *text, uint64_t key) {
  char digits[KEY_DIGITS + 2];
  snprintf(digits, sizeof digits, "%016" PRIx64 " ", key);
  for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (!strncmp(line, digits, KEY_DIGITS + 1))
      return line;
  return NULL;
}

/* The tile sizes, to be freed, that a key's line holds; NULL where it is damaged. */
static char *tiles_of(const char *line, uint64_t key) {
  const char *tiles = line + KEY_DIGITS + 1;
  char check[KEY_DIGITS + 3];
  size_t size = strcspn(tiles, " \n");
  snprintf(check, sizeof check, " %016" PRIx64 "\n", hash_bytes(key, tiles, size));
  return strncmp(tiles + size, check, strlen(check)) ? NULL : strndup(tiles, size);
}

tec_status tuned_find(tec_context *context, uint64_t key, char **tiles) {
  char path[MAX_PATH], *text;
  *tiles = NULL;
  if (!find_file(path))
    return TEC_OK;
  tec_status status = tec_file_read(context, path, &text, &(size_t){0});
  if (status)
    return status;
  const char *line = find_line(text, key);
  *tiles = line ? tiles_of(line, key) : NULL;
  tec_free(text);
  return TEC_OK;
}

tec_status tuned_choose(tec_context *context, const command_options *options, const tec_module *module,
                        unsigned threads, tec_compile_options *compile, char **stored) {
  char path[MAX_PATH];
  uint64_t key;
  bool is_host = !compile->target || !strncmp(compile->target, "host", strlen("host"));
  if (options->tiles || !is_host || !find_file(path))
    return TEC_OK;
  tec_status status = tuned_key(module, compile, threads, &key);
  if (!status)
    status = tuned_find(context, key, stored);
  if (!status)
    compile->tiles = *stored;
  return status;
}

static tec_status no_file(const char *name) {
  char text[MAX_PATH + 100];
  snprintf(text, sizeof text, "cannot keep tile sizes in '%s': it is no file, or too large", name);
  return command_failure(text);
}

tec_status tuned_store(tec_context *context, uint64_t key, const char *tiles, char **path) {
  char name[MAX_PATH], *old = NULL;
  size_t old_size = 0, size;
  if (!find_path(name, true))
    return command_failure("there is no folder to keep tile sizes in: set HOME or XDG_CACHE_HOME");
  if (!access(name, F_OK)) {
    if (!is_file(name))
      return no_file(name);
    tec_status status = tec_file_read(context, name, &old, &old_size);
    if (status)
      return status;
  }
  char *line = old ? find_line(old, key) : NULL;
  if (line) {
    char *end = line + strcspn(line, "\n");
    memmove(line, end + (*end == '\n'), strlen(end + (*end == '\n')) + 1);
  }
  char *text = NULL;
  FILE *file = open_memstream(&text, &size);
  if (file) {
    if (old)
      fputs(old, file);
    if (tiles)
      fprintf(file, "%016" PRIx64 " %s %016" PRIx64 "\n", key, tiles, hash_bytes(key, tiles, strlen(tiles)));
  }
  tec_status status =
      !file || fclose(file) ? command_failure("out of memory") : tec_file_write(context, name, text, size);
  if (!status)
    *path = strdup(name);
  free(text);
  tec_free(old);
  return status;
}
