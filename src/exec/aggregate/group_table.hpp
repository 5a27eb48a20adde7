// The groups of all chunks on the host: keys and accumulators in flat arrays. A group is found by
// the slot of its key (key_slots.hpp), or else by hash (linear probing).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "exec/aggregate/key_slots.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/program/own_codes.hpp"

namespace penstock::plan {

// An array of rows of `width` elements, one a group, in blocks that never move: nothing is copied
// when the array grows.
template <class T> class GroupRows {
 public:
  explicit GroupRows(std::size_t width) : width_(width) {}
  T* row(std::size_t group) const {
    return blocks_[group / block_rows].get() + group % block_rows * width_;
  }
  T* add(std::size_t group) {  // the next one, with undefined content
    if (group / block_rows == blocks_.size())
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(block_rows * width_));
    return row(group);
  }

 private:
  static constexpr std::size_t block_rows = 1 << 10;

  std::size_t width_;
  std::vector<std::unique_ptr<T[]>> blocks_;
};

class GroupTable {
 public:
  GroupTable(const TileProgram& program, const ProgramStrings& strings);

  // Adds entries as kernels leave them: key words, then accumulator words. Returns false if a sum
  // overflows 128 bits.
  bool add(std::span<const std::uint64_t> entries, std::size_t entry_words);
  // Adds groups that each have the words of a key, then two words for each accumulator, as
  // GroupMerge passes them on. Their keys differ from one another and, for append(), from the keys
  // in the table. merge_groups() returns false if a sum overflows 128 bits.
  void append(std::span<const std::uint64_t> groups);
  bool merge_groups(std::span<const std::uint64_t> groups);
  // Adds up another table's groups, by keys and a DISTINCT argument, by this program's keys alone.
  bool add_distinct(const GroupTable& values);
  // The keys and accumulators as a table; see partial_columns.hpp.
  Table partials() const;
  std::size_t size() const { return count_; }
  // Returns the groups sorted by the keys, NULLs last. `first` may be null; otherwise columns are
  // made only of groups that can be among the first ones by its order.
  Table finish(const TopK* first = nullptr) const;
  // The same; for groups by keys and a DISTINCT argument, the totals by the keys.
  Result<Table> results(const TopK* first = nullptr) const;

 private:
  void expect(std::span<const std::uint64_t> entries, std::size_t entry_words,
              std::size_t at) const;
  std::size_t insert(std::span<const std::uint64_t> key, std::uint64_t& position);
  std::size_t find_by_hash(std::span<const std::uint64_t> key);
  std::size_t find_or_insert(std::span<const std::uint64_t> key);
  void refill();
  void make_room(std::span<const std::uint64_t> entries, std::size_t entry_words);
  bool add_sums(std::span<Partial> into, std::span<const std::uint64_t> words) const;
  void sort_by_slots(std::vector<std::uint64_t>& groups) const;
  std::span<Partial> partials_of(
      std::span<const std::uint64_t> key);  // of its group, which is added
  std::span<const std::uint64_t> key(std::size_t group) const {
    return {keys_.row(group), key_words_};
  }
  std::size_t merged_words() const { return key_words_ + 2 * program_.accumulators.size(); }
  std::span<const Partial> partials(std::size_t group) const {
    return {partials_.row(group), program_.accumulators.size()};
  }
  Type key_type(std::size_t i) const;
  bool is_null(std::size_t group, std::size_t i) const {
    return (key(group)[program_.key_count + i / 64] >> (i % 64) & 1) != 0;
  }
  // Return a column of some groups by their numbers.
  using Groups = std::span<const std::uint64_t>;
  Column key_slice(std::size_t i, Groups groups) const;
  Column result_slice(std::size_t i, Groups groups) const;
  Column partial_slice(std::size_t i, Groups groups) const;
  std::optional<Column> integer_slice(std::size_t i, Groups groups) const;  // nullopt: no integers
  static Column in_slices(Groups groups, const std::function<Column(Groups)>& make_slice);
  Column column_of_groups(std::uint32_t c, Groups groups) const;
  std::vector<std::uint64_t> all_groups() const;
  std::string_view text_of(Partial code) const;
  Scalar value_of(std::size_t group, std::uint32_t column) const;
  std::vector<std::uint64_t> groups_near(const TopK& first) const;
  std::vector<std::uint64_t> groups_up_to(const TopK& first) const;

  const TileProgram& program_;
  const ProgramStrings strings_;
  KeySlots slots_;
  // Groups by slot, plus 1; or by hash, a power of two of them, at most half in use. Empty after
  // append(), until a key is looked up.
  LargeVector<std::uint64_t> positions_;
  std::size_t key_words_;
  GroupRows<std::uint64_t> keys_;
  GroupRows<Partial> partials_;
  std::vector<Partial> cleared_;  // accumulators of no rows
  // Places of a kernel's sums in its words, if all accumulators are sums of integers; else none.
  struct Sum {
    std::uint32_t word = 0;
    bool is_wide = false;
  };
  std::vector<Sum> sums_;
  std::size_t count_ = 0;
};

// Returns the contents of partials() of a table of this program, for merge_groups(). Its strings
// are added to a pool.
Result<std::vector<std::uint64_t>> words_of_partials(const TileProgram& program, const Table& table,
                                                     StringPool& strings);

}  // namespace penstock::plan
