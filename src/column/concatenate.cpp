#include "column/concatenate.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "column/bits.hpp"
#include "column/column_builders.hpp"
#include "column/set_texts.hpp"

namespace penstock::column {
namespace {

std::uint64_t rows_of(std::span<const Column> columns) {
  std::uint64_t rows = 0;
  for (const Column& column : columns) rows += column.row_count;
  return rows;
}

// Joins the bits of all columns. `bits_of` returns a column's bits; empty means all ones.
Bytes join_bits(std::span<const Column> columns, std::uint64_t rows, auto bits_of) {
  std::vector<std::byte> joined(bytes_of_bits(rows));
  std::uint64_t at = 0;
  for (const Column& column : columns) {
    const Bytes& bits = bits_of(column);
    const unsigned shift = at % 8;
    for (std::uint64_t i = 0; i < column.row_count; i += 8) {
      const std::uint64_t left = column.row_count - i;
      unsigned value = bits.empty() ? 0xffu : static_cast<unsigned>(bits.data[i / 8]);
      if (left < 8) value &= (1u << left) - 1;
      std::byte* to = &joined[(at + i) / 8];
      *to |= static_cast<std::byte>(value << shift);
      if (shift + std::min<std::uint64_t>(left, 8) > 8)
        to[1] |= static_cast<std::byte>(value >> (8 - shift));
    }
    at += column.row_count;
  }
  return Bytes::own(std::move(joined));
}

Bytes join_values(std::span<const Column> columns, std::uint64_t rows, std::uint64_t width) {
  constexpr std::uint64_t min_bytes_per_thread = 4 << 20;
  const auto joined = large_array<std::byte>(rows * width);
  std::vector<std::uint64_t> ends(columns.size());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < columns.size(); i++) ends[i] = end += columns[i].row_count * width;
  in_parallel(end, min_bytes_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(ends, first) - ends.begin());
    for (std::uint64_t at = first; at < last; at = ends[i++]) {
      const std::uint64_t begin = ends[i] - columns[i].row_count * width;
      if (columns[i].row_count > 0)
        std::memcpy(joined.get() + at, columns[i].values.data + (at - begin),
                    std::min(last, ends[i]) - at);
    }
  });
  return {joined, joined.get(), rows * width};
}

// Returns whether all columns have one dictionary. Then codes are joined, otherwise strings.
bool share_dictionary(std::span<const Column> columns) {
  const auto shares = [&](const Column& column) {
    return column.dictionary && column.dictionary == columns[0].dictionary;
  };
  return !columns.empty() && std::ranges::all_of(columns, shares);
}

// The distinct strings of several dictionaries, and the new index of each dictionary's entries.
struct JoinedDictionary {
  std::unordered_map<const Column*, std::vector<std::int32_t>> places;
  std::shared_ptr<const Column> strings;
};

// Returns none if a column has no dictionary, or if copying the dictionaries costs as much as
// copying the strings.
std::optional<JoinedDictionary> join_dictionaries(std::span<const Column> columns,
                                                  std::uint64_t rows) {
  JoinedDictionary joined;
  std::uint64_t entries = 0;
  for (const Column& column : columns) {
    if (column.row_count == 0) continue;
    if (!column.dictionary || !column.dictionary->validity.empty()) return std::nullopt;
    if (joined.places.try_emplace(column.dictionary.get()).second)
      entries += column.dictionary->row_count;
  }
  if (entries == 0 || entries > rows / 2) return std::nullopt;
  std::unordered_map<std::string_view, std::int32_t> known;
  StringBuilder strings(entries);
  for (const Column& column : columns) {  // in the order of the columns
    if (column.row_count == 0 || !joined.places[column.dictionary.get()].empty()) continue;
    std::vector<std::int32_t>& places = joined.places[column.dictionary.get()];
    for (std::uint64_t entry = 0; entry < column.dictionary->row_count; entry++) {
      const std::string_view text = column.dictionary->string(entry);
      const auto [at, inserted] = known.try_emplace(text, static_cast<std::int32_t>(known.size()));
      if (inserted) strings.push(text);
      places.push_back(at->second);
    }
  }
  Column dictionary;
  dictionary.type = {Kind::string};
  dictionary.row_count = known.size();
  strings.take(dictionary);
  joined.strings = std::make_shared<const Column>(std::move(dictionary));
  return joined;
}

void join_codes(std::span<const Column> columns, const JoinedDictionary& dictionary, Column& to) {
  LargeVector<std::int32_t> codes;
  codes.reserve(to.row_count);
  for (const Column& column : columns) {
    if (column.row_count == 0) continue;
    const std::vector<std::int32_t>& places = dictionary.places.at(column.dictionary.get());
    const auto* from = column.values.as<std::int32_t>();
    for (std::uint64_t row = 0; row < column.row_count;
         row++)  // the code of a NULL may be anything
      codes.push_back(column.is_valid(row) ? places[static_cast<std::size_t>(from[row])] : 0);
  }
  to.values = Bytes::own(std::move(codes));
  to.dictionary = dictionary.strings;
}

