/* elf_loader.c - makes an x86-64 ELF object file callable in this process, so that libtec-rt needs no linker.
 *
 * The sections that occupy memory are laid out one after the other, each from a page boundary, followed by a table of
 * entries for symbols of other libraries: an address (what GOTPCREL relocations load) and a jump through it (where
 * calls go that could not reach the library). The memory is written while it is plain data and then given each
 * section's own protection: nothing is ever writable and executable. Sections of many bytes, which hold weights, ask
 * for large pages, as tensors do.
 *
 * The object may be damaged: offsets and counts are checked against the file before use, and relocations against their
 * section. All loops run over counts of the file. */
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct external_entry {
  uint64_t address;
  unsigned char jump[8]; /* jmp *address(%rip) */
} external_entry;

typedef struct elf_object {
  tec_context *context;
  const char *bytes;
  size_t size;
  const Elf64_Shdr *sections;
  unsigned num_sections;
  const Elf64_Sym *symbols;
  size_t num_symbols;
  const char *names; /* of symbols; ends with a NUL */
  size_t names_size;
  uint64_t *addresses;       /* by section: where it was put, 0 if nowhere */
  external_entry *externals; /* by symbol number; unused ones stay zero */
  char *memory;              /* of the sections, within the mapping */
  char *mapping;
  size_t mapping_size;
} elf_object;

/* What stays after loading. */
typedef struct elf_code {
  char *mapping;
  size_t mapping_size;
  size_t num_symbols;
  struct elf_symbol {
    char *name;
    void *address;
  } symbols[];
} elf_code;

static tec_status damaged(const elf_object *object, const char *what) {
  return runtime_error(object->context, TEC_INVALID, "the program's code is damaged: %s", what);
}

/* `count` items of `width` bytes at `offset` lie within the file and are aligned. */
static bool in_file(const elf_object *object, uint64_t offset, uint64_t count, uint64_t width) {
  return offset % 8 == 0 && offset <= object->size && count <= (object->size - offset) / width;
}

static tec_status find_symbols(elf_object *object) {
  for (unsigned i = 0; i < object->num_sections; i++) {
    const Elf64_Shdr *section = &object->sections[i];
    if (section->sh_type != SHT_SYMTAB)
      continue;
    if (!in_file(object, section->sh_offset, section->sh_size / sizeof(Elf64_Sym), sizeof(Elf64_Sym)) ||
        section->sh_link >= object->num_sections)
      return damaged(object, "symbol table");
    const Elf64_Shdr *names = &object->sections[section->sh_link];
    if (names->sh_offset > object->size || names->sh_size > object->size - names->sh_offset || !names->sh_size ||
        object->bytes[names->sh_offset + names->sh_size - 1])
      return damaged(object, "symbol names");
    object->symbols = (const Elf64_Sym *)(object->bytes + section->sh_offset);
    object->num_symbols = section->sh_size / sizeof(Elf64_Sym);
    object->names = object->bytes + names->sh_offset;
    object->names_size = names->sh_size;
  }
  for (size_t i = 0; i < object->num_symbols; i++)
    if (object->symbols[i].st_name >= object->names_size)
      return damaged(object, "symbol name");
  return TEC_OK;
}

static tec_status open_object(elf_object *object) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)object->bytes;
  if (object->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return damaged(object, "no ELF file");
  if (header->e_machine != EM_X86_64 || header->e_type != ET_REL)
    return damaged(object, "no object file for x86-64");
  if (header->e_shentsize != sizeof(Elf64_Shdr) ||
      !in_file(object, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr)))
    return damaged(object, "section table");
  object->sections = (const Elf64_Shdr *)(object->bytes + header->e_shoff);
  object->num_sections = header->e_shnum;
  return find_symbols(object);
}

static uint64_t round_up(uint64_t size, uint64_t unit) { return (size + unit - 1) / unit * unit; }

static uint64_t round_to_pages(uint64_t size) { return round_up(size, (uint64_t)sysconf(_SC_PAGESIZE)); }

static uint64_t size_of_externals(const elf_object *object) {
  return round_to_pages((object->num_symbols + 1) * sizeof(external_entry));
}

static bool occupies_memory(const Elf64_Shdr *section) { return section->sh_flags & SHF_ALLOC && section->sh_size; }

static tec_status too_large(const elf_object *object) {
  return runtime_error(object->context, TEC_INVALID,
                       "the program's code and constants take 2 GiB or more, which is too much: make arguments of "
                       "large constants");
}

