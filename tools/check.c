/* check.c - judges the numbers of a run by those of the reference interpreter.
 *
 * The bar is no constant: the interpreter runs the unfused program in double precision, and twice with each op rounded
 * to its type, the second time on f32 and f64 arguments that are moved by one rounding each. The larger error of those
 * two is what the declared types cost; one alone may be small by luck, and for f64 only the second shows anything. A
 * result passes when its largest error is at most twice that, and one rounding of its own type at its largest value:
 * sums in another order pass, wrong terms do not. Products in tf32 round their factors to 10 bits, so arguments are
 * moved by such a rounding then, and the interpreter rounds what it multiplies, as factors may be computed from
 * arguments of other types. Where nothing is rounded (integers) this demands the same numbers. The errors of a single
 * row with sharp scores go all one way, so that both runs may be lucky there: a result that errs by little more than is
 * allowed is compared with a few more of the second kind.
 *
 * An element that only the rounded run cannot hold (it overflowed) tells nothing about the tested one: it is left out,
 * and counted. Everything else that is infinite or NaN must be the same. */
#include "tools/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TESTED, EXACT, PLAIN, MOVED, CHECK_RUNS = MOVED + CHECK_MOST_MOVED };

#define TF32_ROUNDING 0x1p-11 /* the most that rounding to the nearest number changes */

typedef struct check_error {
  double tested, plain;  /* the largest absolute errors: of the tested run, and of the plain ones */
  double largest;        /* of the finite exact magnitudes */
  int64_t count, beyond; /* elements; those left out */
  int64_t hidden, added; /* those that are NaN as the program is spelled and finite in the tested run; but not 0 */
} check_error;

tec_status check_prepare(tec_context *context, const tec_entry *entry, DLManagedTensor *const *arguments,
                         check_run *run) {
  run->arguments = calloc(entry->num_arguments + 1, sizeof *run->arguments);
  run->results = calloc(entry->num_results + 1, sizeof *run->results);
  if (!run->arguments || !run->results) {
    fprintf(stderr, "error: out of memory\n");
    return TEC_OUT_OF_MEMORY;
  }
  tec_status status = TEC_OK;
  for (uint32_t i = 0; i < entry->num_arguments && !status; i++)
    status = tec_tensor_convert(context, &arguments[i]->dl_tensor, arguments[i]->dl_tensor.dtype, &run->arguments[i]);
  return status;
}

void check_blur(const tec_entry *entry, check_run *run, unsigned number) {
  for (uint32_t i = 0; i < entry->num_arguments; i++) {
    const DLTensor *tensor = &run->arguments[i]->dl_tensor;
    if (tensor->dtype.code != kDLFloat || tensor->dtype.bits < 32)
      continue;
    int64_t count = 1;
    for (int32_t d = 0; d < tensor->ndim; d++)
      count *= tensor->shape[d];
    /* Up or down by a bit of a multiplicative hash, so that errors neither cancel nor add up. */
    for (int64_t k = 0; k < count; k++) {
      bool up = (uint64_t)k * 0x9e3779b97f4a7c15u >> (63 - number) & 1;
      double rounding = tensor->dtype.bits == 64 ? 0x1p-52 : run->tf32 ? TF32_ROUNDING : 0x1p-23;
      double factor = up ? 1 + rounding : 1 - rounding;
      if (tensor->dtype.bits == 64)
        ((double *)tensor->data)[k] *= factor;
      else
        ((float *)tensor->data)[k] *= (float)factor;
    }
  }
}

void check_release(const tec_entry *entry, check_run *run) {
  for (uint32_t i = 0; run->arguments && i < entry->num_arguments; i++)
    tec_tensor_release(run->arguments[i]);
  for (uint32_t i = 0; run->results && i < entry->num_results; i++)
    tec_tensor_release(run->results[i]);
  free(run->arguments);
  free(run->results);
  tec_program_destroy(run->program);
}

void check_release_all(const tec_entry *entry, check_runs *runs) {
  check_release(entry, &runs->tested);
  check_release(entry, &runs->exact);
  check_release(entry, &runs->plain);
  for (unsigned i = 0; i < CHECK_MOST_MOVED; i++)
    check_release(entry, &runs->moved[i]);
}

static bool is_float(DLDataType dtype) { return dtype.code == kDLFloat || dtype.code == kDLBfloat; }

/* The distance from 1 to the next number of the type. */
static double one_rounding(DLDataType dtype) {
  if (!is_float(dtype))
    return 0;
  int mantissa = dtype.code == kDLBfloat ? 7 : dtype.bits == 16 ? 10 : dtype.bits == 32 ? 23 : 52;
  return ldexp(1, -mantissa);
}

/* Infinite where one side is NaN or infinite and the other differs. */
static double distance(double a, double b) {
  if (a == b || (isnan(a) && isnan(b)))
    return 0;
  return isfinite(a) && isfinite(b) ? fabs(a - b) : (double)INFINITY;
}

static bool same_shape(const DLTensor *a, const DLTensor *b) {
  if (a->ndim != b->ndim)
    return false;
  for (int32_t d = 0; d < a->ndim; d++)
    if (a->shape[d] != b->shape[d])
      return false;
  return true;
}

