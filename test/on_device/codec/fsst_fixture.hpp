// Shared by the tests of FSST on devices: every device and variant, and buffers that show what was
// written to them.
#pragma once
#include "on_device/device/device_fixture.hpp"

namespace penstock::fsst {

// Runs a body for each decoder or encoder variant that fits a device.
template <class Variants, class Body> void on_each_variant(Body body) {
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    for (const std::string& variant : Variants::variants(device->traits())) {
      SCOPED_TRACE(variant);
      body(device, variant);
    }
  });
}

// The value of every byte of a buffer before it is written, and how many such bytes follow the part
// that should be written.
constexpr std::uint8_t canary = 0xa5;
constexpr std::uint64_t canary_bytes = 4096;

// Uploads canaries. Queue::fill() would leave up to three bytes at the end as they are.
inline Status cover(Queue& queue, const Buffer& buffer) {
  const std::vector<std::uint8_t> canaries(buffer.bytes(), canary);
  PENSTOCK_TRY(queue.upload(buffer, canaries.data(), canaries.size()));
  return queue.finish();
}

// Downloads the first values of a buffer, or all of them.
template <class T>
Result<std::vector<T>> downloaded(Queue& queue, const Buffer& from,
                                  std::uint64_t count = ~std::uint64_t{0}) {
  std::vector<T> values(std::min(count, from.bytes() / sizeof(T)));
  PENSTOCK_TRY(queue.download(values.data(), from, values.size() * sizeof(T)));
  PENSTOCK_TRY(queue.finish());
  return values;
}

}  // namespace penstock::fsst
