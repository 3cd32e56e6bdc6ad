/* print_pending.c - stand-ins for the printer until print.c lands; weak, so the real ones win. */
#include "text.h"

__attribute__((weak)) const char *ir_print_type(ir_module *module, const ir_type *type) {
  (void)module;
  (void)type;
  return "a type";
}
__attribute__((weak)) const char *ir_print_attr(ir_module *module, const ir_attr *attr) {
  (void)module;
  (void)attr;
  return "an attribute";
}
__attribute__((weak)) char *ir_print_module(const ir_module *module, const ir_print_options *options, size_t *size) {
  (void)module;
  (void)options;
  (void)size;
  return NULL;
}
