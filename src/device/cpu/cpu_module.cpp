#include "device/cpu/cpu_module.hpp"

#include <condition_variable>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "device/compile_error.hpp"
#include "device/compiler_process.hpp"

namespace penstock::cpu {
namespace {

// Work of a thread in a stage after which the next one is worth a core. -O1 takes some 80 ms, and
// its code is ten times as fast as TCC's. A statement over 20,000 rows takes less than 5 ms. -O2
// takes twice as long, for code that is up to twice as fast.
constexpr std::uint64_t quick_nanoseconds_enough = 5'000'000,
                        plain_nanoseconds_enough = 100'000'000;

// In the cache's entries.
constexpr std::string_view plain_note = "-O1";

std::vector<std::string> command_of(const BuildInput& input, Stage stage) {
  const Compiler& compiler =
      stage == Stage::quick ? *input.compilers.quick : *input.compilers.optimising;
  std::vector<std::string> command = {compiler.path};
  const auto add = [&](const std::vector<std::string>& options) {
    command.insert(command.end(), options.begin(), options.end());
  };
  add(compiler.options);
  if (stage != Stage::quick)
    add(stage == Stage::plain ? compiler.plain_options : compiler.optimal_options);
  return command;
}

// The names and the order of the command's words do not depend on the program.
Status run_on_text(const BuildInput& input, Stage stage, const device::CompileFolder& folder,
                   const std::string& object, std::string& log) {
  PENSTOCK_TRY(folder.write("program.c", std::as_bytes(std::span(input.text))));
  std::vector<std::string> command = command_of(input, stage);
  command.insert(command.end(), {"-o", folder.path_of(object), folder.path_of("program.c")});
  PENSTOCK_ASSIGN(device::CompilerRun run, device::run_compiler(command, folder.path()));
  log = std::move(run.log);
  if (run.succeeded) return {};
  return device::compile_error(input.label, input.device, input.text, log);
}

struct CompiledObject {
  std::shared_ptr<const Object> object;
  device::CacheEntry entry;  // without code for the quick stage, which is not kept
};
Result<CompiledObject> compile_object(const BuildInput& input, Stage stage) {
  PENSTOCK_ASSIGN(const device::CompileFolder folder, device::CompileFolder::make());
  const std::string name = new_object_name();
  CompiledObject compiled;
  PENSTOCK_TRY(run_on_text(input, stage, folder, name, compiled.entry.log));
  PENSTOCK_ASSIGN(compiled.object, Object::open(folder, name));
  if (stage == Stage::plain) compiled.entry.notes = plain_note;
  if (stage != Stage::quick) { PENSTOCK_ASSIGN(compiled.entry.binary, folder.read(name)); }
  return compiled;
}

// Optimising compilers take at most half of the cores; programs are compiled in the order of
// requests.
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

void Module::count_work(Stage of, double seconds) {
  if (of == Stage::optimal || of != begun_.load(std::memory_order_relaxed) || of != stage()) return;
  const auto nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
  const std::uint64_t enough =
      of == Stage::quick ? quick_nanoseconds_enough : plain_nanoseconds_enough;
  if (nanoseconds_.fetch_add(nanoseconds) + nanoseconds >= enough) begin_next();
}

// Until there is a result, an entry without code tells later processes to begin at once: commands
// of some 100 ms would never get one.
void Module::begin_next() {
  Stage now = stage();
  const Stage next = now == Stage::quick ? Stage::plain : Stage::optimal;
  if (!input_ || !begun_.compare_exchange_strong(now, next)) return;
  (void)catch_exceptions([&]() -> Status {
    if (next == Stage::plain) device::DiskCache::from_environment().store(input_->key, {});
    ThreadPool::shared().start_detached([module = shared_from_this(), next] {
      (void)catch_exceptions([&] { return module->reach(next); });
    });
    return {};
  });
}

Status Module::reach(Stage wanted) {
  const std::lock_guard alone(optimising_mutex_);
  if (!input_ || !input_->compilers.optimising || stage() >= wanted) return {};
  const CompilersCore core;
  PENSTOCK_ASSIGN(CompiledObject compiled, compile_object(*input_, wanted));
  device::DiskCache::from_environment().store(input_->key, compiled.entry);
  return take(wanted, std::move(compiled.object));
}

Status Module::take(Stage stage, std::shared_ptr<const Object> object) {
  const std::lock_guard guard(mutex_);
  earlier_.push_back(std::exchange(object_, std::move(object)));
  for (auto& [name, kernel] : kernels_)
    if (const RunGroups run = object_->kernel(name).run) kernel->run = run;
  nanoseconds_ = 0;
  stage_ = begun_ = stage;
  return {};
}

Result<device::Compiled<Module>> compile_module(std::unique_ptr<BuildInput> input) {
  const Stage stage = input->compilers.quick ? Stage::quick : Stage::optimal;
  PENSTOCK_ASSIGN(CompiledObject compiled, compile_object(*input, stage));
  const bool is_wanted = input->is_wanted && input->compilers.optimising;
  if (!input->compilers.optimising) input.reset();
  auto module = std::make_shared<Module>(std::move(compiled.object), stage, std::move(input));
  if (is_wanted && stage == Stage::quick) module->begin_next();
  return device::Compiled<Module>{std::move(module), std::move(compiled.entry)};
}

Result<std::shared_ptr<Module>> load_module(const device::CacheEntry& entry,
                                            std::unique_ptr<BuildInput> input) {
  if (entry.binary.empty()) return Status(Code::unsupported, "not compiled yet");
  PENSTOCK_ASSIGN(const device::CompileFolder folder, device::CompileFolder::make());
  const std::string name = new_object_name();
  PENSTOCK_TRY(folder.write(name, entry.binary));
  PENSTOCK_ASSIGN(auto object, Object::open(folder, name));
  const Stage stage = entry.notes == plain_note ? Stage::plain : Stage::optimal;
  if (stage == Stage::optimal) input.reset();
  return std::make_shared<Module>(std::move(object), stage, std::move(input));
}

}  // namespace penstock::cpu
