/* tec_fault.c - internal errors: the status that they give, and what they leave for whoever looks into them. */
#include "runtime/tec_compiler.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

tec_status compiler_status(const compiler_run *run, bool good) {
  return good ? TEC_OK : run->module->ir->broken_by ? TEC_INTERNAL : TEC_INVALID;
}

/* In single quotes, as a shell takes it for one word. */
static void append_quoted(byte_buffer *line, const char *word) {
  byte_buffer_printf(line, "'");
  for (size_t part; *word; word += part) {
    part = strcspn(word, "'");
    if (part)
      byte_buffer_printf(line, "%.*s", (int)part, word);
    else
      part = 1, byte_buffer_printf(line, "'\\''");
  }
  byte_buffer_printf(line, "'");
}

/* The command with the options that the run had. The processor and its cores are written out, for other machines to do
 * the same. */
static void append_command(byte_buffer *line, const compiler_run *run, const char *command, const char *path) {
  const tec_compile_options *options = &run->options;
  byte_buffer_printf(line, "tcc-attn %s --verify --target=%s%s%s%s", command, run->facts.name,
                     options->no_fuse ? " --fuse=off" : "", options->tf32 ? " --f32=tf32" : "",
                     options->fast_exp ? " --fast-exp" : "");
  if (run->code == CODE_HOST)
    byte_buffer_printf(line, " --cores=%u", run->facts.threads);
  if (options->tiles)
    byte_buffer_printf(line, " --tiles=%s", options->tiles);
  byte_buffer_printf(line, " ");
  append_quoted(line, path);
}

void compiler_keep_fault(const compiler_run *run, const char *command, const char *text) {
  tec_context *context = run->module->context;
  const char *folder = getenv("TMPDIR");
  byte_buffer path = {0}, line = {0}, file = {0}, note = {0};
  byte_buffer_printf(&path, "%s/tcc-attn-XXXXXX.mlir", folder && *folder ? folder : "/tmp");
  int handle = path.failed ? -1 : mkstemps(path.bytes, (int)strlen(".mlir"));
  if (handle >= 0) {
    close(handle);
    append_command(&line, run, command, path.bytes);
    if (!line.failed)
      byte_buffer_printf(&file, "// tcc-attn %s: an internal error, shown again by\n// %s\n%s", tec_version(),
                         line.bytes, text);
    if (!file.failed && file.bytes && !tec_file_write(context, path.bytes, file.bytes, file.size))
      byte_buffer_printf(&note, "note: this shows it again; please send the file along: %s\n", line.bytes);
  }
  if (note.bytes && !note.failed && context->message)
    context->message(context->user, TEC_NOTE, note.bytes);
  free(path.bytes);
  free(line.bytes);
  free(file.bytes);
  free(note.bytes);
}

void compiler_keep_pass_fault(void *user, const char *passes, const char *text) {
  byte_buffer command = {0};
  byte_buffer_printf(&command, "opt --passes=%s", passes);
  if (!command.failed)
    compiler_keep_fault(user, command.bytes, text);
  free(command.bytes);
}
