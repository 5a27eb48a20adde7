// Rows of an Arrow array, as the importers of columns read them.
#pragma once
#include "column/arrow_format.hpp"

namespace penstock::column {

// Rows [first, first + count) of one array, and its owner.
struct ArrowRows {
  const ArrowArray& array;
  const std::shared_ptr<const ArrowArray>& owner;
  std::uint64_t first, count;

  const std::byte* buffer(std::int64_t index) const {
    return static_cast<const std::byte*>(array.buffers[index]);
  }
};

// Checks the array's length, and its number of buffers.
Status check_rows(const ArrowRows& rows, std::int64_t buffer_count, bool is_exact = true);
// Returns the validity bits, empty if no value is missing.
Bytes validity_of(const ArrowRows& rows);
Status import_values(const ArrowRows& rows, const ArrowField& field, Column& to);
// Imports lists, structs and maps as packed values.
Status import_nested(const ArrowRows& rows, const ArrowField& field, Column& to);

}  // namespace penstock::column
