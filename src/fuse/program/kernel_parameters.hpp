// The parameters of a tile program's kernels: buffers of columns and outputs, and scalars. This is
// the only list of them: parameters are printed, memory is allocated and bytes are counted by
// walking it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "expr/operation.hpp"
#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

enum class BufferRole : unsigned char {
  values,
  validity,
  row_numbers,
  positions,   // of a lookup's hash table: see join_layout.hpp
  table,       // of a lookup: see join_layout.hpp
  found_rows,  // an output: the number of the row that a lookup found, or no_row
  page_bytes,  // of a paged column: see codec/pages/kernels/page_limits.h
  page_index,
  entries,    // of a paged string, and of a function of one: its value for every number of a string
  constants,  // of a function of a paged text: TextFunction::words
};

// One buffer. A source's column and an output have their values, then their validity if they may be
// NULL.
struct ColumnBuffer {
  BufferRole role = BufferRole::values;
  // In the source's schema, or among the program's outputs or lookups; row numbers have none.
  std::uint32_t index = 0;
  Type type;  // of the column
  // One bit per row instead of an element. Kernels write elements, which the host packs.
  bool is_bits = false;

  // Returns the name in kernels, which begins with a letter for the set it belongs to: "c0",
  // "c0_valid"; "o0", "o_rows".
  std::string name(char set) const;
  std::string element_type() const;  // in memory
  // Values of 128 bits: two elements of u64 for a row.
  bool is_wide() const;
  std::string register_type() const;  // in a register, for one row
  std::uint32_t element_bytes() const;
  std::uint64_t bytes(std::uint64_t row_count) const;
};
// Returns the buffers of a program's device_columns. If it reads pages, these are the buffers of
// its paged columns, then the entries of strings, and the entries or constants of their functions.
std::vector<ColumnBuffer> input_buffers(const TileProgram& program);
// Returns the buffers of each lookup: the positions of its hash table, its table, and the columns
// that the kernel takes from the rows it finds.
std::vector<ColumnBuffer> lookup_buffers(const TileProgram& program);
// Returns the buffers of the outputs, except late ones. For late outputs the numbers of the kept
// rows come at the end, then the numbers of the rows that lookups found.
std::vector<ColumnBuffer> output_buffers(const TileProgram& program);

// Return the widths of a row that is read, at least 1, and of one that is kept, without validity.
// Policies depend on them.
std::uint64_t input_bytes_per_row(const TileProgram& program);
std::uint64_t output_bytes_per_row(const TileProgram& program);
// Return the bytes of so many rows' columns, and of their outputs, each once.
std::uint64_t bytes_read(const TileProgram& program, std::uint64_t row_count);
std::uint64_t bytes_written(const TileProgram& program, std::uint64_t row_count);

bool is_used_parameter(const TileProgram& program,
                       std::uint32_t parameter);  // NULL literals take no argument
// Returns whether the scalars are one buffer of 64-bit words, because they would be too many
// arguments.
bool packs_scalars(const TileProgram& program);
// Returns how many words of 64 bits scalars take.
inline std::uint32_t scalar_words(Type type) { return expr::is_wide(type) ? 2 : 1; }
std::uint32_t scalar_words(const TileProgram& program);
// Returns whether the program's kernels keep to the number of parameters that a kernel may have.
bool fits_parameters(const TileProgram& program);
// Fuses like fuse(), with the step's columns split until every program fits. The programs read the
// same rows, and each adds columns to the result. `columns`: the columns of the result if rows are
// kept; empty: all.
Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last,
                                             const Slice& columns = {}, bool ranks_strings = false);
// Fuses like fuse_top_k() if that fits, and otherwise without.
Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last,
                                             const std::optional<TopK>& top_k,
                                             bool ranks_strings = false);

// Returns how many words of a key are compared: keys that are never NULL need no NULL bits.
std::uint32_t compared_key_words(const TileProgram& program);

}  // namespace penstock::plan
