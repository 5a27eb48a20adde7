// What a compiled program depends on, as text and as the hash of that text.
#pragma once
#include <span>
#include <string>

#include "base/hash.hpp"
#include "penstock/device.hpp"

namespace penstock::device {

struct CacheKey {
  std::string
      text;  // every field behind its name and length, so that no two lists of fields give one text
  Hash128 digest;
};

// `options` are the compiler's options, GROUP_SIZE and defines among them. The label is left out:
// it changes no code.
CacheKey cache_key(const Traits& traits, std::span<const std::string> options,
                   const ProgramSource& source);

}  // namespace penstock::device
