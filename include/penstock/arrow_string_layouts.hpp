// Converts strings on a device to Arrow's layouts. Decoders (decoder.hpp) write offsets of 64 bits,
// which is Arrow's large_string. From these, string and string_view are made on the device; the
// strings' bytes do not change.
//
//     PENSTOCK_ASSIGN(auto layouts, ArrowStringLayouts::build(device));
//     PENSTOCK_TRY(layouts.enqueue_views(*queue, *strings.offsets, *strings.bytes,
//         row_count, data_bytes, *views));
//     PENSTOCK_TRY(layouts.check(*queue));      // waits
#pragma once
#include <memory>

#include "penstock/device.hpp"

namespace penstock {

// For one queue at a time. enqueue_...() neither waits nor allocates.
class ArrowStringLayouts {
 public:
  // A view names the buffer in which its string begins. Buffer k is the strings' bytes from byte k
  // * 2^view_buffer_bits to the end, so that all buffers are one allocation. Views have offsets of
  // 31 bits: with 31 bits up to 2 GiB are one buffer. Code::invalid for fewer than 4 or more
  // than 31.
  static Result<ArrowStringLayouts> build(std::shared_ptr<Device> device,
                                          std::uint32_t view_buffer_bits = 31);
  static std::uint64_t view_buffer_count(std::uint64_t data_bytes,
                                         std::uint32_t view_buffer_bits = 31) {
    return data_bytes == 0 ? 0 : ((data_bytes - 1) >> view_buffer_bits) + 1;
  }

  // Arrow's string: row_count + 1 offsets of 32 bits in `narrow`. Code::capacity for more than 2^31
  // - 1 bytes of strings.
  Status enqueue_offsets(Queue& queue, const Buffer& offsets, std::uint64_t row_count,
                         std::uint64_t data_bytes, const Buffer& narrow) const;
  // Arrow's string_view: 16 bytes per row in `views`. `data`: whole words of 4 bytes.
  Status enqueue_views(Queue& queue, const Buffer& offsets, const Buffer& data,
                       std::uint64_t row_count, std::uint64_t data_bytes,
                       const Buffer& views) const;
  // Waits, and checks what was enqueued last: Code::corrupt for offsets that descend or lie after
  // the bytes, Code::capacity for a row of 2^31 bytes or more, which no view can hold.
  Status check(Queue& queue) const;

 private:
  std::uint32_t groups(std::uint64_t values) const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
  std::shared_ptr<Buffer> faults_;
  std::uint32_t view_buffer_bits_ = 31;
};

}  // namespace penstock
