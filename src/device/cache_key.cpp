#include "device/cache_key.hpp"

namespace penstock::device {
namespace {

// The version of the entry files and of the key text; raise it when either changes.
constexpr std::string_view format_version = "1";

void add(std::string& text, std::string_view name, std::string_view value) {
  text.append(name)
      .append(" ")
      .append(std::to_string(value.size()))
      .append("\n")
      .append(value)
      .append("\n");
}

}  // namespace

CacheKey cache_key(const Traits& traits, std::span<const std::string> options,
                   const ProgramSource& source) {
  CacheKey key;
  key.text.reserve(source.text.size() + 1024);
  add(key.text, "format", format_version);
  add(key.text, "target", name_of(traits.target));
  add(key.text, "device", traits.name);
  add(key.text, "architecture", traits.architecture);
  add(key.text, "driver", traits.driver);
  add(key.text, "compiler", traits.compiler);
  for (const std::string& option : options) add(key.text, "option", option);
  add(key.text, "source", source.text);
  key.digest = content_hash(key.text);
  return key;
}

}  // namespace penstock::device
