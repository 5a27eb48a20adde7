#include "device/cpu/cpu_module.hpp"

#include <condition_variable>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "device/compile_error.hpp"
#include "device/compiler_process.hpp"

namespace penstock::cpu {
namespace {

// Work of a thread in the quick tier after which the optimising compiler is worth a core: it takes
// some 150 ms, and its code is ten times faster. A statement over 20,000 rows takes less.
constexpr std::uint64_t quick_nanoseconds_enough = 5'000'000;

// The names and the order of the command's words do not depend on the program.
Status run_on_text(const Compiler& compiler, const BuildInput& input,
                   const device::CompileFolder& folder, const std::string& object,
                   const std::string& device, std::string& log) {
  PENSTOCK_TRY(folder.write("program.c", std::as_bytes(std::span(input.text))));
  std::vector<std::string> command = {compiler.path};
  command.insert(command.end(), compiler.options.begin(), compiler.options.end());
  command.insert(command.end(), {"-o", folder.path_of(object), folder.path_of("program.c")});
  PENSTOCK_ASSIGN(device::CompilerRun run, device::run_compiler(command, folder.path()));
  log = std::move(run.log);
  if (run.succeeded) return {};
  return device::compile_error(input.label, device, input.text, log);
}

struct CompiledObject {
  std::shared_ptr<const Object> object;
  device::CacheEntry entry;
};
// `keeps`: the bytes are wanted, for the cache.
Result<CompiledObject> compile_object(const Compiler& compiler, const BuildInput& input,
                                      const std::string& device, bool keeps) {
  PENSTOCK_ASSIGN(const device::CompileFolder folder, device::CompileFolder::make());
  const std::string name = new_object_name();
  CompiledObject compiled;
  PENSTOCK_TRY(run_on_text(compiler, input, folder, name, device, compiled.entry.log));
  PENSTOCK_ASSIGN(compiled.object, Object::open(folder, name));
  if (keeps) { PENSTOCK_ASSIGN(compiled.entry.binary, folder.read(name)); }
  return compiled;
}

// Optimising compilers have half of the cores at most; what is wanted first is compiled first.
struct CoresOfCompilers {
  std::mutex mutex;
  std::condition_variable freed;
  std::atomic<unsigned> taken = 0;
};
CoresOfCompilers& cores() {
  static CoresOfCompilers& all = *new CoresOfCompilers;
  return all;
}
class CompilersCore {
 public:
  CompilersCore() {
    std::unique_lock lock(cores().mutex);
    cores().freed.wait(lock, [] { return cores().taken < std::max(1u, host_core_count() / 2); });
    cores().taken++;
  }
  ~CompilersCore() {
    const std::lock_guard guard(cores().mutex);
    cores().taken--;
    cores().freed.notify_one();
  }
  CompilersCore(const CompilersCore&) = delete;
  CompilersCore& operator=(const CompilersCore&) = delete;
};

}  // namespace

unsigned cores_of_compilers() { return cores().taken.load(std::memory_order_relaxed); }

Result<const Kernel*> Module::kernel(std::string_view name) {
  const std::lock_guard guard(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second.get();
  const std::string key(name);
  const Object::Kernel found = object_->kernel(key);
  if (!found.run || !found.value_bytes)
    return Status(Code::invalid, "the program has no kernel '" + key + "'");
  auto kernel = std::make_unique<Kernel>();
  kernel->run = found.run;
  for (const std::uint32_t* at = found.value_bytes; *at != end_of_parameters; at++)
    kernel->value_bytes.push_back(*at);
  return kernels_.emplace(key, std::move(kernel)).first->second.get();
}

void Module::count_quick_work(double seconds) {
  if (has_begun_.load(std::memory_order_relaxed)) return;
  const auto nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
  if (quick_nanoseconds_.fetch_add(nanoseconds) + nanoseconds < quick_nanoseconds_enough) return;
  begin_optimising();
}

// Failure leaves the quick tier, which answers the same. Until there is a result, an entry without
// code tells later processes to begin at once: commands of some 100 ms would never get one.
void Module::begin_optimising() {
  if (!next_ || has_begun_.exchange(true)) return;
  (void)catch_exceptions([&]() -> Status {
    device::DiskCache::from_environment().store(next_->key, {});
    ThreadPool::shared().start_detached([module = shared_from_this()] {
      (void)catch_exceptions([&] { return module->optimise(); });
    });
    return {};
  });
}

Status Module::optimise() {
  const std::lock_guard alone(optimising_mutex_);
  if (!next_ || tier() == CpuTier::optimising) return {};
  const CompilersCore core;
  PENSTOCK_ASSIGN(CompiledObject compiled,
                  compile_object(*next_->compilers.optimising, *next_, "cpu:0", true));
  device::DiskCache::from_environment().store(next_->key, compiled.entry);
  const std::lock_guard guard(mutex_);
  quick_object_ = std::exchange(object_, std::move(compiled.object));
  for (auto& [name, kernel] : kernels_)
    if (const RunGroups run = object_->kernel(name).run) kernel->run = run;
  tier_ = CpuTier::optimising;
  return {};
}

Result<device::Compiled<Module>> compile_module(std::unique_ptr<BuildInput> input,
                                                const std::string& device) {
  const bool is_quick = input->compilers.quick.has_value();
  const Compiler& compiler = is_quick ? *input->compilers.quick : *input->compilers.optimising;
  PENSTOCK_ASSIGN(CompiledObject compiled, compile_object(compiler, *input, device, !is_quick));
  if (!is_quick || !input->compilers.optimising) input.reset();
  const CpuTier tier = is_quick ? CpuTier::quick : CpuTier::optimising;
  const bool is_wanted = input && input->is_wanted;
  auto module = std::make_shared<Module>(std::move(compiled.object), tier, std::move(input));
  if (is_wanted) module->begin_optimising();
  return device::Compiled<Module>{std::move(module), std::move(compiled.entry)};
}

Result<std::shared_ptr<Module>> load_module(const device::CacheEntry& entry) {
  if (entry.binary.empty()) return Status(Code::unsupported, "not compiled yet");
  PENSTOCK_ASSIGN(const device::CompileFolder folder, device::CompileFolder::make());
  const std::string name = new_object_name();
  PENSTOCK_TRY(folder.write(name, entry.binary));
  PENSTOCK_ASSIGN(auto object, Object::open(folder, name));
  return std::make_shared<Module>(std::move(object), CpuTier::optimising, nullptr);
}

}  // namespace penstock::cpu
