// Encodes many strings with one symbol table.
//
// Four strings take turns: a match waits for the match before it in its string, but not for matches
// of other strings.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "codec/fsst/host/symbol_matcher.hpp"

namespace penstock::fsst {

// The number of bytes after a string's end that may be read.
constexpr std::uint64_t string_padding_bytes = 7;

// Encodes many strings with one table. Reuses its memory from call to call: fresh pages can cost
// more than the work that fills them.
class BatchEncoder {
 public:
  struct Codes {
    std::shared_ptr<std::uint8_t[]> bytes;
    std::uint64_t size = 0;
  };
  // Returns the codes of the strings, one after another. Each string is followed by its readable
  // padding. `sizes` receives the code bytes of each.
  Codes encode(const Matcher& matcher, std::span<const std::string_view> strings,
               std::span<std::uint32_t> sizes);

 private:
  std::shared_ptr<std::uint8_t[]> scratch_;
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace penstock::fsst
