/* narrow.h - integers that fit into 8 bits, as such. */
#ifndef TEC_PASSES_NARROW_H
#define TEC_PASSES_NARROW_H
#include "ir/build.h"

/* An integer of a structured op's body is seen to be no larger than `most`, and no less than -most. One that is less
 * than its type has room for is no sum or product that overflows. */
bool narrow_is_within(const ir_value *value, int64_t most);
/* The same numbers as a tensor of i8: where an elementwise op makes the value, or something in another shape, of
 * integers, and its body tells that they fit, that op made anew. NULL where it is no such. */
ir_value *narrow_to_bytes(ir_value *value);
#endif
