// Converts Parquet's values of unusual layouts to 64-bit integers.
#pragma once
#include <parquet/types.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace penstock::io {

// Converts two's complement, most significant byte first, to 64 or 128 bits; false when it does not
// fit.
template <class Out>
inline bool from_big_endian(const std::uint8_t* bytes, std::uint32_t count, Out& out) {
  using Word = std::conditional_t<sizeof(Out) == 8, std::uint64_t, unsigned __int128>;
  Word value = count > 0 && (bytes[0] & 0x80) != 0 ? ~Word{0} : 0;
  const Word sign = value;
  for (std::uint32_t i = 0; i < count; i++) {
    if (i + sizeof(Out) < count && bytes[i] != static_cast<std::uint8_t>(sign)) return false;
    value = value << 8 | bytes[i];
  }
  out = static_cast<Out>(value);
  return count <= sizeof(Out) || (value ^ sign) >> (8 * sizeof(Out) - 1) == 0;
}

// Converts a Julian day and nanoseconds to microseconds since 1970; false when that is not a whole
// number or too large.
inline bool from_int96(const parquet::Int96& value, std::int64_t& out) {
  constexpr std::int64_t unix_epoch_julian_day = 2440588, day_microseconds = 86'400'000'000;
  std::uint64_t nanoseconds;
  std::memcpy(&nanoseconds, std::data(value.value), 8);
  const std::int64_t days = static_cast<std::int64_t>(value.value[2]) - unix_epoch_julian_day;
  std::int64_t start;
  return nanoseconds % 1000 == 0 && !__builtin_mul_overflow(days, day_microseconds, &start) &&
         !__builtin_add_overflow(start, static_cast<std::int64_t>(nanoseconds / 1000), &out);
}

}  // namespace penstock::io
