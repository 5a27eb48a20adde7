// Names a table as FROM does: a file, a pattern of names, or several files with options of their
// format.
//
//     open_table("sales.parquet");
//     open_table({{"a.csv", "b.csv"}, "csv", {{"delim", ";"}}});
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace penstock {

// true, 7, 0.5, ';', ['a', 'b'] or {'a': 'VARCHAR'}, as read_csv() takes them.
using OptionList = std::vector<std::string>;
using OptionMap = std::vector<std::pair<std::string, std::string>>;
using OptionValue = std::variant<bool, std::int64_t, double, std::string, OptionList, OptionMap>;

struct TableOption {
  std::string name;  // in lower case: "delim"
  OptionValue value;
  bool operator==(const TableOption&) const = default;
};

struct TableReference {
  std::vector<std::string> paths;  // files, folders or patterns (*, **, ?, [a-z]); "-" is standard
                                   // input
  std::string format = {};         // "csv", "json", "parquet" or "arrow"; "": by content
  std::vector<TableOption> options = {};

  TableReference() = default;
  TableReference(std::string path) : paths{std::move(path)} {}
  TableReference(const char* path) : paths{path} {}
  TableReference(const std::filesystem::path& path) : paths{path.string()} {}
  TableReference(std::vector<std::string> all_paths, std::string format_name,
                 std::vector<TableOption> all_options)
      : paths(std::move(all_paths)),
        format(std::move(format_name)),
        options(std::move(all_options)) {}
  bool operator==(const TableReference&) const = default;
  // Returns the one path, or the whole as a statement would write it: "read_csv(['a', 'b'],
  // delim = ';')". Equal references have equal texts.
  std::string text() const;
};

}  // namespace penstock
