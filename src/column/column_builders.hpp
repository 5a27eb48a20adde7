// Builds columns value by value.
#pragma once
#include "penstock/column.hpp"

namespace penstock::column {

// Builds booleans and validity.
class BitBuilder {
 public:
  void push(bool bit) {
    if (count_ % 8 == 0) bytes_.push_back(std::byte{0});
    if (bit) bytes_.back() |= std::byte{1} << (count_ % 8);
    count_++;
  }
  Bytes take() { return Bytes::own(std::move(bytes_)); }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t count_ = 0;
};

// Gives a column its strings: contiguous bytes, and where each begins and the last one ends.
// Offsets are 4 bytes wide while they fit.
inline void set_strings(Column& column, std::vector<std::byte> bytes,
                        std::vector<std::int64_t> offsets) {
  column.offset_bytes = bytes.size() <= INT32_MAX ? 4 : 8;
  if (column.offset_bytes == 4)
    column.offsets = Bytes::own(std::vector<std::int32_t>(offsets.begin(), offsets.end()));
  else
    column.offsets = Bytes::own(std::move(offsets));
  column.values = Bytes::own(std::move(bytes));
}

// Builds strings.
class StringBuilder {
 public:
  explicit StringBuilder(std::uint64_t row_count) { offsets_.reserve(row_count + 1); }
  void push(std::string_view text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), data, data + text.size());
    offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
  }
  void push_row(const Column& column, std::uint64_t row) {
    push(column.is_valid(row) ? column.string(row) : std::string_view());
  }
  void take(Column& column) { set_strings(column, std::move(bytes_), std::move(offsets_)); }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::int64_t> offsets_{0};
};

}  // namespace penstock::column
