// The groups that another program of the same rows found to be the first ones of an order: no other
// group is needed.
#pragma once
#include <cstdint>
#include <vector>

#include "fuse/program/program_strings.hpp"
#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

class WantedGroups {
 public:
  // `groups` has the keys of a step in its first columns; `program` groups by them, or by them and
  // a DISTINCT argument. It outlives this.
  WantedGroups(const TileProgram& program, const Table& groups, const ProgramStrings& strings);

  // Returns whether a group is wanted, by the words of its key as kernels leave them.
  bool has(const std::uint64_t* key) const { return find(key, null_word_) != 0; }
  // Returns the rows of a table that are wanted. It has the keys in its first columns.
  Table rows_of(const Table& table, const ProgramStrings& strings) const;

 private:
  std::uint32_t find(const std::uint64_t* key, std::size_t null_word) const;
  std::uint64_t hash_of(const std::uint64_t* key, std::size_t null_word) const;
  std::vector<std::uint64_t> words_of(const Table& groups, const ProgramStrings& strings) const;
  std::size_t width() const { return key_count_ + (key_count_ + 63) / 64; }

  const TileProgram& program_;
  const std::size_t key_count_, null_word_;
  std::vector<std::uint64_t> keys_;    // of each group: words, then NULL bits
  std::vector<std::uint32_t> places_;  // by hash: a group plus 1, or 0; at most half in use
};

}  // namespace penstock::plan
