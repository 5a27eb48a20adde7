// A vector's values in each kind of light encoding, to choose the smallest from.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "codec/light/format/light_words.hpp"

namespace penstock::light {

struct EncodedVector {
  Vector vector;
  std::vector<std::uint32_t> data;
};

// Values of a type as 64 bits: sign-extended where the type has a sign, floats as their bits.
struct ValueBits {
  std::uint32_t bits = 64;  // of a stored value, 32 or 64
  bool is_signed = false;
};

// The place of each distinct value of a column, in the order in which they occur.
using Places = std::unordered_map<std::uint64_t, std::uint32_t>;

EncodedVector as_packed(std::span<const std::uint64_t> values, ValueBits of, bool has_base);
EncodedVector as_differences(std::span<const std::uint64_t> values, ValueBits of);
EncodedVector as_runs(std::span<const std::uint64_t> values, ValueBits of);
EncodedVector as_entries(std::span<const std::uint64_t> values, const Places& places);

// The exponents of ALP: a value is an integer times 10^factor times 10^-fraction.
struct Exponents {
  std::uint32_t fraction = 0, factor = 0;
};
// Encodes floats of 32 or 64 bits. `near` are the exponents of the previous vector, which are tried
// first; they become the exponents of this one. Returns nothing if few values are decimals.
std::optional<EncodedVector> as_alp(std::span<const std::uint64_t> values, ValueBits of,
                                    std::optional<Exponents>& near);

}  // namespace penstock::light