/* Reserves memory for all sections and the externals, and copies the sections there. */
static tec_status place_sections(elf_object *object) {
  uint64_t total = 0, limit = ((uint64_t)2 << 30) - 2 * RUNTIME_LARGE_PAGE; /* relocations reach 2 GiB */
  bool is_large = false;
  for (unsigned i = 0; i < object->num_sections; i++) {
    const Elf64_Shdr *section = &object->sections[i];
    if (!occupies_memory(section))
      continue;
    bool in_bounds = section->sh_type == SHT_NOBITS ||
                     (section->sh_offset <= object->size && section->sh_size <= object->size - section->sh_offset);
    if (!in_bounds || section->sh_addralign > (uint64_t)sysconf(_SC_PAGESIZE))
      return damaged(object, "section bounds");
    if (section->sh_size > limit)
      return too_large(object);
    if (section->sh_size >= RUNTIME_MANY_BYTES) {
      total = round_up(total, RUNTIME_LARGE_PAGE);
      is_large = true;
    }
    object->addresses[i] = total; /* relative for now */
    total += round_to_pages(section->sh_size);
    if (total > limit)
      return too_large(object);
  }
  uint64_t externals = total;
  total += size_of_externals(object);
  uint64_t unit = is_large ? RUNTIME_LARGE_PAGE : 1; /* that the first address is a multiple of */
  char *memory = mmap(NULL, total + unit - 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return runtime_error(object->context, TEC_OUT_OF_MEMORY, "no memory for the program's code");
  object->mapping = memory;
  object->mapping_size = total + unit - 1;
  object->memory = memory + (round_up((uint64_t)(uintptr_t)memory, unit) - (uint64_t)(uintptr_t)memory);
  object->externals = (external_entry *)(object->memory + externals);
  for (unsigned i = 0; i < object->num_sections; i++) {
    const Elf64_Shdr *section = &object->sections[i];
    if (!occupies_memory(section))
      continue;
    char *address = object->memory + object->addresses[i];
    object->addresses[i] = (uint64_t)(uintptr_t)address;
    if (section->sh_size >= RUNTIME_MANY_BYTES)
      madvise(address, round_to_pages(section->sh_size), MADV_HUGEPAGE); /* a wish; without, all is as well */
    if (section->sh_type != SHT_NOBITS)
      memcpy(address, object->bytes + section->sh_offset, section->sh_size);
  }
  return TEC_OK;
}

/* The table entry of a symbol that the object does not define; NULL after a reported error. */
static external_entry *external_of(elf_object *object, size_t number) {
  static const unsigned char jump[8] = {0xff, 0x25, 0xf2, 0xff, 0xff, 0xff, 0xcc, 0xcc}; /* 14 bytes back */
  const Elf64_Sym *symbol = &object->symbols[number];
  external_entry *entry = &object->externals[number];
  if (entry->address)
    return entry;
  const char *name = object->names + symbol->st_name;
  if (symbol->st_shndx == SHN_UNDEF) {
    /* The handle keeps libm loaded for the life of the process, as linking with it would. */
    void *math = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL), *address = math ? dlsym(math, name) : NULL;
    if (!address)
      address = dlsym(RTLD_DEFAULT, name);
    if (!address) {
      runtime_error(object->context, TEC_INVALID, "the program's code needs '%s', which is not to be found", name);
      return NULL;
    }
    entry->address = (uint64_t)(uintptr_t)address;
  } else if (symbol->st_shndx < object->num_sections && object->addresses[symbol->st_shndx]) {
    entry->address = object->addresses[symbol->st_shndx] + symbol->st_value;
  } else {
    damaged(object, "symbol without section");
    return NULL;
  }
  memcpy(entry->jump, jump, sizeof jump);
  return entry;
}

static tec_status relocate(elf_object *object, const Elf64_Shdr *target, uint64_t base, const Elf64_Rela *relocation) {
  size_t number = ELF64_R_SYM(relocation->r_info);
  uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
  bool wide = type == R_X86_64_64 || type == R_X86_64_PC64;
  size_t width = wide ? 8 : 4;
  if (type == R_X86_64_NONE)
    return TEC_OK;
  if (number >= object->num_symbols || relocation->r_offset > target->sh_size ||
      target->sh_size - relocation->r_offset < width)
    return damaged(object, "relocation");
  external_entry *entry = external_of(object, number);
  if (!entry)
    return TEC_INVALID;
  bool external = object->symbols[number].st_shndx == SHN_UNDEF;
  uint64_t place = base + relocation->r_offset, value, addend = (uint64_t)relocation->r_addend;
  switch (type) {
  case R_X86_64_64:
    value = entry->address + addend;
    break;
  case R_X86_64_PC64:
    value = entry->address + addend - place;
    break;
  case R_X86_64_32:
  case R_X86_64_32S:
    value = entry->address + addend;
    break;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    value = (external ? (uint64_t)(uintptr_t)entry->jump : entry->address) + addend - place;
    break;
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    value = (uint64_t)(uintptr_t)&entry->address + addend - place;
    break;
  default:
    return runtime_error(object->context, TEC_INVALID, "the program's code has a relocation of unknown type %u", type);
  }
  bool fits = wide || (type == R_X86_64_32 ? value <= UINT32_MAX : (int64_t)value == (int32_t)value);
  if (!fits)
    return runtime_error(object->context, TEC_INVALID, "the program's code is not position-independent");
  memcpy((char *)(uintptr_t)place, &value, width);
  return TEC_OK;
}

