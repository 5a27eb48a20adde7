#include "table/sort/sort_keys.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "column/bits.hpp"
#include "table/strings/string_order.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t min_radix_rows = 1 << 12;
constexpr std::uint64_t sorted_ranges = 64;  // that threads sort, a power of two
constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

// Returns a number that has the order of the values.
template <class T> std::uint64_t word_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    if (std::isnan(value)) return static_cast<Bits>(~Bits{0});
    const Bits bits = std::bit_cast<Bits>(value == 0 ? T{0} : value);  // -0.0 is 0.0
    return (bits & sign) != 0 ? static_cast<Bits>(~bits) : bits | sign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ top_bit;
  } else {
    return value;
  }
}

// The words of one key, or of half of one of 128 bits.
using Part = NormalizedKey;

// word(row): the value of a row.
template <class Word> Part part_of_rows(const Column& column, const Word& word) {
  Part part{LargeVector<std::uint64_t>(column.row_count), 64};
  for_rows(column.row_count, [&](std::uint64_t row) { part.values[row] = word(row); });
  return part;
}

template <class T> Part part_of(const Column& column) {
  const T* const values = column.values.as<T>();
  return part_of_rows(column, [values](std::uint64_t row) { return word_of(values[row]); });
}

Part part_of_booleans(const Column& column) {
  return part_of_rows(column,
                      [&](std::uint64_t row) { return std::uint64_t{column.boolean(row)}; });
}

// 128 bits: the high half, signed, then the low one.
template <bool is_high> Part half_of(const Column& column) {
  const auto* const halves = column.values.as<std::uint64_t>();
  return part_of_rows(column, [halves](std::uint64_t row) {
    return is_high ? halves[2 * row + 1] ^ top_bit : halves[2 * row];
  });
}

// Returns the rank of each string among the distinct ones, by bytes.
LargeVector<std::uint64_t> ranks(const LargeVector<std::string_view>& strings) {
  const std::vector<std::uint64_t> order =
      sorted_by_text(strings.size(), [&](std::uint64_t i) { return strings[i]; });
  LargeVector<std::uint64_t> ranks(strings.size());
  if (!order.empty()) ranks[order[0]] = 0;
  std::uint64_t rank = 0;
  for (std::size_t place = 1; place < order.size(); place++) {
    rank += strings[order[place - 1]] != strings[order[place]];
    ranks[order[place]] = rank;
  }
  return ranks;
}

Part part_of_strings(const Column& column) {
  const bool by_entry = column.dictionary && column.dictionary->row_count <= column.row_count;
  const Column& source = by_entry ? *column.dictionary : column;
  LargeVector<std::string_view> strings(source.row_count);
  for_rows(strings.size(), [&](std::uint64_t row) {
    strings[row] = source.is_valid(row) ? source.string(row) : std::string_view();
  });
  Part of_source{ranks(strings), 64};
  if (!by_entry) return of_source;
  const auto* const codes = column.values.as<std::int32_t>();
  return part_of_rows(column, [&](std::uint64_t row) {
    return column.is_valid(row) ? of_source.values[static_cast<std::size_t>(codes[row])] : 0;
  });
}

std::vector<Part> parts_of(const Column& column) {
  switch (column.type.kind) {
    case Kind::boolean: return {part_of_booleans(column)};
    case Kind::int8: return {part_of<std::int8_t>(column)};
    case Kind::uint8: return {part_of<std::uint8_t>(column)};
    case Kind::int16: return {part_of<std::int16_t>(column)};
    case Kind::uint16: return {part_of<std::uint16_t>(column)};
    case Kind::int32:
    case Kind::date32: return {part_of<std::int32_t>(column)};
    case Kind::uint32: return {part_of<std::uint32_t>(column)};
    case Kind::uint64: return {part_of<std::uint64_t>(column)};
    case Kind::float32: return {part_of<float>(column)};
    case Kind::float64: return {part_of<double>(column)};
    case Kind::string: return {part_of_strings(column)};
    case Kind::decimal:
      if (width_bytes(column.type) == 16) return {half_of<true>(column), half_of<false>(column)};
      return {part_of<std::int64_t>(column)};
    case Kind::int128: return {half_of<true>(column), half_of<false>(column)};
    case Kind::int64:
    case Kind::timestamp: break;
  }
  return {part_of<std::int64_t>(column)};
}

// The least and the greatest of the words of values that are not NULL; both 0 where there are none.
std::pair<std::uint64_t, std::uint64_t> range_of(const Part& part, const Column& column) {
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  std::mutex mutex;
  in_parallel(column.row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (std::uint64_t row = first; row < last; row++) {
      if (!column.is_valid(row)) continue;
      low = std::min(low, part.values[row]);
      high = std::max(high, part.values[row]);
    }
    const std::lock_guard lock(mutex);
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  });
  if (lowest > highest) return {0, 0};
  return {lowest, highest};
}

// Makes a part as narrow as the range of the values that are not NULL, and reverses it for a
// descending key.
void narrow(Part& part, const Column& column, bool descending) {
  const auto [lowest, highest] = range_of(part, column);
  for_rows(part.values.size(), [&, low = lowest, high = highest](std::uint64_t row) {
    std::uint64_t& value = part.values[row];
    value = !column.is_valid(row) ? 0 : descending ? high - value : value - low;
  });
  part.bits = static_cast<std::uint32_t>(std::bit_width(highest - lowest));
}