/* One tensor of each of so many runs. */
static tec_status measure(tec_context *context, const DLTensor *const *tensors, unsigned num_runs, check_error *error) {
  const DLDataType wide = {kDLFloat, 64, 1};
  for (unsigned i = 1; i < num_runs; i++)
    if (!same_shape(tensors[TESTED], tensors[i])) {
      fprintf(stderr, "error: the interpreter's result has another shape\n");
      return TEC_INVALID;
    }
  DLManagedTensor *values[CHECK_RUNS] = {NULL};
  tec_status status = TEC_OK;
  for (unsigned i = 0; i < num_runs && !status; i++)
    status = tec_tensor_convert(context, tensors[i], wide, &values[i]);
  *error = (check_error){.count = 1};
  for (int32_t d = 0; d < tensors[TESTED]->ndim; d++)
    error->count *= tensors[TESTED]->shape[d];
  for (int64_t i = 0; i < error->count && !status; i++) {
    double numbers[CHECK_RUNS], plain = 0;
    for (unsigned k = 0; k < num_runs; k++)
      numbers[k] = ((const double *)values[k]->dl_tensor.data)[i];
    for (unsigned k = PLAIN; k < num_runs; k++)
      plain = fmax(plain, distance(numbers[k], numbers[EXACT]));
    if (isinf(plain)) {
      error->beyond++;
      continue;
    }
    error->plain = fmax(error->plain, plain);
    error->tested = fmax(error->tested, distance(numbers[TESTED], numbers[EXACT]));
    bool hidden = isnan(numbers[EXACT]) && isfinite(numbers[TESTED]);
    error->hidden += hidden;
    error->added += hidden && numbers[TESTED] != 0;
    if (isfinite(numbers[EXACT]))
      error->largest = fmax(error->largest, fabs(numbers[EXACT]));
  }
  for (unsigned i = 0; i < num_runs; i++)
    tec_tensor_release(values[i]);
  return status;
}

/* The maximum over a few elements may be small by luck: the fewer there are, the more is allowed. */
static double allowed_error(const check_error *error, DLDataType dtype) {
  return (2 + 16 / (double)(error->count + 1)) * error->plain + one_rounding(dtype) * error->largest;
}

static tec_status report_error(const char *what, uint32_t number, const check_error *error, double allowed,
                               FILE *report) {
  bool good = error->tested <= allowed;
  fprintf(report,
          "check: %s %u: largest error %.3g (of values up to %.3g); plain arithmetic errs %.3g, allowed %.3g: %s\n",
          what, number, error->tested, error->largest, error->plain, allowed, good ? "good" : "WRONG");
  if (error->beyond)
    fprintf(report, "check: %s %u: %lld elements not compared: plain arithmetic overflows there\n", what, number,
            (long long)error->beyond);
  if (error->hidden)
    fprintf(report,
            "check: %s %u: %lld elements are %s that would be NaN as the program is spelled: so are rows of a softmax "
            "that masks hide everywhere%s\n",
            what, number, (long long)error->hidden, error->added ? "finite" : "0",
            error->added ? ", whose weights are 0 here" : "");
  return good ? TEC_OK : TEC_INVALID;
}

/* Compares result `i`, or the argument of that number, in all runs. *excess, if there is one, becomes the error as a
 * multiple of what is allowed, where that is more; else it is reported. */
static tec_status compare(tec_context *context, uint32_t i, bool is_result, const check_run *const *runs,
                          unsigned num_runs, double *excess, FILE *report) {
  const DLTensor *tensors[CHECK_RUNS];
  check_error error;
  for (unsigned k = 0; k < num_runs; k++)
    tensors[k] = &(is_result ? runs[k]->results : runs[k]->arguments)[i]->dl_tensor;
  tec_status status = measure(context, tensors, num_runs, &error);
  if (status)
    return status;
  double allowed = allowed_error(&error, tensors[TESTED]->dtype);
  if (!excess)
    return report_error(is_result ? "result" : "argument", i, &error, allowed, report);
  if (error.tested > *excess * allowed)
    *excess = error.tested / allowed;
  return TEC_OK;
}

/* The same for all results and buffers. */
static tec_status compare_all(tec_context *context, const tec_entry *entry, const check_runs *runs, double *excess,
                              FILE *report) {
  const check_run *all[CHECK_RUNS] = {&runs->tested, &runs->exact, &runs->plain};
  for (unsigned k = 0; k < runs->num_moved; k++)
    all[MOVED + k] = &runs->moved[k];
  tec_status status = TEC_OK;
  for (uint32_t i = 0; i < entry->num_results; i++)
    if (compare(context, i, true, all, MOVED + runs->num_moved, excess, report))
      status = TEC_INVALID;
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    if (entry->arguments[i].kind == TEC_KIND_BUFFER &&
        compare(context, i, false, all, MOVED + runs->num_moved, excess, report))
      status = TEC_INVALID;
  return status;
}

bool check_wants_more(tec_context *context, const tec_entry *entry, const check_runs *runs) {
  enum { LITTLE = 8 };
  double excess = 1;
  for (uint32_t i = 0; i < entry->num_arguments; i++)
    if (entry->arguments[i].kind == TEC_KIND_BUFFER) /* what it held before is gone */
      return false;
  return runs->num_moved < CHECK_MOST_MOVED && !compare_all(context, entry, runs, &excess, NULL) && excess > 1 &&
         excess <= LITTLE;
}

tec_status check_compare(tec_context *context, const tec_entry *entry, const check_runs *runs, FILE *report) {
  tec_status status = compare_all(context, entry, runs, NULL, report);
  if (status)
    fprintf(stderr, "error: the result is less exact than plain arithmetic, or wrong\n");
  return status;
}
