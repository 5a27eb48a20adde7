#include "device/program_source.hpp"

#include <cctype>

#include "base/hash.hpp"

namespace penstock::device {
namespace {

bool is_identifier(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

}  // namespace

std::string with_head(const ProgramSource& source, std::string_view extra) {
  std::string text = "#define GROUP_SIZE " + std::to_string(source.group_size) + "\n";
  for (const auto& [name, value] : source.defines) text += "#define " + name + " " + value + "\n";
  return text.append(extra).append("#line 1 \"program\"\n").append(source.text);
}

std::vector<std::string> key_options(const std::vector<std::string>& options,
                                     const ProgramSource& source) {
  std::vector<std::string> all = options;
  all.push_back("GROUP_SIZE=" + std::to_string(source.group_size));
  for (const auto& [name, value] : source.defines) all.push_back(name + "=" + value);
  for (const LinkedSource& linked : source.linked)
    all.push_back("linked=" + content_hash(linked.text).hex() + ", " +
                  std::to_string(linked.max_registers));
  return all;
}

Status check_source(const Traits& traits, const ProgramSource& source) {
  if (source.group_size == 0 || source.group_size > traits.max_group_size)
    return Status(Code::invalid, "group size " + std::to_string(source.group_size) + " of '" +
                                     source.label + "': " + traits.id + " runs groups of 1 to " +
                                     std::to_string(traits.max_group_size));
  for (const auto& [name, value] : source.defines)
    if (!is_identifier(name) || value.find('\n') != std::string::npos)
      return Status(Code::invalid, "define '" + name + "' of '" + source.label +
                                       "' is not one name with a value of one line");
  return {};
}

}  // namespace penstock::device
