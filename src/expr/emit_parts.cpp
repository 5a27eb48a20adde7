#include "expr/emit_parts.hpp"

#include <algorithm>
#include <vector>

namespace penstock::expr {

std::string call(const std::string& function, std::initializer_list<std::string> arguments) {
  std::string text = function + "(";
  std::size_t i = 0;
  for (const std::string& argument : arguments) text += (i++ == 0 ? "" : ", ") + argument;
  return text + ")";
}

// The smallest i64 has no literal of its own.
std::string constant(Int128 value, const std::string& type) {
  if (value == INT64_MIN) return "((i64)-9223372036854775807 - 1)";
  std::string digits;
  for (Int128 rest = value < 0 ? -value : value; rest != 0 || digits.empty(); rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return "(" + type + ")" + (value < 0 ? "-" : "") + digits + (type[0] == 'u' ? "u" : "");
}

std::string outside(const std::string& value, const std::string& type, Range range, Range allowed) {
  std::string text;
  if (range.minimum < allowed.minimum) text = value + " < " + constant(allowed.minimum, type);
  if (range.maximum > allowed.maximum)
    text += (text.empty() ? "" : " || ") + value + " > " + constant(allowed.maximum, type);
  return text.empty() ? text : "(" + text + ")";
}

std::string choice(Type type, const std::string& condition, const std::string& then,
                   const std::string& otherwise) {
  if (is_wide(type)) return call("select_I128", {"(u32)(" + condition + ")", then, otherwise});
  return condition + " ? " + then + " : " + otherwise;
}

std::string is_infinite(const Operand& a) {
  const bool is_date = a.type.kind == Kind::date32;
  const Int128 infinity = is_date ? infinite_days : infinite_microseconds;
  const std::string word = is_date ? "i32" : "i64";
  return "(" + a.value + " == " + constant(infinity, word) + " || " + a.value +
         " == " + constant(-infinity, word) + ")";
}

std::string all_valid(std::span<const Operand> inputs) {
  std::vector<std::string> names;
  for (const Operand& input : inputs)
    if (input.valid != "1u" && std::find(names.begin(), names.end(), input.valid) == names.end())
      names.push_back(input.valid);
  std::string text = names.empty() ? "1u" : names[0];
  for (std::size_t i = 1; i < names.size(); i++) text += " & " + names[i];
  return text;
}

}  // namespace penstock::expr
