/* conformance.c - one list of programs, run on any device and compared with the interpreter in double precision.
 *
 *   conformance [--device=host] [--target=nvptx:sm_90] [--f32=tf32] [--filter=TEXT] [--list] [--print=NAME]
 *               [--save=DIR]
 *
 * A case is a template (a .mlir file beside this one) with its sizes, element type and words filled in. Arguments are
 * normal with deviation 2, which makes attention's logits as sharp as deviation 4. What is allowed follows from the
 * error of the interpreter that rounds after each op, an unfused reference with f32 sums (tools/check.h). The emulator
 * also counts bank conflicts of shared memory; there may be none. One line a case, then the totals; exit status 1 if a
 * case fails.
 *
 * --save writes, for a machine without a compiler, each case's program NAME.tecp, its arguments NAME.argument0.npy ..,
 * what the interpreter makes of them in double precision, NAME.exact0.npy .., and in the declared types,
 * NAME.plain0.npy .., and NAME.txt, the comparison of both, which says what is allowed. */
#include "runtime/tec.h"
#include "tools/check.h"
#include "tools/tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 8, MAX_CASES = 256, MAX_NAME = 128, MAX_STEM = 4096, MAX_PATH = MAX_STEM + 64, MAX_UNKNOWN = 3 };

/* Sizes by their letter in the templates. `words`: of its conditional lines, separated by blanks. */
typedef struct device_case {
  const char *template, *words, *element;
  int64_t b, h, m, n, d, e;
} device_case;

typedef struct case_list {
  device_case cases[MAX_CASES];
  unsigned count;
} case_list;

/* ----------------------------------------------------------------------------------------------------------- cases */

static void add(case_list *list, device_case row) {
  if (list->count < MAX_CASES)
    list->cases[list->count++] = row;
}

static const char *const elements[] = {"f32", "f16", "bf16"};

/* Every head dim and type, full and causal, over several tiles with ragged ends. */
static void add_head_dims(case_list *list) {
  static const int64_t head_dims[] = {32, 40, 64, 72, 80, 96, 128, 192, 256};
  for (unsigned i = 0; i < sizeof head_dims / sizeof head_dims[0]; i++)
    for (unsigned k = 0; k < 3; k++) {
      int64_t d = head_dims[i];
      add(list, (device_case){"attention", "plain", elements[k], 1, 1, 129, 145, d, d});
      add(list, (device_case){"attention", "causal", elements[k], 1, 1, 145, 145, d, d});
    }
}

/* The numbers of queries and keys at and around the sizes of tiles. */
static void add_lengths(case_list *list) {
  static const int64_t lengths[][2] = {{1, 129},  {1, 1},     {17, 1},    {17, 127},
                                       {127, 17}, {128, 128}, {129, 127}, {64, 300}};
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    for (unsigned k = 0; k < 2; k++)
      for (unsigned causal = 0; causal < 2; causal++)
        add(list, (device_case){"attention", causal ? "causal" : "plain", elements[k], 2, 1, lengths[i][0],
                                lengths[i][1], 64, 64});
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    add(list, (device_case){"dynamic", "", elements[i % 3], 2, 1, lengths[i][0], lengths[i][1], 64, 64});
}

