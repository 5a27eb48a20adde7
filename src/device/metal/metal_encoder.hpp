// The work that a Metal queue has enqueued: command buffers in order, events after them, and the
// encoder that fills the next buffer.
#pragma once
#include <cstring>
#include <deque>
#include <optional>

#include "device/metal/metal_device.hpp"

namespace penstock::metal {

// A download's bytes, which the host copies once the device has written them.
struct Download {
  std::uint64_t number;  // of the command buffer that writes `from`
  id<MTLBuffer> from;
  void* to;
  std::uint64_t bytes;
};

class Commands;
// Commands of another queue that a command buffer waits for.
struct Awaited {
  std::uint64_t number;  // of the buffer that waits
  std::shared_ptr<Commands> commands;
  std::uint64_t their_number;
};

// A queue's command buffers in order. Events of other threads look into it, hence the lock.
class Commands {
 public:
  // Returns the number of a buffer that was committed.
  std::uint64_t add(id<MTLCommandBuffer> buffer) {
    const std::lock_guard lock(mutex_);
    running_.push_back(buffer);
    return last_++;
  }
  std::uint64_t next_number() {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  void add(Download download) {
    const std::lock_guard lock(mutex_);
    downloads_.push_back(download);
  }
  void add(Awaited awaited) {
    const std::lock_guard lock(mutex_);
    awaited_.push_back(std::move(awaited));
  }
  // Waits for all buffers up to a number, copies their downloads, and returns the first failure so
  // far.
  Status finish(std::uint64_t number) {
    // If the awaited commands failed, this queue's work read uncomputed data: it fails, too.
    while (const std::optional<Awaited> awaited = awaited_up_to(number))
      drop(*awaited, awaited->commands->finish(awaited->their_number));
    while (const id<MTLCommandBuffer> buffer = first_up_to(number)) {
      [buffer waitUntilCompleted];
      drop(buffer);
    }
    const std::lock_guard lock(mutex_);
    for (; !downloads_.empty() && downloads_.front().number <= number; downloads_.pop_front()) {
      const Download& download = downloads_.front();
      if (failure_.ok()) std::memcpy(download.to, download.from.contents, download.bytes);
    }
    return failure_;
  }

 private:
  std::optional<Awaited> awaited_up_to(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    if (awaited_.empty() || awaited_.front().number > number) return {};
    return awaited_.front();
  }
  // Another thread may have dropped it already.
  void drop(const Awaited& done, const Status& outcome) {
    const std::lock_guard lock(mutex_);
    if (failure_.ok()) failure_ = outcome;
    if (!awaited_.empty() && awaited_.front().number == done.number &&
        awaited_.front().commands == done.commands &&
        awaited_.front().their_number == done.their_number)
      awaited_.pop_front();
  }
  id<MTLCommandBuffer> first_up_to(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    return running_.empty() || first_ > number ? nil : running_.front();
  }
  // Drops a completed buffer. Another thread may have dropped it already.
  void drop(id<MTLCommandBuffer> buffer) {
    const std::lock_guard lock(mutex_);
    if (running_.empty() || running_.front() != buffer) return;
    if (buffer.status == MTLCommandBufferStatusError && failure_.ok())
      failure_ = Status(Code::device_lost, "the device's work failed: " + text_of(buffer.error));
    running_.pop_front();
    first_++;
  }
  std::mutex mutex_;
  std::deque<id<MTLCommandBuffer>> running_;
  std::deque<Download> downloads_;
  std::deque<Awaited> awaited_;
  std::uint64_t first_ = 0, last_ = 0;  // number of running_.front(), of the next
  Status failure_;
};

class MetalEvent : public Event {
 public:
  MetalEvent(ContextPointer context, std::shared_ptr<Commands> commands, std::uint64_t number,
             id<MTLCommandBuffer> buffer, id<MTLEvent> signal, std::uint64_t value)
      : context_(std::move(context)),
        commands_(std::move(commands)),
        number_(number),
        buffer_(buffer),
        signal_(signal),
        value_(value) {}
  Status wait() const override {
    @autoreleasepool {
      return commands_->finish(number_).with("on " + context_->traits.id);
    }
  }
  Result<double> seconds_since(const Event& earlier) const override {
    const auto* other = dynamic_cast<const MetalEvent*>(&earlier);
    if (other == nullptr || other->context_ != context_)
      return Status(Code::invalid, "the earlier event is of another device");
    PENSTOCK_TRY(other->wait());  // times are known of completed buffers
    PENSTOCK_TRY(wait());
    return buffer_.GPUEndTime - other->buffer_.GPUEndTime;
  }
  const ContextPointer& context() const { return context_; }
  void add_to(Commands& later) const {
    later.add(Awaited{later.next_number(), commands_, number_});
  }
  void encode_wait(id<MTLCommandBuffer> later) const {
    [later encodeWaitForEvent:signal_ value:value_];
  }

