#include "io/files/hive_paths.hpp"

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "expr/constant.hpp"

namespace penstock::io {
namespace {

constexpr std::string_view null_partition = "__HIVE_DEFAULT_PARTITION__";

bool is_null(std::string_view value) { return value == null_partition || lower(value) == "null"; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Digits that begin with a zero are a name, as of a postal code or a month's folder.
bool is_integer_text(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '0') return false;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Kind kind_of(std::string_view value) {
  if (expr::parse_date(value)) return Kind::date32;
  const bool has_seconds = std::ranges::count(value, ':') == 2;
  if (has_seconds && expr::parse_timestamp(value)) return Kind::timestamp;
  return is_integer_text(value) ? Kind::int64 : Kind::string;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); at++) {
    unsigned code = 0;
    const bool is_escape =
        text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(&text[at + 1], &text[at + 1] + 2, code, 16).ptr == &text[at + 1] + 2;
    plain += is_escape ? static_cast<char>(code) : text[at];
    at += is_escape ? 2 : 0;
  }
  return plain;
}

}  // namespace

std::vector<HiveKey> hive_keys_of(std::string_view path) {
  std::vector<HiveKey> keys;
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/')) {
    const std::string_view folder = path.substr(0, end);
    path.remove_prefix(end + 1);
    const std::size_t equals = folder.find('=');
    if (equals == folder.npos || equals == 0 || folder.find('=', equals + 1) != folder.npos)
      continue;
    const std::string name(folder.substr(0, equals));
    if (std::ranges::find(keys, name, &HiveKey::first) == keys.end())
      keys.emplace_back(name, std::string(folder.substr(equals + 1)));
  }
  std::ranges::sort(keys);
  return keys;
}

Type hive_type_of(std::span<const std::string_view> values) {
  std::optional<Kind> common;
  for (const std::string_view value : values) {
    if (is_null(value)) continue;
    const Kind kind = kind_of(value);
    if (common && *common != kind) return {Kind::string};
    common = kind;
  }
  return {common.value_or(Kind::string)};
}

Result<Scalar> hive_value_of(const HiveKey& key, Type type) {
  const bool is_string = type.kind == Kind::string;
  if (key.second == null_partition || (!is_string && (key.second.empty() || is_null(key.second))))
    return Scalar::null_of(type);
  const std::string text = unescaped(key.second);
  if (is_string) return Scalar::of(text);
  const std::optional<Scalar> value = expr::parse_as(type, text);
  if (value) return *value;
  return Status(Code::invalid, "'" + key.first + "=" + key.second + "' of a path is no " +
                                   name_of(type) + "; write hive_types = {'" + key.first +
                                   "': 'VARCHAR'}");
}

}  // namespace penstock::io