static const device_case others[] = {
    {"attention", "mask", "f32", 2, 1, 100, 129, 64, 64},
    {"attention", "mask", "f16", 2, 1, 100, 129, 64, 64},
    {"attention", "bias", "f32", 2, 1, 65, 129, 64, 64},
    {"attention", "bias", "bf16", 2, 1, 65, 129, 64, 64},
    {"attention", "softcap", "f32", 2, 1, 65, 129, 64, 64},
    {"attention", "softcap", "f16", 2, 1, 65, 129, 64, 64},
    {"attention", "plain", "f16", 3, 1, 65, 129, 64, 128}, /* values wider than keys */
    {"attention", "plain", "bf16", 3, 1, 33, 33, 40, 40},  /* heads that start within a line */
    {"attention", "plain", "f32", 2, 1, 33, 65, 17, 19},
    {"attention", "relative", "f32", 2, 1, 65, 129, 64, 64}, /* an offset for each distance, gathered */
    {"attention", "relative", "f16", 1, 1, 100, 77, 64, 64},
    {"attention", "window", "f32", 1, 1, 200, 200, 64, 64}, /* tiles in which some rows have no visible score yet */
    {"attention", "window", "f16", 1, 1, 200, 180, 64, 64},
    {"heads", "", "f32", 2, 3, 65, 129, 64, 64},
    {"heads", "", "f16", 2, 3, 65, 129, 64, 64},
    {"heads", "", "bf16", 2, 2, 65, 129, 128, 128},
    {"heads", "gqa", "f32", 2, 3, 33, 65, 64, 64},
    {"heads", "gqa", "f16", 2, 3, 33, 65, 64, 64},
    {"heads", "gqa", "f32", 1, 17, 1, 130, 64, 64},
    {"heads", "gqa", "f16", 2, 8, 1, 300, 64, 64},
    {"heads", "gqa", "bf16", 1, 20, 3, 130, 128, 128},
    {"heads", "gqa", "f32", 2, 4, 3, 130, 64, 64},
    {"heads", "gqa", "f16", 2, 2, 8, 300, 128, 128},
    {"heads", "gqa", "bf16", 1, 8, 2, 130, 64, 64},
    {"divided", "", "f32", 2, 8, 1, 130, 64, 64}, /* heads of keys by maps that divide */
    {"divided", "", "f16", 2, 8, 65, 129, 64, 64},
    {"divided", "causal", "f16", 1, 4, 100, 100, 64, 64},
    {"divided", "causal", "bf16", 3, 12, 33, 33, 64, 64},
    {"weights", "", "f32", 1, 1, 200, 200, 64, 64}, /* without softmax */
    {"weights", "", "bf16", 2, 1, 100, 130, 64, 64},
    {"weights", "sum", "f32", 2, 1, 100, 130, 64, 64},
    {"weights", "sum", "f16", 1, 1, 200, 200, 64, 64},
    {"projections", "", "f32", 2, 2, 65, 0, 32, 0},
    {"projections", "", "f32", 1, 3, 33, 0, 40, 0},
    {"matmul", "", "f32", 1, 1, 128, 128, 64, 0},
    {"matmul", "", "f32", 1, 1, 100, 77, 33, 0},
    {"matmul", "", "f16", 1, 1, 129, 130, 200, 0},
    {"matmul", "", "bf16", 1, 1, 64, 128, 64, 0},
    {"matmul", "nt", "f32", 1, 1, 100, 77, 33, 0},
    {"matmul", "nt", "f16", 1, 1, 128, 136, 72, 0},
    {"matmul", "nt", "bf16", 1, 1, 129, 130, 200, 0},
    {"matmul", "", "f32", 1, 1, 1, 129, 65, 0},
    {"matmul", "chain", "f16", 1, 1, 65, 129, 64, 40},
    {"matmul", "chain", "bf16", 1, 1, 129, 65, 32, 64},
    {"softmax", "", "f32", 1, 1, 33, 1000, 0, 0},
    {"softmax", "", "f16", 1, 1, 130, 129, 0, 0},
    {"softmax", "", "bf16", 1, 1, 5, 1, 0, 0},
    {"open_softmax", "", "f32", 1, 1, 33, 1000, 0, 0},
    {"open_softmax", "", "f32", 1, 1, 3, 9001, 0, 0},
    {"softmax", "", "f32", 1, 1, 3, 9001, 0, 0},
    {"layer_norm", "", "f32", 1, 1, 33, 200, 0, 0},
    {"layer_norm", "", "f32", 1, 1, 130, 64, 0, 0},
};

/* Few blocks and long reductions, which GPUs split: keys that parts divide and keys that they do not, one row, a few
 * and a tile of them. */
