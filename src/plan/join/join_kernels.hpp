// The kernels of kernels/join_table.kc, join_pairs.kc and join_buckets.kc, which keep rows in
// device memory, build joins' tables of them, make pairs, and deal rows out to buckets.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.hpp"
#include "penstock/plan.hpp"

namespace penstock::plan {

using BufferPointer = std::shared_ptr<Buffer>;

class JoinKernels {
 public:
  static std::shared_ptr<JoinKernels> begin(std::shared_ptr<Device> device);  // to compile
  Device& device() const { return *device_; }
  const std::shared_ptr<Device>& shared_device() const { return device_; }
  Status wait();  // for the compiler
  // Launches a kernel over the numbers below `count`; waits for the compiler first.
  Status launch(Queue& queue, std::string_view kernel, std::uint64_t count,
                std::span<const Argument> arguments);
  std::uint32_t groups_for(std::uint64_t count) const;  // that a launch has; call wait() before
  // Adds an entry to the report of a run, "join_table" or "join_pairs", without its figures. Call
  // wait() before.
  KernelReport& add_to(RunReport& report, const std::string& name) const;
  std::uint64_t launches() const { return launches_; }

 private:
  explicit JoinKernels(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  std::shared_ptr<Device> device_;
  std::string source_;
  Task<Result<std::shared_ptr<Program>>> building_;
  std::shared_ptr<Program> compiled_;
  std::uint64_t launches_ = 0;
};

// Appends buffers to the arguments of a launch.
std::vector<Argument> arguments_of(std::initializer_list<const Buffer*> buffers);

}  // namespace penstock::plan
