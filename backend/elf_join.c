/* elf_join.c - what a linker does to make one object file of several, no more: sections stay as they are, one behind
 * the other, and relocations name the symbols of one table.
 *
 *     header | sections of file 0 | sections of file 1 | .. | symbols | names | section headers
 *
 * Names are those of all files, one table behind the other, so each keeps its place in its own.
 *
 * Invariants: local symbols stand before global ones; a symbol that one file defines and others lack is one symbol.
 * Terminates: loops run over files, sections, symbols and relocations, which are counted in the files. */
#include "backend/elf_join.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A file that becomes part of another one. */
typedef struct part {
  const char *bytes;
  const Elf64_Shdr *sections;
  const Elf64_Sym *symbols;
  unsigned num_sections, num_symbols;
  unsigned name_tables[2]; /* sections: names of symbols, names of sections */
  uint32_t names[2];       /* where these begin in the new table */
  uint32_t *new_sections;  /* by old number; 0: dropped */
  uint32_t *new_symbols;
} part;

typedef struct joiner {
  ir_arena *arena;
  part *parts;
  unsigned num_parts;
  char *bytes; /* of the new file */
  size_t end;  /* of what it has so far */
  Elf64_Shdr *sections;
  unsigned num_sections;
  Elf64_Sym *symbols;
  unsigned num_symbols;
} joiner;

/* Sections that the new file has of its own, and what only a linker reads: which symbols' addresses matter. */
static bool is_dropped(const Elf64_Shdr *section) {
  enum { LLVM_ADDRESSES = 0x6fff4c03 };
  return section->sh_type == SHT_NULL || section->sh_type == SHT_SYMTAB || section->sh_type == SHT_STRTAB ||
         section->sh_type == LLVM_ADDRESSES;
}

static bool open_part(joiner *j, part *p, const elf_file *file) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
  if (file->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_REL)
    return false;
  *p = (part){.bytes = file->bytes,
              .sections = (const Elf64_Shdr *)(file->bytes + header->e_shoff),
              .num_sections = header->e_shnum,
              .new_sections = IR_NEW_ARRAY(j->arena, uint32_t, header->e_shnum)};
  for (unsigned i = 0; i < p->num_sections; i++) {
    const Elf64_Shdr *section = &p->sections[i];
    p->new_sections[i] = is_dropped(section) ? 0 : j->num_sections++;
    if (section->sh_type != SHT_SYMTAB)
      continue;
    p->symbols = (const Elf64_Sym *)(file->bytes + section->sh_offset);
    p->num_symbols = (unsigned)(section->sh_size / sizeof *p->symbols);
    p->name_tables[0] = section->sh_link;
  }
  p->name_tables[1] = header->e_shstrndx;
  p->new_symbols = IR_NEW_ARRAY(j->arena, uint32_t, p->num_symbols + 1);
  return p->name_tables[0] && p->name_tables[1];
}

/* ---------------------------------------------------------------------------------------------------------- symbols */

static const char *name_of(const part *p, const Elf64_Sym *symbol) {
  return p->bytes + p->sections[p->name_tables[0]].sh_offset + symbol->st_name;
}

/* Nobody but the new file itself uses the symbol. */
static bool is_local(const Elf64_Sym *symbol) {
  bool hidden = symbol->st_shndx != SHN_UNDEF && ELF64_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN;
  return ELF64_ST_BIND(symbol->st_info) == STB_LOCAL || hidden;
}

static void add_symbol(joiner *j, const part *p, unsigned number) {
  Elf64_Sym symbol = p->symbols[number];
  symbol.st_name += p->names[0];
  if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE)
    symbol.st_shndx = (uint16_t)p->new_sections[symbol.st_shndx];
  if (is_local(&p->symbols[number])) {
    symbol.st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(symbol.st_info));
    symbol.st_other = STV_DEFAULT;
  }
  p->new_symbols[number] = j->num_symbols;
  j->symbols[j->num_symbols++] = symbol;
}

/* The number that a global symbol, of which others of its name may have one, was given; 0: none. */
static uint32_t find_symbol(const joiner *j, const char *name) {
  for (const part *p = j->parts; p < j->parts + j->num_parts; p++)
    for (unsigned i = 1; i < p->num_symbols; i++)
      if (p->new_symbols[i] && ELF64_ST_BIND(p->symbols[i].st_info) != STB_LOCAL &&
          !strcmp(name_of(p, &p->symbols[i]), name))
        return p->new_symbols[i];
  return 0;
}

/* Local ones first, then what is defined, then what stays open. Returns how many are local. */
static unsigned add_symbols(joiner *j) {
  unsigned num_locals = 0;
  j->num_symbols = 1;
  for (unsigned turn = 0; turn < 3; turn++) {
    for (const part *p = j->parts; p < j->parts + j->num_parts; p++)
      for (unsigned i = 1; i < p->num_symbols; i++) {
        const Elf64_Sym *symbol = &p->symbols[i];
        if (turn != (is_local(symbol) ? 0 : symbol->st_shndx != SHN_UNDEF ? 1 : 2))
          continue;
        uint32_t known = turn == 2 ? find_symbol(j, name_of(p, symbol)) : 0;
        if (known)
          p->new_symbols[i] = known;
        else
          add_symbol(j, p, i);
      }
    num_locals = turn ? num_locals : j->num_symbols;
  }
  return num_locals;
}

