// Keys and accumulators of groups as columns: partial aggregates of a device or a process are a
// table. It is exact, has no codes of its own string pool, and can be sent like any table.
//
// Sums and counts of integers have 128 bits. An absent string is NULL.
#pragma once
#include <span>
#include <vector>

#include "fuse/program/accumulators.hpp"
#include "fuse/program/program_strings.hpp"
#include "penstock/plan.hpp"

namespace penstock::plan {

// The rows that one tile program of a step left, before results are made of them.
struct PartialTable {
  std::vector<std::uint32_t> step_columns;  // TileProgram::step_columns: the results
  Table rows;                               // the keys, then the accumulators
  // The rows are sorted, or final groups: all of them come after the rows of earlier shares.
  bool is_next_in_order = false;
  StepId base = no_step;  // the base of the program that left an aggregate's rows
};

// Returns the type of a column that holds an accumulator's bits.
Type type_of_partials(const Accumulator& accumulator);
Column column_of_partials(const Accumulator& accumulator, std::span<const Partial> partials);
// Stores the two words of each row of a column that column_of_partials() made of such an
// accumulator, `stride` words apart, by several threads if there are many rows.
Status store_partials(const Accumulator& accumulator, const Column& column, std::uint64_t row_count,
                      std::uint64_t* to, std::size_t stride);
// A key of groups, by its number among their keys.
struct KeyPlace {
  std::size_t key = 0, key_count = 0;
};
// Stores the word of a key for each row as kernels make it, and its bit if it is NULL. The words of
// a row's keys begin at `rows`, `stride` words apart, and are 0.
void store_key(const Column& column, KeyPlace place, const CodeOfText& code_of, std::uint64_t* rows,
               std::size_t stride);
// The results of accumulators without keys. `strings`: of results that are strings; may be null.
Result<Table> one_row(const TileProgram& program, std::span<const Partial> partials,
                      const ProgramStrings* strings = nullptr);
// A row of accumulators without keys.
Table partials_as_row(const TileProgram& program, std::span<const Partial> partials);
// Merges such rows in order, and makes the results of them.
Result<Table> merge_rows_of_partials(const TileProgram& program, std::span<const Table> rows);

}  // namespace penstock::plan
