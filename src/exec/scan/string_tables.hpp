// Tables by the number of a string in its column: codes of the run, and functions of the string.
//
// A scan of rows with numbers reads them. A function is computed on the host, once for each string
// of the column, whatever the number of rows. A session keeps the tables of all strings, unless
// their results are codes of a run.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuse/program/program_strings.hpp"

namespace penstock::plan {

class StringTables {
 public:
  // The results of one of the kernel's columns: a byte for a boolean, a code for a string.
  struct Table {
    std::uint32_t column = 0, root = 0;  // `root`: the column of the strings
    Type type;
    std::uint64_t count = 0;  // of the strings that were computed
    // One result at least: a row without a value reads the first.
    std::vector<std::byte> own = {};
    std::shared_ptr<const std::vector<std::byte>> kept = {};  // by a session, in place of `own`
    std::string kind = {};  // of its key; empty: no session may keep it

    std::span<const std::byte> results() const { return kept ? *kept : own; }
  };

  // The program outlives it.
  StringTables(const TileProgram& program, ProgramStrings strings)
      : program_(program), strings_(std::move(strings)) {}
  // Adds the tables of a column. Its rows have numbers.
  void add_column(std::uint32_t column);
  // Computes the results of strings that were numbered since the last call.
  Status add_new();
  const std::vector<Table>& tables() const { return tables_; }
  // Null: nothing is looked up for this column, or its codes are the numbers.
  const Table* find(std::uint32_t column) const;
  // Returns the key under which a session keeps something of a table; nothing: it may not.
  std::optional<DeviceCache::Key> key(const Table& table, const std::string& kind) const;

 private:
  using Columns = std::map<std::uint32_t, Column>;  // by number
  Status add_new(std::uint32_t root, std::uint64_t known);
  Status compute(std::uint32_t column, std::uint32_t root, std::uint64_t known,
                 Columns& columns) const;
  Result<bool> add_by_numbers(Table& table, Columns& columns);
  bool take_kept(std::uint32_t root, std::uint64_t count);
  void keep(std::uint32_t root);
  std::string kind_of(std::uint32_t column) const;
  Column ranks(std::uint32_t root, std::uint64_t known, std::uint64_t count) const;
  std::uint64_t bytes_of_results(const Table& table) const;
  Status append(Table& to, const Column& results);

  const TileProgram& program_;
  const ProgramStrings strings_;
  std::vector<Table> tables_;
};

// Spreads a table over rows by their numbers: a bit a row for a boolean, as a column's values are.
std::vector<std::byte> spread(const StringTables::Table& table,
                              std::span<const std::uint32_t> numbers);

}  // namespace penstock::plan
