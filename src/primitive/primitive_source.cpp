#include "primitive/primitive_source.hpp"

#include "kernel/kernel_source.hpp"

namespace penstock::primitive {

std::string define(const std::string& name, const std::string& value) {
  return "#define " + name + " " + value + "\n";
}
std::string define(const std::string& name, std::uint32_t value) {
  return define(name, std::to_string(value) + "u");
}
std::string groups_per_multiprocessor(std::uint32_t count) {
  return "#undef GROUPS_PER_MULTIPROCESSOR\n" +
         define("GROUPS_PER_MULTIPROCESSOR", std::to_string(count));
}

ProgramSource primitive_program(const Device& device, const std::string& file, std::string policy,
                                std::uint32_t group_size) {
  return kernel::program_source(
      device.traits().target,
      {kernel::primitive_source, {"primitive/kernels/" + file}, std::move(policy)}, group_size,
      file);
}

Status replace(Device& device, std::shared_ptr<Buffer>& buffer, std::uint64_t bytes) {
  if (buffer && buffer->bytes() >= bytes) return {};
  buffer.reset();
  PENSTOCK_ASSIGN(buffer, device.allocate(bytes));
  return {};
}

}  // namespace penstock::primitive
