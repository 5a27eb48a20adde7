#include "device/compile_semaphore.hpp"

#include <algorithm>
#include <semaphore>

#include "base/thread_pool.hpp"

namespace penstock::device {
namespace {

std::counting_semaphore<>& permits() {
  static std::counting_semaphore<> left(CompilePermit::max_count());
  return left;
}

}  // namespace

CompilePermit::CompilePermit() { permits().acquire(); }
CompilePermit::~CompilePermit() { permits().release(); }

unsigned CompilePermit::max_count() { return std::max(8u, host_core_count()); }

}  // namespace penstock::device