static void add_split(case_list *list) {
  static const int64_t lengths[][2] = {{1, 1024}, {1, 1000}, {3, 700}, {16, 513}};
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    for (unsigned k = 0; k < 3; k++) {
      int64_t m = lengths[i][0], n = lengths[i][1];
      add(list, (device_case){"matmul", i % 2 ? "nt" : "", elements[k], 1, 1, m, i < 3 ? 128 : 136, n, 0});
      if (!k && i) /* in f32, lanes spill some registers where keys are ragged, split or not */
        continue;
      add(list, (device_case){"attention", i % 2 ? "causal" : "plain", elements[k], 2, 1, m, n, 64, 64});
      add(list, (device_case){"divided", i % 2 ? "" : "causal", elements[k], 2, 8, m, n, 128, 128});
      add(list, (device_case){"heads", "gqa", elements[k], 2, 4, m, n, 64, 64});
    }
  for (unsigned i = 0; i < 3; i++) /* of an open number of keys, parts may have none */
    add(list, (device_case){"cache", "", elements[i], 2, 1, 1, i ? 9 : 300, 64, 64});
  add(list, (device_case){"cache", "", "f16", 3, 1, 1, 2100, 64, 64});
  add(list, (device_case){"cache", "", "bf16", 3, 1, 5, 1300, 64, 64});
  add(list, (device_case){"attention", "plain", "f16", 1, 1, 128, 2001, 64, 64}); /* parts are merged in turn */
  add(list, (device_case){"attention", "plain", "bf16", 1, 1, 64, 1500, 128, 128});
  add(list, (device_case){"matmul", "", "f16", 1, 1, 128, 128, 2000, 0});
  add(list, (device_case){"attention", "mask", "f16", 2, 1, 1, 900, 64, 64});
  add(list, (device_case){"attention", "window", "bf16", 1, 1, 1, 900, 64, 64});
  add(list, (device_case){"attention", "plain", "f16", 1, 1, 1, 900, 72, 40});
}

/* Functions of the elements, in f32 and in one of the other types. */
static void add_functions(case_list *list) {
  static const char *const functions[] = {"tan",  "log10", "sinh", "cosh", "asin", "acos",
                                          "atan", "atan2", "erfc", "cbrt", "tests"};
  for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++)
    for (unsigned k = 0; k < 2; k++)
      add(list, (device_case){"functions", functions[i], elements[k ? 1 + i % 2 : 0], 1, 1, 17, 70, 0, 0});
}

static void add_all(case_list *list) {
  add_head_dims(list);
  add_lengths(list);
  for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
    add(list, others[i]);
  add_split(list);
  add_functions(list);
}

static void name_case(const device_case *row, char name[MAX_NAME]) {
  snprintf(name, MAX_NAME, "%s%s%s-%s-b%lldh%lldm%lldn%lldd%llde%lld", row->template, *row->words ? "-" : "",
           row->words, row->element, (long long)row->b, (long long)row->h, (long long)row->m, (long long)row->n,
           (long long)row->d, (long long)row->e);
}

/* ------------------------------------------------------------------------------------------------------- templates */

static bool is_narrow(const device_case *row) { return strcmp(row->element, "f32") != 0; }

static bool has_word(const device_case *row, const char *word, size_t length) {
  if (length == 6 && !memcmp(word, "narrow", 6))
    return is_narrow(row);
  return strlen(row->words) == length && !memcmp(row->words, word, length);
}

/* Logits with deviation 4: of products of D normal factors with deviation 2, or of projections over W features. */
static double logit_scale(const device_case *row) {
  double scale = 1 / sqrt((double)row->d), features = (double)(row->h * row->d);
  return strcmp(row->template, "projections") ? scale : scale / (4 * features);
}

/* Writes the value of a placeholder; false when there is none of that name. */
static bool put_placeholder(const device_case *row, const char *name, size_t length, FILE *out) {
  if (length == 5 && !memcmp(name, "SCALE", 5))
    return fprintf(out, "%.9e", logit_scale(row)) > 0;
  if (length != 1)
    return false;
  if (*name == 'T')
    return fputs(row->element, out) >= 0;
  const struct {
    char name;
    int64_t value;
  } extents[] = {{'B', row->b}, {'H', row->h}, {'M', row->m},         {'N', row->n},
                 {'D', row->d}, {'E', row->e}, {'W', row->h * row->d}};
  for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
    if (extents[i].name == *name)
      return fprintf(out, "%lld", (long long)extents[i].value) > 0;
  return false;
}

