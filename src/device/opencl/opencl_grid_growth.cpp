#include "device/opencl/opencl_grid_growth.hpp"

namespace penstock::opencl {

std::shared_ptr<GridGrowth> GridGrowth::of_kernel(const Api& api,
                                                  const std::string& program_and_kernel) {
  static std::mutex all_mutex;
  static std::map<std::string, std::weak_ptr<GridGrowth>> all;
  const std::lock_guard guard(all_mutex);
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  auto& known = all[program_and_kernel];
  auto growth = known.lock();
  if (!growth) known = growth = std::make_shared<GridGrowth>(api);
  return growth;
}

GridGrowth::~GridGrowth() {
  for (const auto& [queue, event] : last_launches_) api_.clReleaseEvent(event);
}

Status GridGrowth::before_launch(cl_command_queue queue, std::size_t thread_count) {
  const bool widens = thread_count > widest_thread_count_;
  const bool another_widens = widening_queue_ != nullptr && widening_queue_ != queue;
  if (!widens && !another_widens) return {};
  return wait_for_other_queues(queue);
}

// A new queue may replace a closed one: events of closed queues must not accumulate.
void GridGrowth::after_launch(cl_command_queue queue, std::size_t thread_count, cl_event event) {
  if (!last_launches_.contains(queue)) forget_finished();
  if (thread_count > widest_thread_count_)
    widest_thread_count_ = thread_count, widening_queue_ = queue;
  cl_event& last = last_launches_[queue];
  if (last != nullptr) api_.clReleaseEvent(last);
  last = event;
}

Status GridGrowth::wait_for_other_queues(cl_command_queue queue) {
  for (auto at = last_launches_.begin(); at != last_launches_.end();) {
    if (at->first == queue) {
      ++at;
      continue;
    }
    // A failed launch is over, too: its failure is reported once.
    const cl_int outcome = api_.clWaitForEvents(1, &at->second);
    at = forget(at);
    PENSTOCK_TRY(status_of(outcome, "clWaitForEvents"));
  }
  return {};
}

void GridGrowth::forget_finished() {
  for (auto at = last_launches_.begin(); at != last_launches_.end();) {
    cl_int state = 0;
    const bool is_known = api_.clGetEventInfo(at->second, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                              sizeof state, &state, nullptr) == CL_SUCCESS;
    const bool is_over = is_known && state <= 0;  // CL_COMPLETE, or an error
    at = is_over ? forget(at) : std::next(at);
  }
}

GridGrowth::LastLaunches::iterator GridGrowth::forget(LastLaunches::iterator launch) {
  if (launch->first == widening_queue_) widening_queue_ = nullptr;  // its code is loaded
  api_.clReleaseEvent(launch->second);
  return last_launches_.erase(launch);
}

}  // namespace penstock::opencl
