// A program of the CPU in up to two tiers: what the quick compiler made at once, then what the
// optimising one made in the background. Launches change over between two groups.
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

// What a program is made of, kept for the second tier.
struct BuildInput {
  std::string text, label;
  device::CacheKey key;
  Compilers compilers;
  bool is_wanted;  // optimised, from the beginning
};

struct Kernel {
  std::atomic<RunGroups> run = nullptr;  // of the best tier that is there
  std::vector<std::uint32_t> value_bytes;
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  // `next`: what the second tier is made of; null where there is no such.
  Module(std::shared_ptr<const Object> object, CpuTier tier, std::unique_ptr<BuildInput> next)
      : object_(std::move(object)), tier_(tier), next_(std::move(next)) {}

  Result<const Kernel*> kernel(std::string_view name);
  CpuTier tier() const { return tier_.load(std::memory_order_relaxed); }
  // Tells how long a thread ran kernels of the quick tier. After some milliseconds the optimising
  // compiler begins: it would take a core from work that ends sooner.
  void count_quick_work(double seconds);
  void begin_optimising();
  // Has the optimising compiler make the code, where it has not. Code::compile where it fails.
  Status optimise();

 private:
  std::mutex optimising_mutex_;  // one thread optimises, others wait for it
  std::mutex mutex_;
  std::shared_ptr<const Object> object_, quick_object_;  // threads may still run the quick one
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels_;
  std::atomic<CpuTier> tier_;
  std::unique_ptr<BuildInput> next_;
  std::atomic<std::uint64_t> quick_nanoseconds_ = 0;
  std::atomic<bool> has_begun_ = false;
};

// Returns how many cores optimising compilers have. For code of the quick tier a core is worth less
// than the code that comes of it.
unsigned cores_of_compilers();

// Compiles by one of the chosen compilers and loads the result. Code::compile with the compiler's
// message and lines of the source.
Result<device::Compiled<Module>> compile_module(std::unique_ptr<BuildInput> input,
                                                const std::string& device);
// Loads what the optimising compiler made earlier. Code::unsupported where the entry only says that
// a process wanted it.
Result<std::shared_ptr<Module>> load_module(const device::CacheEntry& entry);

}  // namespace penstock::cpu