 private:
  ContextPointer context_;
  std::shared_ptr<Commands> commands_;
  std::uint64_t number_;
  id<MTLCommandBuffer> buffer_;  // that ends with the event
  id<MTLEvent> signal_;
  std::uint64_t value_;
};

// Encodes work into a command buffer, through one encoder at a time: launches through one, copies
// through another.
class Encoder : public device::QueueState {
 public:
  Encoder(ContextPointer c, id<MTLCommandQueue> q) : context(std::move(c)), queue_(q) {
    signal_ = [context->device newEvent];
  }
  ~Encoder() override {
    @autoreleasepool {
      commit();
    }
  }

  // Metal answers nil where it can make no object, and ignores what nil is told.
  Result<id<MTLComputeCommandEncoder>> launches() {
    if (launches_ == nil) {
      PENSTOCK_ASSIGN(const id<MTLCommandBuffer> filled, buffer());
      end_encoding();
      launches_ = [filled computeCommandEncoder];
    }
    if (launches_ == nil) return made_none("encoder for kernels");
    return launches_;
  }
  Result<id<MTLBlitCommandEncoder>> copies() {
    if (copies_ == nil) {
      PENSTOCK_ASSIGN(const id<MTLCommandBuffer> filled, buffer());
      end_encoding();
      copies_ = [filled blitCommandEncoder];
    }
    if (copies_ == nil) return made_none("encoder for copies");
    return copies_;
  }
  // Long queues begin to run while more is encoded.
  void count_work() {
    constexpr unsigned max_uncommitted = 64;
    if (++uncommitted_ >= max_uncommitted) commit();
  }
  void commit() {
    if (buffer_ == nil) return;
    end_encoding();
    [buffer_ commit];
    commands->add(buffer_);
    buffer_ = nil, uncommitted_ = 0;
  }

  Result<std::shared_ptr<Event>> record_event() override {
    @autoreleasepool {
      PENSTOCK_ASSIGN(const id<MTLCommandBuffer> ending, buffer());
      end_encoding();
      [ending encodeSignalEvent:signal_ value:++value_];
      commit();
      return std::shared_ptr<Event>(std::make_shared<MetalEvent>(
          context, commands, commands->next_number() - 1, ending, signal_, value_));
    }
  }
  Status wait_for(const Event& event) override {
    const auto* other = dynamic_cast<const MetalEvent*>(&event);
    if (other == nullptr || other->context() != context)
      return Status(Code::invalid,
                    "a queue of " + context->traits.id + " cannot wait for another device's event");
    @autoreleasepool {
      PENSTOCK_ASSIGN(const id<MTLCommandBuffer> waiting, buffer());
      end_encoding();
      other->encode_wait(waiting);
      other->add_to(*commands);
    }
    return {};
  }
  Status finish() override {
    @autoreleasepool {
      commit();
      const std::uint64_t next = commands->next_number();
      return next == 0 ? Status() : commands->finish(next - 1).with("on " + context->traits.id);
    }
  }

  ContextPointer context;
  std::shared_ptr<Commands> commands = std::make_shared<Commands>();

 private:
  Status made_none(const std::string& what) const {
    return {Code::device_lost, context->traits.id + " makes no " + what};
  }
  Result<id<MTLCommandBuffer>> buffer() {
    if (buffer_ == nil) buffer_ = [queue_ commandBuffer];
    if (buffer_ == nil) return made_none("command buffer");
    return buffer_;
  }
  void end_encoding() {
    [launches_ endEncoding];
    [copies_ endEncoding];
    launches_ = nil, copies_ = nil;
  }
  id<MTLCommandQueue> queue_;
  id<MTLEvent> signal_;
  std::uint64_t value_ = 0;  // of the last signal
  id<MTLCommandBuffer> buffer_;
  id<MTLComputeCommandEncoder> launches_;
  id<MTLBlitCommandEncoder> copies_;
  unsigned uncommitted_ = 0;
};

}  // namespace penstock::metal
