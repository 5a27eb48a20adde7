#include "table/rows/row_kernels.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "kernel/kernel_source.hpp"

namespace penstock::plan {
namespace {

ProgramSource assembled_source(const Traits& traits, const KernelFiles& files) {
  const std::string& first = files.names.front();
  return kernel::program_source(traits.target, files, kernel::group_size_for_rows(traits),
                                first.substr(first.rfind('/') + 1));
}

// No source depends on a query: each is assembled once for all devices of a kind.
std::shared_ptr<const ProgramSource> row_kernels_source(const Traits& traits,
                                                        const KernelFiles& files) {
  using Sources = std::map<std::vector<std::string>, std::shared_ptr<const ProgramSource>>;
  static std::shared_mutex& mutex = *new std::shared_mutex;  // kept: threads may outlive statics
  static Sources& sources = *new Sources;
  std::vector<std::string> key = files.names;
  key.push_back(files.definitions);
  key.push_back(std::string(name_of(traits.target)));
  key.push_back(traits.wants_single_thread_groups() ? "" : std::to_string(traits.max_group_size));
  {
    const std::shared_lock lock(mutex);  // shares ask at once
    if (const auto known = sources.find(key); known != sources.end()) return known->second;
  }
  const std::lock_guard lock(mutex);
  std::shared_ptr<const ProgramSource>& known = sources[key];
  if (!known) known = std::make_shared<const ProgramSource>(assembled_source(traits, files));
  return known;
}

// The programs of devices that are open. To find one by its text, which the JIT cache does, takes
// longer than some of the kernels, and a thread.
class BuiltPrograms {
 public:
  std::shared_ptr<Program> find(const std::shared_ptr<Device>& device,
                                const ProgramSource* source) {
    const std::shared_lock lock(mutex_);
    const auto known = programs_.find({device.get(), source});
    const bool is_there = known != programs_.end() && known->second.device.lock() == device;
    return is_there ? known->second.program : nullptr;
  }
  void keep(const std::shared_ptr<Device>& device, const ProgramSource* source,
            std::shared_ptr<Program> program) {
    std::vector<Built> dropped;  // freed after the lock: of closed devices, or built twice at once
    const std::lock_guard lock(mutex_);
    std::erase_if(programs_, [&](auto& one) {
      if (!one.second.device.expired()) return false;
      dropped.push_back(std::move(one.second));
      return true;
    });
    dropped.push_back(std::exchange(programs_[{device.get(), source}], {device, program}));
  }

 private:
  struct Built {
    std::weak_ptr<Device> device;
    std::shared_ptr<Program> program;
  };
  std::shared_mutex mutex_;
  std::map<std::pair<const Device*, const ProgramSource*>, Built> programs_;
};
BuiltPrograms& built_programs() {
  static BuiltPrograms& built = *new BuiltPrograms;  // kept: threads may outlive statics
  return built;
}

}  // namespace

KernelFiles table_kernels(std::initializer_list<const char*> names, std::string definitions) {
  KernelFiles files{kernel::table_source, {}, std::move(definitions)};
  for (const char* name : names)
    files.names.push_back("table/kernels/" + std::string(name) + ".kc");
  return files;
}

std::vector<Argument> arguments_of(std::initializer_list<const Buffer*> buffers) {
  std::vector<Argument> arguments;
  for (const Buffer* buffer : buffers) arguments.push_back(Argument::of(*buffer));
  return arguments;
}

RowKernels::RowKernels(std::shared_ptr<Device> device, const KernelFiles& files)
    : device_(std::move(device)), source_(row_kernels_source(device_->traits(), files)) {
  compiled_ = built_programs().find(device_, source_.get());
  is_kept_ = compiled_ != nullptr;
  if (is_kept_) return;
  building_ =
      ThreadPool::shared().start([on = device_, source = source_] { return on->build(*source); });
}

Status RowKernels::wait() {
  if (compiled_) return {};
  building_.wait_while_wanted();
  PENSTOCK_ASSIGN(compiled_, building_.get());
  built_programs().keep(device_, source_.get(), compiled_);
  return {};
}

std::uint32_t RowKernels::groups_for(std::uint64_t count) const {
  const Traits& traits = device_->traits();
  const std::uint64_t group_size = compiled_->group_size(),
                      max_groups = std::uint64_t{traits.compute_units} *
                                   (traits.wants_single_thread_groups() ? 4 : 16);
  return static_cast<std::uint32_t>(std::min((count + group_size - 1) / group_size, max_groups));
}

Status RowKernels::launch(Queue& queue, std::string_view kernel, std::uint64_t count,
                          std::span<const Argument> arguments) {
  PENSTOCK_TRY(wait());
  launches_++;
  return queue.launch(*compiled_, kernel, groups_for(count), arguments);
}

void RowKernels::add_to(RunReport& report, std::string_view name,
                        const KernelFigures& figures) const {
  KernelReport& entry =
      add_kernel(report, std::string(name),
                 std::shared_ptr<const std::string>(source_, &source_->text), *compiled_, figures);
  if (is_kept_) entry.build.cache = CacheResult::memory, entry.build.seconds = 0;
}

}  // namespace penstock::plan
