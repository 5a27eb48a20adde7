// Copies of Arrow arrays from a device's memory to the host.
#pragma once
#include <span>
#include <vector>

#include "column/arrow_format.hpp"
#include "penstock/device.hpp"

namespace penstock::column {

// Whether the rows of an array can be counted and multiplied by a width without an overflow.
inline bool has_sane_rows(const ArrowArray& array) {
  constexpr std::int64_t max_rows = std::int64_t{1} << 40;
  return array.length >= 0 && array.offset >= 0 && array.offset <= max_rows &&
         array.length <= max_rows;
}

class ArrowDownload {
 public:
  static Result<ArrowDownload> begin(Device& device);
  // Returns bytes at an address of the device.
  Result<std::vector<std::byte>> bytes_at(const void* address, std::uint64_t count);
  // Returns bits [first, first + count), the first at the least bit.
  Result<Bytes> bits_at(const void* address, std::uint64_t first, std::uint64_t count);
  // Returns a column of the host's: child `index` of a struct array.
  Result<Column> column(const ArrowArray& batch, std::uint32_t index, const ArrowField& field);

 private:
  ArrowDownload(Device& device, std::unique_ptr<Queue> queue)
      : device_(&device), queue_(std::move(queue)) {}
  struct Copy;
  Result<std::unique_ptr<Copy>> copy_of(const ArrowArray& array, const ArrowField& field,
                                        ArrowLayout layout);
  Status add_values(const ArrowArray& array, const ArrowField& field, ArrowLayout layout, Copy& to);
  Status add_strings(const ArrowArray& array, std::uint32_t offset_bytes, Copy& to);
  Status add_views(const ArrowArray& array, Copy& to);
  Status add(const ArrowArray& array, std::int64_t buffer, std::uint64_t bytes, Copy& to);
  static void release(ArrowArray* array);

  Device* device_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace penstock::column
