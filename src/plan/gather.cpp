#include "plan/gather.hpp"

#include <cstring>

namespace penstock::plan {
namespace {

// Grows bit by bit; all-present until the first missing row.
class Bits {
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

// Builds a string column; offsets are 4 bytes wide while they fit.
class StringBuilder {
 public:
  void push(std::string_view text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), data, data + text.size());
    offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
  }
  void take(Column& column) {
    column.offset_bytes = bytes_.size() < (std::uint64_t{1} << 31) ? 4 : 8;
    if (column.offset_bytes == 4) column.offsets = Bytes::own(std::vector<std::int32_t>(offsets_.begin(), offsets_.end()));
    else column.offsets = Bytes::own(std::move(offsets_));
    column.values = Bytes::own(std::move(bytes_));
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::int64_t> offsets_{0};
};

void gather_values(const Column& from, std::span<const std::uint64_t> rows, Column& to) {
  if (from.type.kind == Kind::boolean) {
    Bits bits;
    for (std::uint64_t row : rows) bits.push(from.boolean(row));
    to.values = bits.take();
  } else if (from.type.kind == Kind::string && !from.dictionary) {
    StringBuilder strings;
    for (std::uint64_t row : rows) strings.push(from.is_valid(row) ? from.string(row) : std::string_view());
    strings.take(to);
  } else {
    const std::size_t width = from.dictionary ? 4 : width_bytes(from.type);
    std::vector<std::byte> bytes(rows.size() * width);
    for (std::size_t i = 0; i < rows.size(); i++) std::memcpy(bytes.data() + i * width, from.values.data + rows[i] * width, width);
    to.values = Bytes::own(std::move(bytes));
    to.dictionary = from.dictionary;
  }
}

}  // namespace

Column gather(const Column& column, std::span<const std::uint64_t> rows) {
  Column result;
  result.type = column.type;
  result.row_count = rows.size();
  gather_values(column, rows, result);
  if (column.validity.empty()) return result;
  Bits validity;
  for (std::uint64_t row : rows) validity.push(column.is_valid(row));
  result.validity = validity.take();
  return result;
}

Table gather(const Table& table, std::span<const std::uint64_t> rows) {
  Table result{table.names, {}, rows.size()};
  for (const Column& column : table.columns) result.columns.push_back(gather(column, rows));
  return result;
}

Column concatenate(Type type, std::span<const Column> parts) {
  if (parts.size() == 1) return parts[0];
  Column result;
  result.type = type;
  bool has_nulls = false;
  for (const Column& part : parts) {
    result.row_count += part.row_count;
    has_nulls = has_nulls || !part.validity.empty();
  }
  if (has_nulls) {
    Bits validity;
    for (const Column& part : parts)
      for (std::uint64_t row = 0; row < part.row_count; row++) validity.push(part.is_valid(row));
    result.validity = validity.take();
  }
  if (type.kind == Kind::boolean) {
    Bits bits;
    for (const Column& part : parts)
      for (std::uint64_t row = 0; row < part.row_count; row++) bits.push(part.boolean(row));
    result.values = bits.take();
  } else if (type.kind == Kind::string) {
    StringBuilder strings;
    for (const Column& part : parts)
      for (std::uint64_t row = 0; row < part.row_count; row++) strings.push(part.is_valid(row) ? part.string(row) : std::string_view());
    strings.take(result);
  } else {
    const std::size_t width = width_bytes(type);
    std::vector<std::byte> bytes(result.row_count * width);
    std::size_t at = 0;
    for (const Column& part : parts) {
      if (part.row_count > 0) std::memcpy(bytes.data() + at, part.values.data, part.row_count * width);
      at += part.row_count * width;
    }
    result.values = Bytes::own(std::move(bytes));
  }
  return result;
}

}  // namespace penstock::plan
