// A pool of pinned host memory. A driver pins it page by page, which takes longer than to fill it.
//
// The owner that releases a host buffer has waited for the work that used it (device.hpp), so no
// fence is needed. Sizes are rounded up to the classes of pool.hpp, which leave an eighth unused at
// most from 1 MiB on. Idle memory is bounded; the longest idle is freed first.
#pragma once
#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "device/pool.hpp"
#include "penstock/device.hpp"

namespace penstock::device {

class HostPool : public std::enable_shared_from_this<HostPool> {
 public:
  using Allocate = std::function<Result<std::shared_ptr<HostBuffer>>(std::uint64_t bytes)>;
  explicit HostPool(std::uint64_t idle_limit_bytes) : idle_limit_bytes_(idle_limit_bytes) {}

  // Takes an idle buffer, or calls `allocate`. If that fails, it frees the idle buffers and tries
  // again without rounding.
  Result<std::shared_ptr<HostBuffer>> take(std::uint64_t bytes, const Allocate& allocate) {
    const std::uint64_t class_bytes = size_class(bytes);
    std::shared_ptr<HostBuffer> memory = take_idle(class_bytes);
    if (!memory) {
      Result<std::shared_ptr<HostBuffer>> made = allocate(class_bytes);
      if (!made.ok()) {
        trim(0);
        made = allocate(bytes);
      }
      if (!made.ok()) return made.status();
      memory = std::move(made).value();
    }
    return std::shared_ptr<HostBuffer>(
        std::make_shared<Pooled>(shared_from_this(), std::move(memory), bytes));
  }

  // Takes over a buffer, which is idle memory when the returned one is released.
  std::shared_ptr<HostBuffer> adopt(std::shared_ptr<HostBuffer> memory) {
    const std::uint64_t bytes = memory->bytes();
    return std::make_shared<Pooled>(shared_from_this(), std::move(memory), bytes);
  }

  void trim(std::uint64_t idle_bytes_to_keep) {
    std::list<std::shared_ptr<HostBuffer>> freed;  // freed after the lock is released
    const std::lock_guard guard(mutex_);
    while (idle_bytes_ > idle_bytes_to_keep) {
      idle_bytes_ -= idle_.front()->bytes();
      freed.splice(freed.end(), idle_, idle_.begin());
    }
  }

 private:
  class Pooled : public HostBuffer {
   public:
    Pooled(std::shared_ptr<HostPool> pool, std::shared_ptr<HostBuffer> memory, std::uint64_t bytes)
        : pool_(std::move(pool)), memory_(std::move(memory)) {
      data_ = memory_->data(), bytes_ = bytes;
    }
    ~Pooled() override { pool_->give_back(std::move(memory_)); }

   private:
    std::shared_ptr<HostPool> pool_;
    std::shared_ptr<HostBuffer> memory_;
  };

  std::shared_ptr<HostBuffer> take_idle(std::uint64_t class_bytes) {
    const std::lock_guard guard(mutex_);
    const auto at = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& memory) {
      return memory->bytes() == class_bytes;
    });
    if (at == idle_.rend()) return nullptr;
    std::shared_ptr<HostBuffer> memory = std::move(*at);
    idle_.erase(std::next(at).base());
    idle_bytes_ -= class_bytes;
    return memory;
  }

  void give_back(std::shared_ptr<HostBuffer> memory) {
    {
      const std::lock_guard guard(mutex_);
      idle_bytes_ += memory->bytes();
      idle_.push_back(std::move(memory));
    }
    trim(idle_limit_bytes_);
  }

  const std::uint64_t idle_limit_bytes_;
  std::mutex mutex_;
  std::list<std::shared_ptr<HostBuffer>> idle_;  // longest idle first
  std::uint64_t idle_bytes_ = 0;
};

}  // namespace penstock::device