/* --------------------------------------------------------------------------------------------------------- sections */

static void *append(joiner *j, const void *from, size_t size, size_t alignment, uint64_t *offset) {
  alignment = alignment ? alignment : 1;
  j->end = (j->end + alignment - 1) / alignment * alignment;
  *offset = j->end;
  void *to = j->bytes + j->end;
  if (from)
    memcpy(to, from, size);
  j->end += size;
  return to;
}

static void append_sections(joiner *j, const part *p, uint32_t symbol_table) {
  for (unsigned i = 0; i < p->num_sections; i++) {
    if (!p->new_sections[i])
      continue;
    Elf64_Shdr section = p->sections[i];
    size_t size = section.sh_type == SHT_NOBITS ? 0 : section.sh_size;
    void *to = append(j, p->bytes + section.sh_offset, size, section.sh_addralign, &section.sh_offset);
    section.sh_name += p->names[1];
    if (section.sh_type == SHT_RELA) {
      Elf64_Rela *relocations = to;
      for (size_t k = 0; k < size / sizeof *relocations; k++) {
        uint64_t info = relocations[k].r_info;
        relocations[k].r_info = ELF64_R_INFO((uint64_t)p->new_symbols[ELF64_R_SYM(info)], ELF64_R_TYPE(info));
      }
      section.sh_link = symbol_table;
      section.sh_info = p->new_sections[section.sh_info];
    } else if (section.sh_link) {
      section.sh_link = p->new_sections[section.sh_link];
    }
    j->sections[p->new_sections[i]] = section;
  }
}

/* The names of a part's symbols and sections, which may be one table. */
static void append_names(joiner *j, part *p, size_t start) {
  for (unsigned i = 0; i < 2; i++) {
    const Elf64_Shdr *table = &p->sections[p->name_tables[i]];
    uint64_t offset;
    if (i && p->name_tables[1] == p->name_tables[0]) {
      p->names[1] = p->names[0];
    } else {
      append(j, p->bytes + table->sh_offset, table->sh_size, 1, &offset);
      p->names[i] = (uint32_t)(offset - start);
    }
  }
}

static void write_file(joiner *j) {
  static const char own_names[] = "\0.symtab\0.strtab";
  Elf64_Ehdr header = *(const Elf64_Ehdr *)j->parts[0].bytes;
  Elf64_Shdr names = {.sh_name = sizeof "\0.symtab", .sh_type = SHT_STRTAB, .sh_addralign = 1};
  Elf64_Shdr symbols = {.sh_name = 1, .sh_type = SHT_SYMTAB, .sh_addralign = 8, .sh_entsize = sizeof(Elf64_Sym)};
  uint32_t symbol_table = j->num_sections, name_table = j->num_sections + 1;
  uint64_t offset;
  append(j, NULL, sizeof header, 1, &offset);
  append(j, own_names, sizeof own_names, 1, &names.sh_offset);
  for (part *p = j->parts; p < j->parts + j->num_parts; p++)
    append_names(j, p, names.sh_offset);
  names.sh_size = j->end - names.sh_offset;
  symbols.sh_info = add_symbols(j);
  symbols.sh_link = name_table;
  symbols.sh_size = j->num_symbols * sizeof *j->symbols;
  for (const part *p = j->parts; p < j->parts + j->num_parts; p++)
    append_sections(j, p, symbol_table);
  append(j, j->symbols, symbols.sh_size, 8, &symbols.sh_offset);
  j->sections[symbol_table] = symbols;
  j->sections[name_table] = names;
  header.e_shnum = (uint16_t)(j->num_sections + 2);
  header.e_shstrndx = (uint16_t)name_table;
  append(j, j->sections, header.e_shnum * sizeof *j->sections, 8, &header.e_shoff);
  memcpy(j->bytes, &header, sizeof header);
}

bool elf_join(ir_arena *arena, unsigned count, const elf_file *files, char **bytes, size_t *size) {
  joiner j = {.arena = arena, .parts = IR_NEW_ARRAY(arena, part, count), .num_parts = count, .num_sections = 1};
  size_t room = sizeof(Elf64_Ehdr) + 64, num_symbols = 1;
  for (unsigned i = 0; i < count; i++) {
    if (!open_part(&j, &j.parts[i], &files[i]))
      return false;
    num_symbols += j.parts[i].num_symbols;
    room += files[i].size; /* headers of sections that are dropped make up for those that are added */
    for (unsigned k = 0; k < j.parts[i].num_sections; k++)
      room += j.parts[i].sections[k].sh_addralign;
  }
  if (j.num_sections + 2 >= SHN_LORESERVE)
    return false;
  room += (num_symbols + j.num_sections + 3) * sizeof(Elf64_Shdr);
  j.sections = IR_NEW_ARRAY(arena, Elf64_Shdr, j.num_sections + 2);
  j.symbols = IR_NEW_ARRAY(arena, Elf64_Sym, num_symbols);
  j.bytes = calloc(1, room);
  if (!j.bytes)
    return false;
  write_file(&j);
  *bytes = j.bytes;
  *size = j.end;
  return true;
}
