/* tcc-attn.c - the command: picks the sub-command, and what all of them share. Uses the public interface only, so that
 * whatever the command can do, a program that embeds the library can do as well. */
#include "tools/command.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct command_row {
  const char *name, *usage, *doc;
  unsigned bit;
  int (*run)(const command_options *options);
} commands[] = {
    {"opt", "FILE [options]", "run passes over a module and print it", COMMAND_OPT, command_opt},
    {"compile", "FILE [options]", "compile a module to code or to a program file", COMMAND_COMPILE, command_compile},
    {"run", "FILE [options]", "run a module or a program file", COMMAND_RUN, command_run},
    {"explain", "FILE [options]", "say in words what is fused, and what is not and why", COMMAND_EXPLAIN,
     command_explain},
    {"tune", "FILE [options]", "measure tile sizes on this machine and keep the fastest", COMMAND_TUNE, command_tune},
    {"list", "ops|passes|targets|devices|layouts", "list what this build knows", COMMAND_LIST, command_list},
    {"layout", "NAME|DIGITS|FILE [--svg FILE]", "show which thread holds which element", COMMAND_LAYOUT,
     command_layout},
};
enum { NUM_COMMANDS = sizeof commands / sizeof commands[0] };

double command_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print_message(void *user, tec_severity severity, const char *text) { fputs(text, stderr); }

tec_context *command_context(uint32_t threads, uint32_t spin, bool report) {
  tec_context_options options = {
      sizeof options, .message = print_message, .threads = threads, .report = report, .spin = spin,
  };
  tec_context *context = NULL;
  if (tec_context_create(&options, &context))
    fputs("error: out of memory\n", stderr);
  return context;
}

tec_status command_failure(const char *text) {
  fprintf(stderr, "error: %s\n", text);
  return TEC_INVALID;
}

static void print_dump(void *user, const char *pass, const char *text) {
  fprintf(stderr, "// ----- after %s\n%s", pass, text);
}

void command_report_time(const char *phase, double seconds) {
  fprintf(stderr, "time: %-24s %9.3f ms\n", phase, seconds * 1e3);
}

static void print_time(void *user, const char *phase, double seconds) { command_report_time(phase, seconds); }

tec_compile_options command_compile_options(const command_options *options, const char *target) {
  return (tec_compile_options){sizeof(tec_compile_options),
                               .target = target,
                               .verify = options->verify,
                               .no_fuse = options->fuse && !strcmp(options->fuse, "off"),
                               .tf32 = options->f32 && !strcmp(options->f32, "tf32"),
                               .fast_exp = options->fast_exp,
                               .cores = options_cores(options),
                               .c_names = options->header != NULL,
                               .tiles =
                                   options->tiles && strcmp(options->tiles, COMMAND_OWN_TILES) ? options->tiles : NULL,
                               .dump = options->dump,
                               .on_dump = print_dump,
                               .on_time = options->time ? print_time : NULL};
}

tec_status command_parse(tec_context *context, const command_options *options, const char *text, size_t size,
                         tec_module **module) {
  if (tec_program_probe(text, size))
    return command_failure("this command needs a module's text, not a compiled program");
  double start = command_seconds();
  tec_status status =
      tec_module_parse(context, strcmp(options->input, "-") ? options->input : "<stdin>", text, size, module);
  if (options->time)
    command_report_time("parse", command_seconds() - start);
  return status;
}

tec_status command_read(tec_context *context, const command_options *options, tec_module **module) {
  char *text;
  size_t size;
  tec_status status = tec_file_read(context, options->input, &text, &size);
  if (status)
    return status;
  status = command_parse(context, options, text, size, module);
  tec_free(text);
  return status;
}

int command_in_context(const command_options *options,
                       tec_status (*work)(tec_context *context, const command_options *options)) {
  tec_context *context = command_context(0, 0, false);
  if (!context)
    return EXIT_BAD;
  tec_status status = work(context, options);
  tec_context_destroy(context);
  return status ? EXIT_BAD : EXIT_GOOD;
}

static void print_usage(FILE *file) {
  fprintf(file, "tcc-attn %s - compiles attention written as tensor ops into fused kernels\n\nusage:\n", tec_version());
  for (int i = 0; i < NUM_COMMANDS; i++)
    fprintf(file, "  tcc-attn %-8s%-37s%s\n", commands[i].name, commands[i].usage, commands[i].doc);
  fprintf(file, "  tcc-attn COMMAND --help                               the options of a command\n"
                "  tcc-attn --version\n\n"
                "FILE may be - for standard input. Exit status: 0 good, 1 input or run failed, 2 wrong usage.\n");
}

static int dispatch(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : "";
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
    print_usage(stdout);
    return EXIT_GOOD;
  }
  if (!strcmp(name, "--version")) {
    printf("tcc-attn %s\n", tec_version());
    return EXIT_GOOD;
  }
  for (int i = 0; i < NUM_COMMANDS; i++) {
    const struct command_row *command = &commands[i];
    if (strcmp(command->name, name))
      continue;
    command_options options;
    if (!options_parse(command->bit, count - 2, arguments + 2, &options))
      return EXIT_USAGE;
    if (options.help) {
      printf("usage: tcc-attn %s %s - %s\n\n", command->name, command->usage, command->doc);
      options_help(command->bit);
      return EXIT_GOOD;
    }
    return command->run(&options);
  }
  if (*name)
    fprintf(stderr, "tcc-attn: there is no command '%s'\n", name);
  print_usage(stderr);
  return EXIT_USAGE;
}

int main(int count, char **arguments) {
  int status = dispatch(count, arguments);
  if (!fflush(stdout) && !ferror(stdout))
    return status;
  fputs("error: cannot write to standard output\n", stderr);
  return EXIT_BAD;
}
