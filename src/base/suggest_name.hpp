// What a mistyped name was meant to be.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

// The fewest edits of one character between two names (Levenshtein's distance), ASCII letters of
// either case being equal.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name that `word` begins, continues or misses by a character in three; "" where none is
// so near.
std::string nearest_name(std::string_view word, std::span<const std::string> known);

// All of these, the nearest first, three at most.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known);

}  // namespace penstock