// Adds a bit for NULLs above the key's other bits.
Part part_of_nulls(const Column& column, bool nulls_first) {
  Part part = part_of_rows(column, [&](std::uint64_t row) {
    return std::uint64_t{column.is_valid(row) == nulls_first};
  });
  const bool has_nulls =
      column::count_ones(column.validity.data, column.row_count) < column.row_count;
  part.bits = has_nulls ? 1 : 0;
  return part;
}

void append(std::vector<NormalizedKey>& words, Part part) {
  if (part.bits == 0) return;
  if (words.empty() || words.back().bits + part.bits > 64) {
    words.push_back(std::move(part));
    return;
  }
  NormalizedKey& word = words.back();
  for_rows(part.values.size(), [&](std::uint64_t row) {
    word.values[row] = word.values[row] << part.bits | part.values[row];
  });
  word.bits += part.bits;
}

// Sorts rows by a key that has bits to spare for the row's number: both as one number, sorted digit
// by digit from the key's lowest.
std::vector<std::uint64_t> order_by_digits(const NormalizedKey& word, std::uint32_t row_bits) {
  constexpr std::uint32_t digit_bits = 11;
  const std::size_t row_count = word.values.size();
  std::vector<std::uint64_t> from(row_count), to(row_count);
  for (std::size_t row = 0; row < row_count; row++) from[row] = word.values[row] << row_bits | row;
  for (std::uint32_t shift = row_bits; shift < row_bits + word.bits; shift += digit_bits) {
    const auto digit = [shift](std::uint64_t number) {
      return number >> shift & ((1u << digit_bits) - 1);
    };
    check_cancelled();
    std::size_t positions[1 << digit_bits] = {};
    for (const std::uint64_t number : from) positions[digit(number)]++;
    std::size_t at = 0;
    for (std::size_t& position : positions) at += std::exchange(position, at);
    for (const std::uint64_t number : from) to[positions[digit(number)]++] = number;
    from.swap(to);
  }
  for (std::uint64_t& number : from) number &= (std::uint64_t{1} << row_bits) - 1;
  return from;
}

// A row and the first word of its key, so that most comparisons read no other memory.
struct RankedRow {
  std::uint64_t word = 0, row = 0;
};

// Sorts ranges in threads, then merges neighbours.
template <class Less> void sort_in_parallel(std::vector<RankedRow>& rows, const Less& less) {
  const std::uint64_t count = rows.size();
  const auto at = [&](std::uint64_t i) {
    return rows.begin() + static_cast<std::ptrdiff_t>(std::min(i, count));
  };
  std::uint64_t width = std::max((count + sorted_ranges - 1) / sorted_ranges, min_rows_per_thread);
  const auto in_ranges = [&](const auto& work) {
    in_parallel((count + width - 1) / width, 1, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t range = first; range < last; range++) work(range * width);
    });
  };
  in_ranges([&](std::uint64_t first) {
    std::uint64_t comparisons = 0;
    std::sort(at(first), at(first + width), while_wanted(less, comparisons));
  });
  while (width < count) {
    const std::uint64_t half = width;
    width *= 2;
    in_ranges([&](std::uint64_t first) {
      std::uint64_t comparisons = 0;
      std::inplace_merge(at(first), at(first + half), at(first + width),
                         while_wanted(less, comparisons));
    });
  }
}

}  // namespace

std::vector<NormalizedKey> normalized_keys(const Table& table, const std::vector<SortKey>& keys) {
  std::vector<NormalizedKey> words;
  for (const SortKey& key : keys) {
    const Column& column = table.columns[key.column];
    if (!column.validity.empty()) append(words, part_of_nulls(column, key.nulls_first));
    for (Part& part : parts_of(column)) {
      narrow(part, column, key.descending);
      append(words, std::move(part));
    }
  }
  return words;
}

std::vector<std::uint64_t> order_on_host(const std::vector<NormalizedKey>& words,
                                         std::uint64_t row_count, std::uint64_t limit) {
  if (words.size() == 1 && limit >= row_count && row_count >= min_radix_rows) {
    const auto row_bits = static_cast<std::uint32_t>(std::bit_width(row_count - 1));
    if (words[0].bits + row_bits <= 64) return order_by_digits(words[0], row_bits);
  }
  std::vector<RankedRow> ranked(row_count);
  for_rows(row_count, [&](std::uint64_t row) {
    ranked[row] = {words.empty() ? 0 : words[0].values[row], row};
  });
  const auto less = [&](const RankedRow& a, const RankedRow& b) {
    if (a.word != b.word) return a.word < b.word;
    for (std::size_t i = 1; i < words.size(); i++)
      if (words[i].values[a.row] != words[i].values[b.row])
        return words[i].values[a.row] < words[i].values[b.row];
    return a.row < b.row;
  };
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(limit, row_count));
  std::uint64_t comparisons = 0;
  if (end != ranked.end())
    std::nth_element(ranked.begin(), end, ranked.end(), while_wanted(less, comparisons));
  ranked.erase(end, ranked.end());
  sort_in_parallel(ranked, less);
  std::vector<std::uint64_t> order(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); i++) order[i] = ranked[i].row;
  return order;
}

}  // namespace penstock::plan
