#include "expr/words.hpp"

#include <bit>

namespace penstock::expr {

bool is_sign_extended(Type type) {
  return is_signed(type) || type.kind == Kind::date32 || type.kind == Kind::timestamp ||
         type.kind == Kind::decimal;
}

Scalar scalar_of_word(Type type, std::uint64_t word) {
  if (type.kind == Kind::float32)
    return Scalar::of(type,
                      static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(word))));
  if (type.kind == Kind::float64) return Scalar::of(type, std::bit_cast<double>(word));
  if (type.kind == Kind::uint64) return Scalar::of(type, static_cast<Int128>(word));
  return Scalar::of(type, static_cast<Int128>(static_cast<std::int64_t>(word)));
}

std::uint64_t word_of_scalar(const Scalar& value) {
  if (value.type.kind == Kind::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
  if (value.type.kind == Kind::float64) return std::bit_cast<std::uint64_t>(value.real);
  return static_cast<std::uint64_t>(value.integer);
}

}  // namespace penstock::expr
