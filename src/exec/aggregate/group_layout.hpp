// The memory of a group on the host, and the forms in which groups come to it.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "fuse/program/accumulators.hpp"
#include "fuse/program/program_strings.hpp"

namespace penstock::plan {

// A row of words: the partials of all accumulators, then the words of the key.
struct GroupLayout {
  GroupLayout(const TileProgram& of, const ProgramStrings& of_codes);

  Partial* partials(std::uint64_t* row) const { return reinterpret_cast<Partial*>(row); }
  std::span<const Partial> partials(const std::uint64_t* row) const {
    return {reinterpret_cast<const Partial*>(row), partial_count};
  }
  const std::uint64_t* key(const std::uint64_t* row) const { return row + 2 * partial_count; }
  bool is_null(const std::uint64_t* row, std::size_t i) const {
    return (key(row)[program.key_count + i / 64] >> (i % 64) & 1) != 0;
  }
  // The argument of DISTINCT is a key that the program's rows do not have.
  Type key_type(std::size_t i) const { return program.graph->at(program.outputs[i].root).type; }
  std::uint64_t hash_of(const std::uint64_t* key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < compared_words; i++) {
      hash = (hash ^ key[i]) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash * 0xD6E8FEB86659FD93u;  // its highest bits tell parts apart
  }
  // Returns the string of a key's word, and of an extreme of the argument after the keys.
  std::string_view text_of_key(std::size_t i, std::uint64_t word) const {
    const auto code = static_cast<std::uint32_t>(word);
    return own_strings[i] ? own_strings[i]->text(code) : strings.pool().text(code);
  }
  std::string_view text_of_argument(Partial code) const {
    return text_of_key(program.key_count, static_cast<std::uint64_t>(code));
  }

  const TileProgram& program;
  const ProgramStrings strings;
  std::vector<std::shared_ptr<const ColumnStrings>> own_strings;  // of each output; or null
  std::size_t key_words = 0, compared_words = 0, partial_count = 0;
  std::size_t row_words = 0;     // even: partials are aligned
  std::vector<Partial> cleared;  // of no rows
  // Places of a kernel's sums in its words, if all accumulators are sums of integers; else none.
  struct Sum {
    std::uint32_t word = 0;
    bool is_wide = false;
  };
  std::vector<Sum> sums;
  bool has_strings = false;  // extremes of strings, as codes
};

// The words of an entry: its key and its accumulators' values, of a kernel or as partials.
struct EntryForm {
  static EntryForm of_kernels(const GroupLayout& layout, std::size_t words) {
    return {words, 0, layout.key_words, false};
  }
  // As GroupMerge passes groups on: two words for each accumulator.
  static EntryForm of_merges(const GroupLayout& layout) {
    return {layout.key_words + 2 * layout.partial_count, 0, layout.key_words, true};
  }
  static EntryForm of_rows(const GroupLayout& layout) {
    return {layout.row_words, 2 * layout.partial_count, 0, true};
  }

  std::size_t words = 0, key = 0, values = 0;  // of an entry; the first of each in it
  bool has_partials = false;
  bool operator==(const EntryForm&) const = default;
};

// Adds the values of an entry to a group. Returns false if a sum overflows 128 bits.
bool add_entry(const GroupLayout& layout, const EntryForm& form, const std::uint64_t* entry,
               std::uint64_t* row);

}  // namespace penstock::plan
