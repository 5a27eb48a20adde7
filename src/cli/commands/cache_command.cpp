// penstock cache: shows, clears or fills the JIT cache on disk, and shows or clears the tuned
// policies beside it.
#include <cstdio>
#include <filesystem>

#include "base/clock.hpp"
#include "bench/ahead/hand_written.hpp"
#include "cli/commands.hpp"
#include "device/ahead_of_time.hpp"
#include "device/device_list.hpp"
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

struct CacheOptions {
  bool clear = false, fill = false;
  std::string device, into;
};

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return {Code::io, "cannot make the folder " + path + ": " + error.message()};
  return {};
}

Status fill_for(const std::string& selector, bool is_for_a_package) {
  PENSTOCK_ASSIGN(const auto device, open_device(selector));
  const Target target = device->traits().target;
  if (is_for_a_package && target != Target::sycl && target != Target::cuda)
    return {Code::unsupported,
            "--into is for CUDA and SYCL, which look for programs that came with "
            "them; " +
                device->traits().id + " is not a device of either"};
  const double begun = now_seconds();
  const bench::FilledPrograms filled = bench::build_hand_written(device);
  if (terminal::interrupted()) return {Code::cancelled, "interrupted while compiling kernels"};
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f s", now_seconds() - begun);
  PENSTOCK_TRY(standard_output()("built " + std::to_string(filled.built) + " sets of kernels for " +
                                 device->traits().id + " in " + seconds + "\n"));
  if (const std::uint64_t count = device::programs_not_written(); count > 0)
    return {Code::io, std::to_string(count) + " programs could not be written to " +
                          device::folder_of_written_programs()};
  if (filled.failed.empty() && filled.built > 0) return {};
  if (filled.failed.empty())
    return {Code::unsupported, device->traits().id + " runs none of the hand-written kernels"};
  std::string text = std::to_string(filled.failed.size()) + " sets of kernels were not built:";
  for (const std::string& failure : filled.failed) text += "\n  " + failure;
  return {Code::compile, text};
}

// Compiles what is written by hand, so that no first use waits for it.
Status fill(const CacheOptions& options) {
  if (!options.into.empty()) PENSTOCK_TRY(make_folder(options.into));
  device::write_programs_to(options.into);
  PENSTOCK_ASSIGN(const auto devices, device::devices_of_list(options.device));
  for (const std::string& each : devices) PENSTOCK_TRY(fill_for(each, !options.into.empty()));
  return {};
}

Status run_cache(const CacheOptions& options) {
  if (options.fill && options.clear)
    return {Code::invalid, "--fill and --clear are two commands: give one of them"};
  if (!options.fill && !(options.device + options.into).empty())
    return {Code::invalid, "--device and --into belong to --fill"};
  return options.fill ? fill(options) : cache(options.clear);
}

}  // namespace

Action declare_cache(Arguments& arguments) {
  auto options = std::make_shared<CacheOptions>();
  arguments.flag("--clear", options->clear, "remove every compiled program and tuned policy");
  arguments.flag("--fill", options->fill,
                 "compile every kernel that is written by hand, for a device");
  arguments.device(options->device, "which device --fill compiles for, or a list of them");
  arguments.value("--into", "FOLDER", options->into,
                  "of CUDA and SYCL: write what --fill compiles into this folder too, which goes "
                  "beside the program or the plug-in (docs/cli.md)");
  return [options] { return run_cache(*options); };
}

}  // namespace penstock::cli
