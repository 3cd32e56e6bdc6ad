/* file.c - whole files in and out.
 *
 * A regular file is replaced in one step: the bytes go to a temporary beside it, which is renamed once it is complete,
 * so no reader ever sees half of one. What is there and is no regular file (a device, a pipe) is written directly. Of
 * several files none is renamed before everything else is done, which is where a write may fail. */
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tec_status io_error(tec_context *context, const char *verb, const char *path) {
  return runtime_error(context, TEC_IO, "cannot %s '%s': %s", verb, path, strerror(errno));
}

tec_status tec_file_read(tec_context *context, const char *path, char **bytes, size_t *size) {
  if (!path)
    return runtime_error(context, TEC_INVALID, "the path of a file is NULL");
  bool standard = !strcmp(path, "-");
  int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return io_error(context, "read", path);
  const char *name = standard ? "standard input" : path;
  byte_buffer buffer = {0};
  char chunk[1 << 16];
  ssize_t count;
  do {
    count = read(file, chunk, sizeof chunk);
    if (count > 0)
      byte_buffer_append(&buffer, chunk, (size_t)count);
  } while (count > 0 || (count < 0 && errno == EINTR));
  int error = errno;
  if (!standard)
    close(file);
  if (count == 0)
    return byte_buffer_finish(context, &buffer, bytes, size);
  free(buffer.bytes);
  errno = error;
  return io_error(context, "read", name);
}

static bool write_all(int file, const char *bytes, size_t size) {
  while (size) {
    ssize_t count = write(file, bytes, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    bytes += count;
    size -= (size_t)count;
  }
  return true;
}

static tec_status write_directly(tec_context *context, const tec_file *wanted) {
  const char *path = wanted->path;
  if (!strcmp(path, "-"))
    return write_all(STDOUT_FILENO, wanted->bytes, wanted->size) ? TEC_OK
                                                                 : io_error(context, "write", "standard output");
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return io_error(context, "write", path);
  bool good = write_all(file, wanted->bytes, wanted->size);
  int error = errno;
  if (close(file) && good)
    return io_error(context, "write", path);
  errno = error;
  return good ? TEC_OK : io_error(context, "write", path);
}

/* A regular file on its way; all zero for what is written directly. */
typedef struct prepared_file {
  char *target, *temporary;
  bool is_there; /* the temporary */
} prepared_file;

/* Completes a temporary. The mode is what open() would have given. */
static bool complete(int file, mode_t mode, const tec_file *wanted) {
  bool good = write_all(file, wanted->bytes, wanted->size) && fchmod(file, mode) == 0;
  int error = errno;
  if (close(file) && good)
    return false;
  errno = error;
  return good;
}

/* Makes the temporary of a regular file. */
static tec_status prepare(tec_context *context, const tec_file *wanted, prepared_file *prepared) {
  struct stat status;
  bool exists = stat(wanted->path, &status) == 0;
  if (!strcmp(wanted->path, "-") || (exists && !S_ISREG(status.st_mode)))
    return TEC_OK;
  /* Through a symbolic link, the file it points to is replaced, not the link. */
  prepared->target = exists ? realpath(wanted->path, NULL) : strdup(wanted->path);
  byte_buffer name = {0};
  if (prepared->target)
    byte_buffer_printf(&name, "%s.XXXXXX", prepared->target);
  prepared->temporary = name.bytes;
  if (!prepared->target || name.failed)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  mode_t mask = umask(0);
  umask(mask);
  int file = mkostemp(name.bytes, O_CLOEXEC);
  prepared->is_there = file >= 0;
  bool good = prepared->is_there && complete(file, exists ? status.st_mode & 07777 : 0666 & ~mask, wanted);
  return good ? TEC_OK : io_error(context, "write", wanted->path);
}

/* Puts the temporary in the file's place. */
static tec_status put_in_place(tec_context *context, const tec_file *wanted, prepared_file *prepared) {
  if (rename(prepared->temporary, prepared->target))
    return io_error(context, "write", wanted->path);
  prepared->is_there = false;
  return TEC_OK;
}

static void discard(prepared_file *prepared) {
  if (prepared->is_there)
    unlink(prepared->temporary);
  free(prepared->temporary);
  free(prepared->target);
}

static tec_status write_files(tec_context *context, size_t count, const tec_file *files, prepared_file *prepared) {
  tec_status status = TEC_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = prepare(context, &files[i], &prepared[i]);
  for (size_t i = 0; i < count && !status; i++)
    if (!prepared[i].target)
      status = write_directly(context, &files[i]);
  for (size_t i = 0; i < count && !status; i++)
    if (prepared[i].target)
      status = put_in_place(context, &files[i], &prepared[i]);
  return status;
}

tec_status tec_files_write(tec_context *context, size_t count, const tec_file *files) {
  for (size_t i = 0; i < count; i++)
    if (!files[i].path)
      return runtime_error(context, TEC_INVALID, "the path of a file is NULL");
  prepared_file *prepared = calloc(count + 1, sizeof *prepared);
  if (!prepared)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  /* A pipe that nobody reads any more ends the process, but not before the temporaries of the others are gone. */
  sigset_t held, before;
  sigemptyset(&held);
  if (count > 1)
    sigaddset(&held, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  tec_status status = write_files(context, count, files, prepared);
  for (size_t i = 0; i < count; i++)
    discard(&prepared[i]);
  free(prepared);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

tec_status tec_file_write(tec_context *context, const char *path, const char *bytes, size_t size) {
  return tec_files_write(context, 1, &(tec_file){path, bytes, size});
}
