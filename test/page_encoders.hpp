// Pages of Parquet written by hand, so that tests have every encoding, layout of runs and damage,
// also those that no writer makes. https://parquet.apache.org/docs/file-format/data-pages/
#pragma once
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "codec/pages/paged_table.hpp"

namespace penstock::pages {

using PageBytes = std::vector<std::uint8_t>;
using Rows = std::vector<std::optional<std::uint64_t>>;

inline void append(PageBytes& to, const PageBytes& more) {
  to.insert(to.end(), more.begin(), more.end());
}
inline void append_number(PageBytes& to, std::uint64_t number) {
  for (; number >= 128; number >>= 7) to.push_back(static_cast<std::uint8_t>(number | 128));
  to.push_back(static_cast<std::uint8_t>(number));
}
inline void append_bytes(PageBytes& to, std::uint64_t value, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; i++) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}
inline void append_packed(PageBytes& to, const std::uint64_t* values, std::size_t count,
                          std::uint32_t width) {
  std::uint32_t used = 0;
  for (std::size_t i = 0; i < count; i++)
    for (std::uint32_t bit = 0; bit < width; bit++, used++) {
      if (used % 8 == 0) to.push_back(0);
      to.back() = static_cast<std::uint8_t>(to.back() | (values[i] >> bit & 1) << used % 8);
    }
}

// The cut of a hybrid's runs: packed runs of 504 values as Arrow cuts them, repeated runs alone,
// any mixture, or one packed run without its padding.
enum class RunStyle : unsigned char { arrow, repeated, mixed, cut };

inline PageBytes hybrid(const std::vector<std::uint64_t>& values, std::uint32_t width,
                        RunStyle style) {
  PageBytes made;
  std::mt19937 random(7);
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t left = values.size() - at;
    std::size_t equal = 1;
    while (equal < left && values[at + equal] == values[at]) equal++;
    if (style == RunStyle::repeated || (style == RunStyle::mixed && random() % 2 == 0) ||
        (style == RunStyle::arrow && equal >= 8)) {
      append_number(made, equal * 2);
      append_bytes(made, values[at], (width + 7) / 8);
      at += equal;
      continue;
    }
    const std::size_t wanted = style == RunStyle::arrow   ? 504
                               : style == RunStyle::mixed ? 8 * (1 + random() % 5)
                                                          : left + 7;
    std::vector<std::uint64_t> packed(values.begin() + at,
                                      values.begin() + at + std::min(wanted, left));
    at += packed.size();
    append_number(made, (packed.size() + 7) / 8 * 2 + 1);
    if (style != RunStyle::cut) packed.resize((packed.size() + 7) / 8 * 8);
    append_packed(made, packed.data(), packed.size(), width);
  }
  return made;
}

inline std::uint64_t zigzag(std::uint64_t value) {
  return value << 1 ^ (std::uint64_t{0} - (value >> 63));
}

inline PageBytes deltas(const std::vector<std::uint64_t>& values, bool is_32) {
  constexpr std::size_t block = 128, miniblocks = 4, values_each = block / miniblocks;
  const auto wrapped = [&](std::uint64_t value) {
    return is_32 ? static_cast<std::uint64_t>(
                       std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(value))})
                 : value;
  };
  PageBytes made;
  append_number(made, block);
  append_number(made, miniblocks);
  append_number(made, values.size());
  append_number(made, values.empty() ? 0 : zigzag(wrapped(values[0])));
  for (std::size_t at = 1; at < values.size(); at += block) {
    std::vector<std::uint64_t> differences;
    for (std::size_t i = at; i < std::min(at + block, values.size()); i++)
      differences.push_back(wrapped(values[i] - values[i - 1]));
    const std::uint64_t least = *std::min_element(
        differences.begin(), differences.end(),
        [](auto a, auto b) { return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b); });
    for (std::uint64_t& difference : differences) {
      difference -= least;
      if (is_32) difference = static_cast<std::uint32_t>(difference);
    }
    append_number(made, zigzag(least));
    PageBytes widths, packed;
    for (std::size_t i = 0; i < miniblocks; i++) {
      std::vector<std::uint64_t> part;
      for (std::size_t j = i * values_each; j < std::min((i + 1) * values_each, differences.size());
           j++)
        part.push_back(differences[j]);
      std::uint32_t width = 0;
      for (const std::uint64_t difference : part)
        while (width < 64 && difference >> width != 0) width++;
      widths.push_back(static_cast<std::uint8_t>(width));
      if (part.empty()) continue;
      part.resize(values_each);
      append_packed(packed, part.data(), part.size(), width);
    }
    append(made, widths);
    append(made, packed);
  }
  return made;
}

// A column's value as Parquet stores it, the inverse of its conversion.
inline PageBytes stored_value(const PagedColumn& column, std::uint64_t value) {
  PageBytes made;
  const auto number = static_cast<std::int64_t>(value);
  switch (column.conversion) {
    case Conversion::none:
      append_bytes(
          made, value,
          column.physical == Physical::int32 || column.physical == Physical::float32 ? 4 : 8);
      break;
    case Conversion::milliseconds:
      append_bytes(made, static_cast<std::uint64_t>(number / 1000), 8);
      break;
    case Conversion::nanoseconds: append_bytes(made, value * 1000, 8); break;
    case Conversion::int96: {
      constexpr std::int64_t day = 86'400'000'000;
      std::int64_t days = number / day, rest = number % day;
      if (rest < 0) days--, rest += day;
      append_bytes(made, static_cast<std::uint64_t>(rest) * 1000, 8);
      append_bytes(made, static_cast<std::uint64_t>(days + 2440588), 4);
      break;
    }
    case Conversion::big_endian:
      for (std::uint32_t i = column.fixed_bytes; i-- > 0;)
        made.push_back(static_cast<std::uint8_t>(i >= 8 ? number >> 63 : number >> 8 * i));
  }
  return made;
}

