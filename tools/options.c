/* options.c - the command line. One table says which options there are, to whom they belong and where they go; parser
 * and help both follow it. */
#include "tools/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { OPTION_FLAG, OPTION_VALUE, OPTION_OPTIONAL } option_kind;

static const struct option_row {
  const char *name, *value;
  option_kind kind;
  size_t offset;
  unsigned commands;
  const char *doc;
} rows[] = {
#define ROW(NAME, VALUE, KIND, FIELD, COMMANDS, DOC)                                                                   \
  { NAME, VALUE, KIND, offsetof(command_options, FIELD), COMMANDS, DOC }
    ROW("-o", "FILE", OPTION_VALUE, output, COMMAND_OPT | COMMAND_COMPILE,
        "where to write; - or nothing: standard output"),
    ROW("--passes", "LIST", OPTION_VALUE, passes, COMMAND_OPT,
        "passes to run, separated by commas; without it, the file's transform script"),
    ROW("--target", "TARGET", OPTION_VALUE, target,
        COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN | COMMAND_TUNE | COMMAND_EXPLAIN, "see `tcc-attn list targets`"),
    ROW("--cores", "N", OPTION_VALUE, cores, COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN | COMMAND_EXPLAIN,
        "cores that the code is for; as many as --threads, or those of this machine, by default (host)"),
    ROW("--emit", "KIND", OPTION_VALUE, emit, COMMAND_COMPILE,
        "mlir, llvm, asm, ptx, spirv, zebin, obj or program (the default)"),
    ROW("--header", "FILE", OPTION_VALUE, header, COMMAND_COMPILE, "also write a C header for the object (--emit=obj)"),
    ROW("--func", "NAME", OPTION_VALUE, function, COMMAND_RUN | COMMAND_TUNE,
        "the function to call, where there are several"),
    ROW("--device", "DEVICE", OPTION_VALUE, device, COMMAND_RUN, "where to run; see `tcc-attn list devices`"),
    ROW("--in", "A.npy,..", OPTION_VALUE, in, COMMAND_RUN | COMMAND_TUNE, "the arguments, one file each"),
    ROW("--out", "R.npy,..", OPTION_VALUE, out, COMMAND_RUN, "write the results, then the buffers written in place"),
    ROW("--random", "SEED", OPTION_OPTIONAL, random, COMMAND_RUN | COMMAND_TUNE,
        "random arguments: floats normal with deviation 2, so that softmax is sharp, integers 0 to 7"),
    ROW("--dims", "N,..", OPTION_VALUE, dims, COMMAND_RUN | COMMAND_TUNE,
        "with --random: the open extents of all arguments in order, or one for all (100)"),
    ROW("--check", NULL, OPTION_FLAG, check, COMMAND_RUN,
        "compare with the interpreter in double precision; fail if an unfused program would be more exact"),
    ROW("--bench", "N", OPTION_OPTIONAL, bench, COMMAND_RUN, "time N calls (20) after one to warm up"),
    ROW("--report", NULL, OPTION_FLAG, report, COMMAND_RUN,
        "with --device=ptx-emu: what each kernel did: instructions, bank conflicts, sectors of global memory"),
    ROW("--threads", "N", OPTION_VALUE, threads, COMMAND_RUN | COMMAND_TUNE,
        "threads to use; one for each core by default"),
    ROW("--spin", "US", OPTION_VALUE, spin, COMMAND_RUN | COMMAND_TUNE,
        "microseconds for which threads look for the next call before they sleep; 0 by default"),
    ROW("--fuse", "on|off", OPTION_VALUE, fuse,
        COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN | COMMAND_TUNE | COMMAND_EXPLAIN, "off: tile every op by itself"),
    ROW("--f32", "ieee|tf32", OPTION_VALUE, f32, COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN,
        "tf32: products of f32 may round their factors to 10 bits, for matrix units; ieee by default"),
    ROW("--fast-exp", NULL, OPTION_FLAG, fast_exp, COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN | COMMAND_TUNE,
        "exponentials may err by 2e-7 of the result, instead of 1.3e-7 (host)"),
    ROW("--tiles", "SIZES", OPTION_VALUE, tiles, COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN,
        "tile sizes, as in rows=64,columns=128,reduction=256,softmax=128; own: not those that `tune` kept"),
    ROW("--seconds", "N", OPTION_VALUE, seconds, COMMAND_TUNE,
        "how long to look; 30 by default. Interrupting keeps the best"),
    ROW("--dump", "PASS|all", OPTION_VALUE, dump, COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN,
        "print the module after a pass, or each, to standard error"),
    ROW("--verify", NULL, OPTION_FLAG, verify,
        COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN | COMMAND_TUNE | COMMAND_EXPLAIN,
        "check the module after each pass"),
    ROW("--generic", NULL, OPTION_FLAG, generic, COMMAND_OPT, "print every op in generic form"),
    ROW("--time", NULL, OPTION_FLAG, time, COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN | COMMAND_TUNE,
        "report the time of each phase on standard error"),
    ROW("--svg", "FILE", OPTION_VALUE, svg, COMMAND_LAYOUT, "also draw the layout"),
    ROW("--help", NULL, OPTION_FLAG, help,
        COMMAND_OPT | COMMAND_COMPILE | COMMAND_RUN | COMMAND_TUNE | COMMAND_LIST | COMMAND_LAYOUT | COMMAND_EXPLAIN,
        "this text"),
#undef ROW
};
enum { NUM_ROWS = sizeof rows / sizeof rows[0] };
static const char no_value[] = ""; /* of an OPTION_OPTIONAL that is given without one */

