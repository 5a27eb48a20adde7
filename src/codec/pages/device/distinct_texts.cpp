#include "codec/pages/device/distinct_texts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "codec/pages/kernels/page_limits.h"
#include "column/bits.hpp"

namespace penstock::pages {
namespace {

constexpr std::uint64_t min_bytes = 64;
constexpr std::uint32_t names_tile = 256;  // PAGE_NAMES_TILE of page_names.kc
constexpr std::uint32_t texts_tile = 64;   // strings that a group copies
constexpr std::uint32_t no_text = ~std::uint32_t{0};
constexpr std::uint64_t no_row_text = ~std::uint64_t{0};
constexpr std::uint32_t max_values = std::uint32_t{1} << 30;  // the table has twice as many slots

constexpr std::uint32_t max_limited_attempts = 3;  // of a table; the next one has no limit

std::uint64_t drawn_seed() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

std::uint64_t length_of(std::uint64_t text) {
  return text & ((std::uint64_t{1} << PAGE_STRING_LENGTH_BITS) - 1);
}

Result<std::shared_ptr<Buffer>> filled(Device& device, Queue& queue, std::uint64_t words,
                                       std::uint32_t value) {
  const std::uint64_t bytes = std::max(words * 4, min_bytes);
  PENSTOCK_ASSIGN(auto memory, device.allocate(bytes));
  PENSTOCK_TRY(queue.fill(*memory, value, bytes));
  return memory;
}

// Waits for enqueued work, which reads and writes memory of the host, before a failure is returned.
Status finished(Queue& queue, const Status& enqueued) {
  PENSTOCK_TRY(queue.finish());
  return enqueued;
}

// Enqueues two downloads.
Status download_both(Queue& queue, void* first, const Buffer& from, std::uint64_t bytes,
                     void* second, const Buffer& also_from, std::uint64_t more_bytes) {
  PENSTOCK_TRY(queue.download(first, from, bytes));
  return queue.download(second, also_from, more_bytes);
}

// A column of strings, each of which ends where the next one begins.
Column column_of_strings(Bytes bytes, LargeVector<std::uint64_t> offsets) {
  Column column;
  column.type.kind = Kind::string;
  column.row_count = offsets.size() - 1;
  column.values = std::move(bytes);
  column.offsets = Bytes::own(std::move(offsets));
  column.offset_bytes = 8;
  return column;
}

// The words of strings, each with the byte that it goes to, and where the strings end.
struct PlacedTexts {
  LargeVector<std::uint64_t> words, offsets;
};

PlacedTexts placed(std::span<const std::uint64_t> texts) {
  PlacedTexts placed;
  placed.offsets.resize(texts.size() + 1);
  placed.offsets[0] = 0;
  for (std::size_t i = 0; i < texts.size(); i++)
    placed.offsets[i + 1] = placed.offsets[i] + length_of(texts[i]);
  placed.words.resize(2 * texts.size());
  for_rows(texts.size(), [&](std::uint64_t i) {
    placed.words[2 * i] = texts[i];
    placed.words[2 * i + 1] = placed.offsets[i];
  });
  return placed;
}

}  // namespace

Status TextsOfColumn::find() {
  strings_ = column_of_strings({}, LargeVector<std::uint64_t>(1, 0));
  if (value_count() == 0) return {};
  if (value_count() > max_values)
    return Status(Code::capacity, "a batch has more than 2^30 strings");
  slot_count_ = std::bit_ceil(2 * value_count());
  std::mt19937_64 random(table_.seed ? *table_.seed : drawn_seed());
  for (bool is_done = false; !is_done; attempts_++) {
    const HashKey key{random(), static_cast<std::uint32_t>(random())};
    const bool is_limited = attempts_ < max_limited_attempts;
    PENSTOCK_ASSIGN(is_done, number_values(key, is_limited ? table_.max_probes : slot_count_));
  }
  return download_strings();
}

// Returns whether all strings were found.
Result<bool> TextsOfColumn::number_values(HashKey key, std::uint32_t max_probes) {
  Device& device = programs_->device();
  PENSTOCK_ASSIGN(const Memory slots, filled(device, queue_, slot_count_, no_text));
  PENSTOCK_ASSIGN(firsts_, filled(device, queue_, slot_count_, no_text));
  PENSTOCK_ASSIGN(const Memory failed, filled(device, queue_, 1, 0));
  PENSTOCK_ASSIGN(numbers_, device.allocate(std::max(std::uint64_t{value_count()} * 4, min_bytes)));
  PENSTOCK_TRY(programs_->launch(
      queue_, PageProgram::names, "page_find_names",
      programs_->groups_of_tiles(value_count(), names_tile),
      {{Argument::of(*column_.bytes), Argument::of(*column_.index), Argument::of(*slots),
        Argument::of(*firsts_), Argument::of(*numbers_), Argument::of(*failed),
        Argument::value(key.mask), Argument::value(key.factor), Argument::value(value_count()),
        Argument::value(slot_count_ - 1), Argument::value(max_probes)}}));
  return list_names(failed);
}

// Returns whether all strings had been found.
Result<bool> TextsOfColumn::list_names(const Memory& failed) {
  Device& device = programs_->device();
  PENSTOCK_ASSIGN(const Memory count, filled(device, queue_, 1, 0));
  PENSTOCK_ASSIGN(const Memory names,
                  device.allocate(std::max(value_count() * sizeof(Name), min_bytes)));
  PENSTOCK_TRY(programs_->launch(
      queue_, PageProgram::names, "page_list_names",
      programs_->groups_of_tiles(slot_count_, names_tile),
      {{Argument::of(*column_.bytes), Argument::of(*column_.index), Argument::of(*firsts_),
        Argument::of(*names), Argument::of(*count), Argument::value(slot_count_)}}));
  std::uint32_t name_count = 0, has_failed = 0;
  PENSTOCK_TRY(
      finished(queue_, download_both(queue_, &name_count, *count, 4, &has_failed, *failed, 4)));
  if (has_failed != 0) return false;
  if (name_count > value_count())
    return Status(Code::internal, "a kernel found more strings than there are values");
  names_.resize(name_count);
  PENSTOCK_TRY(queue_.download(names_.data(), *names, names_.size() * sizeof(Name)));
  PENSTOCK_TRY(queue_.finish());
  sort_names();
  return true;
}

// A radix sort by first values. A sort by comparisons took 1.0 s of a statement over 20 million
// rows.
void TextsOfColumn::sort_names() {
  constexpr unsigned digit_bits = 11;
  std::vector<Name> sorted(names_.size());
  for (unsigned shift = 0; shift < 32 && value_count() >> shift != 0; shift += digit_bits) {
    const auto digit = [&](const Name& name) {
      return name.first_value >> shift & ((1u << digit_bits) - 1);
    };
    std::array<std::size_t, std::size_t{1} << digit_bits> places = {};
    for (const Name& name : names_) places[digit(name)]++;
    std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
    for (const Name& name : names_) sorted[places[digit(name)]++] = name;
    names_.swap(sorted);
  }
}

Status TextsOfColumn::download_strings() {
  std::vector<std::uint64_t> texts;
  for (const Name& name : names_) texts.push_back(name.text());
  PENSTOCK_ASSIGN(strings_, download_texts(*programs_, queue_, *column_.bytes, texts));
  return {};
}

// Has the rows of the column's index, and one run of all values.
Result<std::shared_ptr<Buffer>> TextsOfColumn::index_of_codes() {
  const std::uint64_t rows =
      column_.null_count == 0 ? 0 : (column_.row_count + 31) / 32 * std::uint64_t{2};
  const std::uint64_t blocks = PAGE_HEAD_WORDS + rows;
  const std::uint64_t runs = (blocks + value_count() / PAGE_BLOCK_VALUES + 1 + 3) / 4 * 4;
  const std::uint32_t last_run[] = {no_text, 0, PAGE_RUN_REPEATED << 16, 0};
  std::array<std::uint32_t, 3 * PAGE_RUN_WORDS> run_words = {
      0, 0, std::uint32_t{32} << 8 | PAGE_RUN_PLAIN << 16, 0};
  for (std::size_t run = value_count() == 0 ? 0 : 1; run < 3; run++)
    std::copy_n(last_run, PAGE_RUN_WORDS, run_words.begin() + run * PAGE_RUN_WORDS);
  std::array<std::uint32_t, PAGE_HEAD_WORDS> head = {};
  head[PAGE_HEAD_ROWS] = rows == 0 ? 0 : PAGE_HEAD_WORDS;
  head[PAGE_HEAD_BLOCKS] = static_cast<std::uint32_t>(blocks);
  head[PAGE_HEAD_RUNS] = static_cast<std::uint32_t>(runs);
  head[PAGE_HEAD_RUN_COUNT] = value_count() == 0 ? 0 : 1;
  head[PAGE_HEAD_VALUE_COUNT] = value_count();
  head[PAGE_HEAD_ROW_COUNT] = static_cast<std::uint32_t>(column_.row_count);
  PENSTOCK_ASSIGN(Memory index, filled(programs_->device(), queue_, runs + run_words.size(), 0));
  PENSTOCK_TRY(queue_.copy(*index, *column_.index, blocks * 4));
  PENSTOCK_TRY(queue_.upload(*index, head.data(), sizeof head));
  PENSTOCK_TRY(queue_.upload(*index, run_words.data(), sizeof run_words, runs * 4));
  PENSTOCK_TRY(queue_.finish());
  return index;
}

// `pairs`: of a slot and a code.
Status TextsOfColumn::enqueue_codes(const std::vector<std::uint32_t>& pairs) {
  const auto pair_count = static_cast<std::uint32_t>(pairs.size() / 2);
  PENSTOCK_ASSIGN(const Memory uploaded,
                  programs_->device().allocate(std::max(pairs.size() * 4, min_bytes)));
  PENSTOCK_TRY(queue_.upload(*uploaded, pairs.data(), pairs.size() * 4));
  PENSTOCK_TRY(programs_->launch(
      queue_, PageProgram::names, "page_put_codes",
      programs_->groups_of_tiles(pair_count, names_tile),
      {{Argument::of(*uploaded), Argument::of(*firsts_), Argument::value(pair_count)}}));
  return programs_->launch(
      queue_, PageProgram::names, "page_take_codes",
      programs_->groups_of_tiles(value_count(), names_tile),
      {{Argument::of(*firsts_), Argument::of(*numbers_), Argument::value(value_count())}});
}

Result<DecodedPages> TextsOfColumn::with_codes(std::span<const std::uint32_t> codes) {
  std::vector<std::uint32_t> pairs;
  for (std::size_t i = 0; i < names_.size(); i++) {
    pairs.push_back(names_[i].slot);
    pairs.push_back(codes[i]);
  }
  if (!numbers_) { PENSTOCK_ASSIGN(numbers_, programs_->device().allocate(min_bytes)); }
  const Status enqueued = pairs.empty() ? Status() : enqueue_codes(pairs);
  PENSTOCK_TRY(finished(queue_, enqueued));
  DecodedPages coded = column_;
  coded.bytes = numbers_;
  PENSTOCK_ASSIGN(coded.index, index_of_codes());
  coded.device_bytes = numbers_->bytes() + coded.index->bytes();
  return coded;
}

// The host's memory is pinned. A third of TPC-H 10's samples at scale 10 was here when it was not,
// and when one thread listed the strings.
Result<Column> download_texts(PagePrograms& programs, Queue& queue, const Buffer& bytes,
                              std::span<const std::uint64_t> texts) {
  PlacedTexts to = placed(texts);
  const std::uint64_t size = to.offsets.back();
  if (size == 0) return column_of_strings({}, std::move(to.offsets));
  const auto text_count = static_cast<std::uint32_t>(texts.size());
  Device& device = programs.device();
  PENSTOCK_ASSIGN(const auto uploaded, device.allocate(to.words.size() * 8));
  PENSTOCK_ASSIGN(const auto copied, device.allocate(std::max(size, min_bytes)));
  PENSTOCK_ASSIGN(const std::shared_ptr<HostBuffer> strings, device.allocate_host(size));
  const Status enqueued = [&]() -> Status {
    PENSTOCK_TRY(queue.upload(*uploaded, to.words.data(), to.words.size() * 8));
    PENSTOCK_TRY(programs.launch(queue, PageProgram::names, "page_copy_texts",
                                 programs.groups_of_tiles(text_count, texts_tile),
                                 {{Argument::of(bytes), Argument::of(*uploaded),
                                   Argument::of(*copied), Argument::value(text_count)}}));
    return queue.download(strings->data(), *copied, size);
  }();
  PENSTOCK_TRY(finished(queue, enqueued));
  return column_of_strings({strings, strings->data(), size}, std::move(to.offsets));
}

Result<Column> texts_of_rows(PagePrograms& programs, Queue& queue, const DecodedPages& column,
                             const Buffer& rows, std::uint32_t row_count) {
  LargeVector<std::uint64_t> texts(row_count);
  PENSTOCK_ASSIGN(const auto found,
                  programs.device().allocate(std::max(std::uint64_t{row_count} * 8, min_bytes)));
  PENSTOCK_TRY(
      programs.launch(queue, PageProgram::names, "page_texts_of_rows",
                      programs.groups_of_tiles(row_count, names_tile),
                      {{Argument::of(*column.bytes), Argument::of(*column.index),
                        Argument::of(rows), Argument::of(*found), Argument::value(row_count)}}));
  PENSTOCK_TRY(queue.download(texts.data(), *found, texts.size() * 8));
  PENSTOCK_TRY(queue.finish());
  Bytes validity;
  if (column.null_count > 0) {
    validity =
        column::make_bits(row_count, [&](std::uint64_t row) { return texts[row] != no_row_text; });
    for_rows(row_count, [&](std::uint64_t row) {
      if (texts[row] == no_row_text) texts[row] = 0;
    });
  }
  PENSTOCK_ASSIGN(Column strings, download_texts(programs, queue, *column.bytes, texts));
  strings.validity = std::move(validity);
  return strings;
}

Result<StoredRows> values_of_rows(PagePrograms& programs, Queue& queue, const DecodedPages& column,
                                  bool is_wide, const Buffer& rows, std::uint32_t row_count) {
  StoredRows stored{std::vector<std::uint64_t>(row_count), std::vector<std::uint32_t>(row_count)};
  if (row_count == 0) return stored;
  Device& device = programs.device();
  const std::uint64_t count = row_count;
  PENSTOCK_ASSIGN(const auto values, device.allocate(std::max(count * 8, min_bytes)));
  PENSTOCK_ASSIGN(const auto are_present, device.allocate(std::max(count * 4, min_bytes)));
  PENSTOCK_TRY(
      programs.launch(queue, PageProgram::names, "page_values_of_rows",
                      programs.groups_of_tiles(row_count, names_tile),
                      {{Argument::of(*column.bytes), Argument::of(*column.index),
                        Argument::of(rows), Argument::of(*values), Argument::of(*are_present),
                        Argument::value(row_count), Argument::value(std::uint32_t{is_wide})}}));
  PENSTOCK_TRY(finished(queue, download_both(queue, stored.values.data(), *values, count * 8,
                                             stored.are_present.data(), *are_present, count * 4)));
  return stored;
}

}  // namespace penstock::pages