static void expand_line(const device_case *row, const char *line, size_t length, FILE *out) {
  const char *end = line + length;
  if (length && (*line == '?' || *line == '!')) {
    const char *word = line + 1;
    size_t word_length = strcspn(word, " ");
    if (has_word(row, word, word_length) != (*line == '?'))
      return;
    line = word + word_length;
  }
  while (line < end) {
    const char *close = *line == '@' ? memchr(line + 1, '@', (size_t)(end - line - 1)) : NULL;
    if (close && put_placeholder(row, line + 1, (size_t)(close - line - 1), out))
      line = close + 1;
    else
      fputc(*line++, out);
  }
  fputc('\n', out);
}

/* The program of a case, from malloc; NULL after a message. */
static char *expand(tec_context *context, const device_case *row, size_t *size) {
  char path[4096], *file, *text = NULL;
  snprintf(path, sizeof path, "%s/%s.mlir", DEVICE_DIR, row->template);
  if (tec_file_read(context, path, &file, size))
    return NULL;
  FILE *out = open_memstream(&text, size);
  for (const char *line = file; out && *line;) {
    size_t length = strcspn(line, "\n");
    expand_line(row, line, length, out);
    line += length + (line[length] != 0);
  }
  if (out)
    fclose(out);
  tec_free(file);
  return text;
}

/* --------------------------------------------------------------------------------------------------------- running */

static tec_status compile(tec_context *context, const char *text, size_t size, const char *target, bool tf32,
                          tec_program **program) {
  tec_module *module;
  tec_status status = tec_module_parse(context, "case", text, size, &module);
  if (status)
    return status;
  tec_compile_options options = {sizeof options, .target = target, .tf32 = tf32};
  status = tec_module_compile(module, &options, program);
  tec_module_destroy(module);
  return status;
}

typedef struct device_choice {
  const char *device, *target;
  bool tf32;
  const char *save;          /* the directory; NULL: cases are run */
  uint64_t *wavefronts_lost; /* to bank conflicts so far; the context's messages count */
} device_choice;

/* A case as it is run: on the device, by the interpreter in both precisions, and where factors are rounded to tf32 by
 * the interpreter on arguments that are moved by as much. */
typedef struct case_run {
  tec_context *context;
  tec_entry entry;
  bool tf32;
  check_runs runs; /* a moved one for tf32 */
} case_run;

static tec_status call(const case_run *run, const check_run *one) {
  const DLTensor *views[MAX_ARGUMENTS];
  if (run->entry.num_arguments > MAX_ARGUMENTS)
    return TEC_INVALID;
  for (uint32_t i = 0; i < run->entry.num_arguments; i++)
    views[i] = &one->arguments[i]->dl_tensor;
  return tec_program_call(one->program, NULL, run->entry.num_arguments, views, run->entry.num_results, one->results);
}

static tec_status run_interpreters(case_run *run, const char *text, size_t size, const tensor_source *source) {
  tec_status status = compile(run->context, text, size, "interp", false, &run->runs.plain.program);
  if (!status)
    status = compile(run->context, text, size, "interp:double", false, &run->runs.exact.program);
  if (!status && run->tf32)
    status = compile(run->context, text, size, "interp:tf32", false, &run->runs.moved[0].program);
  if (!status)
    status = tec_program_find(run->runs.plain.program, NULL, &run->entry);
  if (status)
    return status;
  DLManagedTensor *made[MAX_ARGUMENTS] = {NULL};
  if (run->entry.num_arguments > MAX_ARGUMENTS)
    return TEC_INVALID;
  status = tensors_random(run->context, source, run->entry.num_arguments, run->entry.arguments, made);
  check_run *const runs[] = {&run->runs.tested, &run->runs.exact, &run->runs.plain, &run->runs.moved[0]};
  for (unsigned i = 0; i < (run->tf32 ? 4 : 3) && !status; i++)
    status = check_prepare(run->context, &run->entry, made, runs[i]);
  for (uint32_t i = 0; i < MAX_ARGUMENTS; i++)
    tec_tensor_release(made[i]);
  if (!status)
    status = call(run, &run->runs.exact);
  if (!status)
    status = call(run, &run->runs.plain);
  if (status || !run->tf32)
    return status;
  check_blur(&run->entry, &run->runs.moved[0], 0);
  run->runs.num_moved = 1;
  return call(run, &run->runs.moved[0]);
}

