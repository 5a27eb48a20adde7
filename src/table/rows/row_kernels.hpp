// Kernels over rows or groups in device memory (kernels/row_share.kc): threads share them out, so
// that any number of work groups will do.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.hpp"
#include "kernel/kernel_source.hpp"
#include "table/rows/kernel_report.hpp"

namespace penstock::plan {

using BufferPointer = std::shared_ptr<Buffer>;

// Returns buffers as the arguments of a launch.
std::vector<Argument> arguments_of(std::initializer_list<const Buffer*> buffers);

using kernel::KernelFiles;
// Returns files of src/table/kernels/, named without ".kc".
KernelFiles table_kernels(std::initializer_list<const char*> names, std::string definitions = {});

// A program of such kernels. A thread compiles it in the background, and it is kept as long as its
// device is open.
class RowKernels {
 public:
  RowKernels(std::shared_ptr<Device> device, const KernelFiles& files);  // begins to compile
  Device& device() const { return *device_; }
  const std::shared_ptr<Device>& shared_device() const { return device_; }
  Status wait();  // for the compiler
  // Launches a kernel over the numbers below `count`; waits for the compiler first.
  Status launch(Queue& queue, std::string_view kernel, std::uint64_t count,
                std::span<const Argument> arguments);
  std::uint32_t group_size() const { return source_->group_size; }
  std::uint32_t groups_for(std::uint64_t count) const;  // that a launch has; call wait() before
  std::uint64_t launches() const { return launches_; }
  // Adds an entry to the report of a run. Call wait() before.
  void add_to(RunReport& report, std::string_view name, const KernelFigures& figures) const;

 private:
  std::shared_ptr<Device> device_;
  std::shared_ptr<const ProgramSource> source_;
  Task<Result<std::shared_ptr<Program>>> building_;
  std::shared_ptr<Program> compiled_;
  bool is_kept_ = false;  // it was there
  std::uint64_t launches_ = 0;
};

}  // namespace penstock::plan
