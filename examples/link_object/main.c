/* main.c - a kernel in a program that has neither LLVM nor a runtime of ours.
 *
 *   tcc-attn compile product.mlir --emit=obj --header product.h -o product.o
 *   cc main.c product.o -lm -o main */
#include "product.h"

#include <stdio.h>

int main(void) {
  const float a[2 * 3] = {1, 2, 3, 4, 5, 6}, b[3 * 2] = {1, 0, 0, 1, 1, 1};
  float result[2 * 2];
  /* The unknown number of rows of `a` and of the result stands behind each pointer. */
  if (product_call(a, 2, b, result, 2, NULL))
    return 1;
  printf("%g %g\n%g %g\n", (double)result[0], (double)result[1], (double)result[2], (double)result[3]);
  return result[0] == 4 && result[1] == 5 && result[2] == 10 && result[3] == 11 ? 0 : 1;
}
