/* shared_form.h - in which order the elements of a vector lie in shared memory, between lanes that write it and lanes
 * that read it. */
#ifndef TEC_PASSES_SHARED_FORM_H
#define TEC_PASSES_SHARED_FORM_H
#include "passes/layout.h"

/* Rows are the innermost of the last two dims; the default is row-major, without anything between rows. */
typedef struct shared_form {
  bool swapped;       /* the last dim but one is contiguous, instead of the last */
  int64_t interleave; /* rows that follow each other are in so many different parts of the memory; 1: in order */
  int64_t padding;    /* elements that nobody uses, behind each row .. */
  int64_t between;    /* .. and from one part to the next */
} shared_form;

/* One way in which lanes access the vector, or a part of it. */
typedef struct shared_use {
  const layout *l;
  int64_t times;
  bool writes;    /* of replicas one is written */
  bool any_order; /* registers need not be in the layout's order */
} shared_use;

enum { SHARED_FORM_ALL = LAYOUT_MAX_RANK };

/* What is to lie in memory. */
typedef struct shared_vector {
  const layout *whole; /* for its extents */
  int64_t bits;        /* of an element */
  unsigned warp;       /* lanes that access memory together */
  int64_t room;        /* elements beyond which nothing is padded */
  int whole_dim;       /* rows along this dim are not interleaved; -1: any can be; SHARED_FORM_ALL: none */
  bool in_order;       /* rows are only padded */
} shared_vector;

/* The form in which both uses together keep memory busy for the shortest time; row-major among equals. */
shared_form shared_form_choose(const shared_vector *vector, const shared_use uses[2]);
/* The layout in coordinates of the memory, which has one dim more where rows are interleaved; false where a digit
 * straddles. */
bool shared_form_layout(const shared_form *form, const layout *l, layout *result);
/* The same layout with registers in the order of memory; scale[dim] as below. */
layout shared_form_order(const layout *l, const int64_t *scale);
/* Elements from one coordinate to the next along each dim of the memory; returns how many elements it has. */
int64_t shared_form_scale(const shared_form *form, const layout *whole, int64_t *scale);
#endif
