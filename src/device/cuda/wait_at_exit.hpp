// Threads that are in a library while the process ends.
#pragma once
#include <future>

namespace penstock::cuda {

// Lets exit() wait for this. Call after the library was opened: its own exit handlers, which must
// not run beside its code, then run later.
void wait_at_exit(std::shared_future<void> ended);

}  // namespace penstock::cuda
