/* file.c - whole files in and out.
 *
 * A regular file is replaced in one step: the bytes go to a temporary beside it, which is renamed once it is complete,
 * so no reader ever sees half of one. What is there and is no regular file (a device, a pipe) is written directly. */
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tec_status io_error(tec_context *context, const char *verb, const char *path) {
  return runtime_error(context, TEC_IO, "cannot %s '%s': %s", verb, path, strerror(errno));
}

tec_status tec_file_read(tec_context *context, const char *path, char **bytes, size_t *size) {
  bool standard = !strcmp(path, "-");
  int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return io_error(context, "read", path);
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
  return io_error(context, "read", path);
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

static tec_status write_directly(tec_context *context, const char *path, const char *bytes, size_t size) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return io_error(context, "write", path);
  bool good = write_all(file, bytes, size);
  int error = errno;
  if (close(file) && good)
    return io_error(context, "write", path);
  errno = error;
  return good ? TEC_OK : io_error(context, "write", path);
}

/* Completes the temporary and puts it in the place of `path`. The mode is what open() would have given. */
static bool replace(int file, const char *temporary, const char *path, mode_t mode, const char *bytes, size_t size) {
  bool good = write_all(file, bytes, size) && fchmod(file, mode) == 0;
  int error = errno;
  if (close(file) && good)
    good = false, error = errno;
  errno = error;
  return good && rename(temporary, path) == 0;
}

tec_status tec_file_write(tec_context *context, const char *path, const char *bytes, size_t size) {
  if (!strcmp(path, "-"))
    return write_all(STDOUT_FILENO, bytes, size) ? TEC_OK : io_error(context, "write", "standard output");
  struct stat status;
  bool exists = stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    return write_directly(context, path, bytes, size);
  /* Through a symbolic link, the file it points to is replaced, not the link. */
  char *target = exists ? realpath(path, NULL) : strdup(path);
  byte_buffer temporary = {0};
  if (target)
    byte_buffer_printf(&temporary, "%s.XXXXXX", target);
  if (!target || temporary.failed) {
    free(target);
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  }
  mode_t mask = umask(0);
  umask(mask);
  mode_t mode = exists ? status.st_mode & 07777 : 0666 & ~mask;
  tec_status result = TEC_OK;
  int file = mkostemp(temporary.bytes, O_CLOEXEC);
  if (file < 0)
    result = io_error(context, "write", path);
  else if (!replace(file, temporary.bytes, target, mode, bytes, size)) {
    result = io_error(context, "write", path);
    unlink(temporary.bytes);
  }
  free(temporary.bytes);
  free(target);
  return result;
}
