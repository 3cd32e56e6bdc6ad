/* command_list.c - tcc-attn list: ops, passes, targets, devices, layouts. */
#include "tools/command.h"

#include <stdio.h>
#include <string.h>

int command_list(const command_options *options) {
  static const struct {
    const char *name;
    bool (*get)(unsigned i, const char **name, const char **doc);
  } lists[] = {{"ops", tec_op_get},
               {"passes", tec_pass_get},
               {"targets", tec_target_get},
               {"devices", tec_device_get},
               {"layouts", tec_layout_get}};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    if (strcmp(lists[i].name, options->input))
      continue;
    const char *name, *doc;
    for (unsigned k = 0; lists[i].get(k, &name, &doc); k++)
      printf("%-32s %s\n", name, doc);
    return EXIT_GOOD;
  }
  fprintf(stderr, "tcc-attn: cannot list '%s'; there are ops, passes, targets, devices, layouts\n", options->input);
  return EXIT_USAGE;
}
