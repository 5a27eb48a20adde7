// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
// clang-format on
#include "executor.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <random>

#include "fiber.hpp"

namespace kernelc {
namespace {

struct Thread : WorkItem {
  Fiber fiber;
  const char* file = nullptr;  // of the barrier it waits at
  int line = 0;
};

struct Launch {
  const KernelEntry* kernel = nullptr;
  void** arguments = nullptr;
  void* tile = nullptr;
  Thread* current = nullptr;
  Shadow shadow;
  std::vector<u32> shuffle_slots;
  Findings findings;
};
Launch* active = nullptr;

void run_thread(void* argument) {
  watching = &active->shadow;
  active->kernel->invoke(active->arguments, static_cast<Thread*>(argument), active->tile);
  watching = nullptr;
}

std::string place_of(const Thread& thread) {
  return std::string(thread.file) + ":" + std::to_string(thread.line);
}

// Local memory of one group: an exact block, aligned as on GPUs.
class Tile {
 public:
  explicit Tile(std::size_t bytes) : memory_(::operator new(bytes, alignment)) {
    std::memset(memory_, 0xA5, bytes);
  }
  ~Tile() { ::operator delete(memory_, alignment); }
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;
  void* data() const { return memory_; }

 private:
  static constexpr std::align_val_t alignment{16};
  void* memory_;
};

// The order in which threads take their turns; a new one for each phase when shuffled.
class Turns {
 public:
  Turns(u32 count, Order order, u32 seed) : order_(order), random_(seed) {
    for (u32 i = 0; i < count; i++) turns_.push_back(order == Order::reverse ? count - 1 - i : i);
  }
  const std::vector<u32>& next() {
    for (std::size_t i = order_ == Order::shuffled ? turns_.size() : 0; i > 1; i--)
      std::swap(turns_[i - 1], turns_[random_() % i]);
    return turns_;
  }

