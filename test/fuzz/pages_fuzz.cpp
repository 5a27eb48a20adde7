// A page of any bytes through all kernels of pages: levels, runs, deltas, streams, conversions,
// strings, the index, and a read of every row. Buffers have exactly their sizes; what a fuzzer
// finds is a read or a write outside, a race or a barrier that diverges. Warps of 32 threads that
// are groups.
#define GROUP_SIZE 32
// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
namespace kernelc {
#include "kernel/group.kc"
namespace runs {
#include "assembled/codec/pages/kernels/page_runs_warp.kc"
}
namespace texts {
#include "assembled/codec/pages/kernels/page_texts_warp.kc"
}
namespace deltas {
#include "assembled/codec/pages/kernels/page_deltas_warp.kc"
}
namespace values {
#include "assembled/codec/pages/kernels/page_values_warp.kc"
}
namespace conversions {
#include "assembled/codec/pages/kernels/page_conversions_warp.kc"
}
namespace chains {
#include "assembled/codec/pages/kernels/page_chains_warp.kc"
}
namespace index {
#include "assembled/codec/pages/kernels/page_index_warp.kc"
}
}
// clang-format on
#include <cstdio>
#include <cstdlib>

#include "fuzz/input.hpp"
#include "kernel_c/executor.hpp"

