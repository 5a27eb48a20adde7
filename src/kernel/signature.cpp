#include <array>
#include <cctype>

#include "kernel/kernel_source.hpp"

namespace penstock::kernel {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The text with comments, literals and preprocessor lines blanked, so that places stay the same;
// #line remains.
std::string blanked(std::string_view text) {
  std::string result(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < result.size(); i++)
      if (result[i] != '\n') result[i] = ' ';
  };
  bool line_start = true;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.substr(i, 2) == "//") {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t close = text.find("*/", i + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
      blank(i, end);
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      blank(i, ++end);
    } else if (text[i] == '#' && line_start) {
      while ((end = std::min(text.find('\n', end), text.size())) < text.size() &&
             text[end - 1] == '\\')
        end++;
      if (text.substr(i, 6) != "#line ") blank(i, end);
    }
    line_start = text[i] == '\n' || (line_start && is_space(text[i]));
    i = end;
  }
  return result;
}

// "kernel/copy.kc:5" of a place, by the #line before it.
std::string place_of(std::string_view text, std::size_t at) {
  std::string file = "kernel text";
  std::size_t line = 1;
  for (std::size_t i = 0; i < at;) {
    const std::size_t end = std::min(text.find('\n', i), text.size());
    if (text.substr(i, 6) == "#line ") {
      const std::string_view rest = text.substr(i + 6, end - i - 6);
      line = 0;
      for (const char c : rest) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) break;
        line = line * 10 + static_cast<std::size_t>(c - '0');
      }
      if (const std::size_t quote = rest.find('"'); quote != std::string_view::npos)
        file = rest.substr(quote + 1, rest.find('"', quote + 1) - quote - 1);
    } else if (end < at) {
      line++;
    }
    i = end + 1;
  }
  return file + ":" + std::to_string(line);
}

