#include "tests/support/ptx_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_with_ptxas(const char *text) {
  char path[] = "/tmp/test_ptx_XXXXXX", command[200];
  if (system("command -v ptxas >/dev/null 2>&1"))
    return;
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
  char target[16] = "";
  sscanf(strstr(text, ".target"), ".target %15[a-z0-9_]", target);
  snprintf(command, sizeof command, "ptxas -arch=%s -o /dev/null %s", target, path);
  int result = system(command);
  unlink(path);
  cr_assert_eq(result, 0, "ptxas refuses:\n%s", text);
}

uint32_t encode(const char *type, int value) {
  static const uint16_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48}, e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44};
  static const uint16_t f16[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
  unsigned magnitude = (unsigned)abs(value);
  float single = (float)value;
  uint32_t word;
  memcpy(&word, &single, sizeof word);
  if (!strcmp(type, "bf16"))
    return word >> 16;
  if (!strcmp(type, "tf32") || !strcmp(type, "f32"))
    return word;
  if (!strcmp(type, "s8"))
    return (uint8_t)value;
  if (!strcmp(type, "f16"))
    return f16[magnitude] | (value < 0) << 15;
  if (!strcmp(type, "e4m3"))
    return e4m3[magnitude] | (uint32_t)(value < 0) << 7;
  if (!strcmp(type, "e5m2"))
    return e5m2[magnitude] | (uint32_t)(value < 0) << 7;
  return magnitude; /* u8 */
}
