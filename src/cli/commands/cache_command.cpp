// penstock cache: shows, clears or fills the JIT cache on disk, and shows or clears the tuned
// policies beside it.
#include <algorithm>
#include <cstdio>

#include "base/clock.hpp"
#include "bench/ahead/hand_written.hpp"
#include "cli/commands.hpp"
#include "device/ahead_of_time.hpp"
#include "device/architecture.hpp"
#include "device/device_list.hpp"
#include "device/disk_cache.hpp"
#include "device/driver.hpp"
#include "kernel/tuned_policies.hpp"
#include "penstock/device.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {

namespace {

// A line for each file of tuned policies.
Status show_tuned(bool clear) {
  for (const std::string& path : kernel::tuned_paths())
    PENSTOCK_TRY(standard_output()(std::string(clear ? "removed " : "") + "tuned policies, " +
                                   (clear ? "from " : "in ") + path + "\n"));
  return clear ? kernel::remove_tuned() : Status();
}

Status cache(bool clear) {
  PENSTOCK_ASSIGN(const CacheSummary summary, clear ? clear_cache() : summarize_cache());
  std::string text = clear ? "removed " : "";
  text += std::to_string(summary.file_count) +
          (summary.file_count == 1 ? " program, " : " programs, ") + bytes_text(summary.bytes);
  if (!clear) text += " of at most " + bytes_text(summary.limit_bytes);
  PENSTOCK_TRY(
      standard_output()(text + ", " + (clear ? "from " : "in ") + summary.directory + "\n"));
  return show_tuned(clear);
}

// "0123456789abcdef... 1712 lines, 51.8 KB, 0.435 s: lz4_decode"
Status list_programs() {
  PENSTOCK_ASSIGN(const auto programs, device::DiskCache::from_environment().list());
  for (const device::ListedProgram& program : programs) {
    const std::size_t space = program.notes.find(' ');
    std::string text = program.key + " " + std::to_string(program.source_lines) + " lines, " +
                       bytes_text(program.binary_bytes);
    if (space != std::string::npos)
      text += ", " + program.notes.substr(0, space) + " s: " + program.notes.substr(space + 1);
    PENSTOCK_TRY(standard_output()(text + "\n"));
  }
  return {};
}

struct CacheOptions {
  bool clear = false, fill = false, list = false;
  std::string device, architectures, into;
};

// Compiles every family for a device, and says how long it took.
Status fill_for(const std::shared_ptr<Device>& device) {
  const double begun = now_seconds();
  const bench::FilledPrograms filled = bench::build_hand_written(device);
  if (terminal::interrupted()) return {Code::cancelled, "interrupted while compiling kernels"};
  const std::string name =
      device->traits().id == "cuda" ? device->traits().architecture : device->traits().id;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f s", now_seconds() - begun);
  PENSTOCK_TRY(standard_output()("built " + std::to_string(filled.built) + " sets of kernels for " +
                                 name + " in " + seconds + "\n"));
  if (filled.failed.empty() && filled.built > 0) return {};
  if (filled.failed.empty())
    return {Code::unsupported, name + " runs none of the hand-written kernels"};
  std::string text = std::to_string(filled.failed.size()) + " sets of kernels were not built:";
  for (const std::string& failure : filled.failed) text += "\n  " + failure;
  return {Code::compile, text};
}

Status fill_for_devices(const CacheOptions& options) {
  PENSTOCK_ASSIGN(const auto devices, device::devices_of_list(options.device));
  for (const std::string& each : devices) {
    PENSTOCK_ASSIGN(const auto device, open_device(each));
    const Traits& traits = device->traits();
    if (!options.into.empty() && traits.target != Target::sycl)
      return {Code::unsupported,
              "--into is for SYCL's devices, and with --architecture for CUDA; " + traits.id +
                  " is another one"};
    PENSTOCK_TRY(fill_for(device));
  }
  return {};
}

// "sm_80,sm_90"
Result<std::vector<int>> architectures_of(std::string_view list) {
  std::vector<int> architectures;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    Traits traits;
    traits.architecture = name;
    architectures.push_back(device::architecture_number(traits));
    if (architectures.back() == 0)
      return Status(Code::invalid, "'" + std::string(name) + "' is not an architecture, as sm_90");
  }
  return architectures;
}

// Needs no GPU.
Status fill_for_architectures(std::string_view list) {
  PENSTOCK_ASSIGN(const std::vector<int> architectures, architectures_of(list));
  for (const int architecture : architectures) {
    PENSTOCK_ASSIGN(const auto device, device::cuda_compiler_for(architecture));
    PENSTOCK_TRY(fill_for(device));
  }
  return {};
}

// Compiles what is written by hand, so that no first use waits for it.
Status fill(const CacheOptions& options) {
  if (!options.into.empty()) device::begin_writing_programs();
  PENSTOCK_TRY(options.architectures.empty() ? fill_for_devices(options)
                                             : fill_for_architectures(options.architectures));
  if (options.into.empty()) return {};
  PENSTOCK_ASSIGN(const std::size_t count, device::end_writing_programs(options.into));
  return standard_output()("wrote " + std::to_string(count) + " programs to " + options.into +
                           "\n");
}

Status run_cache(const CacheOptions& options) {
  if (!options.fill && !options.architectures.empty())
    return {Code::invalid, "--architecture belongs to --fill"};
  if (options.fill + options.clear + options.list > 1)
    return {Code::invalid, "--fill, --clear and --list are commands: give one of them"};
  if (!options.fill && !(options.device + options.into).empty())
    return {Code::invalid, "--device and --into belong to --fill"};
  if (!options.architectures.empty() && (options.into.empty() || !options.device.empty()))
    return {Code::invalid, "--architecture needs --into, and takes no --device"};
  if (options.list) return list_programs();
  return options.fill ? fill(options) : cache(options.clear);
}

}  // namespace

Action declare_cache(Arguments& arguments) {
  auto options = std::make_shared<CacheOptions>();
  arguments.flag("--clear", options->clear, "remove every compiled program and tuned policy");
  arguments.flag("--list", options->list,
                 "list the compiled programs: key, size, and where known label and seconds");
  arguments.flag("--fill", options->fill,
                 "compile every kernel that is written by hand, for a device");
  arguments.device(options->device, "which device --fill compiles for, or a list of them");
  arguments.value("--architecture", "LIST", options->architectures,
                  "of CUDA, without a GPU: compile for these, as sm_80,sm_90; needs --into");
  arguments.value("--into", "FILE", options->into,
                  "of CUDA and SYCL: write what --fill compiles into this file, which goes beside "
                  "the program or the plug-in (docs/cli.md)");
  return [options] { return run_cache(*options); };
}

}  // namespace penstock::cli
