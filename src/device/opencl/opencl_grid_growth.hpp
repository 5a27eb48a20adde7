// Launches of one kernel on PoCL before 6.0, which must not overlap with the first launch of a
// grid larger than all before.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "device/opencl/opencl_api.hpp"

namespace penstock::opencl {

// PoCL reloads a kernel's code for each grid that is wider than all before it. At the end of a
// launch it releases the code that was loaded last, not the launch's own, and aborts once that code
// has no users left (pocl_release_dlhandle_cache). The abort was seen with three concurrent
// launches. So a launch with a wider grid and the launches of other queues wait for one another. A
// single queue never waits. PoCL keeps code by its source, so the devices of a process share these
// objects.
class GridGrowth {
 public:
  // `program_and_kernel`: the program's digest and the kernel's name.
  static std::shared_ptr<GridGrowth> of_kernel(const Api& api,
                                               const std::string& program_and_kernel);

  explicit GridGrowth(const Api& api) : api_(api) {}
  GridGrowth(const GridGrowth&) = delete;
  GridGrowth& operator=(const GridGrowth&) = delete;
  ~GridGrowth();

  std::mutex mutex;  // held from before_launch() to after_launch()

  // Waits until a launch of `thread_count` on `queue` is safe.
  Status before_launch(cl_command_queue queue, std::size_t thread_count);
  // Takes over the launch's event.
  void after_launch(cl_command_queue queue, std::size_t thread_count, cl_event event);

 private:
  using LastLaunches = std::map<cl_command_queue, cl_event>;

  Status wait_for_other_queues(cl_command_queue queue);
  void forget_finished();
  LastLaunches::iterator forget(LastLaunches::iterator launch);

  const Api& api_;
  std::size_t widest_thread_count_ = 0;
  cl_command_queue widening_queue_ = nullptr;  // its launch may still load code
  // The last launch of each queue that may still run. An event keeps its queue.
  LastLaunches last_launches_;
};

}  // namespace penstock::opencl
