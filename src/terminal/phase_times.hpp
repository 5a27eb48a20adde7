// Times each kernel of some work: a queue that wraps another one and records events around every
// launch. Times include the launch, and kernels do not overlap, so their sum is a little longer
// than the work without timing.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::terminal {

struct PhaseTime {
  std::string kernel;
  double seconds = 0;
};

class TimedQueue final : public Queue {
 public:
  explicit TimedQueue(Queue& queue) : queue_(queue) {}  // which outlives it
  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    return queue_.upload(to, from, bytes, to_offset);
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    return queue_.download(to, from, bytes, from_offset);
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    return queue_.copy(to, from, bytes);
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    return queue_.fill(to, value, bytes);
  }
  Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments) override;
  Status launch_resident(const Program& program, std::string_view kernel, std::uint32_t groups,
                         std::span<const Argument> arguments) override;
  Result<std::shared_ptr<Event>> record() override { return queue_.record(); }
  Status wait_for(const Event& event) override { return queue_.wait_for(event); }
  Status flush() override { return queue_.flush(); }
  Status finish() override { return queue_.finish(); }

  // Waits, and returns the times of all launches since the last call, in order. Consecutive
  // launches of one kernel are one.
  Result<std::vector<PhaseTime>> take_times();

 private:
  struct Launch {
    std::string kernel;
    std::shared_ptr<Event> begun, done;
  };
  template <class Command> Status timed(std::string_view kernel, Command command);

  Queue& queue_;
  std::vector<Launch> launches_;
};

}  // namespace penstock::terminal
