/* command_tune.c - tcc-attn tune: measures tile sizes on this machine and keeps the fastest for `run` and `compile`.
 *
 * From the schedule's own choice, or what was kept before unless that is slower, one size after the other is changed
 * and kept where that is faster, until no change helps, the time is over, or the user interrupts. Sizes that lead to
 * loops that were measured already are not measured again. A candidate must win twice: at first sight, and then in
 * turns with the best one. What was kept before won already: only in turns with the schedule's own choice can it lose.
 * Terminates: each round ends with the list of sizes; there is another one only after a gain of a few percent, and the
 * clock ends them all. */
#include "tools/runner.h"
#include "tools/tuned.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUM_SIZES = 4, MAX_TEXT = 128, MAX_MEASURED = 256, DUEL_ROUNDS = 3, BAR_WIDTH = 30 };

static const double gain = 0.97, sample_seconds = 0.05; /* what counts as faster; how long to measure at least */

static const struct {
  const char *name;
  int candidates[9]; /* up to a 0 */
} sizes[NUM_SIZES] = {{"rows", {16, 32, 48, 64, 96, 128, 256, 512}},
                      {"softmax", {32, 48, 64, 96, 128, 192, 256, 512}},
                      {"columns", {32, 64, 128, 256, 512, 1024}},
                      {"reduction", {64, 128, 256, 512, 1024, 2048}}};

typedef struct candidate {
  int sizes[NUM_SIZES]; /* 0: the schedule's choice */
  bool is_kept;         /* by an earlier search */
  double seconds;
  check_run run;
} candidate;

typedef struct tuner {
  runner runner;
  double start, budget; /* seconds */
  uint64_t key;         /* under which the best is kept */
  candidate best;
  bool is_kept_unseen;          /* there was no time to measure what an earlier search has kept */
  double speedup;               /* of the best over the schedule's own: the product of what was measured side by side */
  char *measured[MAX_MEASURED]; /* what loops the candidates had */
  unsigned num_measured;
  DLManagedTensor **arguments, **results; /* of all candidates */
} tuner;

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) { interrupted = 1; }

static bool is_over(const tuner *tuner) { return interrupted || command_seconds() - tuner->start > tuner->budget; }

/* "rows=64,softmax=128"; COMMAND_OWN_TILES without any. */
static const char *describe(const int *chosen, char text[MAX_TEXT]) {
  int length = 0;
  for (unsigned i = 0; i < NUM_SIZES; i++)
    if (chosen[i])
      length +=
          snprintf(text + length, MAX_TEXT - (size_t)length, "%s%s=%d", length ? "," : "", sizes[i].name, chosen[i]);
  return length ? text : COMMAND_OWN_TILES;
}

static void show_progress(const tuner *tuner) {
  if (!isatty(STDERR_FILENO))
    return;
  double spent = command_seconds() - tuner->start, share = spent < tuner->budget ? spent / tuner->budget : 1;
  char text[MAX_TEXT];
  fprintf(stderr, "\r[%-*.*s] %2.0f of %.0f s, %u tried, best %.3f ms (%.2fx): %s\033[K", BAR_WIDTH,
          (int)(share * BAR_WIDTH), "##############################", spent, tuner->budget, tuner->num_measured,
          tuner->best.seconds * 1e3, tuner->speedup, describe(tuner->best.sizes, text));
}

/* The shortest of calls for some time. */
static tec_status measure(tuner *tuner, candidate *one) {
  double start = command_seconds(), end = start, least = 0;
  for (unsigned calls = 0; calls < 3 || end - start < sample_seconds; calls++) {
    double before = end;
    tec_status status = runner_call(&tuner->runner, &one->run);
    if (status)
      return status;
    end = command_seconds();
    if (!calls || end - before < least)
      least = end - before;
  }
  if (!one->seconds || least < one->seconds)
    one->seconds = least;
  return TEC_OK;
}

/* Has a candidate with the same loops been here before? Remembers them. */
static bool is_known(tuner *tuner, const candidate *one) {
  tec_entry entry;
  if (tec_program_find(one->run.program, tuner->runner.entry.name, &entry))
    return true;
  for (unsigned i = 0; i < tuner->num_measured; i++)
    if (!strcmp(tuner->measured[i], entry.tiles))
      return true;
  if (tuner->num_measured == MAX_MEASURED)
    return true;
  char *tiles = strdup(entry.tiles);
  if (!tiles)
    return true;
  tuner->measured[tuner->num_measured++] = tiles;
  return false;
}

static tec_status compile(tuner *tuner, candidate *one) {
  char text[MAX_TEXT];
  const char *tiles = describe(one->sizes, text);
  const char *target = tuner->runner.options->target ? tuner->runner.options->target : "host";
  one->run.arguments = tuner->arguments, one->run.results = tuner->results;
  return runner_compile(&tuner->runner, target, tiles, &one->run.program);
}

/* In turns with the best one, so that both see the same machine. */
static tec_status duel(tuner *tuner, candidate *one) {
  tec_status status = TEC_OK;
  tuner->best.seconds = one->seconds = 0;
  for (unsigned i = 0; i < DUEL_ROUNDS && !status; i++) {
    status = measure(tuner, &tuner->best);
    if (!status)
      status = measure(tuner, one);
  }
  return status;
}

