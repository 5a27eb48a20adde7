#include "sql/parse/table_function.hpp"

#include <algorithm>

#include "base/suggest_name.hpp"
#include "sql/parse/option_values.hpp"
#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

struct TableFunction {
  std::string_view name, format;
  std::string_view option = {}, value = {};  // that the name implies
};
constexpr TableFunction functions[] = {
    {"read_parquet", "parquet"},
    {"parquet_scan", "parquet"},
    {"read_csv", "csv"},
    {"read_csv_auto", "csv"},
    {"read_json", "json"},
    {"read_json_auto", "json"},
    {"read_ndjson", "json", "format", "newline_delimited"},
    {"read_ndjson_auto", "json", "format", "newline_delimited"},
    {"read_arrow", "arrow"},
};

const TableFunction* find_function(std::string_view name) {
  const std::string folded = lower(name);
  const auto found = std::ranges::find(functions, folded, &TableFunction::name);
  return found == std::end(functions) ? nullptr : found;
}

// Reads its arguments: the paths, then options by name.
class CallReader {
 public:
  CallReader(const Lexed& lexed, std::size_t at)
      : lexed_(lexed),
        name_(lexed.text(lexed.tokens[at])),
        begin_(lexed.tokens[at].offset),
        reader_(lexed, at + 2, after_brackets(lexed, at + 1, lexed.tokens.size()) - 1) {}

  Result<TableReference> read(const TableFunction& function) {
    TableReference table;
    table.format = function.format;
    PENSTOCK_ASSIGN(table.paths, paths());
    if (!function.option.empty())
      table.options.push_back({std::string(function.option), std::string(function.value)});
    while (!reader_.is_at_end()) {
      if (!reader_.take(",")) return reader_.wrong("a comma");
      PENSTOCK_ASSIGN(TableOption option, option_of());
      if (std::ranges::count(table.options, option.name, &TableOption::name) > 0)
        return error(begin_, "the option " + option.name + " of " + name_ + " is given twice");
      table.options.push_back(std::move(option));
    }
    return table;
  }

 private:
  Status error(std::int64_t offset, std::string message) const {
    return error_at(lexed_.statement, offset, Code::invalid, std::move(message));
  }

  Result<std::vector<std::string>> paths() {
    const std::int64_t offset = reader_.is_at_end() ? begin_ : reader_.offset();
    const Token* first = reader_.peek();
    const bool is_path =
        first != nullptr && (first->kind == TokenKind::string || is_symbol(lexed_, *first, "["));
    if (!is_path)
      return error(offset, name_ + " takes a file's name, or a list of them, in quotes");
    PENSTOCK_ASSIGN(const OptionValue value, reader_.value());
    std::vector<std::string> paths;
    if (const auto* one = std::get_if<std::string>(&value)) paths = {*one};
    if (const auto* list = std::get_if<OptionList>(&value)) paths = *list;
    if (paths.empty()) return error(offset, name_ + " takes one file at least");
    return paths;
  }

  // Reads name = value; DuckDB has := and => for the sign, too.
  Result<TableOption> option_of() {
    const std::int64_t offset = reader_.offset();
    Result<std::string> name = reader_.name();
    const bool is_given = name.ok() && (reader_.take("=") || reader_.take("=>") ||
                                        (reader_.take(":") && reader_.take("=")));
    if (!is_given)
      return error(offset, name_ + " takes options by name after the file: delim = ';'");
    PENSTOCK_ASSIGN(OptionValue value, reader_.value());
    return TableOption{lower(*name), std::move(value)};
  }

  const Lexed& lexed_;
  const std::string name_;
  const std::int64_t begin_;
  OptionReader reader_;
};

}  // namespace

bool is_table_function(const Lexed& lexed, std::size_t at) {
  return at + 2 < lexed.tokens.size() && lexed.tokens[at].kind == TokenKind::word &&
         is_symbol(lexed, lexed.tokens[at + 1], "(") &&
         find_function(lexed.text(lexed.tokens[at])) != nullptr;
}

Result<TableReference> read_table_function(const Lexed& lexed, std::size_t at) {
  return CallReader(lexed, at).read(*find_function(lexed.text(lexed.tokens[at])));
}

std::string table_function_not_supported(std::string_view name) {
  std::vector<std::string> known;
  for (const TableFunction& function : functions) known.emplace_back(function.name);
  const std::string near = nearest_name(name, known);
  return "the table function " + std::string(name) + " is not supported; " +
         (near.empty()
              ? "files are read by read_parquet, read_csv, read_json and read_arrow, or by "
                "their name: FROM 'file.parquet'"
              : "did you mean " + near + "?");
}

}  // namespace penstock::sql
