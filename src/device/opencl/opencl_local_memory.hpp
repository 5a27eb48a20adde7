// How much local memory a group has on NVIDIA's OpenCL.
//
// CL_DEVICE_LOCAL_MEM_SIZE says 48 KiB there: what CUDA gives a kernel that does not ask for more.
// The driver takes kernels with all that CUDA can give (driver 580 on an H100: 227 KiB less 4
// bytes), and no query tells. Kernels are slower in 48 KiB (docs/portability.md). So a kernel with
// that much is built and run when a device is first opened, and has to give the right answer: 60 ms
// where the driver has not kept it, otherwise 1 ms.
#pragma once
#include "device/opencl/opencl_device.hpp"

namespace penstock::opencl {

// Returns the bytes of local memory that a group of this device can have: those of its traits, or
// more. The first call for a device and its driver in a process builds and runs a kernel, and
// waits.
std::uint64_t usable_local_bytes(const Context& context);

}  // namespace penstock::opencl