static tec_status compare(tuner *tuner, candidate *one, bool *better) {
  double limit = one->is_kept ? 1 : gain;
  tec_status status = one->is_kept ? TEC_OK : measure(tuner, one);
  if (!status && one->seconds <= limit * tuner->best.seconds) {
    status = duel(tuner, one);
    *better = !status && one->seconds <= limit * tuner->best.seconds;
  }
  return status;
}

static tec_status try_candidate(tuner *tuner, candidate *one, bool *better) {
  *better = false;
  tec_status status = compile(tuner, one);
  if (!status && !is_known(tuner, one))
    status = compare(tuner, one, better);
  tec_program *loser = one->run.program;
  if (*better) { /* the entry is part of the best one's program */
    tuner->speedup *= tuner->best.seconds / one->seconds;
    loser = tuner->best.run.program;
    tuner->best = *one;
    status = tec_program_find(one->run.program, tuner->runner.options->function, &tuner->runner.entry);
  }
  tec_program_destroy(loser);
  show_progress(tuner);
  return status;
}

/* What an earlier search has kept is the first candidate: one that is cut short loses nothing. */
static tec_status try_kept(tuner *tuner) {
  candidate kept = {.is_kept = true};
  bool better, is_any = false;
  char *tiles;
  tec_status status = tuned_find(tuner->runner.context, tuner->key, &tiles);
  for (unsigned i = 0; i < NUM_SIZES && !status && tiles; i++) {
    const char *size = strstr(tiles, sizes[i].name);
    kept.sizes[i] = size ? atoi(size + strlen(sizes[i].name) + 1) : 0;
    is_any |= kept.sizes[i] != 0;
  }
  free(tiles);
  tuner->is_kept_unseen = is_any && is_over(tuner);
  return status || !is_any || tuner->is_kept_unseen ? status : try_candidate(tuner, &kept, &better);
}

static tec_status search(tuner *tuner) {
  for (bool gained = true; gained && !is_over(tuner);) {
    gained = false;
    for (unsigned i = 0; i < NUM_SIZES; i++)
      for (unsigned k = 0; sizes[i].candidates[k] && !is_over(tuner); k++) {
        candidate one = {.seconds = 0};
        bool better;
        memcpy(one.sizes, tuner->best.sizes, sizeof one.sizes);
        one.sizes[i] = sizes[i].candidates[k];
        tec_status status = try_candidate(tuner, &one, &better);
        if (status)
          return status;
        gained |= better;
      }
  }
  return TEC_OK;
}

static tec_status find_key(tuner *tuner) {
  const runner *runner = &tuner->runner;
  tec_compile_options compile = command_compile_options(runner->options, runner->options->target);
  tec_module *module;
  tec_status status = command_parse(runner->context, runner->options, runner->file, runner->file_size, &module);
  if (status)
    return status;
  status = tuned_key(module, &compile, runner->threads, &tuner->key);
  tec_module_destroy(module);
  return status;
}

static tec_status store(tuner *tuner) {
  char text[MAX_TEXT], *path = NULL;
  const char *tiles = describe(tuner->best.sizes, text);
  bool own = !strcmp(tiles, COMMAND_OWN_TILES);
  if (tuner->is_kept_unseen) {
    printf("tune: stopped before the sizes that are kept were measured: they stay\n");
    return TEC_OK;
  }
  tec_status status = tuned_store(tuner->runner.context, tuner->key, own ? NULL : tiles, &path);
  if (status)
    return status;
  printf("tune: of %u candidates, ", tuner->num_measured);
  if (own)
    printf("none is faster than the schedule's own tiles, %.3f ms\n", tuner->best.seconds * 1e3);
  else
    printf("%s is the fastest, %.3f ms, %.2fx the schedule's own\ntune: kept for run and compile in '%s'\n", tiles,
           tuner->best.seconds * 1e3, tuner->speedup, path ? path : "?");
  free(path);
  return TEC_OK;
}

static tec_status tune(tuner *tuner) {
  runner *runner = &tuner->runner;
  tec_status status = runner_read(runner);
  if (!status)
    status = find_key(tuner);
  if (!status)
    status = compile(tuner, &tuner->best);
  if (!status)
    status = tec_program_find(tuner->best.run.program, runner->options->function, &runner->entry);
  if (!status)
    status = runner_make_arguments(runner, &tuner->best.run);
  tuner->arguments = tuner->best.run.arguments, tuner->results = tuner->best.run.results;
  if (status)
    return status;
  is_known(tuner, &tuner->best);
  status = measure(tuner, &tuner->best);
  if (!status)
    status = try_kept(tuner);
  if (!status)
    status = search(tuner);
  if (isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  return status ? status : store(tuner);
}

int command_tune(const command_options *options) {
  tuner tuner = {.start = command_seconds(), .speedup = 1};
  uint64_t seconds;
  if (options->target && strncmp(options->target, "host", 4)) {
    fputs("tcc-attn: tune is for the host\n", stderr);
    return EXIT_USAGE;
  }
  if (!options_number("--seconds", options->seconds, 1, 86400, 30, &seconds))
    return EXIT_USAGE;
  int exit_status = runner_start(options, &tuner.runner);
  if (exit_status)
    return exit_status;
  tuner.budget = (double)seconds;
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  tec_status status = tune(&tuner);
  check_release(&tuner.runner.entry, &tuner.best.run);
  for (unsigned i = 0; i < tuner.num_measured; i++)
    free(tuner.measured[i]);
  runner_end(&tuner.runner);
  return status ? EXIT_BAD : EXIT_GOOD;
}
