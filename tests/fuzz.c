/* fuzz.c - damaged programs through parser, verifier, all passes and code generation: nothing may crash, hang or fail
 * without a message.
 *
 *   fuzz FIRST COUNT [--keep=FILE] DIRECTORY...
 *
 * Runs rounds FIRST to FIRST + COUNT - 1. A round takes a file of the directories or a random program, damages it token
 * by token, and compiles it for one of the kinds of targets. The same round gives the same text, so that a failure can
 * be repeated; --keep writes each text to FILE before it runs, for failures that end the process.
 *
 * What must hold: a run that fails has reported an error, one that succeeds has not; no error is the compiler's own;
 * what parses prints, and what was printed parses. A round that takes longer than TIME_LIMIT ends the process. Of many
 * programs some must come through all passes to code, or nothing was tested.
 * Terminates: rounds, edits and passes are counted. */
#include "backend/backend.h"
#include "ir/text.h"
#include "passes/pass.h"
#include "tests/support/generate.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { TIME_LIMIT = 20, MANY_ROUNDS = 100, MAX_INPUTS = 1024, MAX_TOKENS = 1 << 16, MAX_EDITS = 6, MAX_TEXT = 1 << 20 };

typedef struct text {
  char *bytes; /* from malloc */
  size_t size;
} text;

typedef struct token {
  const char *bytes; /* into the text */
  size_t size;
} token;

typedef struct fuzzer {
  text inputs[MAX_INPUTS];
  unsigned num_inputs;
  const char *keep;
  uint64_t state;
  unsigned parsed, compiled;
} fuzzer;

static uint64_t draw(fuzzer *fuzzer, uint64_t below) {
  fuzzer->state += 0x9e3779b97f4a7c15u;
  uint64_t mixed = (fuzzer->state ^ fuzzer->state >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return (mixed ^ mixed >> 31) % below;
}

/* ---------------------------------------------------------------------------------------------------------- damage */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '%' || c == '@'; }

/* Words, numbers and single characters; blanks and comments are left out. Shapes such as 4x8xf32 come apart. */
static unsigned split(const text *text, token *tokens) {
  unsigned count = 0;
  const char *at = text->bytes, *end = at + text->size;
  while (at < end && count < MAX_TOKENS) {
    if (end - at > 1 && at[0] == '/' && at[1] == '/') {
      while (at < end && *at != '\n')
        at++;
    } else if (isspace((unsigned char)*at)) {
      at++;
    } else {
      const char *first = at++;
      if (isdigit((unsigned char)*first))
        while (at < end && isdigit((unsigned char)*at))
          at++;
      else if (is_word(*first) && *first != 'x')
        while (at < end && is_word(*at))
          at++;
      tokens[count++] = (token){first, (size_t)(at - first)};
    }
  }
  return count;
}

static token literal(const char *bytes) { return (token){bytes, strlen(bytes)}; }

/* What stands in for the token: a number that is too large, another token of the program or of another input, .. */
static token substitute(fuzzer *fuzzer, token old, const token *tokens, unsigned count, const token *others,
                        unsigned num_others) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "5",
                                        "7",
                                        "16",
                                        "17",
                                        "33",
                                        "64",
                                        "1048577",
                                        "4294967296",
                                        "4611686018427387904",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "99999999999999999999",
                                        "?",
                                        "-1",
                                        "-9223372036854775808"};
  static const char *const words[] = {
      "",   "f32",  "f64",   "i1",    "index",    "i32",       "(",      ")",        "{",
      "}",  "[",    "]",     "<",     ">",        "\"",        "%",      "@",        "#",
      "!",  ":",    "->",    ",",     "=",        "tensor",    "memref", "vector",   "*",
      "d0", "true", "false", "dense", "parallel", "reduction", "x",      "dense<1>", "array<i64>"};
  if (isdigit((unsigned char)*old.bytes) || *old.bytes == '?')
    return literal(numbers[draw(fuzzer, sizeof numbers / sizeof *numbers)]);
  for (unsigned attempt = 0; attempt < 50; attempt++) {
    const token *other =
        draw(fuzzer, 4) || !num_others ? &tokens[draw(fuzzer, count)] : &others[draw(fuzzer, num_others)];
    bool alike = !isalnum((unsigned char)*old.bytes) || !isdigit((unsigned char)*other->bytes);
    if (alike && (*other->bytes == *old.bytes || (isalpha((unsigned char)*old.bytes) && is_word(*other->bytes))))
      return *other;
  }
  return literal(words[draw(fuzzer, sizeof words / sizeof *words)]);
}

