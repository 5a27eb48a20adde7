// The kernels of kernels/window.kc, over rows in an order that a device found.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "penstock/column.hpp"
#include "penstock/device.hpp"

namespace penstock::plan {

class WindowKernels {
 public:
  // `definitions`: the macros that the source names, a line each; the source has defaults.
  static Result<WindowKernels> build(Device& device, const std::string& definitions);
  // Launches a kernel over the numbers below `count`.
  Status launch(Queue& queue, std::string_view kernel, std::uint64_t count,
                std::span<const Argument> arguments) const;

 private:
  std::shared_ptr<Program> program_;
  std::uint32_t max_groups_ = 1;
};

Result<WindowKernels> kernels_of_words(Device& device,
                                       std::uint32_t bits);  // of a sort's words of so many bits
Result<WindowKernels> kernels_of_values(Device& device, Type type);  // of a column that is added up

}  // namespace penstock::plan
