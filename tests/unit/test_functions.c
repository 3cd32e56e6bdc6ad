/* test_functions.c - functions of f32 in code for the host, over all exponents, against the C library in double. */
#include "tests/support/host_machine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Error in units of the last place of the f32 result, or of the least subnormal number. */
static double ulps(float value, double exact) {
  if (isnan(exact))
    return isnan(value) ? 0 : INFINITY;
  if ((double)value == exact)
    return 0;
  if (fabs(exact) > 0x1.ffffffp+127)
    return value == copysign(INFINITY, exact) ? 0 : INFINITY;
  int exponent = exact == 0 ? -126 : ilogb(exact);
  if (exponent < -126)
    exponent = -126;
  return fabs((double)value - exact) / ldexp(1, exponent - 23);
}

/* Error of a fast exponential in units of the 2e-7 of the result that are allowed; results below 2^-125 may be 0. */
static double fast_error(float value, double exact) {
  if (isnan(exact) || exact > 0x1.ffffffp+127)
    return ulps(value, exact);
  return exact < 0x1p-125 && value == 0 ? 0 : fabs((double)value - exact) / fmax(exact, 0x1p-125) / 2e-7;
}

/* Error of an approximate exponential in units of what is allowed, which is in proportion to x. */
static double approximate_error(float x, float value, double exact) {
  if (isnan(exact))
    return ulps(value, exact);
  if (exact > 0x1.fffp+127)
    return value > 0x1.ffep+127 ? 0 : INFINITY;
  return fast_error(value, exact) * 2e-7 / (1.4e-7 + 1.2e-7 * fabs(x));
}

/* An op, what it computes, and the error below which it stays on every machine. */
static const struct {
  const char *op;
  double (*exact)(double x), ulps;
} functions[] = {{"exp", exp, 1.2},   {"exp2", exp2, 1.1}, {"expm1", expm1, 3}, {"log", log, 2},
                 {"log2", log2, 3},   {"log1p", log1p, 3}, {"tanh", tanh, 4},   {"erf", erf, 3},
                 {"sin", sin, 0.6},   {"cos", cos, 0.6},   {"tan", tan, 2},     {"log10", log10, 0.6},
                 {"sinh", sinh, 0.6}, {"cosh", cosh, 0.6}, {"asin", asin, 0.6}, {"acos", acos, 0.6},
                 {"atan", atan, 0.6}, {"erfc", erfc, 0.6}, {"cbrt", cbrt, 0.6}};

static const float special[] = {0,   -0.0f,       INFINITY,   -INFINITY, NAN,      -150, -149,      -126,
                                128, 127.99999f,  88.722839f, 88.73f,    -103.97f, -104, -87.4f,    1,
                                -1,  0.99999994f, 1.0000001f, 0.921875f, 4,        9.1f, 0x1p-126f, 0x1p-149f};

/* A function that applies the op, with flags, to 64 numbers. */
static void write_function_text(char text[512], const char *op, const char *flags) {
  snprintf(text, 512,
           "func.func @f(%%x: memref<64xf32>, %%y: memref<64xf32>) {\n"
           "  %%i = arith.constant 0 : index\n"
           "  %%p = arith.constant 0.0 : f32\n"
           "  %%v = vector.transfer_read %%x[%%i], %%p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>\n"
           "  %%e = math.%s %%v %s : vector<64xf32>\n"
           "  vector.transfer_write %%e, %%y[%%i] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>\n"
           "  return\n"
           "}\n",
           op, flags);
}

/* Every 1009th of all f32 numbers, and the special ones. */
static void check_function(const char *target, unsigned f, bool fast) {
  machine m;
  char text[512];
  write_function_text(text, functions[f].op, "");
  tec_host_kernel kernel = machine_load_with(&m, target, fast, text);
  double worst = 0, at = 0;
  bool drops_sign = !strcmp(functions[f].op, "expm1") || !strcmp(functions[f].op, "log1p"); /* of -0 */
  uint64_t bits = 0;
  for (size_t done = 0; bits < (1ull << 32); done += 64) {
    float x[64], y[64];
    for (size_t i = 0; i < 64; i++, bits += 1009) {
      uint32_t word = (uint32_t)bits;
      memcpy(&x[i], &word, 4);
      if (done + i < sizeof special / sizeof *special)
        x[i] = special[done + i];
    }
    cr_assert_eq(kernel((void *[]){x, y}, (int64_t[]){64, 64}, &m.env), 0);
    for (size_t i = 0; i < 64; i++) {
      double exact = functions[f].exact(x[i]), error = fast ? fast_error(y[i], exact) : ulps(y[i], exact);
      if (error > worst) {
        worst = error;
        at = x[i];
      }
      cr_assert((fast && exact != 1) || exact != nearbyint(exact) || fabs(exact) > 1 || y[i] == (float)exact,
                "%s(%.9g) is %.9g", functions[f].op, x[i], y[i]);
      cr_assert(drops_sign || exact != 0 || !signbit(exact) == !signbit(y[i]), "%s(%.9g) is %.9g", functions[f].op,
                x[i], y[i]);
    }
  }
  cr_assert_lt(worst, fast ? 1 : functions[f].ulps, "%s: %g ulp at %.9g", functions[f].op, worst, at);
  machine_finish(&m);
}