static bool is_given(const command_options *options, const struct option_row *row) {
  const char *field = (const char *)options + row->offset;
  return row->kind == OPTION_FLAG ? *(const bool *)field : *(const char *const *)field != NULL;
}

static void set_field(command_options *options, const struct option_row *row, const char *value) {
  char *field = (char *)options + row->offset;
  if (row->kind == OPTION_FLAG)
    memcpy(field, &(bool){true}, sizeof(bool));
  else
    memcpy(field, &value, sizeof value);
}

static bool usage_error(const char *what, const char *argument) {
  fprintf(stderr, "tcc-attn: %s '%s'; see tcc-attn --help\n", what, argument);
  return false;
}

/* Takes the option at arguments[*i] and, if it stands there, its value. */
static bool parse_option(unsigned command, int count, char **arguments, int *i, command_options *options) {
  const char *argument = arguments[*i], *equals = strncmp(argument, "--", 2) ? NULL : strchr(argument, '=');
  size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
  const struct option_row *row = NULL;
  for (int k = 0; k < NUM_ROWS && !row; k++)
    if (rows[k].commands & command && strlen(rows[k].name) == length && !memcmp(rows[k].name, argument, length))
      row = &rows[k];
  if (!row)
    return usage_error("this command has no option", argument);
  if (row->kind == OPTION_FLAG) {
    if (equals)
      return usage_error("there is no value to give in", argument);
    set_field(options, row, NULL);
    return true;
  }
  if (is_given(options, row))
    return usage_error("given twice:", row->name);
  if (equals)
    set_field(options, row, equals + 1);
  else if (row->kind == OPTION_OPTIONAL)
    set_field(options, row, no_value);
  else if (*i + 1 < count)
    set_field(options, row, arguments[++*i]);
  else
    return usage_error("a value is missing after", argument);
  return true;
}

const char *options_common(const command_options *options, unsigned commands) {
  for (int i = 0; i < NUM_ROWS; i++)
    if ((rows[i].commands & commands) == commands && is_given(options, &rows[i]))
      return rows[i].name;
  return NULL;
}

bool options_parse(unsigned command, int count, char **arguments, command_options *options) {
  *options = (command_options){0};
  bool only_files = false;
  for (int i = 0; i < count; i++) {
    if (!only_files && !strcmp(arguments[i], "--")) {
      only_files = true;
    } else if (only_files || arguments[i][0] != '-' || !arguments[i][1]) {
      if (options->input)
        return usage_error("one argument too many:", arguments[i]);
      options->input = arguments[i];
    } else if (!parse_option(command, count, arguments, &i, options)) {
      return false;
    }
  }
  if (options->fuse && strcmp(options->fuse, "on") && strcmp(options->fuse, "off"))
    return usage_error("--fuse is on or off, not", options->fuse);
  if (options->f32 && strcmp(options->f32, "ieee") && strcmp(options->f32, "tf32"))
    return usage_error("--f32 is ieee or tf32, not", options->f32);
  if (options->tiles && strcmp(options->tiles, COMMAND_OWN_TILES) && !tec_tiles_check(options->tiles))
    return usage_error("--tiles wants sizes as in rows=64,columns=128,reduction=256,softmax=128, not", options->tiles);
  uint64_t cores;
  if (!options_number("--cores", options->cores, 1, TEC_MAX_CORES, 0, &cores))
    return false;
  if (!options->input && !options->help) {
    fprintf(stderr, "tcc-attn: an argument is missing; see tcc-attn --help\n");
    return false;
  }
  return true;
}

unsigned options_cores(const command_options *options) {
  return options->cores ? (unsigned)strtoul(options->cores, NULL, 10) : 0;
}

void options_help(unsigned command) {
  for (int i = 0; i < NUM_ROWS; i++) {
    if (!(rows[i].commands & command))
      continue;
    bool is_short = rows[i].name[1] != '-';
    char text[64];
    snprintf(text, sizeof text, "%s%s%s%s%s", rows[i].name, rows[i].kind == OPTION_OPTIONAL ? "[" : "",
             !rows[i].value ? ""
             : is_short     ? " "
                            : "=",
             rows[i].value ? rows[i].value : "", rows[i].kind == OPTION_OPTIONAL ? "]" : "");
    printf("  %-20s %s\n", text, rows[i].doc);
  }
}

/* Digits up to `end`, where `stop` must be. */
static bool read_number(const char *text, char stop, uint64_t least, uint64_t most, uint64_t *number, char **end) {
  errno = 0;
  *number = strtoull(text, end, 10);
  return *text >= '0' && *text <= '9' && **end == stop && !errno && *number >= least && *number <= most;
}

static bool number_error(const char *name, const char *wanted, uint64_t least, uint64_t most, const char *text) {
  fprintf(stderr, "tcc-attn: %s wants %s from %llu to %llu, not '%s'\n", name, wanted, (unsigned long long)least,
          (unsigned long long)most, text);
  return false;
}

bool options_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t fallback,
                    uint64_t *number) {
  *number = fallback;
  if (!text || text == no_value)
    return true;
  char *end;
  return read_number(text, 0, least, most, number, &end) || number_error(name, "a number", least, most, text);
}

bool options_numbers(const char *name, const char *text, uint64_t least, uint64_t most, uint32_t capacity,
                     uint64_t *numbers, uint32_t *count) {
  *count = 0;
  for (const char *rest = text; rest;) {
    bool last = !strchr(rest, ',');
    char *end;
    if (*count == capacity || !read_number(rest, last ? 0 : ',', least, most, &numbers[(*count)++], &end))
      return number_error(name, "numbers, separated by commas,", least, most, text);
    rest = last ? NULL : end + 1;
  }
  return true;
}
