#include "exec/devices/merge_groups.hpp"

#include <vector>

#include "base/parallel.hpp"
#include "base/thread_pool.hpp"
#include "column/concatenate.hpp"
#include "exec/aggregate/group_table.hpp"
#include "exec/devices/merge_sorted.hpp"

namespace penstock::plan {
namespace {

// From so many groups on, each thread adds up the groups of a part of the keys.
constexpr std::uint64_t min_groups_in_parts = 1 << 16;

using GroupWords = std::vector<std::uint64_t>;  // of a share; see GroupTable::merge_groups()

class GroupsOfShares {
 public:
  GroupsOfShares(const TileProgram& program, std::span<const Table> shares)
      : program_(program), width_(program.key_words() + 2 * program.accumulators.size()) {
    for (const Table& share : shares) group_count_ += share.row_count;
  }

  // Values of DISTINCT are added up by other keys than the parts have.
  Result<Table> merge(std::span<const Table> shares) {
    if (program_.of_distinct || group_count_ < min_groups_in_parts) return merge_few(shares);
    for (const Table& share : shares) {
      PENSTOCK_ASSIGN(words_.emplace_back(), words_of_partials(program_, share, pool_));
    }
    return merge_in_parts(host_core_count());
  }

 private:
  Result<Table> merge_few(std::span<const Table> shares) {
    GroupTable groups(program_, strings_);
    for (const Table& share : shares) {
      PENSTOCK_ASSIGN(const GroupWords words, words_of_partials(program_, share, pool_));
      if (!groups.merge_groups(words)) return sum_too_large();
    }
    return groups.results();
  }

  Result<Table> merge_in_parts(std::uint64_t parts) const {
    std::vector<Table> tables(parts);
    std::vector<Status> statuses(parts);
    in_parallel(parts, 1, [&](std::uint64_t part, std::uint64_t last) {
      for (; part < last; part++) statuses[part] = merge_part(part, parts, tables[part]);
    });
    for (const Status& status : statuses) PENSTOCK_TRY(status);
    return joined(tables);
  }

  std::uint64_t part_of(const std::uint64_t* key, std::uint64_t parts) const {
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < program_.key_words(); i++) {
      hash = (hash ^ key[i]) * 0xD6E8FEB86659FD93u;
      hash ^= hash >> 32;
    }
    return (hash & 0xFFFFFFFFu) * parts >> 32;
  }

  Status merge_part(std::uint64_t part, std::uint64_t parts, Table& result) const {
    constexpr std::size_t words_at_once = 1 << 14;
    GroupTable groups(program_, strings_);
    bool fits = true;
    GroupWords some;
    for (const GroupWords& share : words_) {
      for (std::size_t at = 0; at < share.size(); at += width_) {
        if (part_of(share.data() + at, parts) != part) continue;
        some.insert(some.end(), share.begin() + static_cast<std::ptrdiff_t>(at),
                    share.begin() + static_cast<std::ptrdiff_t>(at + width_));
        if (some.size() < words_at_once) continue;
        fits &= groups.merge_groups(some);
        some.clear();
      }
    }
    fits &= groups.merge_groups(some);
    if (!fits) return sum_too_large();
    PENSTOCK_ASSIGN(result, groups.results());
    return {};
  }

  // The parts' keys differ, and each part is sorted.
  Table joined(const std::vector<Table>& tables) const {
    Table all;
    std::vector<std::uint64_t> ends;
    for (const Table& table : tables) ends.push_back(all.row_count += table.row_count);
    for (std::size_t i = 0; i < program_.schema.size(); i++) {
      std::vector<Column> columns;
      for (const Table& table : tables)
        if (table.row_count > 0) columns.push_back(table.columns[i]);
      all.names.push_back(program_.schema[i].name);
      all.columns.push_back(column::concatenate(program_.schema[i].type, columns));
    }
    std::vector<SortKey> keys;
    for (std::uint32_t i = 0; i < program_.key_count; i++) keys.push_back({i});
    return merge_sorted(all, ends, keys, all.row_count);
  }

  const TileProgram& program_;
  const std::size_t width_;
  std::uint64_t group_count_ = 0;
  StringPool pool_;
  const ProgramStrings strings_{pool_};
  std::vector<GroupWords> words_;
};

}  // namespace

Result<Table> merge_groups(const TileProgram& program, std::span<const Table> shares) {
  return GroupsOfShares(program, shares).merge(shares);
}

}  // namespace penstock::plan