/* Functions of two numbers of all exponents and both signs: a million pairs of arbitrary bits, as many whose power does
 * not overflow at once, and each special number with each. */
static void check_pairs(const char *target, const char *op, double (*exact_of)(double, double)) {
  enum { NUM_SPECIAL = sizeof special / sizeof *special, NUM_PAIRS = 1 << 20 };
  char text[1000];
  snprintf(text, sizeof text,
           "func.func @f(%%x: memref<64xf32>, %%n: memref<64xf32>, %%y: memref<64xf32>) {\n"
           "  %%i = arith.constant 0 : index\n"
           "  %%p = arith.constant 0.0 : f32\n"
           "  %%a = vector.transfer_read %%x[%%i], %%p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>\n"
           "  %%b = vector.transfer_read %%n[%%i], %%p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>\n"
           "  %%e = math.%s %%a, %%b : vector<64xf32>\n"
           "  vector.transfer_write %%e, %%y[%%i] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>\n"
           "  return\n"
           "}\n",
           op);
  machine m;
  tec_host_kernel kernel = machine_load(&m, target, text);
  uint64_t state = 7;
  for (size_t done = 0; done < 2 * NUM_PAIRS; done += 64) {
    float x[64], n[64], y[64];
    for (size_t i = 0, pair = done; i < 64; i++, pair++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint32_t words[] = {(uint32_t)(state >> 32), (uint32_t)(state >> 11)};
      memcpy(&x[i], &words[0], 4);
      memcpy(&n[i], &words[1], 4);
      if (isnan(x[i])) /* there are NaN whose every use gives NaN, others to the power of 0 give 1 */
        x[i] = NAN;
      if (pair >= NUM_PAIRS) /* many of them whole */
        n[i] = pair % 2 ? (float)((int)(words[1] % 9) - 4) : (float)(150 * sin(n[i]) / fmax(1, fabs(log2(fabs(x[i])))));
      if (pair < NUM_SPECIAL * NUM_SPECIAL) {
        x[i] = special[pair / NUM_SPECIAL];
        n[i] = special[pair % NUM_SPECIAL];
      }
    }
    cr_assert_eq(kernel((void *[]){x, n, y}, (int64_t[]){64, 64, 64}, &m.env), 0);
    for (size_t i = 0; i < 64; i++) {
      double exact = exact_of(x[i], n[i]);
      bool right_sign = isnan(exact) || !signbit(exact) == !signbit(y[i]);
      cr_assert(right_sign && ulps(y[i], exact) < 0.6, "%s of %.9g and %.9g is %.9g, not %.9g", op, x[i], n[i], y[i],
                exact);
    }
  }
  machine_finish(&m);
}

Test(functions, powers_are_accurate_everywhere) { check_pairs("host", "powf", pow); }
Test(functions, powers_are_accurate_without_fma) { check_pairs("host:x86-64", "powf", pow); }
Test(functions, angles_are_accurate_everywhere) { check_pairs("host", "atan2", atan2); }
Test(functions, angles_are_accurate_without_fma) { check_pairs("host:x86-64", "atan2", atan2); }

enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

Test(functions, functions_are_accurate_everywhere) {
  for (unsigned f = 0; f < NUM_FUNCTIONS; f++)
    check_function("host", f, false);
}
Test(functions, functions_are_accurate_with_avx2) {
  for (unsigned f = 0; f < NUM_FUNCTIONS; f++)
    check_function("host:x86-64-v3", f, false);
}
Test(functions, functions_are_accurate_with_sse2) {
  for (unsigned f = 0; f < NUM_FUNCTIONS; f++)
    check_function("host:x86-64", f, false);
}

Test(functions, approximate_exponentials_err_in_proportion_to_x) {
  static const char *const targets[] = {"host", "host:x86-64-v3", "host:x86-64"};
  for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) {
    machine m;
    char text[512];
    write_function_text(text, "exp", "fastmath<afn>");
    tec_host_kernel kernel = machine_load(&m, targets[i], text);
    for (uint64_t bits = 0; bits < (1ull << 32);) {
      float x[64], y[64];
      for (size_t k = 0; k < 64; k++, bits += 1009) {
        uint32_t word = (uint32_t)bits;
        memcpy(&x[k], &word, 4);
        if (k < sizeof special / sizeof *special)
          x[k] = special[k];
      }
      cr_assert_eq(kernel((void *[]){x, y}, (int64_t[]){64, 64}, &m.env), 0);
      for (size_t k = 0; k < 64; k++) {
        cr_assert_lt(approximate_error(x[k], y[k], exp(x[k])), 1, "e^%.9g is %.9g on %s", x[k], y[k], targets[i]);
        cr_assert(x[k] != 0 || y[k] == 1, "e^0 is %.9g on %s", y[k], targets[i]);
        cr_assert(y[k] == 0 || !(y[k] < 0x1p-126f), "e^%.9g is subnormal on %s", x[k], targets[i]);
      }
    }
    machine_finish(&m);
  }
}

/* exp and exp2 come first. */
Test(functions, fast_exponentials_keep_their_bound) {
  static const char *const targets[] = {"host", "host:x86-64-v3", "host:x86-64"};
  for (unsigned f = 0; f < 2; f++)
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++)
      check_function(targets[i], f, true);
}
