// Batches that threads fill ahead of their reader, part by part, and that it takes in order.
//
// At most a window of batches is open at once, which bounds the memory. Threads take parts in the
// order of batches. A failure is reported in its batch's turn: after it no part begins, and those
// that have begun end.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/cancellation.hpp"
#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "penstock/status.hpp"

namespace penstock {

// Guards a window. Several windows may share one, and then look at one another.
struct WindowLock {
  std::mutex mutex;
  std::condition_variable work;  // a part may have become ready to begin
};

// The number of open batches: before the reader asks for the first one, and later.
struct WindowSize {
  std::size_t first = 2, later = 2;
};

template <class Batch, class Part> class OrderedWindow {
 public:
  struct Opened {
    Batch batch;
    std::vector<Part> parts;
  };
  struct Functions {
    // Returns the next batch; nothing at the end, or where it must wait. With the lock. `is_asked`:
    // the reader has asked for a batch. It is then given one, unless there is no other.
    std::function<std::optional<Opened>(bool is_asked)> open;
    // Fills a part. Returns false where the batch and all later ones turn out not to exist.
    // `thread`: the number of the calling one.
    std::function<Result<bool>(Batch& batch, Part& part, std::size_t thread)> fill;
    // Begins a part, if it can begin before other parts have ended. With the lock. Null: all can.
    std::function<bool(Part& part)> begin = {};
    // The reader takes a batch. With the lock.
    std::function<void(const Batch& batch)> take = {};
  };

  OrderedWindow(WindowLock& lock, Functions functions)
      : lock_(lock), functions_(std::move(functions)) {}
  ~OrderedWindow() {
    {
      const std::lock_guard lock(lock_.mutex);
      is_stopping_ = true;
    }
    lock_.work.notify_all();
    threads_.clear();  // waits for them
  }
  OrderedWindow(const OrderedWindow&) = delete;
  OrderedWindow& operator=(const OrderedWindow&) = delete;

  // Starts so many threads, or as many as the system has. Throws where it has none.
  void start(WindowSize size, std::size_t thread_count) {
    size_ = size;
    threads_.reserve(thread_count);  // a task that is dropped would wait for itself
    while (threads_.size() < thread_count) {
      try {
        threads_.push_back(
            ThreadPool::shared().start([this, thread = threads_.size()] { run(thread); }));
      } catch (const std::exception&) {
        if (threads_.empty()) throw;
        return;  // those there are do
      }
    }
  }

  // Returns the next batch, nullopt after the last. After a failure the same failure again. One
  // thread at a time may call it.
  Result<std::optional<Batch>> next() {
    return catch_exceptions([&] { return taken(); });
  }

  // Both with the lock. has_begun_all(): no part of an open batch is left to begin.
  bool has_failed() const { return !failed_.ok(); }
  bool has_begun_all() const {
    return slots_.empty() || slots_.back().begun == slots_.back().parts.size();
  }

 private:
  struct Slot {
    Batch batch;
    std::vector<Part> parts;
    std::vector<bool> has_begun = std::vector<bool>(parts.size());
    std::size_t first_left = 0;       // all parts before have begun
    std::size_t begun = 0, done = 0;  // numbers of parts
    std::size_t failed_part = 0;      // the first one, where `status` is a failure
    Status status = {};
    bool is_end = false;  // there is no such batch
  };

  Result<std::optional<Batch>> taken() {
    std::unique_lock lock(lock_.mutex);
    bool has_work = !is_asked_;
    is_asked_ = true;
    if (slots_.empty() && failed_.ok()) has_work |= open();
    if (has_work) lock_.work.notify_all();
    if (slots_.empty()) {
      PENSTOCK_TRY(failed_);
      return std::optional<Batch>();
    }
    Slot& front = slots_.front();
    const auto is_ready = [&] {
      return front.done == front.begun && (front.done == front.parts.size() || !failed_.ok());
    };
    while (!ready_.wait_for(lock, std::chrono::milliseconds(5), is_ready)) {
      lock.unlock();
      check_cancelled();
      lock.lock();
    }
    PENSTOCK_TRY(front.status);
    if (front.done < front.parts.size()) return failed_;
    if (front.is_end) return std::optional<Batch>();
    std::optional<Batch> batch(std::move(front.batch));
    if (functions_.take) functions_.take(*batch);
    slots_.pop_front();
    lock_.work.notify_all();
    return batch;
  }

  bool open() {
    if (is_ended_) return false;
    std::optional<Opened> opened = functions_.open(is_asked_);
    if (opened) slots_.push_back({std::move(opened->batch), std::move(opened->parts)});
    return opened.has_value();
  }

  // Begins the first part that can. Returns its number, or nothing.
  std::optional<std::size_t> begin_part(Slot& slot) {
    while (slot.first_left < slot.parts.size() && slot.has_begun[slot.first_left])
      slot.first_left++;
    for (std::size_t number = slot.first_left; number < slot.parts.size(); number++) {
      if (slot.has_begun[number]) continue;
      if (functions_.begin && !functions_.begin(slot.parts[number])) continue;
      slot.has_begun[number] = true;
      slot.begun++;
      return number;
    }
    return std::nullopt;
  }

  struct Begun {
    Slot* slot = nullptr;  // null: no part can begin
    std::size_t part = 0;
  };
  Begun begin_next() {
    if (!failed_.ok()) return {};
    for (std::size_t i = 0; i < slots_.size() || may_open(); i++) {
      if (i == slots_.size() && !open()) return {};
      if (const auto part = begin_part(slots_[i])) return {&slots_[i], *part};
    }
    return {};
  }
  bool may_open() const { return slots_.size() < (is_asked_ ? size_.later : size_.first); }

  void fail(Status status) {
    if (failed_.ok()) failed_ = std::move(status);
    lock_.work.notify_all();
    ready_.notify_all();
  }

  void run(std::size_t thread) {
    std::unique_lock lock(lock_.mutex);
    while (!is_stopping_) {
      Begun begun;
      Status status = catch_exceptions([&]() -> Status {
        begun = begin_next();  // which allocates
        return {};
      });
      if (!status.ok()) fail(std::move(status));
      if (begun.slot)
        fill(*begun.slot, begun.part, thread, lock);
      else
        lock_.work.wait(lock);
    }
  }

  // Fills without the lock. The deque keeps its elements in place meanwhile: a batch is taken when
  // all parts that have begun are done.
  void fill(Slot& slot, std::size_t number, std::size_t thread,
            std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    Result<bool> filled =
        catch_exceptions([&] { return functions_.fill(slot.batch, slot.parts[number], thread); });
    lock.lock();
    slot.done++;
    if (!filled.ok()) {
      if (slot.status.ok() || number < slot.failed_part) {
        slot.status = filled.status();
        slot.failed_part = number;
      }
      fail(filled.status());
    } else if (!*filled) {
      slot.is_end = is_ended_ = true;
    }
    if (functions_.begin) lock_.work.notify_all();  // parts that waited for this one
    if (slot.done == slot.begun) ready_.notify_all();
  }

  WindowLock& lock_;
  const Functions functions_;
  WindowSize size_;
  std::condition_variable ready_;
  std::deque<Slot> slots_;  // open batches
  bool is_asked_ = false, is_ended_ = false, is_stopping_ = false;
  Status failed_;  // the first failure
  std::vector<Task<void>> threads_;
};

}  // namespace penstock
