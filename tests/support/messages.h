/* messages.h - keeps what a context of the public interface reports, for tests that look at it. */
#ifndef TEC_TESTS_MESSAGES_H
#define TEC_TESTS_MESSAGES_H
#include "runtime/tec.h"

typedef struct messages {
  unsigned count;  /* of errors */
  char last[6000]; /* the latest message of any severity */
} messages;

/* The callback; `kept` is a messages. */
void messages_keep(void *kept, tec_severity severity, const char *text);
/* A context with these options that reports to `kept`, which is emptied; fails the test if there is none. */
tec_context *messages_context(messages *kept, tec_context_options options);
#endif
