/* symbol.c - the table of a module's symbols, from name to op.
 *
 * Invariants: the first look-up builds the table; from then on ops that enter or leave the top level, or are renamed
 * there, keep it in step. Names that ops share (no valid module has any) stand for the first of these ops; where a
 * change might make another op the first, the table is dropped and the next look-up builds it again. */
#include "intern.h"

#include <string.h>

typedef struct symbol {
  const char *name;
  ir_op *op;   /* NULL once it has left */
  bool shared; /* other ops have the name too */
} symbol;

static bool symbol_equal(const void *a, const void *b) {
  return !strcmp(((const symbol *)a)->name, ((const symbol *)b)->name);
}

static uint64_t hash_name(const char *name) { return ir_hash_bytes(0, name, strlen(name)); }

static symbol *find_symbol(const ir_table *symbols, const char *name) {
  return (symbol *)ir_table_find(symbols, hash_name(name), &(symbol){.name = name}, symbol_equal);
}

/* What names the op in its module, or NULL: it is no symbol, has no name or stands elsewhere. */
static const char *symbol_name(const ir_op *op) {
  bool top_level = op->block && op->block->parent == op->module->root;
  return top_level && ir_op_has(op, IR_SYMBOL) ? ir_attr_string_or(op, "sym_name", NULL) : NULL;
}

/* False where the name is taken. */
static bool add_symbol(ir_table *symbols, ir_op *op, const char *name) {
  symbol *entry = find_symbol(symbols, name);
  if (!entry) {
    entry = IR_NEW(&op->module->arena, symbol);
    entry->name = name;
    ir_table_add(&op->module->arena, symbols, hash_name(name), entry);
  }
  if (entry->op) {
    entry->shared = true;
    return false;
  }
  entry->op = op;
  return true;
}

void ir_symbol_enter(ir_op *op) {
  ir_module *module = op->module;
  const char *name = module->symbols ? symbol_name(op) : NULL;
  if (name && !add_symbol(module->symbols, op, name))
    module->symbols = NULL;
}

void ir_symbol_leave(ir_op *op) {
  ir_module *module = op->module;
  const char *name = module->symbols ? symbol_name(op) : NULL;
  if (!name)
    return;
  symbol *entry = find_symbol(module->symbols, name);
  if (entry->shared)
    module->symbols = NULL;
  else
    entry->op = NULL;
}

static void build_table(ir_module *module) {
  module->symbols = ir_table_create(&module->arena);
  for (ir_op *op = ir_region(module->root, 0)->first; op; op = op->next) {
    const char *name = symbol_name(op);
    if (name)
      add_symbol(module->symbols, op, name);
  }
}

ir_op *ir_module_lookup(const ir_module *module, const char *name) {
  if (!module->symbols)
    build_table(module->root->module); /* the table is a cache: the module means the same with it */
  const symbol *entry = find_symbol(module->symbols, name);
  return entry ? entry->op : NULL;
}

bool ir_is_exported(const ir_op *op) {
  return ir_is_defined_function(op) && !strcmp(ir_attr_string_or(op, "sym_visibility", "public"), "public");
}
