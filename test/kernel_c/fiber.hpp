// A stack of its own to run a function on, and to leave in the middle of it. AddressSanitizer is
// told of every change.
#pragma once
#include <cstddef>
#include <memory>

namespace kernelc {

class Fiber {
 public:
  using Function = void (*)(void* argument);
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Sets what the next resume() starts. A fiber that has not finished is abandoned where it stands.
  void start(Function function, void* argument);
  void resume();        // runs until the fiber yields or its function returns; from outside only
  static void yield();  // back to whoever resumed; from inside only
  bool done() const { return done_; }

 private:
  static void enter();
  static constexpr std::size_t stack_bytes = 256 << 10;
  char* stack_ = nullptr;
  void* place_ = nullptr;
  void* fake_stack_ = nullptr;
  Function function_ = nullptr;
  void* argument_ = nullptr;
  bool done_ = true;
};

}  // namespace kernelc
