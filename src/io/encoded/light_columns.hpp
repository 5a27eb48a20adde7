// Columns of numbers in a light encoding as Arrow's fields and arrays.
// docs/formats/light-encodings.md describes what a file holds: a struct with the rows' validity.
// Its one child is run-end encoded, and the only run has the block as its value.
#pragma once
#include <arrow/array/array_base.h>
#include <arrow/type.h>

#include "codec/light/format/light_block.hpp"
#include "column/arrow_format.hpp"

namespace penstock::io {

// Marks `to` as light-encoded if the field's metadata says so, and returns whether it did.
bool take_light_field(const arrow::Field& field, column::ArrowField& to);
std::shared_ptr<arrow::Field> light_field(const Field& field);

// `validity` is that of the rows, or empty.
std::shared_ptr<arrow::Array> light_array(const light::Block& block, const Bytes& validity);

// Reads what light_array() made. Everything is checked.
Result<Column> import_light(const std::shared_ptr<arrow::Array>& array, Type type,
                            bool keeps_encoded);

}  // namespace penstock::io
