#include "exec/devices/merge_groups.hpp"

#include <memory>
#include <vector>

#include "exec/aggregate/group_table.hpp"

namespace penstock::plan {

Result<Table> merge_groups(const TileProgram& program, std::span<const Table> shares,
                           const TopK* first) {
  StringPool strings;
  TileProgram merged = program;
  use_codes_of_run(merged);  // shares have no numbers in common
  GroupTable groups(merged, ProgramStrings(strings));
  for (const Table& share : shares) {
    PENSTOCK_ASSIGN(std::vector<std::uint64_t> words, words_of_partials(merged, share, strings));
    const auto kept = std::make_shared<const std::vector<std::uint64_t>>(std::move(words));
    if (!groups.merge_groups(*kept, kept)) return sum_too_large();
  }
  return groups.results(first);
}

}  // namespace penstock::plan
