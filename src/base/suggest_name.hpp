// Suggestions for mistyped names.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

// Returns the Levenshtein distance of two names; ASCII letters of either case are equal.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the known name that `word` begins or continues, or that differs from it by at most a
// character in three; "" if there is none.
std::string nearest_name(std::string_view word, std::span<const std::string> known);

// Returns up to three such names, the nearest first.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known);

}  // namespace penstock
