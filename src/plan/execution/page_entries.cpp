#include "plan/execution/page_entries.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "plan/fusion/derived_columns.hpp"
#include "plan/fusion/string_calls.hpp"

namespace penstock::plan {
namespace {

std::size_t entry_bytes(Type type) { return type.kind == Kind::boolean ? 1 : width_bytes(type); }

// Returns some rows of a column of strings.
Column strings_at(const Column& strings, const std::vector<std::uint32_t>& rows) {
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const std::uint32_t row : rows) texts.emplace_back(strings.string(row));
  return Column::from_strings(texts);
}

}  // namespace

PageEntries::PageEntries(const TileProgram& program, const pages::PagedTable& table,
                         StringPool& strings)
    : program_(program), table_(table), strings_(strings) {
  for (const std::uint32_t column : program.device_columns) {
    if (column < program.first_derived()) continue;
    if (program.paged_load(program.root_of(column))->is_text) {
      add_constants(column);
      continue;
    }
    // One entry at least: that of a row without a value, which reads entry 0.
    derived_.push_back({column, program.root_of(column),
                        std::vector<std::byte>(entry_bytes(program.source_schema[column].type)),
                        nullptr});
    known_[derived_.back().root];
  }
}

void PageEntries::add_constants(std::uint32_t column) {
  const std::vector<std::uint32_t> words =
      text_function(program_.derived[column - program_.first_derived()])->words;
  if (words.empty()) return;
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  derived_.push_back({column, program_.root_of(column), std::move(bytes), nullptr});
}

Status PageEntries::name_entries(std::uint32_t column, std::span<pages::ChunkPages> chunks) {
  std::vector<Result<Column>> entries(chunks.size(), Status(Code::internal, "not decoded"));
  in_parallel(chunks.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++)
      entries[i] = table_.dictionary_strings(column, chunks[i]);
  });
  for (std::size_t i = 0; i < chunks.size(); i++) {
    PENSTOCK_ASSIGN(const Column strings, std::move(entries[i]));
    PENSTOCK_ASSIGN(std::vector<std::uint32_t> codes, name_strings(column, strings));
    chunks[i].dictionary_codes =
        std::make_shared<const std::vector<std::uint32_t>>(std::move(codes));
  }
  return {};
}

Result<std::vector<std::uint32_t>> PageEntries::name_strings(std::uint32_t column,
                                                             const Column& strings) {
  std::vector<std::uint32_t> codes;
  PENSTOCK_TRY(strings_.encode(strings, codes));
  PENSTOCK_TRY(derive_new(column, strings, codes));
  return codes;
}

// Computes the functions of a column for the entries that no dictionary had before.
Status PageEntries::derive_new(std::uint32_t root, const Column& entries,
                               const std::vector<std::uint32_t>& codes) {
  const auto found = known_.find(root);
  if (found == known_.end()) return {};
  std::vector<bool>& known = found->second;
  std::vector<std::uint32_t> rows, new_codes;
  for (std::uint32_t row = 0; row < codes.size(); row++) {
    if (codes[row] >= known.size()) known.resize(codes[row] + 1);
    if (known[codes[row]]) continue;
    known[codes[row]] = true;
    rows.push_back(row);
    new_codes.push_back(codes[row]);
  }
  if (rows.empty()) return {};
  std::map<std::uint32_t, Column> columns;
  columns[root] = strings_at(entries, rows);
  for (std::uint32_t i = 0; i < program_.derived.size(); i++) {
    const std::uint32_t column = program_.first_derived() + i;
    if (program_.root_of(column) != root) continue;
    PENSTOCK_ASSIGN(columns[column],
                    derive(program_.derived[i], columns[program_.derived[i].source]));
  }
  for (Derived& derived : derived_)
    if (derived.root == root) PENSTOCK_TRY(keep(derived, columns[derived.column], new_codes));
  return {};
}

Status PageEntries::keep(Derived& derived, const Column& results,
                         const std::vector<std::uint32_t>& codes) {
  const std::size_t width = entry_bytes(results.type);
  const std::uint32_t largest = *std::max_element(codes.begin(), codes.end());
  if (derived.values.size() < (largest + 1) * width) derived.values.resize((largest + 1) * width);
  derived.uploaded = nullptr;
  std::vector<std::uint32_t> result_codes;
  if (results.type.kind == Kind::string) PENSTOCK_TRY(strings_.encode(results, result_codes));
  for (std::size_t i = 0; i < codes.size(); i++) {
    std::byte* const to = derived.values.data() + codes[i] * width;
    if (results.type.kind == Kind::boolean)
      *to = static_cast<std::byte>(results.boolean(i));
    else if (results.type.kind == Kind::string)
      std::memcpy(to, &result_codes[i], width);
    else
      std::memcpy(to, results.values.data + i * width, width);
  }
  return {};
}

Result<std::vector<std::shared_ptr<Buffer>>> PageEntries::upload(
    Device& device, Queue& queue, std::vector<std::shared_ptr<const void>>& kept) {
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (Derived& derived : derived_) {
    if (!derived.uploaded) {
      const auto copy = std::make_shared<const std::vector<std::byte>>(derived.values);
      PENSTOCK_ASSIGN(derived.uploaded, device.allocate(copy->size()));
      PENSTOCK_TRY(queue.upload(*derived.uploaded, copy->data(), copy->size()));
      bytes_uploaded_ += copy->size();
      kept.push_back(copy);
    }
    buffers.push_back(derived.uploaded);
  }
  return buffers;
}

}  // namespace penstock::plan
