// Regular expressions: RE2's syntax and answers, as DuckDB has them.
//
// A pattern is compiled once for each thread that uses it, and a few patterns are kept.
#pragma once
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::expr {

// `options` are DuckDB's letters: i, c (case), s, m, n, p (. and line ends), l (no syntax), and g,
// which replaces every match.
struct Pattern {
  std::string_view text, options;
};

// Refuses a pattern by RE2's message, and unknown options. The option g is for `replaces` alone.
Status check_pattern(Pattern pattern, bool replaces);
// Refuses what refers to groups that the pattern does not have.
Status check_replacement(Pattern pattern, std::string_view replacement);

// The patterns below have passed their check.
bool matches_part(std::string_view text, Pattern pattern);
bool matches_whole(std::string_view text, Pattern pattern);
// Returns the group of the first match: 0 is the whole match. Empty if there is none.
std::string extracted(std::string_view text, Pattern pattern, int group);
std::string replaced_matches(std::string_view text, Pattern pattern, std::string_view replacement);

}  // namespace penstock::expr
