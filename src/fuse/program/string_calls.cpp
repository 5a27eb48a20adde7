#include "fuse/program/string_calls.hpp"

#include "codec/pages/kernels/page_limits.h"

namespace penstock::plan {
namespace {

using fsst::Predicate;

// Returns a LIKE pattern that matches exactly `text`.
std::string as_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Predicate holds(std::string_view before, const std::string& text, std::string_view behind) {
  return Predicate::like(std::string(before) + as_pattern(text) + std::string(behind), "\\");
}

std::optional<Predicate> predicate_of(std::string_view name,
                                      const std::vector<std::string>& constants) {
  if (name == "any_of") return Predicate::any_of(constants);
  if (name == "like" && constants.size() <= 2)
    return Predicate::like(constants[0], constants.size() == 2 ? constants[1] : "");
  if (name == "contains") return holds("%", constants[0], "%");
  if (name == "starts_with" || name == "prefix") return holds("", constants[0], "%");
  if (name == "ends_with" || name == "suffix") return holds("%", constants[0], "");
  return std::nullopt;
}

// Appends bytes as whole words.
void append_bytes(std::vector<std::uint32_t>& words, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); i++) {
    if (i % 4 == 0) words.push_back(0);
    words.back() |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << i % 4 * 8;
  }
}

std::vector<std::uint32_t> like_words(std::string_view pattern, std::string_view escape) {
  std::vector<std::uint32_t> words = {0};
  for (std::size_t i = 0; i < pattern.size(); i++) {
    const bool escaped = !escape.empty() && pattern[i] == escape[0] && i + 1 < pattern.size();
    if (escaped) i++;
    words.push_back(!escaped && pattern[i] == '%'   ? PAGE_LIKE_ANY_NUMBER
                    : !escaped && pattern[i] == '_' ? PAGE_LIKE_ANY_ONE
                                                    : static_cast<unsigned char>(pattern[i]));
  }
  words[0] = static_cast<std::uint32_t>(words.size() - 1);
  return words;
}

std::vector<std::uint32_t> any_of_words(const std::vector<std::string>& constants) {
  std::vector<std::uint32_t> words(1 + 2 * constants.size());
  words[0] = static_cast<std::uint32_t>(constants.size());
  for (std::size_t i = 0; i < constants.size(); i++) {
    words[1 + 2 * i] = static_cast<std::uint32_t>(constants[i].size());
    words[2 + 2 * i] = static_cast<std::uint32_t>(words.size());
    append_bytes(words, constants[i]);
  }
  return words;
}

// "less" and its like; with the constant first, the other way round.
std::optional<TextFunction> comparison(const DerivedColumn& derived) {
  if (derived.inputs.size() != 2) return std::nullopt;
  const Scalar& constant = derived.inputs[1 - derived.column_input];
  if (constant.is_null || constant.type.kind != Kind::string) return std::nullopt;
  const std::string_view name = derived.function->name;
  const bool is_less = name.starts_with("less"), is_swapped = derived.column_input == 1;
  if (!is_less && !name.starts_with("greater")) return std::nullopt;
  TextFunction function;
  function.expression = std::string("string_compare($BYTES, $TEXT, $WORDS) ") +
                        (is_less != is_swapped ? "<" : ">") +
                        (name.ends_with("_equal") ? "=" : "") + " 0";
  function.words.push_back(static_cast<std::uint32_t>(constant.text.size()));
  append_bytes(function.words, constant.text);
  return function;
}

}  // namespace

std::optional<CodeFunction> code_function(const DerivedColumn& derived) {
  if (derived.column_input != 0) return std::nullopt;
  const std::string_view name = derived.function->name;
  if (name == "is_there") return CodeFunction{std::nullopt, {}, true};
  if (name == "length")
    return CodeFunction{std::nullopt, fsst::DeviceLengths::Unit::characters, false};
  if (name == "strlen") return CodeFunction{std::nullopt, fsst::DeviceLengths::Unit::bytes, false};
  std::vector<std::string> constants;
  for (std::size_t i = 1; i < derived.inputs.size(); i++) {
    if (derived.inputs[i].is_null || derived.inputs[i].type.kind != Kind::string)
      return std::nullopt;
    constants.push_back(derived.inputs[i].text);
  }
  if (constants.empty()) return std::nullopt;
  std::optional<Predicate> predicate = predicate_of(name, constants);
  return predicate ? std::optional(CodeFunction{std::move(predicate), {}, false}) : std::nullopt;
}

std::optional<TextFunction> text_function(const DerivedColumn& derived) {
  const std::optional<CodeFunction> function = code_function(derived);
  if (!function) return comparison(derived);
  if (function->is_presence) return TextFunction{"1u", {}};
  if (!function->predicate)
    return TextFunction{function->unit == fsst::DeviceLengths::Unit::bytes
                            ? "string_bytes($TEXT)"
                            : "string_characters($BYTES, $TEXT)",
                        {}};
  const Predicate& predicate = *function->predicate;
  if (predicate.kind == Predicate::Kind::is_like)
    return TextFunction{"string_like($BYTES, $TEXT, $WORDS)",
                        like_words(predicate.constants[0], predicate.escape)};
  return TextFunction{"string_any_of($BYTES, $TEXT, $WORDS)", any_of_words(predicate.constants)};
}

}  // namespace penstock::plan
