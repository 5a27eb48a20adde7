#include <cstring>
#include <span>

#include "column/bits.hpp"
#include "io/common/dictionary_limit.hpp"
#include "io/parquet/parquet_decode.hpp"

namespace penstock::io {
namespace {

void append(StringBytes& texts, const parquet::ByteArray& text) {
  const auto* from = reinterpret_cast<const char*>(text.ptr);
  if (text.len != 0) texts.bytes.insert(texts.bytes.end(), from, from + text.len);
  texts.ends.push_back(static_cast<std::int64_t>(texts.bytes.size()));
}

// Joins the strings of all parts into one Arrow string column.
Column string_column(std::span<const StringBytes> parts, std::uint64_t row_count,
                     BatchMemory& memory) {
  std::uint64_t bytes = 0;
  for (const StringBytes& texts : parts) bytes += texts.bytes.size();
  Column column;
  column.type = {Kind::string};
  column.row_count = row_count;
  column.offset_bytes = bytes <= INT32_MAX ? 4 : 8;
  const auto values = memory.take(bytes),
             offsets = memory.take((row_count + 1) * column.offset_bytes);
  std::uint64_t first = 0, row = 0;
  const auto put = [&](std::uint64_t at, std::uint64_t offset) {
    if (column.offset_bytes == 4)
      reinterpret_cast<std::uint32_t*>(offsets.get())[at] = static_cast<std::uint32_t>(offset);
    else
      reinterpret_cast<std::uint64_t*>(offsets.get())[at] = offset;
  };
  put(0, 0);
  for (const StringBytes& texts : parts) {
    for (const std::int64_t end : texts.ends) put(++row, first + static_cast<std::uint64_t>(end));
    if (!texts.bytes.empty())
      std::memcpy(values.get() + first, texts.bytes.data(), texts.bytes.size());
    first += texts.bytes.size();
  }
  column.values = {values, values.get(), bytes};
  column.offsets = {offsets, offsets.get(), (row_count + 1) * column.offset_bytes};
  return column;
}

}  // namespace

void BatchColumn::prepare(BatchMemory& memory) {
  std::call_once(prepared_, [&] {
    const std::uint64_t bit_bytes = column::bytes_of_bits(row_count_);
    const auto zeroed = [&](std::uint64_t bytes) {
      auto block = memory.take(bytes);
      std::memset(block.get(), 0, bytes);
      return block;
    };
    if (column_.is_optional) validity_ = zeroed(bit_bytes);
    if (column_.conversion == Conversion::boolean)
      values_ = zeroed(bit_bytes);
    else if (!is_plain_string())
      values_ = memory.take(row_count_ * width_bytes(column_.field.type));
  });
}

Result<std::int64_t> BatchColumn::add_dictionary(const parquet::ByteArray* entries,
                                                 std::int32_t count) {
  const std::lock_guard lock(dictionary_mutex_);
  const auto base = static_cast<std::int64_t>(dictionary_.ends.size());
  PENSTOCK_TRY(check_dictionary_size(dictionary_.ends.size() + static_cast<std::uint64_t>(count),
                                     row_count_));
  for (std::int32_t i = 0; i < count; i++) append(dictionary_, entries[i]);
  return base;
}

Result<Column> BatchColumn::take(BatchMemory& memory) {
  Column column;
  if (is_plain_string()) {
    column = string_column(parts_, row_count_, memory);
    column.type = column_.field.type;
    parts_.clear();
  } else {
    column.type = column_.field.type;
    column.row_count = row_count_;
    const std::uint64_t bytes = column_.conversion == Conversion::boolean
                                    ? column::bytes_of_bits(row_count_)
                                    : row_count_ * width_bytes(column.type);
    column.values = {values_, values_.get(), bytes};
    if (column_.conversion == Conversion::string)
      column.dictionary = std::make_shared<Column>(
          string_column({&dictionary_, 1}, dictionary_.ends.size(), memory));
  }
  if (any_null_.load(std::memory_order_relaxed))
    column.validity = {validity_, validity_.get(), column::bytes_of_bits(row_count_)};
  return column;
}

}  // namespace penstock::io
