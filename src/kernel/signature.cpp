#include "kernel/signature.hpp"

#include <array>
#include <cctype>
#include <map>

namespace penstock::kernel {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The text with comments, literals and preprocessor lines blanked, so that offsets stay the same;
// #line remains. `directives`: the preprocessor lines, as parts of `text`.
std::string blanked(std::string_view text, std::vector<std::string_view>& directives) {
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
      directives.push_back(text.substr(i, end - i));
    }
    line_start = text[i] == '\n' || (line_start && is_space(text[i]));
    i = end;
  }
  return result;
}

// "kernel/copy.kc:5" of an offset, by the #line before it.
std::string location_of(std::string_view text, std::size_t at) {
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

// "(...)" at `open`: the text inside, split at its commas. Nothing when it does not close.
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

// The macros without arguments that a source defines, without line breaks, by name.
using Macros = std::map<std::string_view, std::string, std::less<>>;

std::string on_one_line(std::string_view text) {
  text = text.substr(0, text.find("//"));
  std::string line;
  for (std::size_t i = 0; i < text.size(); i++)
    if (text[i] != '\n' && text.substr(i, 2) != "\\\n" && (text[i] != ' ' || !line.ends_with(' ')))
      line += text[i];
  return line;
}

// Adds the macro of the preprocessor line [begin, end), if it defines one.
void add_macro(std::string_view line, Macros& macros) {
  line.remove_prefix(1);
  line = trimmed(line);
  constexpr std::string_view define = "define";
  if (!line.starts_with(define)) return;
  line = trimmed(line.substr(define.size()));
  std::size_t end = 0;
  while (end < line.size() && is_word(line[end])) end++;
  if (end < line.size() && line[end] == '(') return;
  macros[line.substr(0, end)] = on_one_line(trimmed(line.substr(end)));
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

Status add_parameters(std::string_view list, Signature& signature) {
  const std::string text = "(" + std::string(list) + ")";
  const auto parts = parts_in_parentheses(text, 0);
  for (const std::string_view part : parts ? *parts : std::vector<std::string_view>{list}) {
    const auto parameter = read_parameter(part);
    if (!parameter)
      return Status(Code::invalid, "kernel '" + signature.name + "': '" + std::string(part) +
                                       "' is no parameter; write IN(type, name), OUT, ATOMIC or "
                                       "VALUE");
    signature.parameters.push_back(*parameter);
  }
  return {};
}

Result<Signature> read_signature(std::string_view text, std::size_t open, const Macros& macros) {
  const auto parts = parts_in_parentheses(text, open);
  if (!parts || parts->size() < 2)
    return Status(Code::invalid, "KERNEL needs a name and the type of its local memory");
  Signature signature;
  signature.name = (*parts)[0], signature.tile = (*parts)[1];
  if (parts->size() == 2)
    return Status(Code::invalid, "kernel '" + signature.name + "' has no parameters");
  for (std::size_t i = 2; i < parts->size(); i++) {
    const std::string_view part = (*parts)[i];
    const auto macro = macros.find(part);
    if (macro != macros.end()) {
      const auto offset = static_cast<std::size_t>(part.data() - text.data());
      signature.macros.push_back({offset, part.size(), macro->second});
    }
    PENSTOCK_TRY(add_parameters(macro != macros.end() ? macro->second : part, signature));
  }
  constexpr std::size_t max_parameters = 64;  // drivers pass at least this many
  if (signature.parameters.size() > max_parameters)
    return Status(Code::capacity, "kernel '" + signature.name + "' has " +
                                      std::to_string(signature.parameters.size()) +
                                      " parameters, at most 64 can be passed");
  return signature;
}

}  // namespace

Result<std::vector<Signature>> read_signatures(std::string_view source) {
  constexpr std::string_view word = "KERNEL";
  std::vector<std::string_view> directives;
  const std::string code = blanked(source, directives);
  std::vector<Signature> signatures;
  Macros macros;  // defined before `at`
  auto directive = directives.begin();
  for (std::size_t at = 0; (at = code.find(word, at)) != std::string::npos; at += word.size()) {
    std::size_t open = at + word.size();
    if (code[open] == '_' && std::isdigit(static_cast<unsigned char>(code[open + 1])) != 0)
      open = std::min(code.find_first_not_of("0123456789", open + 1), code.size());
    while (open < code.size() && is_space(code[open])) open++;
    if ((at > 0 && is_word(code[at - 1])) || open == code.size() || code[open] != '(') continue;
    for (; directive != directives.end() && directive->data() < source.data() + at; ++directive)
      add_macro(*directive, macros);
    auto signature = read_signature(code, open, macros);
    if (!signature.ok()) return signature.with("at " + location_of(source, at));
    signature->offset = at;
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

namespace {

std::string_view use_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::in: return "memory that is read";
    case ParameterKind::out: return "memory that is written, and may be read";
    case ParameterKind::atomic: return "memory that atomics change";
    case ParameterKind::value: return "a value";
  }
  return "";
}

// A comment of one line, whatever names and texts of a file or a statement are in it.
std::string on_a_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text.ends_with('\\') || text.ends_with('/') ? text + "." : text;
}

}  // namespace

std::string parameter_comments(const Signature& kernel, const DescribeParameter& describe) {
  const auto told = [&](std::string_view parameter) {
    return describe ? on_a_line(describe(kernel.name, parameter)) : std::string();
  };
  const std::string groups = told("groups");
  std::string text = groups.empty() ? "" : "//   groups: " + groups + "\n";
  for (const Parameter& parameter : kernel.parameters) {
    const std::string use = told(parameter.name);
    text += "//   " + parameter.name + ": " + std::string(use_of(parameter)) +
            (use.empty() ? "" : "; " + use) + "\n";
  }
  return text;
}

}  // namespace penstock::kernel
