#include "io/files/constant_column.hpp"

#include <cstring>
#include <span>
#include <vector>

#include "column/bits.hpp"

namespace penstock::io {
namespace {

Bytes repeated(std::span<const std::byte> value, std::uint64_t count) {
  std::vector<std::byte> values(value.size() * count);
  for (std::uint64_t row = 0; row < count; row++)
    std::memcpy(values.data() + row * value.size(), value.data(), value.size());
  return Bytes::own(std::move(values));
}

Bytes all_bits(bool bit, std::uint64_t count) {
  return Bytes::own(
      std::vector<std::byte>(column::bytes_of_bits(count), bit ? std::byte{0xff} : std::byte{0}));
}

}  // namespace

Column constant_column(const Scalar& value, std::uint64_t row_count) {
  Column one = column_of(value.type, std::span(&value, 1));
  Column all;
  all.type = value.type;
  all.row_count = row_count;
  if (value.is_null) all.validity = all_bits(false, row_count);
  if (value.type.kind == Kind::boolean) {
    all.values = all_bits(value.integer != 0, row_count);
  } else if (value.type.kind == Kind::string) {
    one.validity = {};
    all.values = Bytes::own(std::vector<std::int32_t>(row_count));
    all.dictionary = std::make_shared<const Column>(std::move(one));
  } else {
    all.values = repeated({one.values.data, width_bytes(value.type)}, row_count);
  }
  return all;
}

}  // namespace penstock::io
