// ALP (A. Afroozeh, L. Kuffo, P. Boncz: ALP: Adaptive Lossless floating-Point Compression, SIGMOD
// 2023): floats that were decimals become integers, and all other floats become exceptions.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "codec/light/host/vector_kinds.hpp"

namespace penstock::light {
namespace {

template <class Float> struct Powers;
template <> struct Powers<double> {
  using Bits = std::uint64_t;
  using Integer = std::int64_t;
  static constexpr std::uint32_t count = 19;
  static constexpr double limit = 4.6e18;
  static constexpr double up[count] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                       1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  static constexpr double down[count] = {1e0,   1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,
                                         1e-7,  1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13,
                                         1e-14, 1e-15, 1e-16, 1e-17, 1e-18};
};
template <> struct Powers<float> {
  using Bits = std::uint32_t;
  using Integer = std::int32_t;
  static constexpr std::uint32_t count = 11;
  static constexpr float limit = 1.0e9f;
  static constexpr float up[count] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                      1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
  static constexpr float down[count] = {1e0f,  1e-1f, 1e-2f, 1e-3f, 1e-4f, 1e-5f,
                                        1e-6f, 1e-7f, 1e-8f, 1e-9f, 1e-10f};
};

template <class Float> Float float_of(std::uint64_t bits) {
  return std::bit_cast<Float>(static_cast<typename Powers<Float>::Bits>(bits));
}

// Returns the integer that decodes to exactly these bits. Subnormal results are left out, since
// some devices make zeros of them.
template <class Float>
std::optional<std::int64_t> integer_of(std::uint64_t bits, Exponents exponents) {
  using P = Powers<Float>;
  const Float value = float_of<Float>(bits);
  const Float scaled = value * P::up[exponents.fraction] * P::down[exponents.factor];
  if (!(std::abs(scaled) < P::limit)) return std::nullopt;
  const auto integer = static_cast<typename P::Integer>(std::llrint(scaled));
  const Float decoded =
      static_cast<Float>(integer) * P::up[exponents.factor] * P::down[exponents.fraction];
  if (std::bit_cast<typename P::Bits>(decoded) != static_cast<typename P::Bits>(bits) ||
      (decoded != 0 && std::abs(decoded) < std::numeric_limits<Float>::min()))
    return std::nullopt;
  return integer;
}

// The bits that a sample of a vector takes.
template <class Float>
std::uint64_t sample_bits(std::span<const std::uint64_t> values, Exponents exponents) {
  constexpr std::size_t samples = 32;
  const std::size_t step = std::max<std::size_t>(values.size() / samples, 1);
  std::int64_t least = INT64_MAX, most = INT64_MIN;
  std::uint64_t exceptions = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); i += step, count++) {
    const auto integer = integer_of<Float>(values[i], exponents);
    exceptions += !integer;
    least = std::min(least, integer.value_or(least));
    most = std::max(most, integer.value_or(most));
  }
  const std::uint64_t range =
      least > most ? 0 : static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  return exceptions * (sizeof(Float) * 8 + 16) +
         count * static_cast<std::uint64_t>(std::bit_width(range));
}

template <class Float> Exponents best_exponents(std::span<const std::uint64_t> values) {
  Exponents best;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t fraction = 0; fraction < Powers<Float>::count; fraction++)
    for (std::uint32_t factor = 0; factor <= fraction; factor++)
      if (const std::uint64_t bits = sample_bits<Float>(values, {fraction, factor}); bits < least) {
        least = bits;
        best = {fraction, factor};
      }
  return best;
}

void put_position(std::uint32_t position, std::uint32_t number, std::vector<std::uint32_t>& to) {
  if (number % 2 == 0)
    to.push_back(position);
  else
    to.back() |= position << 16;
}

template <class Float>
EncodedVector with_exponents(std::span<const std::uint64_t> values, Exponents exponents) {
  using Bits = typename Powers<Float>::Bits;
  EncodedVector to;
  std::vector<std::uint64_t> integers;
  std::vector<std::uint32_t> exceptions;  // their positions
  std::optional<std::uint64_t> any;       // stands where an exception is
  for (std::size_t i = 0; i < values.size(); i++) {
    const auto integer = integer_of<Float>(values[i], exponents);
    if (!integer) exceptions.push_back(static_cast<std::uint32_t>(i));
    integers.push_back(static_cast<std::uint64_t>(integer.value_or(0)));
    if (integer && !any) any = integers.back();
  }
  for (const std::uint32_t at : exceptions) integers[at] = any.value_or(0);
  for (std::uint32_t i = 0; i < exceptions.size(); i++) put_position(exceptions[i], i, to.data);
  for (const std::uint32_t at : exceptions) {
    to.data.push_back(static_cast<std::uint32_t>(values[at]));
    if (sizeof(Bits) == 8) to.data.push_back(static_cast<std::uint32_t>(values[at] >> 32));
  }
  const EncodedVector packed = as_packed(integers, {sizeof(Bits) * 8, true}, true);
  to.data.insert(to.data.end(), packed.data.begin(), packed.data.end());
  to.vector = packed.vector;
  to.vector.kind = LIGHT_ALP;
  to.vector.count = static_cast<std::uint32_t>(exceptions.size());
  const std::uint64_t factor = std::bit_cast<Bits>(Powers<Float>::up[exponents.factor]);
  const std::uint64_t fraction = std::bit_cast<Bits>(Powers<Float>::down[exponents.fraction]);
  to.vector.traits[0] = static_cast<std::uint32_t>(factor);
  to.vector.traits[1] = static_cast<std::uint32_t>(factor >> 32);
  to.vector.traits[2] = static_cast<std::uint32_t>(fraction);
  to.vector.traits[3] = static_cast<std::uint32_t>(fraction >> 32);
  return to;
}

// The vectors of a column mostly have the same exponents: others are looked for where these leave
// many exceptions.
template <class Float>
std::optional<EncodedVector> encoded_alp(std::span<const std::uint64_t> values,
                                         std::optional<Exponents>& near) {
  const std::size_t many = values.size() / 32;
  if (near) {
    EncodedVector to = with_exponents<Float>(values, *near);
    if (to.vector.count <= many) return to;
  }
  near = best_exponents<Float>(values);
  EncodedVector to = with_exponents<Float>(values, *near);
  if (to.vector.count > values.size() / 2) {
    near.reset();
    return std::nullopt;
  }
  return to;
}

}  // namespace

std::optional<EncodedVector> as_alp(std::span<const std::uint64_t> values, ValueBits of,
                                    std::optional<Exponents>& near) {
  return of.bits == 32 ? encoded_alp<float>(values, near) : encoded_alp<double>(values, near);
}

}  // namespace penstock::light
