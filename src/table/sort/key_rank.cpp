#include "table/sort/key_rank.hpp"

#include <bit>
#include <cmath>

#include "expr/words.hpp"

namespace penstock::plan {

std::uint64_t rank_of_word(Type type, std::uint64_t word) {
  constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;
  if (is_float(type)) {
    const double value = expr::scalar_of_word(type, word).real;
    if (std::isnan(value)) return ~std::uint64_t{0};
    const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
    return (bits & top_bit) != 0 ? ~bits : bits | top_bit;
  }
  const auto unused_bits = static_cast<unsigned>(64 - 8 * width_bytes(type));
  if (!expr::is_sign_extended(type)) return word;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(word << unused_bits) >> unused_bits) ^
         top_bit;
}

}  // namespace penstock::plan
