#include "table/join/key_words.hpp"

#include <bit>
#include <cmath>

#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

// Returns a key's word, as key_word() prints it.
template <class T> std::uint64_t word_of(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value + 0.0f);
  else if constexpr (std::is_same_v<T, double>)
    return std::isnan(value) ? std::uint64_t{0x7ff80000u} << 32
                             : std::bit_cast<std::uint64_t>(value + 0.0);
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class Word>
void put_words(KeyWords& to, std::size_t key, std::size_t key_count, std::uint64_t row_count,
               const Word& word) {
  for_rows(row_count, [&](std::uint64_t row) {
    to.made[row * key_count + key] = to.present[row] ? word(row) : 0;
  });
}

template <class T>
void put_values(KeyWords& to, std::size_t key, std::size_t key_count, const Column& column) {
  const T* values = column.values.as<T>();
  put_words(to, key, key_count, column.row_count,
            [values](std::uint64_t row) { return word_of(values[row]); });
}

Status put_key(KeyWords& to, std::size_t key, std::size_t key_count, const Column& column,
               StringPool& strings) {
  switch (column.type.kind) {
    case Kind::int8: put_values<std::int8_t>(to, key, key_count, column); return {};
    case Kind::uint8: put_values<std::uint8_t>(to, key, key_count, column); return {};
    case Kind::int16: put_values<std::int16_t>(to, key, key_count, column); return {};
    case Kind::uint16: put_values<std::uint16_t>(to, key, key_count, column); return {};
    case Kind::int32:
    case Kind::date32: put_values<std::int32_t>(to, key, key_count, column); return {};
    case Kind::uint32: put_values<std::uint32_t>(to, key, key_count, column); return {};
    case Kind::float32: put_values<float>(to, key, key_count, column); return {};
    case Kind::float64: put_values<double>(to, key, key_count, column); return {};
    case Kind::int64:
    case Kind::uint64:
    case Kind::timestamp: put_values<std::int64_t>(to, key, key_count, column); return {};
    case Kind::boolean:
      put_words(to, key, key_count, column.row_count,
                [&](std::uint64_t row) { return std::uint64_t{column.boolean(row)}; });
      return {};
    case Kind::string: {
      std::vector<std::uint32_t> codes;
      PENSTOCK_TRY(strings.encode(column, codes));
      put_words(to, key, key_count, column.row_count,
                [&](std::uint64_t row) { return std::uint64_t{codes[row]}; });
      return {};
    }
    case Kind::decimal:
      if (width_bytes(column.type) != 8) break;
      put_values<std::int64_t>(to, key, key_count, column);
      return {};
    case Kind::int128: break;
  }
  return Status(Code::internal, "a key of " + name_of(column.type));
}

bool are_words(const Column& column) {
  const Kind kind = column.type.kind;
  const bool is_word = kind == Kind::int64 || kind == Kind::uint64 || kind == Kind::timestamp ||
                       (kind == Kind::decimal && width_bytes(column.type) == 8);
  return is_word && column.validity.empty();
}

}  // namespace

Result<KeyWords> key_words(std::span<const Column> keys, StringPool& strings) {
  KeyWords words;
  const std::uint64_t row_count = keys[0].row_count;
  words.present.assign(row_count, 1);
  if (keys.size() == 1 && are_words(keys[0])) {
    words.of_column = {keys[0].values.as<std::uint64_t>(), row_count};
    return words;
  }
  words.made.resize(row_count * keys.size());
  for (const Column& key : keys)
    if (!key.validity.empty())
      for_rows(row_count, [&](std::uint64_t row) { words.present[row] &= key.is_valid(row); });
  for (std::size_t i = 0; i < keys.size(); i++)
    PENSTOCK_TRY(put_key(words, i, keys.size(), keys[i], strings));
  return words;
}

}  // namespace penstock::plan
