/* format.h - the declarative syntax of ops: one interpreter of the `format` strings for parser and printer both.
 *
 * A format is a sequence of blank-separated elements:
 *   `text`                     the punctuation or words as they are; `` (empty): no blank before the next element
 *   $name                      an operand group, or an attribute, of the row
 *   type($name)                the types of an operand group or result
 *   functional-type($a, $b)    (types of operands a) -> types of results b
 *   keyword($name, kind)       the word of the attribute #dialect<kind word>, where the dialect is the op's
 *   unit($name)                the name itself where the op has the unit attribute
 *   word($name)                the word of the row's `words` that has the number of the attribute; it may be quoted
 *   attr-dict                  {..} with the attributes that the format does not name
 *   mixed($dynamic, $static)   [%a, 4, %b]: an operand group interleaved with a static array attribute
 *   region                     the op's one region, with a label where it has a terminator: {^bb0(..): ..}
 *   ( elements )?              present if its anchor, the element marked with ^, is; the reader looks at the first one
 *
 * The types of the results are left out where the row infers them (IR_INFER); several results have the type of the one
 * that is named.
 *
 * What a text may leave out, the row's `complete` fills in behind the format, and its `implied` names what is not
 * printed.
 *
 * Formats are constants of op.def: a malformed one is a bug, asserted. Each element is visited once, from left to
 * right, so running a format terminates. */
#ifndef TEC_IR_FORMAT_H
#define TEC_IR_FORMAT_H
#include "ir.h"

#include <string.h>

typedef enum format_kind {
  FORMAT_END,
  FORMAT_LITERAL, /* `text` */
  FORMAT_TIGHT,   /* `` */
  FORMAT_OPERAND,
  FORMAT_ATTRIBUTE,
  FORMAT_KEYWORD, /* text: the attribute; of: its kind */
  FORMAT_UNIT,
  FORMAT_WORD,
  FORMAT_TYPE_OF_OPERAND,
  FORMAT_TYPE_OF_RESULT,
  FORMAT_FUNCTIONAL_TYPE, /* index: operand group, second: result */
  FORMAT_ATTR_DICT,
  FORMAT_MIXED, /* index: operand group; name: the static attribute */
  FORMAT_REGION,
} format_kind;

typedef struct format_element {
  format_kind kind;
  const char *text; /* a literal, or the name of an attribute */
  size_t size;
  unsigned index;
  const char *of;
  size_t of_size;
} format_element;

/* What parser or printer do with an element; `element` returns false to stop. `present` answers whether an optional
 * group is there, from its first element with text of its own and its anchor. */
typedef struct format_visitor {
  bool (*element)(void *data, const format_element *element);
  bool (*present)(void *data, const format_element *first, const format_element *anchor);
  void *data;
} format_visitor;

/* Visits the elements of the row's format; false when a visit returned false. */
bool format_run(const ir_op_info *info, const format_visitor *visitor);
/* Does the format name the attribute, so that attr-dict leaves it out? */
bool format_names_attribute(const ir_op_info *info, const char *name);

/* The words of a column such as .operands or .attrs: `x`, `x?`, `x*`, `x=default`. */
typedef struct format_word {
  const char *text; /* the name, without mark */
  size_t size;
  char mark;         /* 0, '?', '*' or '=' */
  const char *value; /* after '=' */
  size_t value_size;
} format_word;

/* Reads the word at *at and moves on; false at the end. */
bool format_next_word(const char **at, format_word *word);
/* Is the name that of the word? */
static inline bool format_is_name(const char *name, const char *word, size_t size) {
  return *name == *word && !strncmp(name, word, size) && !name[size];
}
/* The word of that name; `index` (may be NULL) receives its position. */
bool format_find_word(const char *words, const char *name, size_t size, format_word *word, unsigned *index);
#endif