namespace {

using kernelc::u32;
using kernelc::u64;
using penstock::fuzz::Input;
using Words = std::vector<u32>;

void require_none(const kernelc::Findings& findings) {
  for (const std::string& sentence : findings) std::fprintf(stderr, "%s\n", sentence.c_str());
  if (!findings.empty()) std::abort();
}

// The memory of a batch of one page: a dictionary, the page, what is made of it.
struct Batch {
  Words bytes, task = Words(PAGE_TASK_WORDS), slices, validity, checkpoints;
  Words results = Words(PAGE_RESULT_WORDS, 0xa5a5a5a5), faults = Words(1, 0xffffffff);
  u32 slice_count = 0;
};

constexpr u32 entry_bytes = 64, slack = 16;

bool has_texts(u32 form) { return form >= PAGE_FORM_TEXTS; }

Batch batch_of(Input& input) {
  Batch batch;
  Words& task = batch.task;
  const u32 form = input.byte() % 8, type = input.byte(), rows = input.byte() | input.byte() << 8;
  task[PAGE_TASK_FORM] = form;
  task[PAGE_TASK_LEVELS] = input.byte() % 3;
  task[PAGE_TASK_ENTRIES] = form == PAGE_FORM_BOOLEANS ? 2 : input.byte() % 9;
  task[PAGE_TASK_VALUES] = rows;
  const bool is_plain = form == PAGE_FORM_PLAIN || form == PAGE_FORM_STREAMS;
  const u32 widths[] = {4, 8, 8, 8, 12, 1 + type / 6 % 16};
  const u32 conversions[] = {
      PAGE_CONVERT_NONE,      PAGE_CONVERT_MILLISECONDS, PAGE_CONVERT_NANOSECONDS,
      PAGE_CONVERT_INT96,     PAGE_CONVERT_BIG_ENDIAN,   PAGE_CONVERT_FIT_INT8,
      PAGE_CONVERT_FIT_UINT8, PAGE_CONVERT_FIT_INT16,    PAGE_CONVERT_FIT_UINT16};
  task[PAGE_TASK_CONVERSION] = has_texts(form)
                                   ? type % 2 ? PAGE_CONVERT_TEXT : PAGE_CONVERT_BIG_ENDIAN
                               : form == PAGE_FORM_DELTA ? type % 3
                               : is_plain                ? conversions[type % 9]
                                                         : 0;
  const u32 conversion = task[PAGE_TASK_CONVERSION];
  u32 width = conversion == 0   ? widths[type / 6 % 2]
              : conversion == 3 ? 12
              : conversion > 5  ? 4
              : conversion > 3  ? widths[5]
                                : 8;
  if (form == PAGE_FORM_PLAIN && conversion == 0 && type / 12 % 3 == 0) width = 0;
  if (has_texts(form)) width = type / 2 % 4;
  task[PAGE_TASK_WIDTH] = width;
  const bool is_made = form == PAGE_FORM_DELTA || form == PAGE_FORM_STREAMS ||
                       (conversion != 0 && conversion <= PAGE_CONVERT_TEXT);
  task[PAGE_TASK_OUT_WIDTH] = !is_made                                             ? 0
                              : conversion != 0 && conversion <= PAGE_CONVERT_TEXT ? 8
                                                                                   : width;
  const u32 level_bytes = input.byte();
  const std::string body = input.take(input.left());
  const u32 place = entry_bytes + slack + type % 4;
  const u32 converted = (place + static_cast<u32>(body.size()) + slack + 15) / 16 * 16;
  task[PAGE_TASK_PLACE] = place;
  task[PAGE_TASK_CONVERTED] = converted;
  task[PAGE_TASK_BYTES] = static_cast<u32>(body.size());
  if (task[PAGE_TASK_LEVELS] == PAGE_LEVELS_V2)
    task[PAGE_TASK_LEVEL_BYTES] = std::min(level_bytes, static_cast<u32>(body.size()));
  const u32 made_bytes = rows * (form == PAGE_FORM_CHAINS ? 16 : task[PAGE_TASK_OUT_WIDTH]);
  batch.bytes.assign((converted + made_bytes + slack + 3) / 4, 0x5a5a5a5a);
  std::copy(body.begin(), body.end(), reinterpret_cast<char*>(batch.bytes.data()) + place);
  batch.slice_count = std::max((rows + PAGE_SLICE_VALUES - 1) / PAGE_SLICE_VALUES, 1u);
  batch.slices.assign(batch.slice_count, 0);
  batch.validity.assign((rows + 31) / 32 * 2, 0xa5a5a5a5);
  batch.checkpoints.assign(std::size_t{batch.slice_count} * PAGE_CHECKPOINT_WORDS, 0xa5a5a5a5);
  return batch;
}

// Programs take the values of some pages each, and leave others alone.
void check_values(Batch& batch, const kernelc::LaunchOptions& options, u32 of_chains) {
  u32* const bytes = batch.bytes.data();
  const auto launch = [&](const auto& kernel) {
    require_none(kernelc::launch_with(kernel, batch.slice_count, options, batch.task.data(),
                                      batch.slices.data(), bytes, bytes, batch.checkpoints.data(),
                                      batch.results.data(), batch.faults.data(), batch.slice_count,
                                      of_chains));
  };
  launch(kernelc::values::page_values_entry);
  launch(kernelc::conversions::page_values_entry);
}

// Puts the strings of a chain together behind what the batch has, as the host does.
void make_texts(Batch& batch, const kernelc::LaunchOptions& options) {
  const u32 one = 1, first_chain = 0;
  batch.task[PAGE_TASK_MADE] = static_cast<u32>(batch.bytes.size() * 4);
  batch.task[PAGE_TASK_MADE + 1] = 0;
  batch.bytes.resize(batch.bytes.size() + (batch.results[PAGE_RESULT_MADE] + slack + 3) / 4);
  u32* const bytes = batch.bytes.data();
  require_none(kernelc::launch_with(kernelc::chains::page_make_texts_entry, 1, options,
                                    batch.task.data(), &first_chain, batch.results.data(), bytes,
                                    reinterpret_cast<std::uint8_t*>(bytes), one));
  check_values(batch, options, 1);
}

// Lanes that guess find the same strings of a page, and the same error, as a plain loop.
void require_same_texts(const Batch& batch) {
  const Words &task = batch.task, &results = batch.results;
  if (task[PAGE_TASK_FORM] != PAGE_FORM_TEXTS || results[PAGE_RESULT_ERROR] == PAGE_LEVELS_CUT ||
      results[PAGE_RESULT_ERROR] == PAGE_LEVEL_CUT ||
      results[PAGE_RESULT_ERROR] == PAGE_LEVEL_INVALID ||
      results[PAGE_RESULT_ERROR] == PAGE_RUN_CUT || results[PAGE_RESULT_ERROR] == PAGE_RUN_INVALID)
    return;
  const u32 place = task[PAGE_TASK_PLACE], end = task[PAGE_TASK_BYTES];
  u32 at = results[PAGE_RESULT_BEGIN], error = PAGE_OK;
  for (u32 number = 0; number < results[PAGE_RESULT_PRESENT]; number++) {
    u32 length = 0;
    error = kernelc::texts::text_error(batch.bytes.data(), place, at, end, &length);
    if (error != PAGE_OK) break;
    const std::size_t word = task[PAGE_TASK_CONVERTED] / 4 + 2 * std::size_t{number};
    const u64 found = batch.bytes[word] | u64{batch.bytes[word + 1]} << 32;
    penstock::fuzz::require(found == (u64{place + at + 4} << PAGE_STRING_LENGTH_BITS | length),
                            "strings are found");
    at += 4 + length;
  }
  penstock::fuzz::require(error == results[PAGE_RESULT_ERROR], "the first error is told");
  penstock::fuzz::require(error == PAGE_OK || at == results[PAGE_RESULT_AT], "at its byte");
}

void scan_page(Batch& batch, const kernelc::LaunchOptions& options) {
  const u32 one = 1;
  u32* const bytes = batch.bytes.data();
  const auto scan = [&](const auto& kernel) {
    require_none(kernelc::launch_with(kernel, 1, options, batch.task.data(), bytes, bytes,
                                      batch.validity.data(), batch.checkpoints.data(),
                                      batch.results.data(), one));
  };
  scan(kernelc::runs::page_scan_entry);
  scan(kernelc::texts::page_scan_entry);
  scan(kernelc::deltas::page_scan_entry);
  require_same_texts(batch);
  require_none(kernelc::launch_with(kernelc::chains::page_measure_chains_entry, 1, options,
                                    batch.task.data(), bytes, batch.results.data(), one));
  check_values(batch, options, 0);
  // Any page of some thousand bytes may become a gigabyte.
  if (batch.task[PAGE_TASK_FORM] == PAGE_FORM_CHAINS && batch.results[PAGE_RESULT_ERROR] == 0 &&
      batch.results[PAGE_RESULT_MADE] < 1 << 20)
    make_texts(batch, options);
}

struct Index {
  Words words, pages;
  u32 rows = 0, blocks = 0, runs = 0, run_count = 0, row_count = 0, value_count = 0;
};

Index index_of(Batch& batch, const kernelc::LaunchOptions& options) {
  Index index;
  index.row_count = batch.task[PAGE_TASK_VALUES];
  index.value_count = batch.results[PAGE_RESULT_PRESENT];
  index.run_count = batch.results[PAGE_RESULT_RUNS];
  u32 next = PAGE_HEAD_WORDS;
  if (index.value_count != index.row_count) {
    index.rows = next;
    next += (index.row_count + 31) / 32 * 2;
  }
  index.blocks = next;
  next += index.value_count / PAGE_BLOCK_VALUES + 1;
  index.runs = (next + 3) / 4 * 4;
  index.words.assign(index.runs + (std::size_t{index.run_count} + 2) * PAGE_RUN_WORDS, 0xa5a5a5a5);
  index.pages = {0, 0, 0, 0, index.value_count, index.row_count, index.run_count, 0};
  const u32 none = 0, one = 1;
  require_none(kernelc::launch_with(
      kernelc::index::page_runs_entry, batch.slice_count, options, batch.task.data(),
      batch.slices.data(), batch.bytes.data(), batch.checkpoints.data(), batch.results.data(),
      index.pages.data(), index.words.data(), none, none, none, batch.slice_count, index.runs));
  const u32 items =
      std::max(index.value_count / PAGE_BLOCK_VALUES + 1, (index.row_count + 31) / 32);
  require_none(kernelc::launch_with(kernelc::index::page_blocks_entry, 2u, options,
                                    batch.task.data(), batch.validity.data(), index.pages.data(),
                                    index.words.data(), none, none, one, index.rows, index.blocks,
                                    index.runs, index.run_count, items));
  return index;
}

// Four rows at once read no byte that the four alone do not.
void read_four(const Batch& batch, const Index& index, u32 row, bool is_wide) {
  if (is_wide)
    (void)kernelc::index::page_load_4_64(batch.bytes.data(), index.words.data(), row);
  else
    (void)kernelc::index::page_load_4_32(batch.bytes.data(), index.words.data(), row);
}

// Every row, also those without a value. Indices of the dictionary, which lies at its place 0, are
// below the number of its entries.
void read_rows(const Batch& batch, const Index& index) {
  const u32 width = batch.task[PAGE_TASK_OUT_WIDTH] != 0 ? batch.task[PAGE_TASK_OUT_WIDTH]
                                                         : batch.task[PAGE_TASK_WIDTH];
  const bool is_text = batch.task[PAGE_TASK_CONVERSION] == PAGE_CONVERT_TEXT;
  u32 present = 0;
  kernelc::index::PageRun run = kernelc::index::page_no_run();
  for (u32 row = 0; row < index.row_count; row++) {
    u32 valid;
    if (width == 8) {
      const u64 value =
          kernelc::index::page_load_64(batch.bytes.data(), index.words.data(), row, &run, &valid);
      const u64 end = (value >> PAGE_STRING_LENGTH_BITS) + (value & 0xffffff);
      penstock::fuzz::require(!is_text || end <= batch.bytes.size() * 4, "strings are in memory");
    } else
      (void)kernelc::index::page_load_32(batch.bytes.data(), index.words.data(), row, &run, &valid);
    present += valid;
    if (row % 4 == 0 && index.row_count - row >= 4) read_four(batch, index, row, width == 8);
  }
  penstock::fuzz::require(present == index.value_count, "rows have as many values as the page");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes < 8) return 0;
  Input input(data + 1, bytes - 1);
  kernelc::LaunchOptions options;
  options.order = static_cast<kernelc::Order>(data[0] % 3);
  options.seed = data[0];
  Batch batch = batch_of(input);
  scan_page(batch, options);
  penstock::fuzz::require(batch.results[PAGE_RESULT_ERROR] <= PAGE_TEXTS_LONG, "errors have names");
  if (batch.results[PAGE_RESULT_ERROR] != 0 || batch.faults[0] != 0xffffffff) return 0;
  if (batch.results[PAGE_RESULT_MADE] >= 1 << 20) return 0;
  read_rows(batch, index_of(batch, options));
  return 0;
}
