#include "io/encoded/encoded_buffers.hpp"

#include "column/bits.hpp"

namespace penstock::io {

std::string value_of(const arrow::KeyValueMetadata* metadata, std::string_view key) {
  const int at = metadata == nullptr ? -1 : metadata->FindKey(std::string(key));
  return at < 0 ? "" : metadata->value(at);
}

Bytes part_of(const std::shared_ptr<arrow::Array>& array, const std::uint8_t* data,
              std::int64_t bytes) {
  return {array, reinterpret_cast<const std::byte*>(data), static_cast<std::uint64_t>(bytes)};
}

std::shared_ptr<arrow::Buffer> buffer_of(const Bytes& bytes) {
  struct Kept final : arrow::Buffer {
    explicit Kept(const Bytes& view)
        : Buffer(reinterpret_cast<const std::uint8_t*>(view.data),
                 static_cast<std::int64_t>(view.size)),
          owner(view.owner) {}
    std::shared_ptr<const void> owner;
  };
  return std::make_shared<Kept>(bytes);
}

Bytes validity_of(const std::shared_ptr<arrow::Array>& array) {
  if (array->null_count() == 0) return {};
  return column::slice_bits(part_of(array, array->null_bitmap_data(), 0),
                            static_cast<std::uint64_t>(array->offset()),
                            static_cast<std::uint64_t>(array->length()));
}

}  // namespace penstock::io
