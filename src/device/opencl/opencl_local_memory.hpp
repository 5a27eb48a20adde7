// The local memory of a group on NVIDIA's OpenCL.
//
// CL_DEVICE_LOCAL_MEM_SIZE says 48 KiB there, CUDA's default for a kernel. The driver accepts
// kernels with CUDA's full local memory (driver 580 on an H100: 227 KiB less 4 bytes), but no query
// reports it. Kernels are slower in 48 KiB (docs/portability.md). So the first opening of a device
// builds and runs a kernel with that much memory, and checks its result. That takes 1 ms if the
// driver has cached the kernel, otherwise 60 ms.
#pragma once
#include "device/opencl/opencl_device.hpp"

namespace penstock::opencl {

// Returns the bytes of local memory that a group of this device can have: at least the number in
// its traits. The first call for a device and its driver in a process builds and runs a kernel, and
// waits.
std::uint64_t usable_local_bytes(const Context& context);

}  // namespace penstock::opencl
