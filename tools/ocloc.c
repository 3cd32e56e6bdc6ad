/* ocloc.c - machine code of Intel's GPUs by Intel's offline compiler, a program that is found by its name.
 *
 * It works on files: they lie in a directory of their own, which is removed in any case. What it says is shown where it
 * fails. */
#include "tools/command.h"
#include "tools/ocloc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_DIRECTORY = 1000, MAX_PATH = MAX_DIRECTORY + 20 };

static const char code_name[] = "kernel.spv", binary_name[] = "kernel", log_name[] = "log";

static tec_status fail(const char *what, int number) {
  fprintf(stderr, "error: --emit=zebin: %s: %s\n", what, strerror(number));
  return TEC_INVALID;
}

/* Runs it to its end. Its output goes to the log; *status as from waitpid. */
static tec_status spawn(const char *directory, const char *chip, int *status) {
  char code[MAX_PATH], log[MAX_PATH];
  snprintf(code, sizeof code, "%s/%s", directory, code_name);
  snprintf(log, sizeof log, "%s/%s", directory, log_name);
  const char *arguments[] = {"ocloc", "compile", "-spirv_input", "-file", code, "-device", chip,
                             /* as the device "ze" builds programs for chips with a matrix unit */
                             "-options", "-ze-opt-large-register-file", "--format", "zebin", "-output_no_suffix",
                             "-output", binary_name, "-out_dir", directory, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return fail("ocloc", error);
  error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (!error)
    error = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return fail("Intel's offline compiler `ocloc` cannot be started", error);
  while (waitpid(child, status, 0) < 0)
    if (errno != EINTR)
      return fail("ocloc", errno);
  return TEC_OK;
}

static tec_status compile_in(tec_context *context, const char *directory, const char *chip, const char *code,
                             size_t size, char **binary, size_t *binary_size) {
  char path[MAX_PATH], *log;
  int status;
  snprintf(path, sizeof path, "%s/%s", directory, code_name);
  if (tec_file_write(context, path, code, size) || spawn(directory, chip, &status))
    return TEC_INVALID;
  if (WIFEXITED(status) && !WEXITSTATUS(status)) {
    snprintf(path, sizeof path, "%s/%s", directory, binary_name);
    return tec_file_read(context, path, binary, binary_size);
  }
  snprintf(path, sizeof path, "%s/%s", directory, log_name);
  if (tec_file_read(context, path, &log, &size))
    return TEC_INVALID;
  fprintf(stderr, "error: --emit=zebin: ocloc cannot compile for '%s':\n%.*s\n", chip, (int)size, log);
  tec_free(log);
  return TEC_INVALID;
}

tec_status ocloc_compile(tec_context *context, const char *chip, const char *code, size_t size, char **binary,
                         size_t *binary_size) {
  const char *parent = getenv("TMPDIR"), *const names[] = {code_name, binary_name, log_name};
  char directory[MAX_DIRECTORY], path[MAX_PATH];
  int length = snprintf(directory, sizeof directory, "%s/tcc-attn.XXXXXX", parent && *parent ? parent : "/tmp");
  if (length >= MAX_DIRECTORY)
    return fail("TMPDIR", ENAMETOOLONG);
  if (!mkdtemp(directory))
    return fail(directory, errno);
  tec_status status = compile_in(context, directory, chip, code, size, binary, binary_size);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    unlink(path); /* those that there are */
  }
  rmdir(directory);
  return status;
}