// "(...)" at `open`: what is between, split at its commas. Nothing when it does not close.
std::optional<std::vector<std::string_view>> parts_in_parentheses(std::string_view text,
                                                                  std::size_t open) {
  std::vector<std::string_view> parts;
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t i = open; i < text.size(); i++) {
    if (text[i] == '(') depth++;
    const bool closes = text[i] == ')' && --depth == 0;
    if (closes || (text[i] == ',' && depth == 1)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    if (closes) return parts;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, ParameterKind>, 4> kinds = {
    {{"IN", ParameterKind::in},
     {"OUT", ParameterKind::out},
     {"ATOMIC", ParameterKind::atomic},
     {"VALUE", ParameterKind::value}}};

std::string_view name_of(ParameterKind kind) { return kinds[static_cast<std::size_t>(kind)].first; }

std::optional<Parameter> read_parameter(std::string_view part) {
  const std::size_t open = part.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const auto inner = parts_in_parentheses(part, open);
  if (!inner || inner->size() != 2) return std::nullopt;
  for (const auto& [name, kind] : kinds)
    if (trimmed(part.substr(0, open)) == name)
      return Parameter{kind, std::string((*inner)[0]), std::string((*inner)[1])};
  return std::nullopt;
}

Result<Signature> read_signature(std::string_view text, std::size_t open) {
  const auto parts = parts_in_parentheses(text, open);
  if (!parts || parts->size() < 2)
    return Status(Code::invalid, "KERNEL needs a name and the type of its local memory");
  if (parts->size() == 2)
    return Status(Code::invalid, "kernel '" + std::string((*parts)[0]) + "' has no parameters");
  constexpr std::size_t max_parameters = 64;  // KC_MAP of parameters.prelude
  if (parts->size() > max_parameters + 2)
    return Status(Code::capacity, "kernel '" + std::string((*parts)[0]) + "' has " +
                                      std::to_string(parts->size() - 2) +
                                      " parameters, at most 64 can be passed");
  Signature signature{std::string((*parts)[0]), std::string((*parts)[1]), {}, 0};
  for (std::size_t i = 2; i < parts->size(); i++) {
    const auto parameter = read_parameter((*parts)[i]);
    if (!parameter)
      return Status(Code::invalid,
                    "kernel '" + signature.name + "': '" + std::string((*parts)[i]) +
                        "' is no parameter; write IN(type, name), OUT, ATOMIC or VALUE");
    signature.parameters.push_back(*parameter);
  }
  return signature;
}

}  // namespace

Result<std::vector<Signature>> read_signatures(std::string_view text) {
  constexpr std::string_view word = "KERNEL";
  const std::string code = blanked(text);
  std::vector<Signature> signatures;
  for (std::size_t at = 0; (at = code.find(word, at)) != std::string::npos; at += word.size()) {
    std::size_t open = at + word.size();
    while (open < code.size() && is_space(code[open])) open++;
    if ((at > 0 && is_word(code[at - 1])) || open == code.size() || code[open] != '(') continue;
    auto signature = read_signature(code, open);
    if (!signature.ok()) return signature.with("at " + place_of(text, at));
    signature->place = at;
    signatures.push_back(std::move(signature).value());
  }
  return signatures;
}

std::optional<std::uint32_t> bytes_of_type(std::string_view type) {
  if (type == "u32x4") return 16;
  if (type.size() < 2 || type.size() > 3 ||
      std::string_view("uif").find(type[0]) == std::string_view::npos)
    return std::nullopt;
  const std::string_view bits = type.substr(1);
  if (bits == "32") return 4;
  if (bits == "64") return 8;
  if (type[0] == 'f') return std::nullopt;
  if (bits == "8") return 1;
  if (bits == "16") return 2;
  return std::nullopt;
}

namespace {

Status check_buffer(const Parameter& parameter, const Argument& argument) {
  if (argument.buffer == nullptr)
    return Status(Code::invalid,
                  std::string(name_of(parameter.kind)) + " takes a buffer, not a value");
  const std::string_view type = parameter.type;
  const auto bytes = bytes_of_type(type == "U32" ? "u32" : type == "U64" ? "u64" : type);
  if (!bytes) return {};
  if (argument.offset_bytes % *bytes != 0)
    return Status(Code::invalid, "offset " + std::to_string(argument.offset_bytes) +
                                     " is no multiple of " + std::to_string(*bytes) + " bytes");
  if (argument.offset_bytes > argument.buffer->bytes() ||
      argument.buffer->bytes() - argument.offset_bytes < *bytes)
    return Status(Code::invalid, "a buffer of " + std::to_string(argument.buffer->bytes()) +
                                     " bytes holds no " + parameter.type + " at offset " +
                                     std::to_string(argument.offset_bytes));
  return {};
}

Status check_value(const Parameter& parameter, const Argument& argument) {
  if (argument.buffer != nullptr) return Status(Code::invalid, "VALUE takes a value, not a buffer");
  const auto bytes = bytes_of_type(parameter.type);
  if (!bytes || *bytes == argument.byte_count) return {};
  return Status(Code::invalid, "a value of " + std::to_string(argument.byte_count) +
                                   " bytes was given for " + parameter.type + ", " +
                                   std::to_string(*bytes) + " bytes");
}

}  // namespace

Status check_arguments(const Signature& signature, std::span<const Argument> arguments) {
  if (arguments.size() != signature.parameters.size())
    return Status(Code::invalid, "kernel '" + signature.name + "' takes " +
                                     std::to_string(signature.parameters.size()) + " arguments, " +
                                     std::to_string(arguments.size()) + " were given");
  for (std::size_t i = 0; i < arguments.size(); i++) {
    const Parameter& parameter = signature.parameters[i];
    const Status status = parameter.kind == ParameterKind::value
                              ? check_value(parameter, arguments[i])
                              : check_buffer(parameter, arguments[i]);
    if (!status.ok())
      return status.with("parameter '" + parameter.name + "' of kernel '" + signature.name + "'");
  }
  return {};
}

}  // namespace penstock::kernel
