// Limits the entries of all dictionaries of one batch.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "penstock/status.hpp"

namespace penstock::io {

// A page of a few bytes may claim millions of entries, each of which takes memory. But writers keep
// entries that no row uses, so the limit is a multiple of the rows. Codes are int32.
inline Status check_dictionary_size(std::uint64_t entries, std::uint64_t rows) {
  constexpr std::uint64_t always_allowed = 1 << 26, allowed_per_row = 4;
  if (entries <=
      std::min<std::uint64_t>(INT32_MAX, std::max(always_allowed, allowed_per_row * rows)))
    return {};
  return {Code::capacity, "dictionaries of " + std::to_string(entries) + " strings for " +
                              std::to_string(rows) + " rows"};
}

}  // namespace penstock::io
