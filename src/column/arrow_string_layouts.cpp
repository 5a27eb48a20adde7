#include "penstock/arrow_string_layouts.hpp"

#include <algorithm>
#include <string>

#include "base/exception_boundary.hpp"
#include "kernel/kernel_source.hpp"

namespace penstock {
namespace {

constexpr std::uint32_t fault_offsets = 1, fault_length = 2;  // arrow_string_layouts.kc

Result<std::shared_ptr<Program>> build_program(Device& device) {
  const Traits& traits = device.traits();
  return device.build(kernel::program_source(
      traits.target, {kernel::column_source, {"column/kernels/arrow_string_layouts.kc"}},
      kernel::group_size_for_rows(traits), "arrow_string_layouts"));
}

Status check_offsets(const Buffer& offsets, std::uint64_t row_count) {
  if (row_count < UINT64_MAX / 16 && offsets.bytes() >= (row_count + 1) * 8) return {};
  return {Code::invalid, "memory for fewer offsets than texts have"};
}

}  // namespace

Result<ArrowStringLayouts> ArrowStringLayouts::build(std::shared_ptr<Device> device,
                                                     std::uint32_t view_buffer_bits) {
  if (view_buffer_bits < 4 || view_buffer_bits > 31)
    return Status(Code::invalid, "views' buffers of 2^4 to 2^31 bytes");
  return catch_exceptions([&]() -> Result<ArrowStringLayouts> {
    ArrowStringLayouts layouts;
    PENSTOCK_ASSIGN(layouts.program_, build_program(*device));
    PENSTOCK_ASSIGN(layouts.faults_, device->allocate(16));
    layouts.device_ = std::move(device);
    layouts.view_buffer_bits_ = view_buffer_bits;
    return layouts;
  });
}

Status ArrowStringLayouts::enqueue_offsets(Queue& queue, const Buffer& offsets,
                                           std::uint64_t row_count, std::uint64_t data_bytes,
                                           const Buffer& narrow) const {
  if (data_bytes > INT32_MAX)
    return {Code::capacity,
            std::to_string(data_bytes) + " bytes of text, where offsets have 31 bits"};
  PENSTOCK_TRY(check_offsets(offsets, row_count));
  if (narrow.bytes() < (row_count + 1) * 4)
    return {Code::invalid, "memory for fewer narrow offsets than texts have"};
  PENSTOCK_TRY(queue.fill(*faults_, 0, 4));
  return queue.launch(*program_, "string_offsets", groups(row_count + 1),
                      {{Argument::of(offsets), Argument::of(narrow), Argument::of(*faults_),
                        Argument::value(row_count), Argument::value(data_bytes)}});
}

Status ArrowStringLayouts::enqueue_views(Queue& queue, const Buffer& offsets, const Buffer& data,
                                         std::uint64_t row_count, std::uint64_t data_bytes,
                                         const Buffer& views) const {
  if (view_buffer_count(data_bytes, view_buffer_bits_) > INT32_MAX)
    return {Code::capacity, "more buffers of text than views can number"};
  PENSTOCK_TRY(check_offsets(offsets, row_count));
  if (data.bytes() / 4 * 4 < data_bytes)
    return {Code::invalid, "memory for less text than there is, in words of 4 bytes"};
  if (views.bytes() < row_count * 16)
    return {Code::invalid, "memory for fewer views than there are texts"};
  PENSTOCK_TRY(queue.fill(*faults_, 0, 4));
  if (row_count == 0) return {};
  return queue.launch(*program_, "string_views", groups(row_count),
                      {{Argument::of(offsets), Argument::of(data), Argument::of(views),
                        Argument::of(*faults_), Argument::value(row_count),
                        Argument::value(data_bytes), Argument::value(view_buffer_bits_)}});
}

Status ArrowStringLayouts::check(Queue& queue) const {
  std::uint32_t faults = 0;
  const Status asked = queue.download(&faults, *faults_, 4);
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_TRY(asked);
  if ((faults & fault_offsets) != 0)
    return {Code::corrupt, "offsets of texts that descend or lie behind the text"};
  if ((faults & fault_length) != 0)
    return {Code::capacity, "a text of 2^31 bytes or more, of which there is no view"};
  return {};
}

std::uint32_t ArrowStringLayouts::groups(std::uint64_t values) const {
  const std::uint64_t threads = program_->group_size(),
                      max_groups = std::uint64_t{device_->traits().compute_units} * 64;
  return static_cast<std::uint32_t>(std::min((values + threads - 1) / threads, max_groups));
}

}  // namespace penstock
