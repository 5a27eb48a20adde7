// A device that stands before a driver's own, as while a run is recorded.
#pragma once
#include "penstock/device.hpp"

namespace penstock::device {

class WrappedDevice : public Device {
 public:
  virtual const Device& wrapped() const = 0;
};

// Returns the driver's own device. Only it knows whether it can copy over a link.
inline const Device& device_of_driver(const Device& device) {
  const auto* const wrapper = dynamic_cast<const WrappedDevice*>(&device);
  return wrapper ? device_of_driver(wrapper->wrapped()) : device;
}

}  // namespace penstock::device