static tec_status run_device(case_run *run, const char *text, size_t size, const device_choice *choice) {
  tec_status status = compile(run->context, text, size, choice->target, choice->tf32, &run->runs.tested.program);
  if (!status)
    status = tec_program_set_device(run->runs.tested.program, choice->device);
  return status ? status : call(run, &run->runs.tested);
}

static tec_status save_tensors(tec_context *context, const char *stem, const char *what, uint32_t count,
                               DLManagedTensor *const *tensors) {
  tec_status status = TEC_OK;
  for (uint32_t i = 0; i < count && !status; i++) {
    char path[MAX_PATH], *bytes = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s.%s%u.npy", stem, what, i);
    status = tec_tensor_write_npy(context, &tensors[i]->dl_tensor, &bytes, &size);
    if (!status)
      status = tec_file_write(context, path, bytes, size);
    tec_free(bytes);
  }
  return status;
}

/* What the interpreters were given and gave, and the program for the target. */
static tec_status save_case(case_run *run, const char *text, size_t size, const device_choice *choice,
                            const char *stem) {
  char path[MAX_PATH], *bytes = NULL, *lines = NULL;
  size_t length = 0;
  const tec_entry *entry = &run->entry;
  tec_status status = compile(run->context, text, size, choice->target, choice->tf32, &run->runs.tested.program);
  if (!status)
    status = tec_program_write(run->runs.tested.program, &bytes, &length);
  snprintf(path, sizeof path, "%s.tecp", stem);
  if (!status)
    status = tec_file_write(run->context, path, bytes, length);
  tec_free(bytes);
  if (!status)
    status = save_tensors(run->context, stem, "argument", entry->num_arguments, run->runs.exact.arguments);
  if (!status)
    status = save_tensors(run->context, stem, "exact", entry->num_results, run->runs.exact.results);
  if (!status)
    status = save_tensors(run->context, stem, "plain", entry->num_results, run->runs.plain.results);
  check_runs plain = run->runs;
  plain.tested = plain.plain;
  FILE *report = open_memstream(&lines, &length);
  if (!status && report)
    status = check_compare(run->context, entry, &plain, report);
  if (report)
    fclose(report);
  snprintf(path, sizeof path, "%s.txt", stem);
  if (!status)
    status = tec_file_write(run->context, path, lines, length);
  free(lines);
  return status;
}

/* One line, from those that check_compare writes. */
static void print_line(bool good, const char *name, char *lines) {
  static const char prefix[] = "check: ";
  for (char *at = lines; at && *at; at++)
    if (*at == '\n')
      *at = at[1] ? ';' : 0;
  const char *line = lines && *lines ? lines : good ? "saved" : "does not compile or run";
  if (!strncmp(line, prefix, sizeof prefix - 1))
    line += sizeof prefix - 1;
  printf("%s  %-44s %s\n", good ? "pass" : "FAIL", name, line);
  fflush(stdout);
}

static bool run_case(tec_context *context, const device_case *row, const device_choice *choice, const char *name) {
  /* Open extents of the template "dynamic": of the queries, the keys, the values; of "cache": those of the last two. */
  const uint64_t unknown[MAX_UNKNOWN] = {(uint64_t)row->m, (uint64_t)row->n, (uint64_t)row->n};
  bool dynamic = !strcmp(row->template, "dynamic"), rows = !strcmp(row->template, "open_softmax");
  bool cache = !strcmp(row->template, "cache");
  const tensor_source source = {17, unknown + cache, dynamic ? MAX_UNKNOWN : rows || cache ? 2 : 0};
  case_run run = {.context = context, .tf32 = choice->tf32, .runs.moved[0].tf32 = choice->tf32};
  size_t size, report_size;
  char *text = expand(context, row, &size), *lines = NULL;
  FILE *report = open_memstream(&lines, &report_size);
  tec_status status = text && report ? TEC_OK : TEC_OUT_OF_MEMORY;
  if (!status)
    status = run_interpreters(&run, text, size, &source);
  if (!status && choice->save) {
    char stem[MAX_STEM];
    snprintf(stem, sizeof stem, "%s/%s", choice->save, name);
    status = save_case(&run, text, size, choice, stem);
  } else if (!status) {
    status = run_device(&run, text, size, choice);
  }
  if (!status && !choice->save)
    status = check_compare(context, &run.entry, &run.runs, report);
  if (report && *choice->wavefronts_lost) {
    fprintf(report, "%llu wavefronts lost to bank conflicts\n", (unsigned long long)*choice->wavefronts_lost);
    status = TEC_INVALID;
  }
  *choice->wavefronts_lost = 0;
  if (report)
    fclose(report);
  print_line(!status, name, lines);
  check_release_all(&run.entry, &run.runs);
  free(lines);
  free(text);
  return !status;
}

