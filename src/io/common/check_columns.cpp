#include "column/unsupported.hpp"
#include "io/common/sources.hpp"

namespace penstock::io {

Status check_columns(const Schema& schema, std::span<const std::uint32_t> columns,
                     const std::string& path) {
  for (const std::uint32_t column : columns)
    if (column >= schema.size())
      return {Code::invalid, "'" + path + "' has no column " + std::to_string(column)};
  return column::check_supported(schema, columns, " of '" + path + "'");
}

}  // namespace penstock::io
