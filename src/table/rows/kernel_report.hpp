// An entry of a run's report: the sums of several launches.
#pragma once
#include <memory>
#include <string>

#include "penstock/report.hpp"

namespace penstock::plan {

struct KernelFigures {
  std::uint64_t launches = 0, bytes_moved = 0;
  double device_seconds = 0;
};

// Adds an entry with the kernel's name as its variant.
inline KernelReport& add_kernel(RunReport& report, std::string name,
                                std::shared_ptr<const std::string> source, const Program& program,
                                const KernelFigures& figures) {
  KernelReport kernel;
  kernel.name = kernel.variant = std::move(name);
  kernel.source = std::move(source);
  kernel.build = program.report();
  kernel.device_seconds = figures.device_seconds;
  kernel.launches = figures.launches;
  kernel.bytes_moved = figures.bytes_moved;
  return report.kernels.emplace_back(std::move(kernel));
}
inline KernelReport& add_kernel(RunReport& report, std::string name, std::string source,
                                const Program& program, const KernelFigures& figures) {
  return add_kernel(report, std::move(name), std::make_shared<const std::string>(std::move(source)),
                    program, figures);
}

}  // namespace penstock::plan
