// Imports Arrow arrays as columns, for import_table() and the readers of src/io.
#pragma once
#include <span>

#include "column/arrow_format.hpp"

namespace penstock::column {

// Takes over `array` and releases it with the last owner.
std::shared_ptr<const ArrowArray> own(ArrowArray* array);

// Imports the columns `wanted` of a struct array, in that order. `fields` are all its children's.
Result<Table> import_columns(const std::shared_ptr<const ArrowArray>& array,
                             std::span<const ArrowField> fields,
                             std::span<const std::uint32_t> wanted);

}  // namespace penstock::column
