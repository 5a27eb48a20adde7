#include "expr/lanes.hpp"

#include <algorithm>
#include <cstring>

#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

template <class T> void load_integers(const Column& column, std::uint64_t first, Lane& lane) {
  const std::byte* const from = column.values.data + first * sizeof(T);
  for (std::size_t i = 0; i < lane.integers.size(); i++) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    lane.integers[i] = value;
  }
}

template <class T> void load_reals(const Column& column, std::uint64_t first, Lane& lane) {
  const std::byte* const from = column.values.data + first * sizeof(T);
  for (std::size_t i = 0; i < lane.reals.size(); i++) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    lane.reals[i] = double{value};
  }
}

void load_values(const Column& column, std::uint64_t first, Lane& lane) {
  switch (column.type.kind) {
    case Kind::boolean:
      for (std::size_t i = 0; i < lane.integers.size(); i++)
        lane.integers[i] = column.boolean(first + i);
      return;
    case Kind::int8: return load_integers<std::int8_t>(column, first, lane);
    case Kind::int16: return load_integers<std::int16_t>(column, first, lane);
    case Kind::int32:
    case Kind::date32: return load_integers<std::int32_t>(column, first, lane);
    case Kind::int64:
    case Kind::timestamp: return load_integers<std::int64_t>(column, first, lane);
    case Kind::uint8: return load_integers<std::uint8_t>(column, first, lane);
    case Kind::uint16: return load_integers<std::uint16_t>(column, first, lane);
    case Kind::uint32: return load_integers<std::uint32_t>(column, first, lane);
    case Kind::uint64: return load_integers<std::uint64_t>(column, first, lane);
    case Kind::float32: return load_reals<float>(column, first, lane);
    case Kind::float64: return load_reals<double>(column, first, lane);
    case Kind::int128: return load_integers<Int128>(column, first, lane);
    case Kind::decimal:
      return is_wide_decimal(column.type) ? load_integers<Int128>(column, first, lane)
                                          : load_integers<std::int64_t>(column, first, lane);
    case Kind::string:
      for (std::size_t i = 0; i < lane.texts.size(); i++)
        if (lane.states[i] == LaneState::present) lane.texts[i] = column.string(first + i);
  }
}

}  // namespace

void Lane::begin(Type of, std::size_t count) {
  type = of;
  owned.clear();
  const bool is_text = of.kind == Kind::string, is_real = is_float(of);
  integers.resize(is_text || is_real ? 0 : count);
  reals.resize(is_real ? count : 0);
  texts.resize(is_text ? count : 0);
  states.assign(count, LaneState::present);
}

Scalar Lane::scalar(std::size_t row) const {
  if (states[row] == LaneState::null) return Scalar::null_of(type);
  if (!integers.empty()) return Scalar::of(type, integers[row]);
  if (!reals.empty()) return Scalar::of(type, reals[row]);
  return Scalar::of(type, std::string(texts[row]));
}

void Lane::load(std::size_t row, Scalar& into) const {
  if (texts.empty() || states[row] == LaneState::null) {
    into = scalar(row);
    return;
  }
  into.type = type;
  into.is_null = false;
  into.text = texts[row];
}

void Lane::set(std::size_t row, Scalar value) {
  states[row] = value.is_null ? LaneState::null : LaneState::present;
  if (!integers.empty())
    integers[row] = value.integer;
  else if (!reals.empty())
    reals[row] = value.real;
  else
    texts[row] = owned.emplace_back(std::move(value.text));
}

void load_lane(const Column& column, std::uint64_t first, Lane& lane) {
  if (!column.validity.empty())
    for (std::size_t i = 0; i < lane.states.size(); i++)
      if (!column.is_valid(first + i)) lane.states[i] = LaneState::null;
  load_values(column, first, lane);
}

}  // namespace penstock::expr