std::int64_t offset_at(const Column& column, std::uint64_t row) {
  return column.offset_bytes == 4 ? column.offsets.as<std::int32_t>()[row]
                                  : column.offsets.as<std::int64_t>()[row];
}

// The first row and the first byte of each column within the concatenation.
struct StringPlaces {
  std::vector<std::uint64_t> rows, bytes;
};

// Copies the bytes of a column at once, and moves its offsets by where they begin now.
template <class Offset>
void copy_strings(const Column& column, std::uint64_t row, std::uint64_t byte, Offset* offsets,
                  std::byte* bytes) {
  const std::int64_t first = offset_at(column, 0), end = offset_at(column, column.row_count);
  if (end > first)
    std::memcpy(bytes + byte, column.values.data + first, static_cast<std::size_t>(end - first));
  const std::int64_t moved = static_cast<std::int64_t>(byte) - first;
  for (std::uint64_t i = 1; i <= column.row_count; i++)
    offsets[row + i] = static_cast<Offset>(offset_at(column, i) + moved);
}

template <class Offset>
void join_plain_strings(std::span<const Column> columns, const StringPlaces& places, Column& to) {
  const auto offsets = large_array<Offset>(to.row_count + 1);
  const auto bytes = large_array<std::byte>(places.bytes.back());
  offsets[0] = 0;
  in_parallel(columns.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++)
      if (columns[i].row_count > 0)
        copy_strings(columns[i], places.rows[i], places.bytes[i], offsets.get(), bytes.get());
  });
  to.offset_bytes = sizeof(Offset);
  to.offsets = {offsets, reinterpret_cast<const std::byte*>(offsets.get()),
                (to.row_count + 1) * sizeof(Offset)};
  to.values = {bytes, bytes.get(), places.bytes.back()};
}

Column without_dictionary(const Column& column) {
  Column plain;
  plain.row_count = column.row_count;
  set_texts(plain, [&](std::uint64_t row) {
    return column.is_valid(row) ? column.string(row) : std::string_view();
  });
  return plain;
}

void join_strings(std::span<const Column> columns, Column& to) {
  const auto is_plain = [](const Column& column) {
    return !column.dictionary && (column.row_count == 0 || !column.offsets.empty());
  };
  std::vector<Column> all_plain;
  if (!std::ranges::all_of(columns, is_plain)) {
    for (const Column& column : columns)
      all_plain.push_back(is_plain(column) ? column : without_dictionary(column));
    columns = all_plain;
  }
  StringPlaces places{{0}, {0}};
  for (const Column& column : columns) {
    const std::int64_t bytes =
        column.row_count == 0 ? 0 : offset_at(column, column.row_count) - offset_at(column, 0);
    places.rows.push_back(places.rows.back() + column.row_count);
    places.bytes.push_back(places.bytes.back() + static_cast<std::uint64_t>(bytes));
  }
  if (places.bytes.back() <= INT32_MAX)
    join_plain_strings<std::int32_t>(columns, places, to);
  else
    join_plain_strings<std::int64_t>(columns, places, to);
}

}  // namespace

// Joins all parts of the columns but their values.
static Column joined_rows(Type type, std::span<const Column> columns) {
  Column joined;
  joined.type = type;
  joined.row_count = rows_of(columns);
  if (std::ranges::any_of(columns, [](const Column& c) { return !c.validity.empty(); }))
    joined.validity = join_bits(columns, joined.row_count,
                                [](const Column& c) -> const Bytes& { return c.validity; });
  return joined;
}

Result<Column> concatenate_encoded(Type type, std::span<const Column> columns) {
  const auto is_encoded = [](const Column& column) { return column.encoded != nullptr; };
  if (std::ranges::none_of(columns, is_encoded) || columns.size() == 1)
    return concatenate(type, columns);
  if (!std::ranges::all_of(columns, is_encoded)) {
    std::vector<Column> plain;
    for (const Column& column : columns) { PENSTOCK_ASSIGN(plain.emplace_back(), decoded(column)); }
    return concatenate(type, plain);
  }
  Column joined = joined_rows(type, columns);
  std::vector<std::shared_ptr<const EncodedStringColumn>> parts;
  for (const Column& column : columns) parts.push_back(column.encoded);
  PENSTOCK_ASSIGN(joined.encoded, parts[0]->joined(parts));
  return joined;
}

Column concatenate(Type type, std::span<const Column> columns) {
  if (columns.size() == 1) return columns[0];
  Column joined = joined_rows(type, columns);
  if (type.kind == Kind::boolean) {
    joined.values = join_bits(columns, joined.row_count,
                              [](const Column& c) -> const Bytes& { return c.values; });
  } else if (type.kind == Kind::string && !share_dictionary(columns)) {
    if (const auto dictionary = join_dictionaries(columns, joined.row_count))
      join_codes(columns, *dictionary, joined);
    else
      join_strings(columns, joined);
  } else {
    joined.values = join_values(columns, joined.row_count, width_bytes(type));
    if (!columns.empty()) joined.dictionary = columns[0].dictionary;
  }
  return joined;
}

}  // namespace penstock::column
