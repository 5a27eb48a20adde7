// The strings behind the codes of a program: numbers of columns, and codes of the run.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuse/program/own_codes.hpp"
#include "table/strings/column_strings.hpp"

namespace penstock::plan {

using CodeOfText = std::function<std::uint32_t(std::string_view)>;

// The strings behind a program's codes. Copies share them.
class ProgramStrings {
 public:
  // `pool`: the strings of the run.
  explicit ProgramStrings(StringPool& pool) : pool_(&pool) {}
  // `cache` keeps the strings of the program's columns; null: none does. `identity`: of a source,
  // whose file has the strings.
  ProgramStrings(StringPool& pool, const TileProgram& program, DeviceCache* cache,
                 const std::string& identity);

  StringPool& pool() const { return *pool_; }
  // Returns the strings of a column of the source, or of a function of one. They are made once.
  std::shared_ptr<ColumnStrings> of_column(std::uint32_t column) const;
  // Returns whether a session keeps what has their numbers: in its cache(), under a key that names
  // the kind, the column and a number of its strings.
  bool are_kept() const;
  DeviceCache& cache() const { return *cache_; }
  DeviceCache::Key key(const std::string& kind, std::uint32_t column, std::uint64_t count) const;
  // Keeps the strings longer than what has their numbers: a number is of no use without its string.
  void keep_again() const;
  // Returns the strings that an output of the program has by their numbers; null if it has codes of
  // the run.
  std::shared_ptr<ColumnStrings> of_output(const TileProgram& program, std::size_t output) const;
  // Returns the string of a code that an output of the program has.
  std::string_view text(const TileProgram& program, std::size_t output, std::uint32_t code) const;
  // Returns the code of a string as an output of the program has it, which is new if no row has it.
  CodeOfText codes(const TileProgram& program, std::size_t output) const;
  // Returns the string of a result that an accumulator holds as a rank, or as a code of the output
  // after the keys.
  std::string_view text(const TileProgram& program, const AggregateResult& result,
                        std::uint32_t number) const;
  // Returns the order of a column's strings. It is the same for all copies.
  const StringOrder& order_of_column(std::uint32_t column) const;
  // Returns an error if a string of a row is not in the order that order_of_column() has returned.
  Status check_order(std::uint32_t column, std::span<const std::uint32_t> numbers) const;
  // Returns the code of a parameter of the program that is a string. No row has that code if none
  // has had the string so far.
  std::uint32_t code_of_parameter(const TileProgram& program, std::uint32_t parameter) const;
  // Returns these strings for a program that has the outputs of another one as its columns.
  ProgramStrings of_outputs(const TileProgram& program) const;

 private:
  struct OwnStrings {
    std::uint32_t column = 0;
    std::shared_ptr<ColumnStrings> strings;
    std::shared_ptr<const StringOrder> order;  // null until it is asked for
  };
  using Own = std::vector<OwnStrings>;
  struct FunctionOfStrings {
    std::uint32_t column = 0, root = 0;
    std::string name;
  };
  void set_column(std::uint32_t column, std::shared_ptr<ColumnStrings> strings) const;
  // Returns the key under which a session keeps the strings; nothing: it keeps none.
  std::optional<DeviceCache::Key> key_of(std::uint32_t column) const;

  StringPool* pool_;
  DeviceCache* cache_ = nullptr;
  std::string identity_;
  std::vector<FunctionOfStrings> functions_;  // with strings as results
  std::shared_ptr<Own> own_ = std::make_shared<Own>();
};

}  // namespace penstock::plan
