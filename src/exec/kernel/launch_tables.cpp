#include "exec/kernel/launch_tables.hpp"

#include <algorithm>

namespace penstock::plan {

// In one download where tables are many and small, as each download has its price.
Result<std::vector<std::span<const std::uint64_t>>> entries_by_tables(
    const LaunchTables& from, std::size_t entry_words, std::uint64_t& bytes_downloaded) {
  constexpr std::size_t few_tables = 8;
  const std::uint64_t stride = from.tables.slots_per_table * entry_words,
                      all = stride * from.counts.size();
  std::span<const std::uint64_t> slice = from.words;
  if (slice.empty() && from.counts.size() > few_tables && all * 8 <= one_download_bytes) {
    PENSTOCK_ASSIGN(slice, from.read_back.read<std::uint64_t>(*from.tables.results, all));
  }
  std::vector<std::span<const std::uint64_t>> entries;
  for (std::size_t table = 0; table < from.counts.size(); table++) {
    const std::uint64_t used = from.counts[table] * entry_words;
    entries.push_back(slice.empty() ? slice : slice.subspan(table * stride, used));
    if (!slice.empty() || used == 0) continue;
    PENSTOCK_ASSIGN(entries.back(),
                    from.read_back.read<std::uint64_t>(*from.tables.results, used, table * stride));
    bytes_downloaded += used * 8;
  }
  bytes_downloaded += slice.size_bytes();
  PENSTOCK_TRY(from.read_back.wait());
  return entries;
}

Result<std::vector<std::uint64_t>> entries_by_slots(const LaunchTables& from,
                                                    std::size_t entry_words,
                                                    std::uint64_t& bytes_downloaded) {
  const std::size_t tables = from.counts.size();
  const std::uint32_t max_count = *std::max_element(from.counts.begin(), from.counts.end());
  PENSTOCK_ASSIGN(const auto read, from.read_back.read<std::uint64_t>(
                                       *from.tables.results, max_count * tables * entry_words));
  PENSTOCK_TRY(from.read_back.wait());
  bytes_downloaded += read.size_bytes();
  std::vector<std::uint64_t> entries;
  for (std::size_t table = 0; table < tables; table++)
    for (std::size_t slot = 0; slot < from.counts[table]; slot++) {
      const auto entry = read.subspan((slot * tables + table) * entry_words, entry_words);
      entries.insert(entries.end(), entry.begin(), entry.end());
    }
  return entries;
}

}  // namespace penstock::plan
