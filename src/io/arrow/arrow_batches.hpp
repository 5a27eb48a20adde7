// Imports Arrow's record batches as tables, through the C Data Interface.
#pragma once
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>

#include "column/arrow_import.hpp"
#include "io/common/arrow_errors.hpp"

namespace penstock::io {

Result<std::vector<column::ArrowField>> fields_of(const arrow::Schema& schema);
Schema schema_of(std::span<const column::ArrowField> fields);

// Checks every offset, index and string of the batch (it may come from an untrusted file), then
// imports `wanted` of its columns. Encoded columns are decoded but for those in `encoded`;
// `metadata` is the batch's own, where it may have some.
Result<Table> import_untrusted(const arrow::RecordBatch& batch,
                               std::span<const column::ArrowField> fields,
                               std::span<const std::uint32_t> wanted,
                               const arrow::KeyValueMetadata* metadata = nullptr,
                               std::span<const std::uint32_t> encoded = {});

}  // namespace penstock::io
