#include "expr/regular_expressions.hpp"

#include <array>
#include <memory>

#include <re2/re2.h>

namespace penstock::expr {
namespace {

using re2::RE2;
using re2::StringPiece;

constexpr std::size_t kept_patterns = 8;  // in each thread
constexpr int max_groups = 10;

StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

bool replaces_all(Pattern pattern) { return pattern.options.find('g') != std::string_view::npos; }

RE2::Options options_of(std::string_view letters) {
  RE2::Options options;
  options.set_log_errors(false);
  for (const char letter : letters) {
    if (letter == 'c' || letter == 'i') options.set_case_sensitive(letter == 'c');
    if (letter == 's') options.set_dot_nl(true);
    if (letter == 'm' || letter == 'n' || letter == 'p') options.set_dot_nl(false);
    if (letter == 'l') options.set_literal(true);
  }
  return options;
}

struct Compiled {
  std::string text, options;
  std::unique_ptr<const RE2> expression;
};

// Threads do not share an expression: its automaton has a lock. A new one replaces the oldest.
const RE2& compiled(Pattern pattern) {
  thread_local std::array<Compiled, kept_patterns> kept;
  thread_local std::size_t oldest = 0;
  for (const Compiled& each : kept)
    if (each.expression && each.text == pattern.text && each.options == pattern.options)
      return *each.expression;
  Compiled& place = kept[oldest++ % kept_patterns];
  place = {std::string(pattern.text), std::string(pattern.options),
           std::make_unique<const RE2>(piece(pattern.text), options_of(pattern.options))};
  return *place.expression;
}

Status check_options(std::string_view letters, bool replaces) {
  for (const char letter : letters) {
    if (letter == 'g' && !replaces)
      return {Code::invalid, "the option 'g' (every match) is for regexp_replace alone"};
    if (std::string_view("cilmnpsg \t\n").find(letter) == std::string_view::npos)
      return {Code::invalid,
              std::string("unknown option '") + letter + "' of a regular expression"};
  }
  return {};
}

}  // namespace

Status check_pattern(Pattern pattern, bool replaces) {
  PENSTOCK_TRY(check_options(pattern.options, replaces));
  const RE2& expression = compiled(pattern);
  if (expression.ok()) return {};
  return {Code::invalid, "invalid regular expression: " + expression.error()};
}

Status check_replacement(Pattern pattern, std::string_view replacement) {
  std::string error;
  if (compiled(pattern).CheckRewriteString(piece(replacement), &error)) return {};
  return {Code::invalid, "invalid replacement: " + error};
}

bool matches_part(std::string_view text, Pattern pattern) {
  return RE2::PartialMatch(piece(text), compiled(pattern));
}

bool matches_whole(std::string_view text, Pattern pattern) {
  return RE2::FullMatch(piece(text), compiled(pattern));
}

std::string extracted(std::string_view text, Pattern pattern, int group) {
  const RE2& expression = compiled(pattern);
  if (group < 0 || group >= max_groups || group > expression.NumberOfCapturingGroups()) return {};
  std::array<StringPiece, max_groups> found;
  if (!expression.Match(piece(text), 0, text.size(), RE2::UNANCHORED, found.data(), group + 1))
    return {};
  const StringPiece& result = found[static_cast<std::size_t>(group)];
  return {result.data(), result.size()};
}

std::string replaced_matches(std::string_view text, Pattern pattern, std::string_view replacement) {
  std::string result(text);
  if (replaces_all(pattern))
    RE2::GlobalReplace(&result, compiled(pattern), piece(replacement));
  else
    RE2::Replace(&result, compiled(pattern), piece(replacement));
  return result;
}

}  // namespace penstock::expr
