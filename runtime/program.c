/* program.c - compiled programs in memory and as files.
 *
 * The file, little-endian: magic, version, the size of the whole file, a checksum of all that follows these 28 bytes;
 * target; the number of entry points; for each its name, tiles, flops, argument and result types; whether there are
 * routines, and one an entry point if so; the code. Strings and code are preceded by their size. Every field is checked
 * against what remains of the file before it is used, and counts before anything is allocated for them, so a damaged or
 * hostile file ends in one message. (That its code does what it should is beyond checking.)
 *
 * Ownership: a program owns copies of everything, which are made by writing and reading it; an entry's arguments and
 * results, and their shapes, are one allocation each. */
#include "runtime/routine.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char magic[8] = {0x89, 'T', 'E', 'C', 'P', '\r', '\n', 0x1a};
enum { VERSION = 3, PREFIX = 28, MAX_ENTRIES = 1 << 16 };

/* ------------------------------------------------------------------------------------------------------- in memory */

static bool device_runs(const runtime_device *device, const char *target) {
  size_t family = strcspn(target, ":");
  return strlen(device->target) == family && !memcmp(device->target, target, family);
}

static const runtime_device *device_for(const char *target) {
  for (const runtime_device *const *device = runtime_platform.devices; *device; device++)
    if (device_runs(*device, target))
      return *device;
  return NULL;
}

tec_status tec_program_set_device(tec_program *program, const char *name) {
  const runtime_device *device = runtime_find_device(program->context, name);
  if (!device)
    return TEC_INVALID;
  if (!device_runs(device, program->target))
    return runtime_error(program->context, TEC_INVALID, "the device '%s' does not run programs for '%s'", name,
                         program->target);
  if (device != program->device && program->loaded) {
    program->device->runner->unload(program->loaded);
    program->loaded = NULL;
  }
  program->device = device;
  return TEC_OK;
}

static void free_entries(tec_entry *entries, unsigned count) {
  for (unsigned i = 0; entries && i < count; i++) {
    free((void *)entries[i].name);
    free((void *)entries[i].tiles);
    free((void *)entries[i].arguments);
    free((void *)entries[i].results);
  }
  free(entries);
}

static void free_routines(program_routine *routines, unsigned count) {
  for (unsigned i = 0; routines && i < count; i++)
    routine_release(&routines[i]);
  free(routines);
}

void tec_program_destroy(tec_program *program) {
  if (!program)
    return;
  if (program->loaded)
    program->device->runner->unload(program->loaded);
  free_routines(program->routines, program->num_entries);
  free_entries(program->entries, program->num_entries);
  free(program->target);
  free(program->code);
  free(program->source);
  free(program);
}

const char *tec_program_target(const tec_program *program) { return program->target; }

void tec_program_code(const tec_program *program, const char **bytes, size_t *size) {
  *bytes = program->code;
  *size = program->code_size;
}

bool tec_program_entry(const tec_program *program, unsigned i, tec_entry *entry) {
  if (i >= program->num_entries)
    return false;
  *entry = program->entries[i];
  return true;
}

const tec_entry *program_find_entry(const tec_program *program, const char *name) {
  if (!name && program->num_entries == 1)
    return &program->entries[0];
  for (unsigned i = 0; name && i < program->num_entries; i++)
    if (!strcmp(program->entries[i].name, name))
      return &program->entries[i];
  byte_buffer names = {0};
  for (unsigned i = 0; i < program->num_entries; i++)
    byte_buffer_printf(&names, "%s'%s'", i ? ", " : "", program->entries[i].name);
  const char *list = names.bytes ? names.bytes : "none";
  if (name)
    runtime_error(program->context, TEC_INVALID, "there is no entry point '%s'; there are: %s", name, list);
  else
    runtime_error(program->context, TEC_INVALID, "name one of the entry points: %s", list);
  free(names.bytes);
  return NULL;
}

tec_status tec_program_find(const tec_program *program, const char *name, tec_entry *entry) {
  const tec_entry *found = program_find_entry(program, name);
  if (!found)
    return TEC_INVALID;
  *entry = *found;
  return TEC_OK;
}

size_t tec_program_scratch_bytes(const tec_program *program) { return program->scratch_bytes; }

double tec_program_device_seconds(const tec_program *program) { return program->device_seconds; }

/* ---------------------------------------------------------------------------------------------------------- writing */