/* What is written in place of the token; `copies` starts as 1. */
static token edit(fuzzer *fuzzer, token old, unsigned *copies, const token *tokens, unsigned count, const token *others,
                  unsigned num_others) {
  switch (draw(fuzzer, 8)) {
  case 0:
    *copies = 0;
    return old;
  case 1:
    *copies = 1 + (unsigned)draw(fuzzer, 3);
    return old;
  case 2:
    return tokens[draw(fuzzer, count)];
  default:
    return substitute(fuzzer, old, tokens, count, others, num_others);
  }
}

static void append(text *text, const char *bytes, size_t size) {
  if (size > MAX_TEXT - text->size)
    size = MAX_TEXT - text->size;
  memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
}

/* The text with some places changed; from malloc. */
static text damage(fuzzer *fuzzer, const text *input, const text *other) {
  token *tokens = malloc(2 * MAX_TOKENS * sizeof *tokens), *others = tokens + MAX_TOKENS;
  unsigned count = split(input, tokens), num_others = split(other, others);
  unsigned edits = (unsigned)draw(fuzzer, 1 + draw(fuzzer, MAX_EDITS)), places[MAX_EDITS]; /* mostly few */
  for (unsigned i = 0; i < edits; i++)
    places[i] = (unsigned)draw(fuzzer, count + 1);
  text result = {malloc(MAX_TEXT), 0};
  const char *from = input->bytes;
  for (unsigned i = 0; i < count; i++) {
    token put = tokens[i];
    unsigned copies = 1;
    for (unsigned k = 0; k < edits; k++)
      if (places[k] == i)
        put = edit(fuzzer, put, &copies, tokens, count, others, num_others);
    append(&result, from, (size_t)(tokens[i].bytes - from));
    for (unsigned copy = 0; copy < copies; copy++) {
      append(&result, " ", copy > 0);
      append(&result, put.bytes, put.size);
    }
    from = tokens[i].bytes + tokens[i].size;
  }
  if (draw(fuzzer, 20) == 0)
    result.size = draw(fuzzer, result.size + 1);
  free(tokens);
  return result;
}

/* ------------------------------------------------------------------------------------------------------------- run */

typedef struct report {
  unsigned errors;
  bool internal;
  char first[400];
} report;

static void on_message(void *user, ir_severity severity, const char *rendered) {
  report *report = user;
  if (severity != IR_ERROR)
    return;
  if (!report->errors++)
    snprintf(report->first, sizeof report->first, "%s", rendered);
  report->internal |= strstr(rendered, "internal error") != NULL;
}

static bool fail(const char *what, const report *report) {
  printf("%s\n%s\n", what, report->first);
  return false;
}

/* Prints the module in both forms and parses what comes out. */
static bool survives_printing(const ir_module *module) {
  for (unsigned generic = 0; generic < 2; generic++) {
    size_t size;
    char *printed = ir_print_module(module, &(ir_print_options){.generic = generic}, &size);
    report report = {0};
    ir_module *again = ir_module_create(on_message, &report);
    bool parsed = ir_parse(again, "printed", printed, size);
    ir_module_destroy(again);
    free(printed);
    if (!parsed)
      return fail("what was printed does not parse", &report);
  }
  return true;
}

/* A host or a GPU, the same on every machine. */
static target_facts draw_target(fuzzer *fuzzer, ir_module *module) {
  static const char *const names[] = {"host:x86-64",   "host:x86-64-v3",   "host:emeraldrapids", "host:znver4",
                                      "host:znver5",   "host:neoverse-n1", "nvptx:sm_80",        "nvptx:sm_90",
                                      "spirv:generic", "spirv:dg2",        "spirv:pvc"};
  const char *name = names[draw(fuzzer, sizeof names / sizeof *names)];
  target_facts facts = {.name = name};
  if (!target_find(name, &facts) && backend_target_host(module, name, &facts))
    facts.threads = 4;
  return facts;
}

/* LLVM IR is the end of what is ours. */
static bool emit(ir_module *module, const target_facts *facts) {
  char *code = NULL;
  size_t size;
  unsigned num_routines;
  const backend_routine *routines;
  bool done = facts->kind == TARGET_HOST
                  ? backend_emit_host(module, facts, BACKEND_LLVM, &code, &size)
                  : backend_emit_kernels(module, facts, BACKEND_LLVM, &code, &size, &num_routines, &routines);
  free(code);
  return done;
}