 private:
  Order order_;
  std::mt19937 random_;
  std::vector<u32> turns_;
};

// Lets every thread run to its next barrier or its end. False when the group has finished or
// diverged.
bool run_phase(Launch& launch, std::vector<std::unique_ptr<Thread>>& threads, Turns& turns) {
  const Thread* waiting = nullptr;
  const Thread* finished = nullptr;
  const Thread* elsewhere = nullptr;
  for (const u32 turn : turns.next()) {
    Thread& thread = *threads[turn];
    if (!thread.fiber.done()) {
      launch.current = &thread;
      launch.shadow.set_thread(thread.local_id, thread.group_id);
      thread.fiber.resume();
    }
    if (thread.fiber.done())
      finished = &thread;
    else if (waiting != nullptr &&
             (waiting->line != thread.line || std::strcmp(waiting->file, thread.file) != 0))
      elsewhere = &thread;
    else
      waiting = &thread;
  }
  launch.shadow.pass_barrier();
  if (waiting == nullptr) return false;
  if (finished == nullptr && elsewhere == nullptr) return true;
  const Thread& other = elsewhere != nullptr ? *elsewhere : *finished;
  launch.findings.push_back("divergent barrier in '" + std::string(launch.kernel->name) +
                            "', group " + std::to_string(waiting->group_id) + ": thread " +
                            std::to_string(waiting->local_id) + " waits at " + place_of(*waiting) +
                            ", thread " + std::to_string(other.local_id) +
                            (elsewhere != nullptr ? " at " + place_of(other) : " has returned"));
  return false;
}

void run_group(Launch& launch, std::vector<std::unique_ptr<Thread>>& threads, u32 group, u32 groups,
               const LaunchOptions& options) {
  const Tile tile(launch.kernel->tile_bytes);
  launch.tile = tile.data();
  launch.shadow.begin_group();
  launch.shadow.watch(tile.data(), launch.kernel->tile_bytes, "tile", true);
  for (u32 i = 0; i < threads.size(); i++) {
    threads[i]->local_id = i, threads[i]->group_id = group, threads[i]->group_count = groups;
    threads[i]->fiber.start(run_thread, threads[i].get());
  }
  Turns turns(static_cast<u32>(threads.size()), options.order, options.seed + group);
  while (run_phase(launch, threads, turns)) {}
  launch.shadow.unwatch_local();
}

}  // namespace

void barrier(WORK, const char* file, int line) {
  Thread* thread = active->current;
  thread->file = file, thread->line = line;
  watching = nullptr;
  Fiber::yield();
  watching = &active->shadow;
}

u32 shuffle_up(WORK work, u32 value, u32 distance, u32 lane, const char* file, int line) {
  active->shuffle_slots[work->local_id] = value;
  barrier(work, file, line);
  const u32 result = lane >= distance ? active->shuffle_slots[work->local_id - distance] : value;
  barrier(work, file, line);
  return result;
}

u32 shuffle(WORK work, u32 value, u32 thread, const char* file, int line) {
  active->shuffle_slots[work->local_id] = value;
  barrier(work, file, line);
  const u32 result = active->shuffle_slots.at(thread);
  barrier(work, file, line);
  return result;
}

u32 ballot(WORK work, u32 predicate, u32 subgroup_size, const char* file, int line) {
  active->shuffle_slots[work->local_id] = predicate;
  barrier(work, file, line);
  const u32 first = work->local_id / subgroup_size * subgroup_size;
  u32 lanes = 0;
  for (u32 lane = 0; lane < subgroup_size && first + lane < active->shuffle_slots.size(); lane++)
    lanes |= active->shuffle_slots[first + lane] << lane;
  barrier(work, file, line);
  return lanes;
}

WORK current_work() { return active->current; }

void note_atomic(const void* address, std::size_t bytes, const void* place) {
  note(address, bytes, Access::atomic, place);
}

Findings launch(const KernelEntry& kernel, u32 groups, void** arguments,
                const LaunchOptions& options) {
  Launch launch;
  launch.kernel = &kernel;
  launch.arguments = arguments;
  launch.shuffle_slots.resize(kernel.group_size);
  for (const MemoryRange& range : options.watched)
    launch.shadow.watch(range.begin, range.bytes, range.name, false);
  active = &launch;
  static std::vector<std::unique_ptr<Thread>> threads;  // stacks are kept from launch to launch
  while (threads.size() > kernel.group_size) threads.pop_back();
  while (threads.size() < kernel.group_size) threads.push_back(std::make_unique<Thread>());
  for (u32 group = 0; group < groups && launch.findings.empty(); group++)
    run_group(launch, threads, group, groups, options);
  active = nullptr;
  const std::uint64_t races = launch.shadow.race_count();
  for (const std::string& sentence : launch.shadow.sentences())
    launch.findings.push_back(sentence + " in '" + kernel.name + "'");
  if (races > launch.shadow.sentences().size())
    launch.findings.push_back("races in all: " + std::to_string(races));
  return std::move(launch.findings);
}

const KernelEntry* find_kernel(std::string_view name) {
  for (const KernelEntry* kernel = first_kernel; kernel != nullptr; kernel = kernel->next)
    if (kernel->name == name) return kernel;
  return nullptr;
}

}  // namespace kernelc

// Copies of structs are calls of AddressSanitizer's; the linker brings them here (-Wl,--wrap).
extern "C" {
void* __real___asan_memcpy(void* to, const void* from, std::size_t bytes);
void* __real___asan_memset(void* to, int value, std::size_t bytes);
void* __wrap___asan_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap___asan_memset(void* to, int value, std::size_t bytes);
#ifdef KC_WRAPPED
void* __wrap___asan_memcpy(void* to, const void* from, std::size_t bytes) {
  kernelc::note(from, bytes, kernelc::Access::read, __builtin_return_address(0));
  kernelc::note(to, bytes, kernelc::Access::write, __builtin_return_address(0));
  return __real___asan_memcpy(to, from, bytes);
}
void* __wrap___asan_memset(void* to, int value, std::size_t bytes) {
  kernelc::note(to, bytes, kernelc::Access::write, __builtin_return_address(0));
  return __real___asan_memset(to, value, bytes);
}
#endif
}
