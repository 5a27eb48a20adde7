// Texts that lie on a device in the forms that Arrow has for them. Decoders (decoder.hpp) leave
// offsets of 64 bits, which is Arrow's large_string; string and string_view are made of these,
// where they lie, and the texts' bytes stay as they are.
//
//     PENSTOCK_ASSIGN(auto forms, TextForms::build(device));
//     PENSTOCK_TRY(forms.enqueue_views(*queue, *text.offsets, *text.bytes, row_count, text_bytes,
//         *views));
//     PENSTOCK_TRY(forms.check(*queue));      // waits
#pragma once
#include <memory>

#include "penstock/device.hpp"

namespace penstock {

// For one queue at a time; nothing waits inside what is enqueued, or is allocated.
class TextForms {
 public:
  // A view says in which buffer its text begins: buffer k is the text from its byte k *
  // 2^view_buffer_bits on, to the text's end, so that these buffers are one memory, entered at
  // several places. With 31 bits text of up to 2 GiB is one buffer, as views have offsets of 31
  // bits. Code::invalid for fewer than 4 or more than 31.
  static Result<TextForms> build(std::shared_ptr<Device> device,
                                 std::uint32_t view_buffer_bits = 31);
  static std::uint64_t view_buffer_count(std::uint64_t text_bytes,
                                         std::uint32_t view_buffer_bits = 31) {
    return text_bytes == 0 ? 0 : ((text_bytes - 1) >> view_buffer_bits) + 1;
  }

  // Arrow's string: row_count + 1 offsets of 32 bits in `narrow`. Code::capacity for more than 2^31
  // - 1 bytes of text.
  Status enqueue_offsets(Queue& queue, const Buffer& offsets, std::uint64_t row_count,
                         std::uint64_t text_bytes, const Buffer& narrow) const;
  // Arrow's string_view: 16 bytes a row in `views`. `text`: whole words of 4 bytes.
  Status enqueue_views(Queue& queue, const Buffer& offsets, const Buffer& text,
                       std::uint64_t row_count, std::uint64_t text_bytes,
                       const Buffer& views) const;
  // Waits. Of what was enqueued last: Code::corrupt for offsets that descend or lie behind the
  // text, Code::capacity for a row of 2^31 bytes or more, of which there is no view.
  Status check(Queue& queue) const;

 private:
  std::uint32_t groups(std::uint64_t things) const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<Program> program_;
  std::shared_ptr<Buffer> verdict_;
  std::uint32_t view_buffer_bits_ = 31;
};

}  // namespace penstock
