// Encodes a string column on the host: for each row group a table is trained on a sample, and its
// strings are encoded by the longest symbol at each position.
//
// Groups are encoded by threads side by side. Strings are read a word at a time, so strings at the
// end of their buffer are copied with bytes after them.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/exception_boundary.hpp"
#include "base/parallel.hpp"
#include "codec/fsst/format/strings_layout.hpp"
#include "codec/fsst/host/batch_encoder.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint64_t max_string_bytes =
    (std::uint64_t{1} << 30) - 1;  // of one string: the size of its codes then fits 31 bits

struct EncodedGroup {
  SymbolTable table;
  BatchEncoder::Codes codes;
  std::vector<std::uint32_t> sizes;  // code bytes of each row
  std::uint64_t string_bytes = 0;
};

// A row group's strings, each followed by readable bytes. Strings at the end of their buffer are
// copied for that.
struct PaddedStrings {
  std::vector<std::string_view> strings;
  std::vector<std::unique_ptr<char[]>> copies;
};

std::string_view copy_padded(PaddedStrings& strings, std::string_view string) {
  strings.copies.push_back(std::make_unique<char[]>(string.size() + string_padding_bytes));
  std::memcpy(strings.copies.back().get(), string.data(), string.size());
  return {strings.copies.back().get(), string.size()};
}

PaddedStrings padded_strings(const Column& column, std::uint64_t first_row,
                             std::uint64_t row_count) {
  const Bytes& bytes = column.dictionary ? column.dictionary->values : column.values;
  const char* const end = bytes.as<char>() + bytes.size;
  PaddedStrings strings;
  strings.strings.resize(row_count);
  for (std::uint64_t row = 0; row < row_count; row++) {
    if (!column.is_valid(first_row + row)) continue;
    const std::string_view string = column.string(first_row + row);
    if (string.empty()) continue;
    const auto readable = static_cast<std::uint64_t>(end - (string.data() + string.size()));
    strings.strings[row] = readable >= string_padding_bytes ? string : copy_padded(strings, string);
  }
  return strings;
}

Status check_sizes(std::span<const std::string_view> strings, std::uint64_t first_row) {
  for (std::uint64_t row = 0; row < strings.size(); row++)
    if (strings[row].size() > max_string_bytes)
      return {Code::capacity, "row " + std::to_string(first_row + row) + ": a string of " +
                                  std::to_string(strings[row].size()) +
                                  " bytes; FSST encodes strings below 1 GiB"};
  return {};
}

Result<EncodedGroup> encode_group(const Column& column, std::uint64_t first_row,
                                  std::uint64_t row_count, BatchEncoder& encoder) {
  const PaddedStrings padded = padded_strings(column, first_row, row_count);
  const std::vector<std::string_view>& strings = padded.strings;
  PENSTOCK_TRY(check_sizes(strings, first_row));
  EncodedGroup group;
  for (const std::string_view string : strings) group.string_bytes += string.size();
  group.table = train(strings);
  const auto matcher = matcher_of(group.table);
  if (!matcher) return Status(Code::internal, "a trained symbol table does not fit its matcher");
  group.sizes.resize(row_count);
  group.codes = encoder.encode(*matcher, strings, group.sizes);
  return group;
}

// Returns the bytes of the rows' strings. For a plain column its offsets say so, null rows
// included.
std::uint64_t string_bytes_of(const Column& column, std::uint64_t first_row,
                              std::uint64_t end_row) {
  if (!column.dictionary) {
    const std::string_view first = column.string(first_row), last = column.string(end_row - 1);
    return static_cast<std::uint64_t>(last.data() + last.size() - first.data());
  }
  std::uint64_t bytes = 0;
  for (std::uint64_t row = first_row; row < end_row; row++)
    if (column.is_valid(row)) bytes += column.string(row).size();
  return bytes;
}

// Returns where the row group that begins at first_row ends: after the most rows that keep to both
// limits, and after one row at least.
std::uint64_t end_of_group(const Column& column, std::uint64_t first_row,
                           const EncodeOptions& options) {
  const std::uint64_t limit = std::min(column.row_count, first_row + options.row_group_rows);
  if (string_bytes_of(column, first_row, limit) <= options.row_group_string_bytes) return limit;
  std::uint64_t end = first_row + 1, too_far = limit;
  while (too_far - end > 1) {
    const std::uint64_t middle = end + (too_far - end) / 2;
    (string_bytes_of(column, first_row, middle) <= options.row_group_string_bytes ? end : too_far) =
        middle;
  }
  return end;
}

// Returns the first row of each row group, then the end of the last.
std::vector<std::uint64_t> group_rows(const Column& column, const EncodeOptions& options) {
  std::vector<std::uint64_t> rows{0};
  while (rows.back() < column.row_count) rows.push_back(end_of_group(column, rows.back(), options));
  return rows;
}

