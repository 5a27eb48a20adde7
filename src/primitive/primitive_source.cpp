#include "primitive/primitive_source.hpp"

#include "kernel/kernel_source.hpp"

namespace penstock::kernel {
std::string_view primitive_text(std::string_view name);  // cmake/Embed.cmake
}

namespace penstock::primitive {

std::string define(const std::string& name, const std::string& value) {
  return "#define " + name + " " + value + "\n";
}
std::string define(const std::string& name, std::uint32_t value) {
  return define(name, std::to_string(value) + "u");
}
std::string groups_per_unit(std::uint32_t count) {
  return "#undef GROUPS_PER_UNIT\n" + define("GROUPS_PER_UNIT", std::to_string(count));
}

ProgramSource text_of(const Device& device, const std::vector<std::string>& files,
                      std::string policy, std::uint32_t group_size) {
  std::vector<kernel::TextPart> parts = {{"policy", std::move(policy)}};
  for (const std::string& file : files) {
    const std::string name = "primitive/kernels/" + file;
    parts.push_back({name, std::string(kernel::primitive_text(name))});
  }
  ProgramSource source;
  source.text = kernel::assemble(device.traits().target, parts);
  source.group_size = group_size;
  source.label = files.back();
  return source;
}

Status replace(Device& device, std::shared_ptr<Buffer>& buffer, std::uint64_t bytes) {
  if (buffer && buffer->bytes() >= bytes) return {};
  buffer.reset();
  PENSTOCK_ASSIGN(buffer, device.allocate(bytes));
  return {};
}

}  // namespace penstock::primitive
