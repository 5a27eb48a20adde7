// The order of strings, by their bytes.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace penstock::plan {

struct StringOrder {
  // A string that came after the order was made has this rank.
  static constexpr std::uint32_t no_rank = ~std::uint32_t{0};

  std::vector<std::uint32_t> ranks;    // by number
  std::vector<std::uint32_t> numbers;  // by rank
};

// Returns the first eight bytes of a string, the first one highest: a number that does not descend
// in the order.
std::uint64_t first_bytes_of(std::string_view text);

// Returns the numbers below `count` in the order of their strings. Threads call `text_of`.
std::vector<std::uint64_t> sorted_by_text(
    std::uint64_t count, const std::function<std::string_view(std::uint64_t)>& text_of);

// Orders the strings of the numbers below `count`, which differ from one another.
StringOrder order_of_strings(std::uint32_t count,
                             const std::function<std::string_view(std::uint32_t)>& text_of);

}  // namespace penstock::plan
