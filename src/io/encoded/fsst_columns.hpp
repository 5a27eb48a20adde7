// FSST and GSST columns in Arrow's record batches: docs/formats/fsst.md, "In Arrow files".
#pragma once
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "column/arrow_format.hpp"
#include "penstock/fsst.hpp"

namespace penstock::io {

// Whether a field of codes is one of ours; then `to` becomes a field of strings.
bool take_fsst_field(const arrow::Field& field, column::ArrowField& to);

// The column's field in a schema, for reading by anybody and by take_fsst_field().
std::shared_ptr<arrow::Field> fsst_field(const std::string& name, bool is_nullable,
                                         bool has_splits);
// The key of a column's record in the metadata of each of its record batches.
std::string fsst_record_key(const std::string& column_name);
// Codes as an array, and their record as the metadata's text. At most 2^31 - 1 bytes of codes.
Result<std::shared_ptr<arrow::Array>> fsst_array(const fsst::EncodedStrings& strings);
Result<std::string> fsst_record_text(const fsst::EncodedStrings& strings);

// A checked array and its batch's metadata (which may be null) as encoded strings that keep the
// array alive. validate() still has to look at them.
Result<fsst::EncodedStrings> fsst_strings(const std::shared_ptr<arrow::Array>& array,
                                          const std::string& column_name,
                                          const arrow::KeyValueMetadata* metadata);
// Decoded; texts that are not UTF-8 are refused, as in Arrow's own columns of strings.
Result<Column> decode_fsst(const fsst::EncodedStrings& strings);
// As codes, whose texts are refused for that when they are decoded.
Result<Column> keep_fsst(fsst::EncodedStrings strings);

}  // namespace penstock::io
