// Many texts' codes by one table.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/large_memory.hpp"
#include "codec/fsst/matcher.hpp"

namespace penstock::fsst {

// Appends the codes of texts to `codes`, one after the other, and what each took to `sizes`.
void encode_texts(const Matcher& matcher, std::span<const std::string_view> texts, LargeVector<std::uint8_t>& codes,
                  std::span<std::uint32_t> sizes);

}  // namespace penstock::fsst
