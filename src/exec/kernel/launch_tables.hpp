// The host's reading of the tables of groups that one launch left.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "exec/kernel/group_by_tables.hpp"
#include "exec/kernel/read_back.hpp"

namespace penstock::plan {

struct LaunchTables {
  const GroupByResults& tables;
  std::span<const std::uint32_t> counts;  // of the entries in use of each
  std::span<const std::uint64_t> words;   // all entries, or none
  ReadBack& read_back;
  bool is_only = false;  // no launch has left another, nor will one
};

// Both wait for what they download, and add its bytes.
// Returns the entries in use of every table, as long as the tables' ReadBack keeps them.
Result<std::vector<std::span<const std::uint64_t>>> entries_by_tables(
    const LaunchTables& from, std::size_t entry_words, std::uint64_t& bytes_downloaded);
// Returns those of tables that lie slot by slot, each of all tables. They come table by table: one
// fixed order.
Result<std::vector<std::uint64_t>> entries_by_slots(const LaunchTables& from,
                                                    std::size_t entry_words,
                                                    std::uint64_t& bytes_downloaded);

}  // namespace penstock::plan
