// FSST and GSST columns in Arrow's record batches: docs/formats/fsst.md, "In Arrow files".
#pragma once
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "column/arrow_format.hpp"
#include "penstock/fsst.hpp"

namespace penstock::io {

// Makes `to` a field of strings where the Arrow field holds FSST codes; tells whether it does.
bool take_fsst_field(const arrow::Field& field, column::ArrowField& to);

// Returns the column's field in a schema: valid Arrow, and recognised by take_fsst_field().
std::shared_ptr<arrow::Field> fsst_field(const std::string& name, bool is_nullable,
                                         bool has_splits);
// Returns the key of a column's record in the metadata of each of its record batches.
std::string fsst_record_key(const std::string& column_name);
// Exports codes as an array, and their record as a metadata value. At most 2^31 - 1 bytes of codes.
Result<std::shared_ptr<arrow::Array>> fsst_array(const fsst::EncodedStrings& strings);
Result<std::string> fsst_record_text(const fsst::EncodedStrings& strings);

// Returns a checked array and its batch's metadata (which may be null) as encoded strings that keep
// the array alive. They are not validated yet: see fsst::validate().
Result<fsst::EncodedStrings> fsst_strings(const std::shared_ptr<arrow::Array>& array,
                                          const std::string& column_name,
                                          const arrow::KeyValueMetadata* metadata);
// Decodes strings; refuses those that are not UTF-8, as Arrow's own columns of strings do.
Result<Column> decode_fsst(const fsst::EncodedStrings& strings);
// Keeps the codes; strings that are not UTF-8 are refused when they are decoded.
Result<Column> keep_fsst(fsst::EncodedStrings strings);

}  // namespace penstock::io
