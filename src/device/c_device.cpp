#include "device/c_device.hpp"

#include <algorithm>

namespace penstock::c {

static_assert(static_cast<int>(Code::internal) == PENSTOCK_INTERNAL &&
              static_cast<int>(Code::corrupt) == PENSTOCK_CORRUPT &&
              static_cast<int>(Code::no_device) == PENSTOCK_NO_DEVICE &&
              static_cast<int>(Code::io) == PENSTOCK_IO);

penstock_code code_of(const Status& status, penstock_status* into) {
  const auto code = static_cast<penstock_code>(status.code());
  if (into == nullptr) return code;
  into->code = code;
  const std::string text = status.ok() ? "" : status.text();
  const std::size_t bytes = std::min<std::size_t>(text.size(), PENSTOCK_MESSAGE_BYTES - 1);
  std::copy_n(text.data(), bytes, into->message);
  into->message[bytes] = '\0';
  return code;
}

namespace {

penstock_code take_device(penstock_device** device, penstock_status* status, auto&& open) {
  if (device == nullptr)
    return code_of(Status(Code::invalid, "the pointer to the device's handle is null"), status);
  *device = nullptr;
  return enter(status, [&]() -> Status {
    PENSTOCK_ASSIGN(auto opened, open());
    *device = new penstock_device{std::move(opened)};
    return {};
  });
}

}  // namespace
}  // namespace penstock::c

using namespace penstock;

extern "C" {

penstock_code penstock_device_open(const char* selector, penstock_device** device,
                                   penstock_status* status) {
  return c::take_device(device, status,
                        [&] { return open_device(selector == nullptr ? "" : selector); });
}

penstock_code penstock_device_of_opencl_queue(void* queue, penstock_device** device,
                                              penstock_status* status) {
  return c::take_device(device, status, [&] {
    return open_device_of_queue(Target::opencl, reinterpret_cast<std::uint64_t>(queue));
  });
}

void penstock_device_close(penstock_device* device) { delete device; }

const char* penstock_device_id(const penstock_device* device) {
  return device->device->traits().id.c_str();
}

const char* penstock_device_name(const penstock_device* device) {
  return device->device->traits().name.c_str();
}

void* penstock_device_context(const penstock_device* device) {
  const auto context = device->device->context_handle();
  return context.ok() ? reinterpret_cast<void*>(*context) : nullptr;
}

}  // extern "C"
