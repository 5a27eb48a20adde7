#include "device/pool.hpp"

#include <algorithm>
#include <bit>

#include "base/human_readable.hpp"

namespace penstock::device {
namespace {

constexpr std::uint64_t smallest_class_bytes = 256;  // what drivers align to
constexpr std::uint64_t eighths_from_bytes = std::uint64_t{1} << 20;

bool same_queue(const std::weak_ptr<QueueState>& a, const std::shared_ptr<QueueState>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

constexpr std::size_t events_kept = 8;

}  // namespace

std::uint64_t QueueState::next_work() {
  const std::lock_guard guard(mutex_);
  return ++work_;
}

Result<std::shared_ptr<Event>> QueueState::record() {
  std::uint64_t work = 0;
  {
    const std::lock_guard guard(mutex_);
    // Read before the event is recorded. That work of another thread may come before the event too
    // does no harm.
    work = work_;
  }
  PENSTOCK_ASSIGN(std::shared_ptr<Event> event, record_event());
  Recorded oldest;  // released after the lock
  const std::lock_guard guard(mutex_);
  recorded_.push_back({work, event});
  if (recorded_.size() > events_kept) {
    oldest = std::move(recorded_.front());
    recorded_.pop_front();
  }
  return event;
}

Result<std::shared_ptr<Event>> QueueState::event_after(std::uint64_t work) {
  {
    const std::lock_guard guard(mutex_);
    for (const Recorded& recorded : recorded_)
      if (recorded.work >= work) return recorded.event;
  }
  return record();
}

std::uint64_t size_class(std::uint64_t bytes) {
  if (bytes <= smallest_class_bytes) return smallest_class_bytes;
  if (bytes > std::uint64_t{1} << 62) return bytes;
  const std::uint64_t power = std::bit_ceil(bytes);
  if (power <= eighths_from_bytes) return power;
  const std::uint64_t step = power / 16;  // eighths of the power of two below
  return (bytes + step - 1) / step * step;
}

Pool::~Pool() { trim_locked(0); }

Result<Block> Pool::take(std::uint64_t bytes) {
  if (bytes > driver_.max_allocation_bytes)
    return Status(Code::capacity, "a buffer of " + std::to_string(bytes) +
                                      " bytes exceeds the largest allocation of " + driver_.device +
                                      ", " + std::to_string(driver_.max_allocation_bytes) +
                                      " bytes");
  const std::uint64_t class_bytes =
      std::min(size_class(bytes), std::max(bytes, driver_.max_allocation_bytes));
  const std::lock_guard guard(mutex_);
  for (auto at = idle_.rbegin(); at != idle_.rend();
       ++at) {  // the last released is the likeliest to be in a cache
    if (at->bytes != class_bytes) continue;
    Block block = std::move(*at);
    idle_.erase(std::next(at).base());
    idle_bytes_ -= block.bytes;
    return block;
  }
  return allocate(class_bytes, bytes);
}

Result<Block> Pool::allocate(std::uint64_t class_bytes, std::uint64_t asked_bytes) {
  const auto fits = [&](std::uint64_t bytes) {
    return held_bytes_ <= driver_.limit_bytes && bytes <= driver_.limit_bytes - held_bytes_;
  };
  if (!fits(class_bytes)) trim_locked(0);
  if (!fits(class_bytes))
    class_bytes = std::max(asked_bytes, smallest_class_bytes);  // without the rounding
  if (!fits(class_bytes)) return exhausted(asked_bytes);
  auto handle = driver_.allocate(class_bytes);
  if (!handle.ok() && handle.status().code() == Code::no_memory) {
    trim_locked(0);
    handle = driver_.allocate(class_bytes);
    if (!handle.ok() && handle.status().code() == Code::no_memory) return exhausted(asked_bytes);
  }
  if (!handle.ok()) return handle.status();
  held_bytes_ += class_bytes;
  return Block{*handle, class_bytes, {}};
}

Status Pool::exhausted(std::uint64_t asked_bytes) const {
  const std::uint64_t unheld = driver_.limit_bytes - std::min(held_bytes_, driver_.limit_bytes);
  const std::uint64_t free = driver_.free_bytes ? std::min(driver_.free_bytes(), unheld) : unheld;
  return Status(Code::no_memory, driver_.device + " has no memory for a buffer of " +
                                     bytes_text(asked_bytes) + ": " + bytes_text(free) + " free, " +
                                     bytes_text(held_bytes_) + " in use here, limit " +
                                     bytes_text(driver_.limit_bytes));
}

void Pool::give_back(Block block) {
  const std::lock_guard guard(mutex_);
  idle_bytes_ += block.bytes;
  idle_.push_back(std::move(block));
  trim_locked(idle_limit());
}

void Pool::trim(std::uint64_t idle_bytes_to_keep) {
  const std::lock_guard guard(mutex_);
  trim_locked(idle_bytes_to_keep);
}

void Pool::trim_locked(std::uint64_t idle_bytes_to_keep) {
  while (idle_bytes_ > idle_bytes_to_keep) {
    Block& block = idle_.front();
    for (const Fence& fence : block.fences)
      if (!fence.queue.expired())
        (void)fence.event->wait();  // freed memory must not be in use; a lost device uses none
    driver_.free(block.handle);
    idle_bytes_ -= block.bytes, held_bytes_ -= block.bytes;
    idle_.pop_front();
  }
}

Pool::Use Pool::use() const {
  const std::lock_guard guard(mutex_);
  return {held_bytes_, idle_bytes_};
}

PooledBuffer::~PooledBuffer() {
  std::vector<Fence> fences;
  for (const auto& user : users_) {
    const std::shared_ptr<QueueState> queue = user.queue.lock();
    if (!queue) continue;
    auto event = queue->event_after(user.last_work);
    if (event.ok())
      fences.push_back({user.queue, std::move(event).value()});
    else
      (void)queue->finish();
  }
  if (!pool_) {
    for (const Fence& fence : fences) (void)fence.event->wait();
    if (release_) release_(block_.handle);
    return;
  }
  if (!users_.empty())
    block_.fences = std::move(fences);  // the first uses waited for the older ones
  pool_->give_back(std::move(block_));
}

Status PooledBuffer::touch(const std::shared_ptr<QueueState>& queue) const {
  if (is_borrowed_) return {};
  const std::lock_guard guard(mutex_);
  const std::uint64_t work = queue->next_work();
  for (User& user : users_)
    if (same_queue(user.queue, queue)) return user.last_work = work, Status();
  for (const Fence& fence : block_.fences)
    if (!fence.queue.expired() && !same_queue(fence.queue, queue))
      PENSTOCK_TRY(queue->wait_for(*fence.event));
  std::erase_if(users_, [](const User& user) {
    return user.queue.expired();
  });  // a destroyed queue has finished
  users_.push_back({queue, work});
  return {};
}

}  // namespace penstock::device