struct PageStyle {
  Encoding encoding = Encoding::plain;
  RunStyle runs = RunStyle::arrow, levels = RunStyle::arrow;
  bool is_v2 = false;
};

// The values of a page after its levels. `entries`: the dictionary.
inline PageBytes page_values(const PagedColumn& column, const PageStyle& style,
                             const std::vector<std::uint64_t>& values,
                             const std::vector<std::uint64_t>& entries) {
  PageBytes made;
  switch (style.encoding) {
    case Encoding::dictionary: {
      std::uint32_t width = 0;
      while (entries.size() > std::size_t{1} << width) width++;
      std::vector<std::uint64_t> indices;
      for (const std::uint64_t value : values)
        indices.push_back(std::find(entries.begin(), entries.end(), value) - entries.begin());
      made.push_back(static_cast<std::uint8_t>(width));
      append(made, hybrid(indices, width, style.runs));
      return made;
    }
    case Encoding::rle: {
      const PageBytes runs = hybrid(values, 1, style.runs);
      append_bytes(made, runs.size(), 4);
      append(made, runs);
      return made;
    }
    case Encoding::delta: {
      std::vector<std::uint64_t> stored(values.size());
      for (std::size_t i = 0; i < values.size(); i++) {
        const PageBytes bytes = stored_value(column, values[i]);
        std::memcpy(&stored[i], bytes.data(), bytes.size());
      }
      return deltas(stored, column.physical == Physical::int32);
    }
    default: break;
  }
  if (column.physical == Physical::boolean) {
    append_packed(made, values.data(), values.size(), 1);
    return made;
  }
  for (const std::uint64_t value : values) append(made, stored_value(column, value));
  if (style.encoding != Encoding::byte_streams || values.empty()) return made;
  const std::size_t width = made.size() / values.size();
  PageBytes streams;
  for (std::size_t k = 0; k < width; k++)
    for (std::size_t i = 0; i < values.size(); i++) streams.push_back(made[i * width + k]);
  return streams;
}

struct EncodedPage {
  PageBytes levels, values;
  Page page;
};

inline EncodedPage encoded_page(const PagedColumn& column, const PageStyle& style, const Rows& rows,
                                const std::vector<std::uint64_t>& entries) {
  EncodedPage made;
  std::vector<std::uint64_t> levels, values;
  for (const auto& row : rows) {
    levels.push_back(row.has_value());
    if (row) values.push_back(*row);
  }
  if (column.is_optional) {
    const PageBytes runs = hybrid(levels, 1, style.levels);
    if (!style.is_v2) append_bytes(made.levels, runs.size(), 4);
    append(made.levels, runs);
  }
  made.values = page_values(column, style, values, entries);
  made.page.value_count = static_cast<std::uint32_t>(rows.size());
  made.page.encoding = style.encoding;
  made.page.is_v2 = style.is_v2;
  made.page.level_bytes = style.is_v2 ? static_cast<std::uint32_t>(made.levels.size()) : 0;
  return made;
}

using Compress = std::function<PageBytes(const PageBytes&)>;

// Puts pages into a chunk one after another, with bytes of headers between them.
class ChunkWriter {
 public:
  explicit ChunkWriter(Compression compression = Compression::none, Compress compress = {})
      : compress_(std::move(compress)) {
    made_.compression = compression;
  }
  void add_dictionary(const PagedColumn& column, const std::vector<std::uint64_t>& entries) {
    EncodedPage page;
    for (const std::uint64_t entry : entries) append(page.values, stored_value(column, entry));
    page.page.value_count = static_cast<std::uint32_t>(entries.size());
    made_.dictionary = put(page, true);
  }
  // `is_compressed`: false for a page that a v2 header says is not.
  void add(const EncodedPage& page, bool is_compressed = true) {
    made_.row_count += page.page.value_count;
    made_.data.push_back(put(page, is_compressed));
  }
  std::shared_ptr<ChunkPages> finish() {
    const std::size_t bytes = bytes_.size();
    made_.memory = std::shared_ptr<std::byte>(new std::byte[bytes + 16]{},
                                              [](std::byte* memory) { delete[] memory; });
    if (bytes != 0) std::memcpy(made_.memory.get(), bytes_.data(), bytes);
    made_.bytes = {made_.memory.get(), bytes};
    return std::make_shared<ChunkPages>(made_);
  }

 private:
  Page put(const EncodedPage& encoded, bool is_compressed) {
    Page page = encoded.page;
    PageBytes body = encoded.levels;
    append(body, encoded.values);
    page.bytes = static_cast<std::uint32_t>(body.size());
    page.is_compressed = is_compressed && made_.compression != Compression::none;
    if (page.is_compressed && page.is_v2) {
      body = encoded.levels;
      append(body, compress_(encoded.values));
    } else if (page.is_compressed) {
      body = compress_(body);
    }
    bytes_.resize(bytes_.size() + 5 + made_.data.size() % 3, 0xff);  // the header
    page.offset = bytes_.size();
    page.stored_bytes = static_cast<std::uint32_t>(body.size());
    append(bytes_, body);
    return page;
  }
  Compress compress_;
  ChunkPages made_;
  PageBytes bytes_;
};

}  // namespace penstock::pages
