// The groups of all chunks on the host: few in one table, many in parts by the hashes of their
// keys, to which entries are added by several threads.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "exec/aggregate/group_batches.hpp"
#include "exec/aggregate/group_set.hpp"
#include "exec/aggregate/wanted_groups.hpp"

namespace penstock::plan {

class GroupTable {
 public:
  // `device` may be null; see GroupMemory.
  GroupTable(const TileProgram& program, const ProgramStrings& strings,
             std::shared_ptr<Device> device = nullptr);

  // From now on add() and merge_groups() leave out groups that are not wanted. `wanted` outlives
  // the table.
  void keep_only(const WantedGroups& wanted) { wanted_ = &wanted; }
  // Adds entries as kernels leave them: key words, then accumulator words. They are read later if
  // groups are many: `owner` keeps them until then, or else they are copied. Returns false if a sum
  // overflows 128 bits.
  bool add(std::span<const std::uint64_t> entries, std::size_t entry_words,
           std::shared_ptr<const void> owner = nullptr);
  // Adds groups that each have the words of a key, then two words for each accumulator, as
  // GroupMerge passes them on. Their keys differ from one another and, for append(), from the keys
  // in the table, which no entries wait for. merge_groups() returns false if a sum overflows 128
  // bits.
  void append(std::span<const std::uint64_t> groups);
  bool merge_groups(std::span<const std::uint64_t> groups,
                    std::shared_ptr<const void> owner = nullptr);
  // Adds all entries that wait. Returns false if a sum overflows 128 bits.
  bool settle();
  // The keys and accumulators as a table; see partial_columns.hpp.
  Result<Table> partials();
  std::size_t size() const;  // no fewer than there are, until settle()
  // Returns the groups sorted by the keys, NULLs last; of groups by keys and a DISTINCT argument,
  // the totals by the keys. `first` may be null; otherwise the result has the first groups by its
  // order, and of equal groups those with the least keys.
  Result<Table> results(const TopK* first = nullptr);

 private:
  bool is_divided() const { return parts_.size() > 1; }
  bool add_wanted(std::span<const std::uint64_t> entries, const EntryForm& form);
  bool add_form(std::span<const std::uint64_t> entries, const EntryForm& form,
                std::shared_ptr<const void> owner);
  bool add_set(const std::shared_ptr<GroupSet>& groups);
  void divide();
  // Adds up another table's groups, by keys and a DISTINCT argument, by this program's keys alone.
  bool add_distinct(const GroupTable& values);
  Result<Table> finish(const TopK* first);

  // A group's number: its part, then its place there.
  using Groups = std::span<const std::uint64_t>;
  static constexpr unsigned place_bits = 40;
  const std::uint64_t* row(std::uint64_t group) const {
    return parts_[group >> place_bits].row(group & ((std::uint64_t{1} << place_bits) - 1));
  }
  // Calls take(group) for groups in the order of their numbers, from the first-th to the last-th.
  template <class Take>
  void for_each(std::uint64_t first, std::uint64_t last, const Take& take) const {
    std::uint64_t before = 0;
    for (std::uint64_t part = 0; part < parts_.size() && before < last; part++) {
      const std::uint64_t end = std::min<std::uint64_t>(before + parts_[part].size(), last);
      for (std::uint64_t at = std::max(first, before); at < end; at++)
        take(part << place_bits | (at - before));
      before += parts_[part].size();
    }
  }
  std::vector<std::uint64_t> all_groups() const;
  std::vector<std::uint64_t> first_groups(const TopK& first) const;
  void sort_by_slots(std::vector<std::uint64_t>& groups) const;
  // Return a column of some groups by their numbers.
  Column key_column(std::size_t i, Groups groups) const;
  Column text_keys(std::size_t i, Groups groups) const;  // of strings
  Column key_slice(std::size_t i, Groups groups) const;
  Column result_slice(std::size_t i, Groups groups) const;
  Column partial_slice(std::size_t i, Groups groups) const;
  std::optional<Column> integer_slice(std::size_t i, Groups groups) const;  // nullopt: no integers
  static Column in_slices(Groups groups, const std::function<Column(Groups)>& make_slice);
  Column column_of_groups(std::uint32_t c, Groups groups) const;

  const TileProgram& program_;
  const GroupLayout layout_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<GroupMemory> memory_;
  std::vector<GroupSet> parts_;  // one, or GroupBatches::part_count
  GroupBatches waiting_;
  const WantedGroups* wanted_ = nullptr;  // null: all
};

// Returns the contents of partials() of a table of this program, for merge_groups(). Its strings
// are added to a pool.
Result<std::vector<std::uint64_t>> words_of_partials(const TileProgram& program, const Table& table,
                                                     StringPool& strings);

}  // namespace penstock::plan
