// FSST columns in Arrow record batches: docs/formats/fsst.md, "In Arrow files".
#pragma once
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "column/arrow_format.hpp"
#include "penstock/fsst.hpp"

namespace penstock::io {

// Returns whether a field holds FSST codes; then `to` becomes a field of strings.
bool take_fsst_field(const arrow::Field& field, column::ArrowField& to);

// Returns the column's field in a schema, as take_fsst_field() reads it.
std::shared_ptr<arrow::Field> fsst_field(const std::string& name, bool is_nullable);
// Returns the key of a column's record in the metadata of each of its record batches.
std::string fsst_record_key(const std::string& column_name);
// Return codes as an array of at most 2^31 - 1 bytes, and their record as base64.
Result<std::shared_ptr<arrow::Array>> fsst_array(const fsst::EncodedStrings& strings);
Result<std::string> fsst_record_text(const fsst::EncodedStrings& strings);

// Returns a checked array and its batch's metadata, which may be null, as encoded strings that keep
// the array alive. The caller must still call validate().
Result<fsst::EncodedStrings> fsst_strings(const std::shared_ptr<arrow::Array>& array,
                                          const std::string& column_name,
                                          const arrow::KeyValueMetadata* metadata);
// Decodes. Strings that are not UTF-8 are refused, as in Arrow's own string columns.
Result<Column> decode_fsst(const fsst::EncodedStrings& strings);
// Keeps the codes. Strings that are not UTF-8 are refused when they are decoded.
Result<Column> keep_fsst(fsst::EncodedStrings strings);

}  // namespace penstock::io
