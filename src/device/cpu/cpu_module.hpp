// A CPU program in up to three stages: the quick compiler's code at once, then the optimising
// compiler's code, made in the background. Launches change over between two groups.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "device/cpu/cpu_compilers.hpp"
#include "device/cpu/cpu_object.hpp"
#include "device/module_cache.hpp"

namespace penstock::cpu {

// The inputs of a program's build, kept for later stages.
struct BuildInput {
  std::string text, label, device;
  device::CacheKey key;
  Compilers compilers;
  bool is_wanted = false;  // optimised, from the beginning
};

struct Kernel {
  std::atomic<RunGroups> run = nullptr;  // of the best tier that is there
  std::vector<std::uint32_t> value_bytes;
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  // `input`: what later stages are made of; null if there are none.
  Module(std::shared_ptr<const Object> object, Stage stage, std::unique_ptr<BuildInput> input)
      : object_(std::move(object)), stage_(stage), begun_(stage), input_(std::move(input)) {}

  Result<const Kernel*> kernel(std::string_view name);
  Stage stage() const { return stage_.load(std::memory_order_relaxed); }
  CpuTier tier() const { return stage() == Stage::quick ? CpuTier::quick : CpuTier::optimising; }
  // Tells how long a thread ran the code of a stage. After some time the next one is worth a core.
  void count_work(Stage of, double seconds);
  // Begins the next stage in the background. On failure this stage stays in use; it computes the
  // same results.
  void begin_next();
  // Has the code of a stage made, where it is not there. Code::compile if that fails.
  Status reach(Stage wanted);

 private:
  Status take(Stage stage, std::shared_ptr<const Object> object);

  std::mutex optimising_mutex_;  // one thread optimises, the other threads wait for it
  std::mutex mutex_;
  std::shared_ptr<const Object> object_;
  std::vector<std::shared_ptr<const Object>> earlier_;  // threads may still run their code
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels_;
  std::atomic<Stage> stage_, begun_;
  std::unique_ptr<BuildInput> input_;
  std::atomic<std::uint64_t> nanoseconds_ = 0;  // of work in this stage
};

// Returns how many cores optimising compilers have. For code of the quick tier a core is worth less
// than the code that comes of it.
unsigned cores_of_compilers();

// Compiles by one of the chosen compilers and loads the result. Code::compile with the compiler's
// message and lines of the source.
Result<device::Compiled<Module>> compile_module(std::unique_ptr<BuildInput> input);
// Loads code that the optimising compiler made earlier. Code::unsupported if the entry only says
// that a process wanted it.
Result<std::shared_ptr<Module>> load_module(const device::CacheEntry& entry,
                                            std::unique_ptr<BuildInput> input);

}  // namespace penstock::cpu
