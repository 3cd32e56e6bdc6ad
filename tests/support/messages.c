/* messages.c - a context whose messages are kept. */
#include "tests/support/messages.h"

#include <criterion/criterion.h>
#include <stdio.h>

void messages_keep(void *user, tec_severity severity, const char *text) {
  messages *kept = user;
  kept->count += severity == TEC_ERROR;
  snprintf(kept->last, sizeof kept->last, "%s", text);
}

tec_context *messages_context(messages *kept, tec_context_options options) {
  *kept = (messages){0};
  options.size = sizeof options;
  options.message = messages_keep;
  options.user = kept;
  tec_context *context;
  cr_assert_eq(tec_context_create(&options, &context), TEC_OK);
  return context;
}
