// A queue that counts its commands, for `penstock video --verbose` and the tests of waits.
#pragma once
#include "penstock/device.hpp"
#include "penstock/video.hpp"

namespace penstock::video {

class CountingQueue final : public Queue {
 public:
  CountingQueue(std::unique_ptr<Queue> queue, ScorerCounts& counts)
      : queue_(std::move(queue)), counts_(counts) {}

  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    counts_.copies++;
    return queue_->upload(to, from, bytes, to_offset);
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    counts_.copies++;
    return queue_->download(to, from, bytes, from_offset);
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    counts_.copies++;
    return queue_->copy(to, from, bytes);
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    counts_.fills++;
    return queue_->fill(to, value, bytes);
  }
  Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    counts_.launches++;
    return queue_->launch(program, kernel, groups, arguments);
  }
  Status launch_resident(const Program& program, std::string_view kernel, std::uint32_t groups,
                         std::span<const Argument> arguments) override {
    counts_.launches++;
    return queue_->launch_resident(program, kernel, groups, arguments);
  }
  Result<std::shared_ptr<Event>> record() override { return queue_->record(); }
  Status wait_for(const Event& event) override { return queue_->wait_for(event); }
  Status flush() override { return queue_->flush(); }
  Status finish() override {
    counts_.waits++;
    return queue_->finish();
  }

 private:
  std::unique_ptr<Queue> queue_;
  ScorerCounts& counts_;
};

}  // namespace penstock::video
