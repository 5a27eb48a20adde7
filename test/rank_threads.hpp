// Ranks that are threads of this process, with queues for messages.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "penstock/ranks.hpp"

namespace penstock::test {

class Messages {
 public:
  using Channel = std::pair<std::uint32_t, std::uint32_t>;  // from, to

  void put(Channel channel, MessageBytes bytes) {
    const std::lock_guard lock(mutex_);
    queues_[channel].push_back(std::move(bytes));
    changed_.notify_all();
  }
  // Returns when the last message that was put is taken, too: as MPI sends long messages.
  void put_and_wait(Channel channel, MessageBytes bytes) {
    put(channel, std::move(bytes));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queues_[channel].empty(); });
  }
  bool has(Channel channel) {
    const std::lock_guard lock(mutex_);
    return !queues_[channel].empty();
  }
  MessageBytes take(Channel channel) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !queues_[channel].empty(); });
    MessageBytes bytes = std::move(queues_[channel].front());
    queues_[channel].pop_front();
    changed_.notify_all();
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Channel, std::deque<MessageBytes>> queues_;
};

class ThreadCommunicator final : public Communicator {
 public:
  // Sends longer messages than `eager_bytes` as MPI does: it waits until they are received.
  ThreadCommunicator(Messages& messages, std::uint32_t rank, std::uint32_t size,
                     std::size_t eager_bytes)
      : messages_(messages), rank_(rank), size_(size), eager_bytes_(eager_bytes) {}
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  std::string describe() const override { return "threads"; }
  Status send(std::uint32_t to, std::span<const std::byte> bytes) override {
    MessageBytes message(bytes.begin(), bytes.end());
    if (message.size() > eager_bytes_)
      messages_.put_and_wait({rank_, to}, std::move(message));
    else
      messages_.put({rank_, to}, std::move(message));
    return {};
  }
  Result<bool> has_message(std::uint32_t from) override { return messages_.has({from, rank_}); }
  Result<MessageBytes> receive(std::uint32_t from) override {
    return messages_.take({from, rank_});
  }
  void abort(int exit_code) override { std::_Exit(exit_code); }

 private:
  Messages& messages_;
  std::uint32_t rank_, size_;
  std::size_t eager_bytes_;
};

// Runs `work` for each rank in a thread of its own; returns what each returns.
template <class Work>
auto on_ranks(std::uint32_t count, const Work& work, std::size_t eager_bytes = 1024) {
  using Value = std::invoke_result_t<Work, Communicator&>;
  Messages messages;
  std::vector<std::optional<Value>> values(count);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < count; rank++)
    threads.emplace_back([&, rank] {
      ThreadCommunicator communicator(messages, rank, count, eager_bytes);
      values[rank] = work(communicator);
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<Value> all;
  for (std::optional<Value>& value : values) all.push_back(std::move(*value));
  return all;
}

}  // namespace penstock::test
