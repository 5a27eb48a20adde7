// How many entries the dictionaries of one batch may have together.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "penstock/status.hpp"

namespace penstock::io {

// Codes are int32. A page of a few bytes may claim millions of entries, each of which takes memory
// here; on the other hand writers keep entries that no row uses.
inline Status check_dictionary_size(std::uint64_t entries, std::uint64_t rows) {
  constexpr std::uint64_t always_allowed = 1 << 26, allowed_per_row = 4;
  if (entries <=
      std::min<std::uint64_t>(INT32_MAX, std::max(always_allowed, allowed_per_row * rows)))
    return {};
  return {Code::capacity, "dictionaries of " + std::to_string(entries) + " strings for " +
                              std::to_string(rows) + " rows"};
}

}  // namespace penstock::io
