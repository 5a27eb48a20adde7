// Converts tables to typed C++ results, and vectors to columns.
#pragma once
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "penstock/detail/traced_row.hpp"

namespace penstock::traced {

template <class T> struct Element {
  using type = T;
};  // what a value is in typed results
template <> struct Element<str> {
  using type = std::string;
};
template <class T> struct Element<opt<T>> {
  using type = std::optional<typename Element<T>::type>;
};
template <class T> using element_t = typename Element<T>::type;
template <class Types> struct RowElement;
template <class T> struct RowElement<Parts<T>> {
  using type = element_t<T>;
};
template <class... T>
  requires(sizeof...(T) != 1)
struct RowElement<Parts<T...>> {
  using type = std::tuple<element_t<T>...>;
};

template <class T> element_t<T> read(const Column& column, std::uint64_t row) {
  if constexpr (is_opt<T>) {
    if (!column.is_valid(row)) return std::nullopt;
    return read<without_opt<T>>(column, row);
  } else if constexpr (std::same_as<T, bool>)
    return column.boolean(row);
  else if constexpr (std::same_as<T, str>)
    return std::string(column.string(row));
  else if constexpr (std::same_as<T, date>)
    return date(column.values.as<std::int32_t>()[row]);
  else if constexpr (std::same_as<T, timestamp>)
    return timestamp(column.values.as<std::int64_t>()[row]);
  else {
    T value{};
    std::memcpy(&value, column.values.data + row * sizeof(T),
                sizeof(T));  // 16-byte values are not aligned to 16
    return value;
  }
}

template <class... T, std::size_t... i>
auto read_row(const Table& table, std::uint64_t row, Parts<T...>, std::index_sequence<i...>) {
  return typename RowElement<Parts<T...>>::type(read<T>(table.columns[i], row)...);
}

template <class T> Column column_of_vector(std::vector<T> values) {
  using C = canonical_t<T>;
  static_assert(!std::is_void_v<C>, "from: a vector of this type is not supported");
  if constexpr (std::same_as<without_opt<C>, str>)
    return Column::from_strings(values);
  else if constexpr (std::same_as<T, bool>)
    return Column::from_booleans(values);
  else if constexpr (std::is_arithmetic_v<T>)
    return Column::from(std::move(values));
  else if constexpr (is_opt<C> && std::is_arithmetic_v<without_opt<C>>) {
    static_assert(!std::same_as<without_opt<C>, bool>, "from: booleans with NULL come as a Table");
    return Column::from(values);
  } else {
    static_assert(!is_opt<C>, "from: dates, timestamps and decimals with NULL come as a Table");
    std::vector<std::conditional_t<std::same_as<C, date>, std::int32_t, std::int64_t>> counts;
    counts.reserve(values.size());
    for (const T& value : values)
      counts.push_back(
          static_cast<typename decltype(counts)::value_type>(scalar_of(value).integer));
    Column column = Column::from(std::move(counts));
    column.type = type_of_value<C>();
    return column;
  }
}

}  // namespace penstock::traced
