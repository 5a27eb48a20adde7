// Facts about the rows of all shares that each needs before they exchange rows.
#pragma once
#include <algorithm>
#include <vector>

#include "table/rows/device_rows.hpp"

namespace penstock::plan {

struct RowsLayout {
  struct Column {
    Type type;
    bool has_values, has_validity;
    bool operator==(const Column&) const = default;
  };
  std::uint64_t row_count = 0;
  std::vector<Column> columns;
};

inline RowsLayout layout_of(const DeviceRows& rows) {
  RowsLayout layout{rows.row_count, {}};
  for (const DeviceColumn& column : rows.columns)
    layout.columns.push_back({column.type, column.values != nullptr, column.validity != nullptr});
  return layout;
}

// Returns whether rows have the same types and the same columns without NULLs, and no strings:
// codes of strings differ between devices.
inline bool have_one_layout(const RowsLayout& a, const RowsLayout& b) {
  return a.columns == b.columns && std::ranges::none_of(a.columns, [](const auto& column) {
           return column.type.kind == Kind::string;
         });
}

inline bool have_one_layout(const std::vector<RowsLayout>& layouts) {
  return std::ranges::all_of(
      layouts, [&](const RowsLayout& one) { return have_one_layout(one, layouts[0]); });
}

// Returns how many rows the first few shares have.
inline std::uint64_t rows_before(std::size_t share, const std::vector<RowsLayout>& layouts) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < share; i++) rows += layouts[i].row_count;
  return rows;
}

}  // namespace penstock::plan
