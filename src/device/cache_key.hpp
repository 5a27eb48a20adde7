// All that a compiled program depends on, as text and as the hash of that text.
#pragma once
#include <span>
#include <string>

#include "base/hash.hpp"
#include "penstock/device.hpp"

namespace penstock::device {

struct CacheKey {
  // Every field after its name and length, so that no two lists of fields give one text.
  std::string text;
  Hash128 digest;
};

// Returns the key. `options` are the compiler's options, including GROUP_SIZE and defines. The
// label is left out: it changes no code.
CacheKey cache_key(const Traits& traits, std::span<const std::string> options,
                   const ProgramSource& source);

}  // namespace penstock::device
