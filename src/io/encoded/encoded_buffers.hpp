// Helpers for columns of encoded values: metadata of extension types, and buffers without copies.
#pragma once
#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/util/key_value_metadata.h>

#include <memory>
#include <string>
#include <string_view>

#include "penstock/column.hpp"

namespace penstock::io {

constexpr std::string_view extension_name_key = "ARROW:extension:name",
                           extension_metadata_key = "ARROW:extension:metadata";

// Returns "" where there is none.
std::string value_of(const arrow::KeyValueMetadata* metadata, std::string_view key);
// Returns bytes of an array's buffer that keep the array alive.
Bytes part_of(const std::shared_ptr<arrow::Array>& array, const std::uint8_t* data,
              std::int64_t bytes);
std::shared_ptr<arrow::Buffer> buffer_of(const Bytes& bytes);
// Returns the validity of an array's rows; empty where none is NULL.
Bytes validity_of(const std::shared_ptr<arrow::Array>& array);

}  // namespace penstock::io
