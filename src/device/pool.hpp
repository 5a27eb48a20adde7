// A pool of device memory.
//
// A block may be released while enqueued work still uses it. This rule makes that safe with several
// in-order queues. A buffer records the queues that used it and when. When its last owner releases
// it, the block keeps as a fence an event after that work, from each queue. That is an event which
// the queue has recorded already, where there is one, so that the fence does not include later
// work. The next owner's first use in queue Q waits, on the device and never on the host, for the
// fences of queues other than Q. Within Q, order suffices. So one queue alone never waits, and two
// overlap as far as their data allows. A queue waits for its work when it is destroyed, hence a
// destroyed queue needs no fence.
//
// Sizes are rounded up to classes (powers of two to 1 MiB, then eighths of a power of two: at most
// 1/8 lost), so that the tables of one query serve the next. Idle bytes are bounded. The longest
// idle blocks are freed first, and all of them before memory is reported as exhausted.
#pragma once
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::device {

// A driver's queue as its buffers see it. Work is numbered in order, so that events and buffers can
// be compared.
class QueueState {
 public:
  virtual ~QueueState() = default;
  // Returns the number of the next work; call before it is enqueued.
  std::uint64_t next_work();
  Result<std::shared_ptr<Event>> record();
  // Returns the earliest of the last events after this work, or records a new one.
  Result<std::shared_ptr<Event>> event_after(std::uint64_t work);
  virtual Status wait_for(const Event& event) = 0;
  virtual Status finish() = 0;

 protected:
  virtual Result<std::shared_ptr<Event>> record_event() = 0;

 private:
  struct Recorded {
    std::uint64_t work;
    std::shared_ptr<Event> event;
  };
  std::mutex mutex_;
  std::uint64_t work_ = 0;
  // The last few: a run has three chunks in flight with two events each.
  std::deque<Recorded> recorded_;
};

struct Fence {
  std::weak_ptr<QueueState> queue;
  std::shared_ptr<Event> event;
};

struct Block {
  std::uint64_t handle = 0;  // CUdeviceptr or cl_mem
  std::uint64_t bytes = 0;   // of the size class
  std::vector<Fence> fences;
};

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  struct Driver {
    // Code::no_memory asks for a trim and another try.
    std::function<Result<std::uint64_t>(std::uint64_t bytes)> allocate;
    std::function<void(std::uint64_t handle)> free;
    std::function<std::uint64_t()> free_bytes;  // null: the limit less the held bytes
    std::uint64_t limit_bytes = 0;              // of this pool
    std::uint64_t max_allocation_bytes = 0;     // of one block
    std::string device;                         // its id, for messages
  };
  explicit Pool(Driver driver) : driver_(std::move(driver)) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  Result<Block> take(std::uint64_t bytes);
  void give_back(Block block);
  void trim(std::uint64_t idle_bytes_to_keep);

  struct Use {
    std::uint64_t held_bytes, idle_bytes;
  };  // held: in use and idle together
  Use use() const;

 private:
  Result<Block> allocate(std::uint64_t class_bytes, std::uint64_t asked_bytes);
  Status exhausted(std::uint64_t asked_bytes) const;
  std::uint64_t idle_limit() const { return driver_.limit_bytes / 4; }
  void trim_locked(std::uint64_t idle_bytes_to_keep);

  Driver driver_;
  mutable std::mutex mutex_;
  std::list<Block> idle_;  // longest idle first
  std::uint64_t held_bytes_ = 0, idle_bytes_ = 0;
};

std::uint64_t size_class(std::uint64_t bytes);

// A buffer from a pool. A driver only gives handle() its meaning.
class PooledBuffer : public Buffer {
 public:
  // `device` tells buffers of different devices apart; it is compared, never followed.
  PooledBuffer(const void* device, std::shared_ptr<Pool> pool, Block block, std::uint64_t bytes)
      : Buffer(bytes), device_(device), pool_(std::move(pool)), block_(std::move(block)) {}
  // Wraps memory that is not the pool's. The destructor waits for the work that uses it, because
  // the owner may free it next, and calls `release` with the handle.
  PooledBuffer(const void* device, Block block, std::uint64_t bytes,
               std::function<void(std::uint64_t)> release)
      : Buffer(bytes), device_(device), block_(std::move(block)), release_(std::move(release)) {}
  // Wraps the caller's memory without any wait: its owner orders its use and its end.
  static std::shared_ptr<PooledBuffer> borrowed(const void* device, std::uint64_t handle,
                                                std::uint64_t bytes) {
    auto buffer = std::make_shared<PooledBuffer>(device, Block{handle, bytes, {}}, bytes, nullptr);
    buffer->is_borrowed_ = true;
    return buffer;
  }
  ~PooledBuffer() override;

  bool is_borrowed() const { return is_borrowed_; }
  std::uint64_t handle() const { return block_.handle; }
  const void* device() const { return device_; }
  // Call before each work of `queue` that uses the buffer is enqueued. Thread-safe.
  Status touch(const std::shared_ptr<QueueState>& queue) const;

 private:
  const void* device_;
  std::shared_ptr<Pool> pool_;
  Block block_;
  std::function<void(std::uint64_t)> release_;
  bool is_borrowed_ = false;
  mutable std::mutex mutex_;
  struct User {
    std::weak_ptr<QueueState> queue;
    std::uint64_t last_work;
  };
  mutable std::vector<User> users_;
};

}  // namespace penstock::device