static tec_status relocate_sections(elf_object *object) {
  for (unsigned i = 0; i < object->num_sections; i++) {
    const Elf64_Shdr *section = &object->sections[i];
    if (section->sh_type == SHT_REL)
      return damaged(object, "relocations without addends");
    if (section->sh_type != SHT_RELA)
      continue;
    uint64_t count = section->sh_size / sizeof(Elf64_Rela);
    if (section->sh_info >= object->num_sections || !in_file(object, section->sh_offset, count, sizeof(Elf64_Rela)))
      return damaged(object, "relocation table");
    uint64_t base = object->addresses[section->sh_info];
    if (!base)
      continue; /* of a section that is not loaded */
    const Elf64_Rela *relocations = (const Elf64_Rela *)(object->bytes + section->sh_offset);
    for (uint64_t k = 0; k < count; k++) {
      tec_status status = relocate(object, &object->sections[section->sh_info], base, &relocations[k]);
      if (status)
        return status;
    }
  }
  return TEC_OK;
}

static tec_status protect_sections(elf_object *object) {
  bool good = true;
  for (unsigned i = 0; i < object->num_sections && good; i++) {
    const Elf64_Shdr *section = &object->sections[i];
    if (!occupies_memory(section) || section->sh_flags & SHF_WRITE)
      continue;
    int protection = PROT_READ | (section->sh_flags & SHF_EXECINSTR ? PROT_EXEC : 0);
    good = !mprotect((void *)(uintptr_t)object->addresses[i], round_to_pages(section->sh_size), protection);
  }
  good = good && !mprotect(object->externals, size_of_externals(object), PROT_READ | PROT_EXEC);
  return good ? TEC_OK : runtime_error(object->context, TEC_OUT_OF_MEMORY, "cannot make the program's code executable");
}

/* Keeps the functions that other code may call. */
static tec_status export_symbols(elf_object *object, elf_code **code) {
  elf_code *created = calloc(1, sizeof *created + object->num_symbols * sizeof created->symbols[0]);
  if (!created)
    return runtime_error(object->context, TEC_OUT_OF_MEMORY, "out of memory");
  for (size_t i = 0; i < object->num_symbols; i++) {
    const Elf64_Sym *symbol = &object->symbols[i];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
        symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= object->num_sections ||
        !object->addresses[symbol->st_shndx] || symbol->st_value >= object->sections[symbol->st_shndx].sh_size)
      continue;
    char *name = strdup(object->names + symbol->st_name);
    if (!name)
      continue; /* found missing when it is looked up */
    created->symbols[created->num_symbols].address =
        (void *)(uintptr_t)(object->addresses[symbol->st_shndx] + symbol->st_value);
    created->symbols[created->num_symbols++].name = name;
  }
  created->mapping = object->mapping;
  created->mapping_size = object->mapping_size;
  *code = created;
  return TEC_OK;
}

static tec_status elf_load(tec_context *context, const char *bytes, size_t size, void **loaded) {
  elf_object object = {.context = context, .bytes = bytes, .size = size};
  tec_status status = open_object(&object);
  if (status)
    return status;
  object.addresses = calloc(object.num_sections + 1, sizeof *object.addresses);
  if (!object.addresses)
    return runtime_error(context, TEC_OUT_OF_MEMORY, "out of memory");
  elf_code *code = NULL;
  status = place_sections(&object);
  if (!status)
    status = relocate_sections(&object);
  if (!status)
    status = protect_sections(&object);
  if (!status)
    status = export_symbols(&object, &code);
  free(object.addresses);
  if (status && object.mapping)
    munmap(object.mapping, object.mapping_size);
  if (!status)
    *loaded = code;
  return status;
}

static void *elf_find(void *loaded, const char *name) {
  elf_code *code = loaded;
  for (size_t i = 0; i < code->num_symbols; i++)
    if (!strcmp(code->symbols[i].name, name))
      return code->symbols[i].address;
  return NULL;
}

static void elf_unload(void *loaded) {
  elf_code *code = loaded;
  for (size_t i = 0; i < code->num_symbols; i++)
    free(code->symbols[i].name);
  munmap(code->mapping, code->mapping_size);
  free(code);
}

const code_loader elf_loader = {elf_load, elf_find, elf_unload};
