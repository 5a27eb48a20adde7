#include "device/resident_groups.hpp"

namespace penstock::device {

std::uint32_t register_bound(std::string_view text, std::uint32_t group_size) {
  constexpr std::string_view definition = "#define GROUPS_PER_MULTIPROCESSOR ";
  const std::size_t found = text.rfind(definition);
  if (found == text.npos) return 0;
  std::uint32_t groups = 0;
  std::from_chars(text.data() + found + definition.size(), text.data() + text.size(), groups);
  return groups == 0 ? 0 : registers_of_thread(group_size, groups);
}

}  // namespace penstock::device