static void put_types(byte_buffer *file, const tec_type *types, uint32_t count) {
  byte_buffer_number(file, count, 4);
  for (uint32_t i = 0; i < count; i++) {
    byte_buffer_number(file, types[i].kind, 1);
    byte_buffer_number(file, types[i].dtype.code, 1);
    byte_buffer_number(file, types[i].dtype.bits, 1);
    byte_buffer_number(file, (uint64_t)types[i].ndim, 1);
    byte_buffer_append(file, types[i].shape, (size_t)types[i].ndim * sizeof(int64_t));
  }
}

/* FNV-1a: finds accidents, not attacks. */
static uint64_t checksum(const char *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  return hash;
}

/* All that is behind the checksum. */
static void put_program(byte_buffer *body, const tec_program *program) {
  byte_buffer_string(body, program->target, strlen(program->target));
  byte_buffer_number(body, program->num_entries, 4);
  for (unsigned i = 0; i < program->num_entries; i++) {
    const tec_entry *entry = &program->entries[i];
    byte_buffer_string(body, entry->name, strlen(entry->name));
    byte_buffer_string(body, entry->tiles ? entry->tiles : "", entry->tiles ? strlen(entry->tiles) : 0);
    byte_buffer_append(body, &entry->flops, sizeof entry->flops);
    put_types(body, entry->arguments, entry->num_arguments);
    put_types(body, entry->results, entry->num_results);
  }
  byte_buffer_number(body, program->routines != NULL, 1);
  for (unsigned i = 0; program->routines && i < program->num_entries; i++)
    routine_put(body, &program->routines[i]);
  byte_buffer_string(body, program->code, program->code_size);
}

tec_status tec_program_write(const tec_program *program, char **bytes, size_t *size) {
  byte_buffer body = {0}, file = {0};
  put_program(&body, program);
  byte_buffer_append(&file, magic, sizeof magic);
  byte_buffer_number(&file, VERSION, 4);
  byte_buffer_number(&file, PREFIX + body.size, 8);
  byte_buffer_number(&file, body.failed ? 0 : checksum(body.bytes, body.size), 8);
  byte_buffer_append(&file, body.bytes, body.size);
  file.failed |= body.failed;
  free(body.bytes);
  return byte_buffer_finish(program->context, &file, bytes, size);
}

