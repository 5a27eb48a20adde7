// Columns of every type and encoding for the tests of pages.
#pragma once
#include "on_device/codec/pages_fixture.hpp"

namespace penstock::pages {

inline PagedColumn column_of(Kind kind, Physical physical, bool is_optional,
                             Conversion conversion = Conversion::none,
                             std::uint32_t fixed_bytes = 0) {
  PagedColumn column;
  column.type.kind = kind;
  if (kind == Kind::decimal) column.type = Type::decimal(15, 2);
  column.physical = physical;
  column.is_optional = is_optional;
  column.conversion = conversion;
  column.fixed_bytes = fixed_bytes;
  return column;
}

enum class Nulls : unsigned char { none, some, many_runs, all };

inline std::uint64_t value_of(const PagedColumn& column, std::mt19937& random) {
  if (column.physical == Physical::boolean) return random() % 2;
  const std::uint64_t wide = std::uint64_t{random()} << 32 | random();
  switch (column.conversion) {
    case Conversion::none: break;
    case Conversion::milliseconds: return (wide >> 24) * 1000;
    case Conversion::nanoseconds: return wide >> 12;
    case Conversion::int96: return (wide >> 12) - (std::uint64_t{1} << 50);
    case Conversion::big_endian: {
      const std::uint32_t bits = std::min(column.fixed_bytes * 8, 58u);
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(wide << (64 - bits)) >>
                                        (64 - bits));
    }
  }
  return width_of(column) == 64 ? wide : wide >> 32;
}

// Values with repetitions, from a set of `distinct` so that dictionaries are possible.
inline Rows rows_of(const PagedColumn& column, std::size_t count, Nulls nulls,
                    std::uint32_t distinct, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> set;
  for (std::uint32_t i = 0; i < distinct; i++) set.push_back(value_of(column, random));
  Rows rows(count);
  std::uint64_t last = set[0];
  bool is_null = false;
  for (auto& row : rows) {
    if (random() % 4 != 0) last = set[random() % set.size()];
    if (nulls == Nulls::some) is_null = random() % 5 == 0;
    if (nulls == Nulls::many_runs && random() % 40 == 0) is_null = !is_null;
    if (nulls != Nulls::all && (nulls == Nulls::none || !is_null)) row = last;
  }
  return rows;
}

inline std::vector<std::uint64_t> distinct_values(const Rows& rows) {
  std::vector<std::uint64_t> entries;
  for (const auto& row : rows)
    if (row && std::find(entries.begin(), entries.end(), *row) == entries.end())
      entries.push_back(*row);
  return entries;
}

// Cuts rows into pages of these lengths in turn, all of one chunk.
inline std::shared_ptr<ChunkPages> chunk_of(const PagedColumn& column, const Rows& rows,
                                            const std::vector<PageStyle>& styles,
                                            const std::vector<std::size_t>& lengths,
                                            ChunkWriter writer = ChunkWriter()) {
  std::vector<std::uint64_t> entries;
  const bool has_dictionary = std::any_of(styles.begin(), styles.end(), [](const PageStyle& style) {
    return style.encoding == Encoding::dictionary;
  });
  if (has_dictionary) {
    entries = distinct_values(rows);
    writer.add_dictionary(column, entries);
  }
  std::size_t at = 0;
  for (std::size_t page = 0; at < rows.size(); page++) {
    const std::size_t count = std::min(lengths[page % lengths.size()], rows.size() - at);
    writer.add(encoded_page(column, styles[page % styles.size()],
                            Rows(rows.begin() + at, rows.begin() + at + count), entries));
    at += count;
  }
  return writer.finish();
}

inline std::vector<PagedColumn> columns_of_all_types(bool is_optional) {
  return {column_of(Kind::boolean, Physical::boolean, is_optional),
          column_of(Kind::int32, Physical::int32, is_optional),
          column_of(Kind::int64, Physical::int64, is_optional),
          column_of(Kind::float32, Physical::float32, is_optional),
          column_of(Kind::float64, Physical::float64, is_optional),
          column_of(Kind::timestamp, Physical::int64, is_optional, Conversion::milliseconds),
          column_of(Kind::timestamp, Physical::int64, is_optional, Conversion::nanoseconds),
          column_of(Kind::timestamp, Physical::int96, is_optional, Conversion::int96),
          column_of(Kind::decimal, Physical::fixed_bytes, is_optional, Conversion::big_endian, 3),
          column_of(Kind::decimal, Physical::fixed_bytes, is_optional, Conversion::big_endian, 8),
          column_of(Kind::decimal, Physical::fixed_bytes, is_optional, Conversion::big_endian, 16)};
}

inline bool is_possible(const PagedColumn& column, const PageStyle& style) {
  ChunkPages pages;
  Page page;
  page.encoding = style.encoding;
  pages.data.push_back(page);
  return why_not_decoded(column, pages).empty();
}

// Every type by every encoding that it has, in pages of odd lengths.
inline std::vector<TestColumn> columns_of_all_encodings(std::size_t count, Nulls nulls, bool is_v2,
                                                        RunStyle runs) {
  std::vector<TestColumn> columns;
  for (const PagedColumn& column : columns_of_all_types(nulls != Nulls::none))
    for (const Encoding encoding : {Encoding::plain, Encoding::dictionary, Encoding::rle,
                                    Encoding::delta, Encoding::byte_streams}) {
      const PageStyle style{encoding, runs, runs, is_v2};
      if (!is_possible(column, style)) continue;
      TestColumn made{
          column,
          {},
          rows_of(column, count, nulls, 37, static_cast<std::uint32_t>(1 + columns.size()))};
      made.chunks = {chunk_of(column, made.rows, {style}, {count * 2 / 5, 1, 33, 0, count})};
      columns.push_back(std::move(made));
    }
  return columns;
}

template <class Body> void on_each_page_device(Body body) {
  on_each_device([&](Device& found) { body(*open_device(found.traits().id)); });
}

}  // namespace penstock::pages