static bool run(fuzzer *fuzzer, const text *text) {
  report report = {0};
  ir_module *module = ir_module_create(on_message, &report);
  target_facts facts = draw_target(fuzzer, module);
  bool done = ir_parse(module, "damaged", text->bytes, text->size), held = true;
  fuzzer->parsed += done;
  if (done)
    held = survives_printing(module);
  pass_options options = {.target = &facts, .verify = true, .fuse = draw(fuzzer, 4) != 0};
  char *list = strdup(pass_default_list(&facts));
  for (char *rest = list, *name; held && done && (name = strsep(&rest, ","));) {
    done = pass_run(module, name, &options);
    if (done)
      held = survives_printing(module);
    if (!held)
      printf("after %s\n", name);
  }
  free(list);
  done = held && done && emit(module, &facts);
  fuzzer->compiled += done;
  if (held && done != !report.errors)
    held = fail(done ? "success with an error" : "failure without an error", &report);
  if (held && report.internal)
    held = fail("an internal error", &report);
  ir_module_destroy(module);
  return held;
}

/* Ends the process after so many seconds of its own time, which a busy machine does not take; 0: never. */
static void limit_time(int seconds) {
  setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

static bool run_round(fuzzer *fuzzer, uint64_t number) {
  fuzzer->state = number;
  generated_program program = {0};
  text input = fuzzer->inputs[draw(fuzzer, fuzzer->num_inputs)];
  if (draw(fuzzer, 3) == 0) {
    generate_options options = {.script = draw(fuzzer, 2), .dynamic = draw(fuzzer, 2)};
    if (generate_program(draw(fuzzer, 1000), &options, &program))
      input = (text){program.text, program.size};
  }
  text damaged = damage(fuzzer, &input, &fuzzer->inputs[draw(fuzzer, fuzzer->num_inputs)]);
  FILE *kept = fuzzer->keep ? fopen(fuzzer->keep, "wb") : NULL;
  if (kept) {
    fwrite(damaged.bytes, 1, damaged.size, kept);
    fclose(kept);
  }
  limit_time(TIME_LIMIT);
  bool held = run(fuzzer, &damaged);
  limit_time(0);
  if (!held)
    printf("in round %llu, with:\n%.*s\n", (unsigned long long)number, (int)damaged.size, damaged.bytes);
  free(damaged.bytes);
  free(program.text);
  return held;
}

/* ------------------------------------------------------------------------------------------------------------ main */

/* A program; or, as it has no dot, a directory. */
static int is_input(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return !dot || !strcmp(dot, ".mlir");
}

static void read_input(fuzzer *fuzzer, const char *path) {
  FILE *file = fuzzer->num_inputs < MAX_INPUTS ? fopen(path, "rb") : NULL;
  if (!file)
    return;
  text *input = &fuzzer->inputs[fuzzer->num_inputs++];
  input->bytes = malloc(MAX_TEXT);
  input->size = fread(input->bytes, 1, MAX_TEXT, file);
  fclose(file);
}

/* All programs below the directory, in the order of their names, so that a round is the same on every machine; false
 * where there are none. */
static bool read_inputs(fuzzer *fuzzer, const char *directory) {
  struct dirent **entries;
  int count = scandir(directory, &entries, is_input, alphasort);
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
    if (strchr(entries[i]->d_name, '.'))
      read_input(fuzzer, path);
    else
      read_inputs(fuzzer, path);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return count > 0;
}

int main(int argc, char **argv) {
  fuzzer fuzzer = {0};
  for (int i = 3; i < argc; i++) {
    if (!strncmp(argv[i], "--keep=", 7))
      fuzzer.keep = argv[i] + 7;
    else if (!read_inputs(&fuzzer, argv[i]))
      return fprintf(stderr, "fuzz: no .mlir files in %s\n", argv[i]), 2;
  }
  if (!fuzzer.num_inputs)
    return fprintf(stderr, "usage: fuzz FIRST COUNT [--keep=FILE] DIRECTORY...\n"), 2;
  uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), failed = 0;
  for (uint64_t round = first; round < first + count; round++)
    failed += !run_round(&fuzzer, round);
  printf("%llu rounds, of which %u parsed and %u compiled; %llu failed\n", (unsigned long long)count, fuzzer.parsed,
         fuzzer.compiled, (unsigned long long)failed);
  for (unsigned i = 0; i < fuzzer.num_inputs; i++)
    free(fuzzer.inputs[i].bytes);
  if (count >= MANY_ROUNDS && !fuzzer.compiled)
    return fprintf(stderr, "fuzz: of so many programs none was compiled\n"), 1;
  return failed != 0;
}