/* ------------------------------------------------------------------------------------------------------ the command */

/* Prints what is wrong, and counts wavefronts in the emulator's reports. */
static void take_message(void *user, tec_severity severity, const char *text) {
  uint64_t *wavefronts_lost = user;
  unsigned long long taken, least;
  const char *line = strstr(text, "\nshared memory: ");
  if (severity >= TEC_WARNING)
    fputs(text, stderr);
  else if (line && sscanf(line, "\nshared memory: %llu wavefronts, %llu without", &taken, &least) == 2)
    *wavefronts_lost += taken - least;
}

typedef struct conformance_options {
  const char *device, *target, *f32, *filter, *print, *save;
  bool list;
} conformance_options;

static bool parse_options(int count, char **given, conformance_options *options) {
  const struct {
    const char *name;
    const char **field;
  } rows[] = {{"--device=", &options->device}, {"--target=", &options->target}, {"--f32=", &options->f32},
              {"--filter=", &options->filter}, {"--print=", &options->print},   {"--save=", &options->save}};
  for (int i = 1; i < count; i++) {
    bool known = !strcmp(given[i], "--list");
    options->list |= known;
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++)
      if (!strncmp(given[i], rows[k].name, strlen(rows[k].name))) {
        *rows[k].field = given[i] + strlen(rows[k].name);
        known = true;
      }
    if (!known) {
      fprintf(stderr, "conformance: unknown argument '%s'\n", given[i]);
      return false;
    }
  }
  return true;
}

static int run_cases(tec_context *context, const conformance_options *options, uint64_t *wavefronts_lost) {
  char *suited = NULL;
  if (!options->target && tec_device_target(context, options->device, &suited))
    return 1;
  bool tf32 = options->f32 && !strcmp(options->f32, "tf32");
  device_choice choice = {options->device, suited ? suited : options->target, tf32, options->save, wavefronts_lost};
  unsigned passed = 0, failed = 0;
  case_list list = {.count = 0};
  add_all(&list);
  for (unsigned i = 0; i < list.count; i++) {
    char name[MAX_NAME];
    name_case(&list.cases[i], name);
    if (options->filter && !strstr(name, options->filter))
      continue;
    if (options->list)
      puts(name);
    else if (run_case(context, &list.cases[i], &choice, name))
      passed++;
    else
      failed++;
  }
  tec_free(suited);
  if (!options->list)
    printf("%s: %u passed, %u failed\n", options->device, passed, failed);
  return failed != 0 || (!options->list && !passed);
}

/* The text of one case, to look at or to run by itself. */
static int print_case(tec_context *context, const char *wanted) {
  case_list list = {.count = 0};
  add_all(&list);
  for (unsigned i = 0; i < list.count; i++) {
    char name[MAX_NAME];
    name_case(&list.cases[i], name);
    if (strcmp(name, wanted))
      continue;
    size_t size;
    char *text = expand(context, &list.cases[i], &size);
    if (text)
      fwrite(text, 1, size, stdout);
    free(text);
    return !text;
  }
  fprintf(stderr, "conformance: there is no case '%s'; see --list\n", wanted);
  return 1;
}

int main(int count, char **given) {
  conformance_options options = {.device = "host"};
  if (!parse_options(count, given, &options))
    return 2;
  uint64_t wavefronts_lost = 0;
  tec_context_options context_options = {sizeof context_options, .message = take_message, .user = &wavefronts_lost,
                                         .report = !strcmp(options.device, "ptx-emu")};
  tec_context *context;
  if (tec_context_create(&context_options, &context))
    return 1;
  int status = options.print ? print_case(context, options.print) : run_cases(context, &options, &wavefronts_lost);
  tec_context_destroy(context);
  return status;
}
