// Bodies of Kernel C on the host: they are compiled for the host's processor, or for the session's
// device if no C compiler is there.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "penstock/device.hpp"
#include "penstock/expression.hpp"

namespace penstock::session {

using HostCall = std::function<Scalar(std::span<const Scalar>)>;
using DeviceOpener = std::function<Result<std::shared_ptr<Device>>()>;

// Compiles a function, whose `host` is not read. Code::compile with the compiler's log. The result
// is thread-safe, and throws if the device is lost.
Result<HostCall> host_call(const CustomFunction& function, const DeviceOpener& open_device);

}  // namespace penstock::session
