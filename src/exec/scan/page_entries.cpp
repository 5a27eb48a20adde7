#include "exec/scan/page_entries.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "base/parallel.hpp"
#include "fuse/program/derived_columns.hpp"
#include "fuse/program/string_calls.hpp"

namespace penstock::plan {
namespace {

// Dictionaries of fewer bytes are decoded by one thread. Dictionaries of flags and modes have some
// 20 bytes each, and waking threads for them took a quarter of TPC-H's Q1.
constexpr std::uint64_t min_bytes_per_thread = 1 << 16;

std::size_t entry_bytes(Type type) { return type.kind == Kind::boolean ? 1 : width_bytes(type); }

}  // namespace

PageEntries::PageEntries(const TileProgram& program, const pages::PagedTable& table,
                         StringPool& strings)
    : program_(program), table_(table), strings_(strings) {
  for (const std::uint32_t column : program.device_columns) {
    const std::uint32_t root = program.root_of(column);
    if (program.source_schema[root].type.kind != Kind::string) continue;
    if (program.paged_load(root)->is_text) {
      if (column != root) add_constants(column);
      continue;
    }
    // At least one entry: a row without a value reads entry 0.
    const std::size_t width = entry_bytes(program.source_schema[column].type);
    entries_.push_back({column, root, std::vector<std::byte>(width), nullptr, 0});
  }
}

void PageEntries::add_constants(std::uint32_t column) {
  const std::vector<std::uint32_t> words =
      text_function(program_.derived[column - program_.first_derived()])->words;
  if (words.empty()) return;
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  entries_.push_back({column, program_.root_of(column), std::move(bytes), nullptr, 0});
}

void PageEntries::set_strings(std::uint32_t column, std::shared_ptr<ColumnStrings> strings) {
  roots_.push_back({column, std::move(strings), 0});
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
  const auto root = std::ranges::find(roots_, column, &Root::column);
  if (root == roots_.end()) return Status(Code::internal, "strings that nothing numbers");
  std::vector<std::uint32_t> numbers;
  PENSTOCK_TRY(root->strings->number(strings, numbers));
  return numbers;
}

// Computes a column's tables for strings with new numbers.
Status PageEntries::add_new(Root& root) {
  std::map<std::uint32_t, Column> columns;
  const Column& strings = columns[root.column] = root.strings->from(root.known);
  if (strings.row_count == 0) return {};
  for (std::uint32_t i = 0; i < program_.derived.size(); i++) {
    const std::uint32_t column = program_.first_derived() + i;
    if (program_.root_of(column) != root.column) continue;
    PENSTOCK_ASSIGN(columns[column],
                    derive(program_.derived[i], columns[program_.derived[i].source]));
  }
  for (Entries& entries : entries_)
    if (entries.root == root.column)
      PENSTOCK_TRY(append(entries, root.known, columns[entries.column]));
  root.known += strings.row_count;
  return {};
}

// The first strings replace the entry of a row without a value.
Status PageEntries::append(Entries& to, std::size_t first, const Column& results) {
  const std::size_t width = entry_bytes(results.type), count = results.row_count;
  if (first == 0) {
    to.added.clear();
    to.buffer = nullptr;
    to.uploaded_bytes = 0;
  }
  const std::size_t place = to.added.size();
  to.added.resize(place + count * width);
  std::byte* const values = to.added.data() + place;
  if (results.type.kind == Kind::boolean) {
    for (std::size_t i = 0; i < count; i++) values[i] = static_cast<std::byte>(results.boolean(i));
  } else if (results.type.kind == Kind::string) {
    std::vector<std::uint32_t> codes;
    PENSTOCK_TRY(strings_.encode(results, codes));
    std::memcpy(values, codes.data(), count * width);
  } else {
    std::memcpy(values, results.values.data, count * width);
  }
  return {};
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
    Device& device, Queue& queue, std::vector<std::shared_ptr<const void>>& kept) {
  for (Root& root : roots_) PENSTOCK_TRY(add_new(root));
  std::vector<std::shared_ptr<Buffer>> buffers;
  bool has_uploaded = false;
  for (Entries& entries : entries_) {
    has_uploaded |= !entries.added.empty();
    if (!entries.added.empty()) PENSTOCK_TRY(upload_added(entries, device, queue, kept));
    buffers.push_back(entries.buffer);
  }
  if (has_uploaded) { PENSTOCK_ASSIGN(last_upload_, queue.record()); }
  return buffers;
}

}  // namespace penstock::plan
