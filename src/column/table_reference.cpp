#include "penstock/table_reference.hpp"

namespace penstock {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + quoted(text);
  return out + "]";
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return std::to_string(value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const OptionList& value) const { return list_of(value); }
  std::string operator()(const OptionMap& value) const {
    std::string out = "{";
    for (const auto& [name, text] : value)
      out += (out.size() > 1 ? ", " : "") + quoted(name) + ": " + quoted(text);
    return out + "}";
  }
};

}  // namespace

std::string TableReference::text() const {
  if (paths.size() == 1 && format.empty() && options.empty()) return paths[0];
  std::string out = (format.empty() ? "read_file" : "read_" + format) + "(";
  out += paths.size() == 1 ? quoted(paths[0]) : list_of(paths);
  for (const TableOption& option : options)
    out += ", " + option.name + " = " + std::visit(ValueText(), option.value);
  return out + ")";
}

}  // namespace penstock