tec_status tec_program_save(const tec_program *program, const char *path) {
  char *bytes;
  size_t size;
  tec_status status = tec_program_write(program, &bytes, &size);
  if (status)
    return status;
  status = tec_file_write(program->context, path, bytes, size);
  free(bytes);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static void take_type(byte_reader *r, tec_type *type, int64_t *shape) {
  type->kind = (tec_kind)byte_reader_number(r, 1);
  uint8_t code = (uint8_t)byte_reader_number(r, 1), bits = (uint8_t)byte_reader_number(r, 1);
  uint8_t rank = (uint8_t)byte_reader_number(r, 1);
  type->dtype = runtime_dtype(code, bits);
  if (r->wrong)
    return;
  if (type->kind > TEC_KIND_BUFFER || !runtime_dtype_known(type->dtype) || rank > RUNTIME_MAX_RANK ||
      (type->kind == TEC_KIND_SCALAR && rank)) {
    byte_reader_fail(r, "a type in it is not valid");
    return;
  }
  type->ndim = rank;
  type->shape = shape;
  for (unsigned d = 0; d < rank; d++) {
    shape[d] = (int64_t)byte_reader_number(r, 8);
    if (shape[d] < -1)
      byte_reader_fail(r, "an extent in it is negative");
  }
}

static tec_type *take_types(byte_reader *r, uint32_t *count) {
  uint32_t announced = (uint32_t)byte_reader_number(r, 4);
  if (announced > RUNTIME_MAX_ARGUMENTS)
    byte_reader_fail(r, "it has too many arguments");
  if (r->wrong)
    return NULL;
  tec_type *types = calloc(announced + 1, sizeof *types + RUNTIME_MAX_RANK * sizeof(int64_t));
  if (!types) {
    byte_reader_fail(r, "memory ran out");
    return NULL;
  }
  int64_t *shapes = (int64_t *)(types + announced + 1);
  for (uint32_t i = 0; i < announced && !r->wrong; i++)
    take_type(r, &types[i], shapes + (size_t)i * RUNTIME_MAX_RANK);
  *count = announced;
  return types;
}

static void take_entry(byte_reader *r, tec_entry *entry) {
  entry->name = byte_reader_string(r);
  entry->tiles = byte_reader_string(r);
  uint64_t flops = byte_reader_number(r, 8);
  memcpy(&entry->flops, &flops, sizeof entry->flops);
  entry->arguments = take_types(r, &entry->num_arguments);
  entry->results = take_types(r, &entry->num_results);
}

static program_routine *take_routines(byte_reader *r, uint32_t count, const tec_entry *entries) {
  program_routine *routines = calloc((size_t)count + 1, sizeof *routines);
  if (!routines)
    byte_reader_fail(r, "memory ran out");
  for (uint32_t i = 0; i < count && !r->wrong; i++)
    routine_take(r, &entries[i], &routines[i]);
  return routines;
}

/* The program that put_program wrote; NULL where something is wrong with it. */
static tec_program *take_program(tec_context *context, byte_reader *r) {
  tec_program *program = calloc(1, sizeof *program);
  if (!program) {
    byte_reader_fail(r, "memory ran out");
    return NULL;
  }
  program->context = context;
  program->target = byte_reader_string(r);
  uint32_t num_entries = (uint32_t)byte_reader_number(r, 4);
  if (num_entries > MAX_ENTRIES)
    byte_reader_fail(r, "it has too many entry points");
  program->entries = r->wrong ? NULL : calloc(num_entries + 1, sizeof *program->entries);
  program->num_entries = program->entries ? num_entries : 0;
  if (!program->entries)
    byte_reader_fail(r, "memory ran out");
  for (uint32_t i = 0; i < num_entries && !r->wrong; i++)
    take_entry(r, &program->entries[i]);
  bool has_routines = byte_reader_number(r, 1);
  program->routines = has_routines && !r->wrong ? take_routines(r, num_entries, program->entries) : NULL;
  program->code_size = byte_reader_number(r, 8);
  const char *code = byte_reader_raw(r, program->code_size);
  if (r->left)
    byte_reader_fail(r, "it has bytes after its end");
  program->code = r->wrong ? NULL : malloc(program->code_size + 1);
  if (!program->code) {
    byte_reader_fail(r, "memory ran out");
    tec_program_destroy(program);
    return NULL;
  }
  memcpy(program->code, code, program->code_size);
  program->code[program->code_size] = 0;
  program->device = device_for(program->target);
  return program;
}

tec_status program_create(tec_context *context, const char *target, unsigned num_entries, const tec_entry *entries,
                          const program_routine *routines, const char *code, size_t code_size, tec_program **program) {
  const tec_program parts = {.target = (char *)target,
                             .num_entries = num_entries,
                             .entries = (tec_entry *)entries,
                             .routines = (program_routine *)routines,
                             .code = (char *)code,
                             .code_size = code_size};
  byte_buffer body = {0};
  put_program(&body, &parts);
  byte_reader r = {body.bytes, body.size, body.failed ? "memory ran out" : NULL};
  *program = take_program(context, &r);
  free(body.bytes);
  return *program ? TEC_OK : runtime_error(context, TEC_INTERNAL, "cannot make a program for %s: %s", target, r.wrong);
}

static byte_reader open_file(const char *bytes, size_t size) {
  byte_reader r = {bytes, size, NULL};
  if (!tec_program_probe(bytes, size)) {
    byte_reader_fail(&r, "it is no compiled program");
    return r;
  }
  byte_reader_raw(&r, sizeof magic);
  if (byte_reader_number(&r, 4) != VERSION)
    byte_reader_fail(&r, "it was made by another version of tcc-attn");
  uint64_t announced = byte_reader_number(&r, 8), sum = byte_reader_number(&r, 8);
  if (!r.wrong && (announced != size || checksum(r.at, r.left) != sum))
    byte_reader_fail(&r, "it is cut off or damaged");
  return r;
}

tec_status tec_program_read(tec_context *context, const char *name, const char *bytes, size_t size,
                            tec_program **program) {
  byte_reader r = open_file(bytes, size);
  *program = take_program(context, &r);
  if (*program)
    return TEC_OK;
  return runtime_error(context, TEC_INVALID, "cannot read the program '%s': %s", name ? name : "<memory>", r.wrong);
}

tec_status tec_program_load(tec_context *context, const char *path, tec_program **program) {
  char *bytes;
  size_t size;
  tec_status status = tec_file_read(context, path, &bytes, &size);
  if (status)
    return status;
  status = tec_program_read(context, path, bytes, size, program);
  free(bytes);
  return status;
}

bool tec_program_probe(const char *bytes, size_t size) {
  return size >= sizeof magic && !memcmp(bytes, magic, sizeof magic);
}
