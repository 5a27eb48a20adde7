#include "plan/order/window_kernels.hpp"

#include <algorithm>

#include "expr/emit.hpp"
#include "kernel/kernel_source.hpp"
#include "plan/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {
namespace {

std::string definitions_of(Type type) {
  const bool is_real = is_float(type);
  const std::string wide = is_real ? "f64" : type.kind == Kind::uint64 ? "u64" : "i64";
  return "#define WINDOW_VALUE " + memory_type(type) + "\n#define WINDOW_SUM " +
         (is_real ? "f64" : "u64") + "\n#define WINDOW_WIDE " + wide +
         "\n#define WINDOW_AT(values, row) " +
         (type.kind == Kind::boolean ? "bit_at(values, row)" : "(values)[row]") +
         "\n#define WINDOW_IS_FLOAT " + (is_real ? "1" : "0") + "\n";
}

}  // namespace

Result<WindowKernels> WindowKernels::build(Device& device, const std::string& definitions) {
  const Traits& traits = device.traits();
  const kernel::SourcePart parts[] = {
      {"definitions", definitions}, {"plan/codegen/kernels/window.kc", template_source("window")}};
  ProgramSource source;
  source.text = kernel::assemble(traits.target, parts);
  source.group_size =
      traits.wants_single_thread_groups() ? 1 : std::min(256u, traits.max_group_size);
  source.label = "window.kc";
  WindowKernels kernels;
  PENSTOCK_ASSIGN(kernels.program_, device.build(source));
  kernels.max_groups_ = traits.compute_units * (traits.wants_single_thread_groups() ? 4 : 8);
  return kernels;
}

Status WindowKernels::launch(Queue& queue, std::string_view kernel, std::uint64_t count,
                             std::span<const Argument> arguments) const {
  const std::uint64_t group_size = program_->group_size(),
                      groups = (count + group_size - 1) / group_size;
  return queue.launch(*program_, kernel,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, max_groups_)),
                      arguments);
}

Result<WindowKernels> kernels_of_words(Device& device, std::uint32_t bits) {
  return WindowKernels::build(device,
                              bits <= 32 ? "#define ORDER_WORD u32\n" : "#define ORDER_WORD u64\n");
}

Result<WindowKernels> kernels_of_values(Device& device, Type type) {
  return WindowKernels::build(device, definitions_of(type));
}

}  // namespace penstock::plan
