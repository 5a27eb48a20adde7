// Many texts' codes by one table.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "codec/fsst/host/symbol_matcher.hpp"

namespace penstock::fsst {

// A text may be read this far behind its end.
constexpr std::uint64_t string_padding_bytes = 7;

// Encodes many texts by one table, again and again in the same memory: fresh pages can cost more
// than the work that fills them.
class BatchEncoder {
 public:
  struct Codes {
    std::shared_ptr<std::uint8_t[]> bytes;
    std::uint64_t size = 0;
  };
  // The codes of texts, each with its padding, one after the other; what each took goes to `sizes`.
  Codes encode(const Matcher& matcher, std::span<const std::string_view> texts,
               std::span<std::uint32_t> sizes);

 private:
  std::shared_ptr<std::uint8_t[]> scratch_;
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace penstock::fsst
