#include "exec/scan/page_entries.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/parallel.hpp"
#include "fuse/program/string_calls.hpp"

namespace penstock::plan {
namespace {

// Dictionaries of fewer bytes are decoded by one thread. Dictionaries of flags and modes have some
// 20 bytes each, and waking threads for them took a quarter of TPC-H's Q1.
constexpr std::uint64_t min_bytes_per_thread = 1 << 16;

}  // namespace

PageEntries::PageEntries(const TileProgram& program, const pages::PagedTable& table,
                         ProgramStrings strings)
    : program_(program), table_(table), strings_(strings), tables_(program, strings) {
  for (const PagedLoad& load : program.paged)
    if (program.source_schema[load.column].type.kind == Kind::string && !load.is_text)
      tables_.add_column(load.column);
  for (const std::uint32_t column : program.device_columns) {
    const PagedLoad* const load = program.paged_load(program.root_of(column));
    if (load != nullptr && load->is_text && column != load->column) add_constants(column);
    if (tables_.find(column) != nullptr) entries_.push_back({column, {}, nullptr, 0, 0});
  }
}

void PageEntries::add_constants(std::uint32_t column) {
  const std::vector<std::uint32_t> words =
      text_function(program_.derived[column - program_.first_derived()])->words;
  if (words.empty()) return;
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  entries_.push_back({column, std::move(bytes), nullptr, 0, 0});
}

Status PageEntries::name_entries(std::uint32_t column, std::span<pages::ChunkPages> chunks) {
  std::vector<Result<Column>> entries(chunks.size(), Status(Code::internal, "not decoded"));
  std::uint64_t bytes = 1;
  for (const pages::ChunkPages& chunk : chunks)
    bytes += chunk.dictionary ? chunk.dictionary->bytes : 0;
  in_parallel(chunks.size(), chunks.size() * min_bytes_per_thread / bytes,
              [&](std::uint64_t first, std::uint64_t last) {
                for (std::uint64_t i = first; i < last; i++)
                  entries[i] = table_.dictionary_strings(column, chunks[i]);
              });
  for (std::size_t i = 0; i < chunks.size(); i++) {
    PENSTOCK_ASSIGN(const Column strings, std::move(entries[i]));
    PENSTOCK_ASSIGN(std::vector<std::uint32_t> numbers, name_strings(column, strings));
    chunks[i].dictionary_codes =
        std::make_shared<const std::vector<std::uint32_t>>(std::move(numbers));
  }
  return {};
}

Result<std::vector<std::uint32_t>> PageEntries::name_strings(std::uint32_t column,
                                                             const Column& strings) {
  std::vector<std::uint32_t> numbers;
  PENSTOCK_TRY(strings_.of_column(column)->number(strings, numbers));
  PENSTOCK_TRY(strings_.check_order(column, numbers));
  return numbers;
}

// Takes the results that are not uploaded yet. The first strings replace what was there before.
void PageEntries::take_new(Entries& entries) const {
  const StringTables::Table* const table = tables_.find(entries.column);
  if (table == nullptr) return;
  if (entries.strings == 0 && table->count > 0) {
    entries.buffer = nullptr;
    entries.uploaded_bytes = 0;
  }
  const std::span<const std::byte> results = table->results();
  if (entries.strings == 0) take_kept(entries, *table);
  entries.strings = table->count;
  const std::span<const std::byte> added = results.subspan(entries.uploaded_bytes);
  entries.added.assign(added.begin(), added.end());
}

// A session keeps a table in device memory, too. It is not written to again: what grows moves.
void PageEntries::take_kept(Entries& entries, const StringTables::Table& table) const {
  const auto key = tables_.key(table, "device ");
  if (!key || !table.kept) return;
  const auto kept = strings_.cache().find<std::shared_ptr<Buffer>>(*key);
  if (!kept) return;
  entries.buffer = *kept;
  entries.uploaded_bytes = table.kept->size();
}

// Keeps tables that were uploaded as a whole. Their memory is as large as the table.
void PageEntries::keep(std::size_t chunk) {
  for (Entries& entries : entries_) {
    const StringTables::Table* const table = tables_.find(entries.column);
    if (!entries.begun_by || *entries.begun_by > chunk) continue;
    entries.begun_by.reset();
    if (table == nullptr || !table->kept) continue;
    const auto key = tables_.key(*table, "device ");
    if (!key || entries.buffer->bytes() != table->kept->size()) continue;
    strings_.cache().put(*key, std::make_shared<const std::shared_ptr<Buffer>>(entries.buffer),
                         entries.buffer->bytes());
  }
}

// Chunks in flight read the old buffer. `kept` holds it, for the copy too.
Status PageEntries::grow(Entries& entries, Device& device, Queue& queue,
                         std::vector<std::shared_ptr<const void>>& kept) {
  const std::uint64_t bytes = entries.uploaded_bytes + entries.added.size();
  if (entries.buffer && bytes <= entries.buffer->bytes()) return {};
  const std::shared_ptr<Buffer> before = entries.buffer;
  PENSTOCK_ASSIGN(entries.buffer, device.allocate(before ? std::bit_ceil(bytes) : bytes));
  if (!before) return {};
  if (last_upload_) PENSTOCK_TRY(queue.wait_for(*last_upload_));
  kept.push_back(before);
  return queue.copy(*entries.buffer, *before, entries.uploaded_bytes);
}

// Chunks in flight do not read the additions, which go to the same buffer that they read.
Status PageEntries::upload_added(Entries& entries, Device& device, Queue& queue,
                                 std::vector<std::shared_ptr<const void>>& kept) {
  PENSTOCK_TRY(grow(entries, device, queue, kept));
  const auto added =
      std::make_shared<const std::vector<std::byte>>(std::exchange(entries.added, {}));
  PENSTOCK_TRY(queue.upload(*entries.buffer, added->data(), added->size(), entries.uploaded_bytes));
  entries.uploaded_bytes += added->size();
  bytes_uploaded_ += added->size();
  kept.push_back(added);
  return {};
}

Result<std::vector<std::shared_ptr<Buffer>>> PageEntries::upload(
    Device& device, Queue& queue, std::size_t chunk,
    std::vector<std::shared_ptr<const void>>& kept) {
  PENSTOCK_TRY(tables_.add_new());
  std::vector<std::shared_ptr<Buffer>> buffers;
  bool has_uploaded = false;
  for (Entries& entries : entries_) {
    take_new(entries);
    has_uploaded |= !entries.added.empty();
    if (entries.uploaded_bytes == 0) entries.begun_by = chunk;
    if (!entries.added.empty()) PENSTOCK_TRY(upload_added(entries, device, queue, kept));
    buffers.push_back(entries.buffer);
  }
  if (has_uploaded) { PENSTOCK_ASSIGN(last_upload_, queue.record()); }
  return buffers;
}

}  // namespace penstock::plan
