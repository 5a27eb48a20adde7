// Reads the tables of groups that one launch left, on the host.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "exec/kernel/group_by_tables.hpp"
#include "exec/kernel/read_back.hpp"

namespace penstock::plan {

struct LaunchTables {
  const GroupByResults& tables;
  std::span<const std::uint32_t> counts;  // entries in use, by table
  std::span<const std::uint64_t> words;   // all entries, or none
  ReadBack& read_back;
  bool is_only = false;  // no other launch has left a table, nor will one
};

// Both functions wait for their downloads, and add the bytes. Returns the entries in use of every
// table, as long as the tables' ReadBack keeps them.
Result<std::vector<std::span<const std::uint64_t>>> entries_by_tables(
    const LaunchTables& from, std::size_t entry_words, std::uint64_t& bytes_downloaded);
// Returns the entries of tables that lie slot by slot, each slot for all tables. They come table by
// table: one fixed order.
Result<std::vector<std::uint64_t>> entries_by_slots(const LaunchTables& from,
                                                    std::size_t entry_words,
                                                    std::uint64_t& bytes_downloaded);

}  // namespace penstock::plan
