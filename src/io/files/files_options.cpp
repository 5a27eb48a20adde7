#include "io/files/files_options.hpp"

#include "expr/type_names.hpp"

namespace penstock::io {
namespace {

Status misfit(const TableOption& option, const std::string& wanted) {
  return {Code::invalid, option.name + " takes " + wanted};
}

Result<bool> boolean_of(const TableOption& option) {
  if (const bool* const value = std::get_if<bool>(&option.value)) return *value;
  const auto* const number = std::get_if<std::int64_t>(&option.value);
  if (number && (*number == 0 || *number == 1)) return *number == 1;
  return misfit(option, "true or false");
}

// filename = true, or the name of the column.
Result<std::string> filename_column_of(const TableOption& option) {
  if (const auto* const name = std::get_if<std::string>(&option.value); name && !name->empty())
    return *name;
  const Result<bool> is_wanted = boolean_of(option);
  if (!is_wanted.ok()) return misfit(option, "true, false or the name of a column");
  return std::string(*is_wanted ? "filename" : "");
}

Result<std::vector<std::pair<std::string, Type>>> hive_types_of(const TableOption& option) {
  const auto* const named = std::get_if<OptionMap>(&option.value);
  if (named == nullptr) return misfit(option, "names and types, as {'year': 'INTEGER'}");
  std::vector<std::pair<std::string, Type>> types;
  for (const auto& [name, text] : *named) {
    const std::optional<Type> type = expr::type_of_text(text);
    if (!type) return misfit(option, "types, and '" + text + "' is none that is known");
    types.emplace_back(name, *type);
  }
  return types;
}

}  // namespace

Result<FilesOptions> files_options(std::span<const TableOption> options) {
  FilesOptions found;
  for (const TableOption& option : options) {
    if (option.name == "filename") {
      PENSTOCK_ASSIGN(found.filename_column, filename_column_of(option));
    } else if (option.name == "hive_partitioning") {
      PENSTOCK_ASSIGN(found.hive_partitioning, boolean_of(option));
    } else if (option.name == "hive_types_autocast") {
      PENSTOCK_ASSIGN(found.hive_types_autocast, boolean_of(option));
    } else if (option.name == "hive_types") {
      PENSTOCK_ASSIGN(found.hive_types, hive_types_of(option));
    } else if (option.name == "union_by_name") {
      PENSTOCK_ASSIGN(found.union_by_name, boolean_of(option));
    } else {
      found.of_format.push_back(option);
    }
  }
  if (!found.hive_types.empty() && !found.hive_partitioning) found.hive_partitioning = true;
  return found;
}

}  // namespace penstock::io
