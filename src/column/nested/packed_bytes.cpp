#include "column/nested/packed_bytes.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace penstock::column {
namespace {

constexpr std::uint64_t top_bit(unsigned bytes) { return std::uint64_t{1} << (8 * bytes - 1); }

void put(std::string& to, std::uint64_t bits, unsigned count) {
  for (unsigned i = count; i-- > 0;) to += static_cast<char>(bits >> (8 * i));
}

// A boolean is 0 or 1 in one byte.
bool has_sign(Type type) {
  return type.kind != Kind::boolean && !(type.kind >= Kind::uint8 && type.kind <= Kind::uint64);
}

__int128 total_of(std::int64_t months, std::int64_t days, std::int64_t microseconds) {
  constexpr __int128 day = 86'400'000'000;
  return (static_cast<__int128>(months) * 30 + days) * day + microseconds;
}

constexpr Type int32_type{Kind::int32}, int64_type{Kind::int64}, int128_type{Kind::int128};

}  // namespace

void put_integer(std::string& to, Type type, __int128 value) {
  const unsigned width = width_bytes(type);
  const unsigned first = width > 8 ? 8 : width;
  const auto high = static_cast<std::uint64_t>(width > 8 ? value >> 64 : value);
  put(to, has_sign(type) ? high ^ top_bit(first) : high, first);
  if (width > 8) put(to, static_cast<std::uint64_t>(value), 8);
}

// Zeros are equal, and so are values that are no number.
void put_real(std::string& to, Type type, double value) {
  if (value == 0) value = 0;
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  const bool is_single = type.kind == Kind::float32;
  const unsigned width = is_single ? 4 : 8;
  const std::uint64_t bits = is_single ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                       : std::bit_cast<std::uint64_t>(value);
  put(to, (bits & top_bit(width)) != 0 ? ~bits : bits ^ top_bit(width), width);
}

void put_text(std::string& to, std::string_view text) {
  for (const char c : text) {
    to += c;
    if (c == '\0') to += '\xff';
  }
  to.append(2, '\0');
}

void put_interval(std::string& to, std::int32_t months, std::int32_t days,
                  std::int64_t microseconds) {
  put_integer(to, int128_type, total_of(months, days, microseconds));
  put_integer(to, int32_type, months);
  put_integer(to, int32_type, days);
  put_integer(to, int64_type, microseconds);
}

std::uint64_t PackedReader::take(unsigned count) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < count; i++) {
    const bool is_there = !bytes_.empty();
    bits = bits << 8 | (is_there ? static_cast<unsigned char>(bytes_.front()) : 0u);
    if (is_there) bytes_.remove_prefix(1);
  }
  return bits;
}

PackedMark PackedReader::mark() { return static_cast<PackedMark>(take(1)); }

__int128 PackedReader::integer(Type type) {
  const unsigned width = width_bytes(type);
  const unsigned first = width > 8 ? 8 : width;
  std::uint64_t bits = take(first);
  if (!has_sign(type)) return bits;
  bits ^= top_bit(first);
  const unsigned unused = 64 - 8 * first;
  const auto high = static_cast<std::int64_t>(bits << unused) >> unused;
  if (width <= 8) return high;
  return static_cast<__int128>(static_cast<unsigned __int128>(high) << 64 | take(8));
}

double PackedReader::real(Type type) {
  const bool is_single = type.kind == Kind::float32;
  const unsigned width = is_single ? 4 : 8;
  std::uint64_t bits = take(width);
  bits = (bits & top_bit(width)) != 0 ? bits ^ top_bit(width) : ~bits;
  return is_single ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                   : std::bit_cast<double>(bits);
}

std::string PackedReader::text() {
  std::string text;
  while (!bytes_.empty()) {
    const std::size_t end = bytes_.find('\0');
    text += bytes_.substr(0, end);
    if (end == bytes_.npos || end + 1 >= bytes_.size()) {
      bytes_ = {};
      break;
    }
    const bool is_end = bytes_[end + 1] == '\0';
    bytes_.remove_prefix(end + 2);
    if (is_end) break;
    text += '\0';
  }
  return text;
}

PackedInterval PackedReader::interval() {
  integer(int128_type);
  PackedInterval interval;
  interval.months = static_cast<std::int32_t>(integer(int32_type));
  interval.days = static_cast<std::int32_t>(integer(int32_type));
  interval.microseconds = static_cast<std::int64_t>(integer(int64_type));
  return interval;
}

std::string_view PackedReader::pass(Type type) {
  const std::string_view before = bytes_;
  if (type.logical == LogicalType::list || type.logical == LogicalType::map) {
    const Type element = element_of(type);
    for (PackedMark next = mark(); next != PackedMark::end; next = mark())
      if (next == PackedMark::value) pass(element);
  } else if (type.logical == LogicalType::structure) {
    for (const Type field : type.nested->types)
      if (mark() == PackedMark::value) pass(field);
  } else if (type.logical == LogicalType::interval) {
    interval();
  } else if (type.kind == Kind::string) {
    text();
  } else {
    take(width_bytes(type) > 8 ? 8 : width_bytes(type));
    if (width_bytes(type) > 8) take(8);
  }
  return before.substr(0, before.size() - bytes_.size());
}

// A thread reads many values of one type, and finding a type takes a lock.
Type entry_of(Type map) {
  thread_local const NestedType* known = nullptr;
  thread_local Type entry;
  if (known != map.nested) entry = struct_of({"key", "value"}, map.nested->types);
  known = map.nested;
  return entry;
}

}  // namespace penstock::column
