// A device that is lost at its n-th launch, as a GPU that falls off the bus. Its id is its own.
#pragma once
#include <atomic>

#include "on_device/device/forwarding_device.hpp"

namespace penstock::test {

class FailingQueue final : public Queue {
 public:
  FailingQueue(std::unique_ptr<Queue> queue, std::shared_ptr<std::atomic<int>> launches_left)
      : queue_(std::move(queue)), launches_left_(std::move(launches_left)) {}
  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    return queue_->upload(to, from, bytes, to_offset);
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    return queue_->download(to, from, bytes, from_offset);
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    return queue_->copy(to, from, bytes);
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    return queue_->fill(to, value, bytes);
  }
  Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    PENSTOCK_TRY(count_launch());
    return queue_->launch(program, kernel, groups, arguments);
  }
  Status launch_resident(const Program& program, std::string_view kernel, std::uint32_t groups,
                         std::span<const Argument> arguments) override {
    PENSTOCK_TRY(count_launch());
    return queue_->launch_resident(program, kernel, groups, arguments);
  }
  Result<std::shared_ptr<Event>> record() override { return queue_->record(); }
  Status wait_for(const Event& event) override { return queue_->wait_for(event); }
  Status flush() override { return queue_->flush(); }
  Status finish() override { return queue_->finish(); }

 private:
  Status count_launch() {
    if ((*launches_left_)-- > 0) return {};
    return {Code::device_lost, "the test took the device away"};
  }

  std::unique_ptr<Queue> queue_;
  std::shared_ptr<std::atomic<int>> launches_left_;
};

class FailingDevice final : public ForwardingDevice {
 public:
  FailingDevice(std::shared_ptr<Device> device, int launches)
      : ForwardingDevice(std::move(device)),
        launches_left_(std::make_shared<std::atomic<int>>(launches)) {
    traits_.id = "failing:0";
  }
  Result<std::unique_ptr<Queue>> queue() override {
    PENSTOCK_ASSIGN(auto queue, ForwardingDevice::queue());
    return std::unique_ptr<Queue>(std::make_unique<FailingQueue>(std::move(queue), launches_left_));
  }

 private:
  std::shared_ptr<std::atomic<int>> launches_left_;
};

// A device that has no memory for one of its allocations, counted from 0.
class CrampedDevice final : public ForwardingDevice {
 public:
  CrampedDevice(std::shared_ptr<Device> device, int refused, Code code = Code::no_memory)
      : ForwardingDevice(std::move(device)), left_(refused), code_(code) {
    traits_.id = "cramped:0";
  }
  bool has_refused() const { return left_ < 0; }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    if (left_.fetch_sub(1) == 0) return Status(code_, "this allocation is refused");
    return ForwardingDevice::allocate(bytes);
  }

 private:
  std::atomic<int> left_;
  const Code code_;
};

}  // namespace penstock::test
