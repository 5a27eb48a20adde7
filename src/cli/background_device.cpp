#include "cli/background_device.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <system_error>
#include <vector>

#include "base/thread_pool.hpp"
#include "device/compiler_process.hpp"
#include "device/device_list.hpp"
#include "penstock/device.hpp"
#include "terminal/bandwidth_record.hpp"

namespace penstock::cli {
namespace {

std::atomic<int> devices_opening = 0;

}  // namespace

// A task is kept for ever: its destructor would wait.
void open_in_background(const std::string& selector) {
  static auto& tasks = *new std::vector<Task<void>>;
  const auto devices = device::devices_of_list(selector);
  if (!devices.ok()) return;  // the run says so
  for (const std::string& device : *devices) {
    devices_opening++;
    try {
      tasks.push_back(ThreadPool::shared().start([device] {
        if (const auto opened = open_device(device); opened.ok()) {
          terminal::prepare_copy_bandwidth(**opened);
          // CUDA goes on to open a device until it has a context.
          static_cast<void>((*opened)->context_handle().ok());
        }
        devices_opening--;
      }));
    } catch (const std::system_error&) {  // the run opens it without a thread
      devices_opening--;
    }
  }
}

// Exit handlers must not run beside a driver that starts.
int end_process(int status) {
  if (devices_opening == 0) return status;
  device::end_compilers();
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace penstock::cli
