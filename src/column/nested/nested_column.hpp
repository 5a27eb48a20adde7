// Columns of lists, structs and maps as trees in Arrow's layout, and as packed values.
#pragma once
#include <span>
#include <vector>

#include "column/nested/packed_bytes.hpp"

namespace penstock::column {

// Rows of one type. A list or map has offsets into its only child, the elements; a struct has a
// child for each field, of as many rows. Any other type has its column.
struct NestedColumn {
  Type type;
  std::uint64_t row_count = 0;
  Bytes validity;                     // as a Column's
  std::vector<std::int64_t> offsets;  // list, map: row_count + 1
  std::vector<NestedColumn> children;
  Column leaf;

  bool is_valid(std::uint64_t row) const;
};

// Returns the rows as a Column of packed values.
Column pack(const NestedColumn& rows);
// Appends the packed value of a row that is not NULL; a string within a struct or list ends by its
// own mark.
void pack_row(const NestedColumn& rows, std::uint64_t row, std::string& to);
// Returns rows of a column of such a type as a tree.
NestedColumn unpack(const Column& packed);

}  // namespace penstock::column
