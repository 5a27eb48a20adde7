#include <algorithm>
#include <cstring>

#include "base/cancellation.hpp"
#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "base/thread_pool.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/queue_checks.hpp"

namespace penstock::cpu {
namespace {

// Work has ended before record() is called.
class CpuEvent : public Event {
 public:
  Status wait() const override { return {}; }
  Result<double> seconds_since(const Event& earlier) const override {
    const auto* other = dynamic_cast<const CpuEvent*>(&earlier);
    if (!other) return Status(Code::invalid, "the earlier event is of another device");
    return seconds_ - other->seconds_;
  }

 private:
  double seconds_ = now_seconds();
};

// One launch: threads take blocks of groups until none is left, or nobody wants the rest.
class Launch {
 public:
  Launch(Module& module, const Kernel& kernel, const void* const* arguments, std::uint32_t groups,
         unsigned threads)
      : module_(module),
        kernel_(kernel),
        arguments_(arguments),
        groups_(groups),
        block_(std::max(1u, groups / (threads * blocks_per_thread))) {}

  void run() {
    for (;;) {
      const std::uint64_t first = next_.fetch_add(block_, std::memory_order_relaxed);
      if (first >= groups_ || is_cancelled()) return;
      const auto begin = static_cast<std::uint32_t>(first);
      run_block(begin, std::min(groups_ - begin, block_) + begin);
    }
  }

 private:
  // Threads end at about the same time, and change over to a better tier soon.
  static constexpr std::uint32_t blocks_per_thread = 16;

  void run_block(std::uint32_t begin, std::uint32_t end) {
    const Stage stage = module_.stage();
    const double began = stage == Stage::optimal ? 0 : now_seconds();
    kernel_.run.load(std::memory_order_acquire)(arguments_, begin, end, groups_);
    if (stage != Stage::optimal) module_.count_work(stage, now_seconds() - began);
  }

  Module& module_;
  const Kernel& kernel_;
  const void* const* arguments_;
  const std::uint32_t groups_, block_;
  std::atomic<std::uint64_t> next_ = 0;
};

// Every call does its work before it returns.
class CpuQueue : public Queue {
 public:
  explicit CpuQueue(const CpuDevice& device) : device_(device) {}

  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    PENSTOCK_TRY(device::check_range("upload", to, bytes, to_offset));
    PENSTOCK_ASSIGN(std::byte* const memory, use(to));
    if (bytes > 0) copy_bytes(memory + to_offset, static_cast<const std::byte*>(from), bytes);
    return {};
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    PENSTOCK_TRY(device::check_range("download", from, bytes, from_offset));
    PENSTOCK_ASSIGN(const std::byte* const memory, use(from));
    if (bytes > 0) copy_bytes(static_cast<std::byte*>(to), memory + from_offset, bytes);
    return {};
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_copy(to, from, bytes));
    PENSTOCK_ASSIGN(std::byte* const target, use(to));
    PENSTOCK_ASSIGN(const std::byte* const source, use(from));
    if (bytes > 0) copy_bytes(target, source, bytes);
    return {};
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_fill(to, bytes));
    PENSTOCK_ASSIGN(std::byte* const memory, use(to));
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    in_parallel(bytes / 4, bytes_per_thread / 4, [&](std::uint64_t first, std::uint64_t last) {
      std::fill(words + first, words + last, value);
    });
    return {};
  }
  Status launch(const Program& program, std::string_view name, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    const auto* built = dynamic_cast<const CpuProgram*>(&program);
    if (!built)
      return Status(Code::invalid,
                    "kernel '" + std::string(name) + "' belongs to another driver's device");
    PENSTOCK_ASSIGN(const Kernel* const kernel, built->module().kernel(name));
    PENSTOCK_TRY(device::check_argument_count(name, kernel->value_bytes.size(), arguments.size()));
    values_.resize(arguments.size());
    addresses_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); i++) {
      addresses_[i] = values_[i].bytes.data();
      const Status set = set_argument(kernel->value_bytes[i], arguments[i], values_[i]);
      if (!set.ok()) return device::with_argument(set, i, name);
    }
    if (groups > 0) run(built->module(), *kernel, groups);
    return is_cancelled() ? Status(Code::cancelled, Cancelled().what()) : Status();
  }
  Result<std::shared_ptr<Event>> record() override { return {std::make_shared<CpuEvent>()}; }
  Status wait_for(const Event& event) override {
    if (dynamic_cast<const CpuEvent*>(&event)) return {};
    return Status(Code::invalid,
                  "a queue of " + device_.traits().id + " cannot wait for another driver's event");
  }
  Status flush() override { return {}; }
  Status finish() override { return {}; }

 private:
  struct alignas(16) Value {
    std::array<std::byte, 16> bytes;
  };
  // Fewer bytes are not worth a thread of their own.
  static constexpr std::uint64_t bytes_per_thread = 1 << 20;

  Result<std::byte*> use(const Buffer& buffer) const {
    const auto* pooled = dynamic_cast<const device::PooledBuffer*>(&buffer);
    if (!pooled || pooled->device() != &device_)
      return Status(Code::invalid,
                    "the buffer belongs to another device than " + device_.traits().id);
    return reinterpret_cast<std::byte*>(pooled->handle());
  }
  static void copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    in_parallel(bytes, bytes_per_thread, [&](std::uint64_t first, std::uint64_t last) {
      std::memcpy(to + first, from + first, last - first);
    });
  }
  Status set_argument(std::uint32_t value_bytes, const Argument& argument, Value& to) const {
    if (!argument.buffer && argument.byte_count == 0)
      return Status(Code::invalid, "neither a buffer nor a value");
    if ((argument.buffer != nullptr) != (value_bytes == 0) ||
        (!argument.buffer && argument.byte_count != value_bytes))
      return Status(Code::invalid, "has another type than the kernel's parameter");
    if (!argument.buffer) {
      to.bytes = argument.bytes;
      return {};
    }
    PENSTOCK_ASSIGN(std::byte* const memory, use(*argument.buffer));
    std::byte* const at = memory + argument.offset_bytes;
    std::memcpy(to.bytes.data(), &at, sizeof at);
    return {};
  }
  void run(Module& module, const Kernel& kernel, std::uint32_t groups) {
    unsigned cores = device_.traits().compute_units;
    if (module.stage() == Stage::quick) cores -= std::min(cores - 1, cores_of_compilers());
    const unsigned threads = std::min(groups, cores);
    Launch launch(module, kernel, addresses_.data(), groups, threads);
    if (threads == 1) return launch.run();
    ThreadPool::shared().run_on(threads, [&] { launch.run(); });
  }

  const CpuDevice& device_;
  std::vector<Value> values_;  // of the last launch; kept for their memory
  std::vector<const void*> addresses_;
};

}  // namespace

std::unique_ptr<Queue> make_queue(const CpuDevice& device) {
  return std::make_unique<CpuQueue>(device);
}

}  // namespace penstock::cpu
