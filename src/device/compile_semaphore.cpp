#include "device/compile_semaphore.hpp"

#include <algorithm>
#include <semaphore>
#include <thread>

namespace penstock::device {
namespace {

std::counting_semaphore<>& turns() {
  static std::counting_semaphore<> left(CompilerTurn::most());
  return left;
}

}  // namespace

CompilerTurn::CompilerTurn() { turns().acquire(); }
CompilerTurn::~CompilerTurn() { turns().release(); }

unsigned CompilerTurn::most() { return std::max(8u, std::thread::hardware_concurrency()); }

}  // namespace penstock::device
