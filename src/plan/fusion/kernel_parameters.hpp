// What the kernels of a tile program are given: buffers of columns and outputs, and scalars. The
// one list of them: parameters are printed, memory is allocated and bytes are counted by walking
// it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

enum class BufferRole : unsigned char {
  values,
  validity,
  row_numbers,
  places,
  table,       // of a lookup: see join_table.hpp
  found_rows,  // an output: the number of the row that a lookup found, or no_row
};

// One buffer: a source's column and an output have their values, then their validity if they may be
// NULL.
struct ColumnBuffer {
  BufferRole role = BufferRole::values;
  std::uint32_t place =
      0;  // in the source's schema, among the program's outputs or lookups; row numbers have none
  Type type;  // of the column
  bool is_bits =
      false;  // a bit a row, else an element; what kernels write are elements, which the host packs

  // In kernels, behind a letter for the set it belongs to: "c0", "c0_valid"; "o0", "o_rows".
  std::string name(char set) const;
  std::string element_type() const;   // in memory
  std::string register_type() const;  // one row's, in a register
  std::uint32_t element_bytes() const;
  std::uint64_t bytes(std::uint64_t row_count) const;
};
std::vector<ColumnBuffer> input_buffers(const TileProgram& program);  // of its device_columns
// Of each lookup: its places, its table, and the columns that the kernel takes from the rows it
// finds.
std::vector<ColumnBuffer> lookup_buffers(const TileProgram& program);
// Of its outputs but those that are carried, for which the kept rows' numbers stand at the end,
// then those of the rows that lookups found.
std::vector<ColumnBuffer> output_buffers(const TileProgram& program);

// Widths of a row that is read, at least 1, and of one that is kept, validity left out: what
// policies reckon with.
std::uint64_t input_bytes_per_row(const TileProgram& program);
std::uint64_t output_bytes_per_row(const TileProgram& program);
// Bytes of so many rows' columns, and of their outputs, each once.
std::uint64_t bytes_read(const TileProgram& program, std::uint64_t row_count);
std::uint64_t bytes_written(const TileProgram& program, std::uint64_t row_count);

bool is_used_parameter(const TileProgram& program,
                       std::uint32_t parameter);  // NULL literals take no argument
// Whether the scalars are one buffer of 64-bit words, because as arguments of their own they would
// be too many.
bool packs_scalars(const TileProgram& program);
// Whether the program's kernels have no more parameters than a kernel may.
bool fits_parameters(const TileProgram& program);
// fuse() with the step's columns split until every program fits: they read the same rows, and each
// adds columns to the result. `columns`: where rows are kept, which of them the result has; empty:
// all.
Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last,
                                             const Slice& columns = {});
// fuse_top_k() where that fits, else fuse_slices().
Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last,
                                             const std::optional<TopK>& top_k);

// Keys that are never NULL are told apart without the bits of NULLs.
std::uint32_t compared_key_words(const TileProgram& program);

}  // namespace penstock::plan
