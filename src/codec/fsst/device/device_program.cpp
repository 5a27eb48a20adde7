#include "codec/fsst/device/device_program.hpp"

#include "kernel/kernel_source.hpp"
#include "primitive/primitive_source.hpp"

namespace penstock::kernel {
std::string_view codec_text(std::string_view name);  // cmake/Embed.cmake
}

namespace penstock::fsst {

ProgramSource program_source(const Device& device, const ProgramOptions& options,
                             std::initializer_list<std::string_view> files) {
  const std::string offset =
      options.offset_bytes == 8 ? "#define FSST_OFFSET u64\n" : "#define FSST_OFFSET u32\n";
  // Small groups hide their barriers behind one another, so a multiprocessor should hold 1024
  // threads. Without this bound the kernels take up to 100 registers, and ran half as fast through
  // CUDA as through OpenCL, whose compiler takes fewer. With it they are nine tenths as fast.
  std::string groups_per_unit;
  if (options.group_size > 1 && options.group_size <= 256)
    groups_per_unit = primitive::groups_per_unit(1024 / options.group_size);
  std::vector<kernel::TextPart> parts = {
      {"definitions", offset + groups_per_unit + options.definitions}};
  const auto add = [&](std::string_view file) {
    const std::string path = "codec/fsst/kernels/" + std::string(file) + ".kc";
    parts.push_back({path, std::string(kernel::codec_text(path))});
  };
  add("fsst_tables");
  for (const std::string_view file : files) add(file);
  ProgramSource source;
  source.text = kernel::assemble(device.traits().target, parts);
  source.group_size = options.group_size;
  source.label = *(files.end() - 1);
  return source;
}

Result<std::shared_ptr<Program>> build_program(Device& device, const ProgramOptions& options,
                                               std::initializer_list<std::string_view> files) {
  return device.build(program_source(device, options, files));
}

}  // namespace penstock::fsst