using Groups = std::vector<Result<EncodedGroup>>;

// Encodes the row groups. Each thread takes the next one when it is free.
Groups encode_groups(const Column& column, std::span<const std::uint64_t> rows) {
  const std::uint64_t count = rows.size() - 1;
  Groups groups(count, Status(Code::internal, "a row group that no thread encoded"));
  std::atomic<std::uint64_t> next = 0;
  in_parallel(count, 1, [&](std::uint64_t, std::uint64_t) {
    BatchEncoder encoder;
    for (std::uint64_t group = next++; group < count; group = next++)
      groups[group] = catch_exceptions([&] {
        return encode_group(column, rows[group], rows[group + 1] - rows[group], encoder);
      });
  });
  return groups;
}

// Returns where each group's codes begin in the column, then their end.
std::vector<std::uint64_t> code_starts(const Groups& groups) {
  std::vector<std::uint64_t> starts{0};
  for (const auto& group : groups) starts.push_back(starts.back() + group->codes.size);
  return starts;
}

template <class Offset> Bytes offsets_of(const Groups& groups, std::uint64_t row_count) {
  const auto offsets = large_array<Offset>(row_count + 1);
  std::uint64_t row = 0, offset = 0;
  offsets[0] = 0;
  for (const auto& group : groups)
    for (const std::uint32_t size : group->sizes)
      offsets[++row] = static_cast<Offset>(offset += size);
  return {offsets, reinterpret_cast<const std::byte*>(offsets.get()),
          (row_count + 1) * sizeof(Offset)};
}

Bytes codes_of(Groups& groups, const std::vector<std::uint64_t>& starts) {
  const auto codes = large_array<std::byte>(starts.back());
  in_parallel(groups.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t group = first; group < last; group++) {
      const auto part =
          std::move(groups[group]->codes);  // freed at once: two copies are not kept for long
      if (part.size != 0) std::memcpy(codes.get() + starts[group], part.bytes.get(), part.size);
    }
  });
  return {codes, codes.get(), starts.back()};
}

Result<EncodedStrings> join_groups(Groups groups, const Column& column,
                                   std::span<const std::uint64_t> rows) {
  for (const auto& group : groups) PENSTOCK_TRY(group);
  EncodedStrings strings;
  strings.row_count = column.row_count;
  strings.validity = column.validity;
  strings.is_canonical = true;
  for (std::uint64_t group = 0; group < groups.size(); group++) {
    strings.row_groups.push_back(
        {rows[group], strings.string_bytes, std::make_shared<SymbolTable>(groups[group]->table)});
    strings.string_bytes += groups[group]->string_bytes;
  }
  const auto starts = code_starts(groups);
  strings.offset_bytes = starts.back() <= INT32_MAX ? 4 : 8;
  strings.offsets = strings.offset_bytes == 4 ? offsets_of<std::uint32_t>(groups, column.row_count)
                                              : offsets_of<std::uint64_t>(groups, column.row_count);
  strings.codes = codes_of(groups, starts);
  return strings;
}

Result<EncodedStrings> encode_column(const Column& column, const EncodeOptions& options) {
  if (column.type.kind != Kind::string)
    return Status(Code::invalid, "FSST encodes strings, not " + name_of(column.type));
  if (options.row_group_rows == 0) return Status(Code::invalid, "row groups of no rows");
  const std::vector<std::uint64_t> rows = group_rows(column, options);
  return join_groups(encode_groups(column, rows), column, rows);
}

}  // namespace

Result<EncodedStrings> encode(const Column& strings, const EncodeOptions& options) {
  return catch_exceptions([&] { return encode_column(strings, options); });
}

std::vector<std::uint8_t> encode_string(const SymbolTable& table, std::string_view string) {
  std::vector<std::uint8_t> codes;
  while (!string.empty()) {
    std::uint32_t best = escape_code, best_length = 0;
    std::uint64_t word = 0;
    std::memcpy(&word, string.data(), std::min<std::size_t>(string.size(), 8));
    for (std::uint32_t code = 0; code < table.symbol_count; code++) {
      const std::uint32_t length = table.lengths[code];
      const bool matches =
          length <= string.size() && low_bytes(word, length) == table.symbols[code];
      if (matches && length > best_length) best = code, best_length = length;
    }
    codes.push_back(static_cast<std::uint8_t>(best));
    if (best == escape_code) codes.push_back(static_cast<std::uint8_t>(string[0]));
    string.remove_prefix(std::max(best_length, 1u));
  }
  return codes;
}

}  // namespace penstock::fsst
