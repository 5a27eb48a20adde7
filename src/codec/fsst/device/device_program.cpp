#include "codec/fsst/device/device_program.hpp"

#include "kernel/kernel_source.hpp"
#include "primitive/primitive_source.hpp"

namespace penstock::fsst {

ProgramSource program_source(const Device& device, const ProgramOptions& options,
                             std::string_view file) {
  const std::string offset =
      options.offset_bytes == 8 ? "#define FSST_OFFSET u64\n" : "#define FSST_OFFSET u32\n";
  // Small groups hide each other's barriers, so a multiprocessor should hold 1024 threads. Without
  // this bound the kernels took up to 100 registers through CUDA, and ran half as fast as through
  // OpenCL: its compiler took fewer registers by itself. With the bound they were nine tenths as
  // fast. OpenCL has the bound, too, since then.
  std::string groups_per_multiprocessor;
  if (options.group_size > 1 && options.group_size <= 256)
    groups_per_multiprocessor = primitive::groups_per_multiprocessor(1024 / options.group_size);
  const kernel::KernelFiles files{kernel::codec_source,
                                  {"codec/fsst/kernels/" + std::string(file) + ".kc"},
                                  offset + groups_per_multiprocessor + options.definitions};
  return kernel::program_source(device.traits().target, files, options.group_size, file);
}

Result<std::shared_ptr<Program>> build_program(Device& device, const ProgramOptions& options,
                                               std::string_view file) {
  return device.build(program_source(device, options, file));
}

}  // namespace penstock::fsst
