/* test_check.c - what `tcc-attn run --check` lets pass, on results made up for it. */
#include "tools/check.h"

#include <criterion/criterion.h>
#include <math.h>

enum { COUNT = 4096 };

static const DLDataType f32 = {kDLFloat, 32, 1}, f64 = {kDLFloat, 64, 1}, i32 = {kDLInt, 32, 1};

/* Whether another moved run might change the last verdict. */
static bool wants_more;

/* The verdict on one result of `count` elements: exact values 1 to 2, with errors of the given largest sizes. */
static tec_status verdict(DLDataType dtype, int64_t count, double tested_error, double plain_error) {
  tec_context *context;
  cr_assert_eq(tec_context_create(NULL, &context), TEC_OK);
  const tec_type type = {.kind = TEC_KIND_TENSOR, .dtype = dtype, .ndim = 1, .shape = &count};
  const tec_entry entry = {.num_results = 1, .results = &type};
  check_runs all = {.num_moved = 1};
  check_run *const runs[] = {&all.tested, &all.exact, &all.plain, &all.moved[0]};
  const double errors[] = {tested_error, 0, plain_error, plain_error / 2};
  for (int k = 0; k < 4; k++) {
    DLManagedTensor *values;
    cr_assert_eq(check_prepare(context, &entry, NULL, runs[k]), TEC_OK);
    cr_assert_eq(tec_tensor_create(context, f64, 1, &count, &values), TEC_OK);
    for (int64_t i = 0; i < count; i++)
      ((double *)values->dl_tensor.data)[i] = 1 + (double)(i % 2) + (i == count / 2 ? errors[k] : 0);
    cr_assert_eq(tec_tensor_convert(context, &values->dl_tensor, k == 1 && dtype.code == kDLFloat ? f64 : dtype,
                                    &runs[k]->results[0]),
                 TEC_OK);
    tec_tensor_release(values);
  }
  FILE *report = fopen("/dev/null", "w");
  tec_status status = check_compare(context, &entry, &all, report);
  wants_more = check_wants_more(context, &entry, &all);
  fclose(report);
  check_release_all(&entry, &all);
  tec_context_destroy(context);
  return status;
}

Test(check, twice_the_plain_error_passes_and_more_does_not) {
  cr_assert_eq(verdict(f32, COUNT, 1.9e-3, 1e-3), TEC_OK);
  cr_assert_eq(verdict(f32, COUNT, 2.1e-3, 1e-3), TEC_INVALID);
}

Test(check, a_little_more_wants_another_run) {
  verdict(f32, COUNT, 1.9e-3, 1e-3);
  cr_assert_not(wants_more);
  verdict(f32, COUNT, 2.1e-3, 1e-3);
  cr_assert(wants_more);
  verdict(f32, COUNT, 20e-3, 1e-3);
  cr_assert_not(wants_more);
  verdict(i32, COUNT, 1, 0);
  cr_assert_not(wants_more);
}

Test(check, one_rounding_passes_without_any_plain_error) {
  cr_assert_eq(verdict(f32, COUNT, 0x1p-23, 0), TEC_OK);
  cr_assert_eq(verdict(f32, COUNT, 0x1p-21, 0), TEC_INVALID);
  cr_assert_eq(verdict(f64, COUNT, 0x1p-50, 0), TEC_INVALID);
}

Test(check, integers_must_be_the_same) {
  cr_assert_eq(verdict(i32, COUNT, 0, 0), TEC_OK);
  cr_assert_eq(verdict(i32, COUNT, 1, 0), TEC_INVALID);
}

Test(check, the_maximum_over_few_elements_may_be_lucky) {
  cr_assert_eq(verdict(f32, 1, 8e-3, 1e-3), TEC_OK);
  cr_assert_eq(verdict(f32, COUNT, 8e-3, 1e-3), TEC_INVALID);
}

Test(check, what_is_not_finite_must_agree) {
  cr_assert_eq(verdict(f32, COUNT, (double)NAN, 1e-3), TEC_INVALID);
  cr_assert_eq(verdict(f32, COUNT, (double)INFINITY, 1e-3), TEC_INVALID);
  cr_assert_eq(verdict(f32, COUNT, (double)INFINITY, (double)INFINITY), TEC_OK); /* beyond what f32 holds */
}
