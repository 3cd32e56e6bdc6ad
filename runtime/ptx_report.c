/* ptx_report.c - counters of memory accesses and the report of a launch.
 *
 * Shared memory has 32 banks of 4 bytes. A warp's access is done in passes of at most 128 bytes: 32 lanes of up to 4
 * bytes, 16 of 8 or 8 of 16. A pass takes as many wavefronts as the busiest bank has different words. Global memory is
 * fetched in sectors of 32 bytes; ideal is the number that the same bytes, side by side, would take. */
#include "runtime/ptx_machine.h"

#include <stdlib.h>
#include <string.h>

enum { BANKS = 32, SECTOR = 32 };

/* One pass: the most different words in a bank. */
static uint32_t busiest_bank(const uint64_t address[PTX_LANES], uint32_t lanes, uint32_t size) {
  uint64_t words[BANKS][PTX_LANES];
  uint32_t used[BANKS] = {0}, most = 1;
  PTX_FOR_LANES(lane, lanes) {
    for (uint64_t word = address[lane] / 4; word <= (address[lane] + size - 1) / 4; word++) {
      uint32_t bank = word % BANKS, i = 0;
      while (i < used[bank] && words[bank][i] != word)
        i++;
      if (i == used[bank])
        words[bank][used[bank]++] = word;
      if (most < used[bank])
        most = used[bank];
    }
  }
  return most;
}

void ptx_count_banks(ptx_count *count, const uint64_t address[PTX_LANES], uint32_t lanes, uint32_t size) {
  uint32_t width = size <= 4 ? PTX_LANES : size == 8 ? PTX_LANES / 2 : PTX_LANES / 4;
  uint32_t pass = width == PTX_LANES ? PTX_ALL_LANES : (1u << width) - 1;
  for (uint32_t first = 0; first < PTX_LANES; first += width) {
    uint32_t part = lanes & pass << first;
    if (!part)
      continue;
    count->wavefronts += busiest_bank(address, part, size);
    count->wavefronts_ideal++;
  }
}

void ptx_count_sectors(ptx_count *count, const uint64_t address[PTX_LANES], uint32_t lanes, uint32_t size) {
  uint64_t sectors[PTX_LANES * 2];
  uint32_t num_sectors = 0, bytes = (uint32_t)__builtin_popcount(lanes) * size;
  PTX_FOR_LANES(lane, lanes) {
    for (uint64_t sector = address[lane] / SECTOR; sector <= (address[lane] + size - 1) / SECTOR; sector++) {
      uint32_t i = num_sectors;
      while (i > 0 && sectors[i - 1] != sector)
        i--;
      if (!i)
        sectors[num_sectors++] = sector;
    }
  }
  uint32_t ideal = (bytes + SECTOR - 1) / SECTOR;
  count->sectors += num_sectors;
  count->sectors_ideal += ideal < num_sectors ? ideal : num_sectors;
}

tec_status ptx_report_fill(ptx_launch_state *launch, const ptx_count *counts) {
  const ptx_module *module = launch->module;
  ptx_report *report = launch->report;
  report->lines = calloc(module->num_code, sizeof *report->lines);
  if (!report->lines)
    return TEC_OUT_OF_MEMORY;
  report->num_lines = module->num_code;
  for (uint32_t i = 0; i < module->num_code; i++) {
    const ptx_count *count = &counts[i];
    report->lines[i] = (ptx_line){module->code[i].line,    count->executions, count->lanes,        count->wavefronts,
                                  count->wavefronts_ideal, count->sectors,    count->sectors_ideal};
    report->total.executions += count->executions;
    report->total.lanes += count->lanes;
    report->total.wavefronts += count->wavefronts;
    report->total.wavefronts_ideal += count->wavefronts_ideal;
    report->total.sectors += count->sectors;
    report->total.sectors_ideal += count->sectors_ideal;
  }
  return TEC_OK;
}

void ptx_report_release(ptx_report *report) {
  free(report->lines);
  *report = (ptx_report){0};
}

typedef struct kind_count {
  const char *text;
  uint32_t length;
  uint64_t executions;
} kind_count;

static int compare_kinds(const void *left, const void *right) {
  const kind_count *a = left, *b = right;
  uint32_t length = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->text, b->text, length);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_counts(const void *left, const void *right) {
  const kind_count *a = left, *b = right;
  return a->executions != b->executions ? (a->executions < b->executions ? 1 : -1) : compare_kinds(left, right);
}

/* Executions summed by mnemonic, the most frequent first. */
static void print_kinds(const ptx_module *module, const ptx_report *report, byte_buffer *out) {
  kind_count *kinds = calloc(report->num_lines + 1, sizeof *kinds);
  if (!kinds) {
    out->failed = true;
    return;
  }
  size_t used = 0, merged = 0;
  for (size_t i = 0; i < report->num_lines; i++)
    if (report->lines[i].executions && module->code[i].mnemonic_length)
      kinds[used++] = (kind_count){module->text + module->code[i].mnemonic, module->code[i].mnemonic_length,
                                   report->lines[i].executions};
  qsort(kinds, used, sizeof *kinds, compare_kinds);
  for (size_t i = 0; i < used; i++) {
    if (merged && !compare_kinds(&kinds[merged - 1], &kinds[i]))
      kinds[merged - 1].executions += kinds[i].executions;
    else
      kinds[merged++] = kinds[i];
  }
  qsort(kinds, merged, sizeof *kinds, compare_counts);
  for (size_t i = 0; i < merged; i++)
    byte_buffer_printf(out, "%12llu  %.*s\n", (unsigned long long)kinds[i].executions, (int)kinds[i].length,
                       kinds[i].text);
  free(kinds);
}

static void print_line(const ptx_module *module, size_t i, const ptx_line *line, byte_buffer *out) {
  char statement[PTX_STATEMENT_BYTES];
  ptx_statement(module, &module->code[i], statement);
  if (line->wavefronts > line->wavefronts_ideal)
    byte_buffer_printf(out, "line %u: %llu wavefronts where %llu would do: %s\n", line->line,
                       (unsigned long long)line->wavefronts, (unsigned long long)line->wavefronts_ideal, statement);
  if (line->sectors > line->sectors_ideal)
    byte_buffer_printf(out, "line %u: %llu sectors where %llu would do: %s\n", line->line,
                       (unsigned long long)line->sectors, (unsigned long long)line->sectors_ideal, statement);
}

void ptx_report_print(const ptx_module *module, const ptx_report *report, byte_buffer *out) {
  const ptx_line *total = &report->total;
  byte_buffer_printf(out, "%llu blocks, %llu instructions of warps, %llu of threads, %llu barriers\n",
                     (unsigned long long)report->blocks, (unsigned long long)total->executions,
                     (unsigned long long)total->lanes, (unsigned long long)report->barriers);
  byte_buffer_printf(out, "shared memory: %llu wavefronts, %llu without bank conflicts\n",
                     (unsigned long long)total->wavefronts, (unsigned long long)total->wavefronts_ideal);
  byte_buffer_printf(out, "global memory: %llu sectors of 32 bytes, %llu if contiguous\n",
                     (unsigned long long)total->sectors, (unsigned long long)total->sectors_ideal);
  print_kinds(module, report, out);
  for (size_t i = 0; i < report->num_lines; i++)
    print_line(module, i, &report->lines[i], out);
}
