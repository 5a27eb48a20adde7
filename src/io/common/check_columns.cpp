#include "column/unsupported.hpp"
#include "io/common/sources.hpp"

namespace penstock::io {
namespace {

// "types = {'a': 'VARCHAR', 'b': 'VARCHAR'} reads them as text"
std::string as_text(const Schema& schema, std::span<const std::uint32_t> columns,
                    std::string_view text_option) {
  std::string types;
  std::size_t count = 0;
  for (const std::uint32_t column : columns) {
    if (schema[column].unsupported.empty()) continue;
    types += (count++ == 0 ? "'" : ", '") + schema[column].name + "': 'VARCHAR'";
  }
  return std::string(text_option) + " = {" + types + "} reads " + (count == 1 ? "it" : "them") +
         " as text";
}

}  // namespace

Status check_columns(const Schema& schema, std::span<const std::uint32_t> columns,
                     const std::string& path, std::string_view text_option) {
  for (const std::uint32_t column : columns)
    if (column >= schema.size())
      return {Code::invalid, "'" + path + "' has no column " + std::to_string(column)};
  const Status status = column::check_supported(schema, columns, " of '" + path + "'");
  if (status.ok() || text_option.empty()) return status;
  return {status.code(), status.message() + "; " + as_text(schema, columns, text_option)};
}

}  // namespace penstock::io
