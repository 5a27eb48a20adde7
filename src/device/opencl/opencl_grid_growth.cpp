#include "device/opencl/opencl_grid_growth.hpp"

namespace penstock::opencl {

std::shared_ptr<GridGrowth> GridGrowth::of_kernel(const Api& api,
                                                  const std::string& source_and_name) {
  static std::mutex all_mutex;
  static std::map<std::string, std::weak_ptr<GridGrowth>> all;
  const std::lock_guard guard(all_mutex);
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  auto& known = all[source_and_name];
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

void GridGrowth::after_launch(cl_command_queue queue, std::size_t thread_count, cl_event event) {
  if (thread_count > widest_thread_count_)
    widest_thread_count_ = thread_count, widening_queue_ = queue;
  cl_event& last = last_launches_[queue];
  if (last != nullptr) api_.clReleaseEvent(last);
  last = event;
}

// Forgets the launches that it waited for, so that events of closed queues do not gather.
Status GridGrowth::wait_for_other_queues(cl_command_queue queue) {
  for (auto at = last_launches_.begin(); at != last_launches_.end();) {
    if (at->first == queue) {
      ++at;
      continue;
    }
    PENSTOCK_TRY(status_of(api_.clWaitForEvents(1, &at->second), "clWaitForEvents"));
    api_.clReleaseEvent(at->second);
    at = last_launches_.erase(at);
  }
  if (widening_queue_ != queue) widening_queue_ = nullptr;
  return {};
}

}  // namespace penstock::opencl
