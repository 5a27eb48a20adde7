#include "device/cuda/wait_at_exit.hpp"

#include <cstdlib>
#include <mutex>
#include <vector>

namespace penstock::cuda {
namespace {

struct Awaited {
  std::mutex mutex;
  std::vector<std::shared_future<void>> all;
};
Awaited& awaited() {
  static Awaited& awaited = *new Awaited;  // kept: exit handlers read it
  return awaited;
}

void wait_for_all() {
  std::vector<std::shared_future<void>> all;
  {
    const std::lock_guard lock(awaited().mutex);
    all = awaited().all;
  }
  for (const std::shared_future<void>& each : all) each.wait();
}

}  // namespace

void wait_at_exit(std::shared_future<void> ended) {
  {
    const std::lock_guard lock(awaited().mutex);
    awaited().all.push_back(std::move(ended));
  }
  // A handler more each time: it runs before those of libraries that were opened meanwhile.
  static_cast<void>(std::atexit(wait_for_all));
}

}  // namespace penstock::cuda
