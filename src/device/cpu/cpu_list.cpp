// The processor's traits.
#include <algorithm>
#include <fstream>
#include <string>

#include "base/hash.hpp"
#include "base/machine_memory.hpp"
#include "base/thread_pool.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/driver.hpp"

namespace penstock::cpu {
namespace {

constexpr std::string_view machine =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
    "unknown";
#endif

struct ProcessorInfo {
  std::string model, vendor, flags;
};

// Linux tells these of each processor; the first is taken. They are named so on x86; on ARM the
// flags are "Features".
ProcessorInfo read_processor_info() {
  ProcessorInfo info;
  std::ifstream file("/proc/cpuinfo");
  const auto take = [](const std::string& line, std::string_view name, std::string& to) {
    if (!to.empty() || !line.starts_with(name)) return;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) to = line.substr(colon + 2);
  };
  for (std::string line; std::getline(file, line) && !(line.empty() && !info.flags.empty());) {
    take(line, "model name", info.model);
    take(line, "vendor_id", info.vendor);
    take(line, "flags", info.flags);
    take(line, "Features", info.flags);
  }
  return info;
}

// The instructions that widen a vector, for people; all flags are in the hash, since the optimising
// compiler makes code for this very processor.
std::string architecture_of(const ProcessorInfo& info) {
  std::string text(machine);
  for (const std::string_view flag : {"avx2", "avx512f", "asimd", "sve"})
    if ((" " + info.flags + " ").find(" " + std::string(flag) + " ") != std::string::npos)
      text += ", " + std::string(flag);
  return text + ", " + content_hash(info.flags).hex().substr(0, 8);
}

// A group's memory is on its thread's stack, of 8 MiB, and should fit the core's second cache.
std::uint64_t second_cache_bytes() {
  constexpr std::uint64_t min_bytes = 256 << 10, max_bytes = 2 << 20, usual_bytes = 1 << 20;
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index2/size");
  std::uint64_t kibibytes = 0;
  if (!(file >> kibibytes) || file.get() != 'K') return usual_bytes;
  return std::clamp(kibibytes << 10, min_bytes, max_bytes);
}

std::string names_of(const Compilers& compilers) {
  std::string text;
  for (const auto* one : {&compilers.quick, &compilers.optimising})
    if (*one) text += (text.empty() ? "" : ", then ") + (*one)->path;
  return text;
}

Traits make_traits(const Compilers& compilers) {
  const ProcessorInfo info = read_processor_info();
  Traits traits;
  traits.id = "cpu:0", traits.target = Target::cpu;
  traits.name = info.model.empty() ? std::string(machine) : info.model;
  traits.vendor = info.vendor;
  traits.driver = "shared objects of C";
  traits.architecture = architecture_of(info);
  traits.compiler = names_of(compilers);
  traits.compute_units = host_core_count();
  traits.max_group_size = 1;
  constexpr std::uint64_t assumed_bytes = std::uint64_t{4} << 30;  // where the system tells none
  const std::uint64_t memory = machine_memory_bytes();
  traits.global_bytes = memory > 0 ? memory / 4 * 3 : assumed_bytes;
  traits.max_allocation_bytes = traits.global_bytes / 2;
  traits.local_bytes = second_cache_bytes();
  traits.is_cpu = traits.unified_memory = traits.has_f64 = traits.has_atomic_u64 = true;
  return traits;
}

struct Found {
  Compilers compilers = find_compilers();
  Traits traits = make_traits(compilers);
  bool is_usable() const { return compilers.quick || compilers.optimising; }
};
const Found& found() {
  static const Found& once = *new Found;
  return once;
}

}  // namespace
}  // namespace penstock::cpu

namespace penstock::device {

std::vector<Traits> list_cpu_devices(std::vector<std::string>& notes) {
  if (cpu::found().is_usable()) return {cpu::found().traits};
  notes.push_back("CPU: no C compiler is there: apt install tcc gcc");
  return {};
}

Result<std::shared_ptr<Device>> open_cpu_device(unsigned index) {
  const cpu::Found& found = cpu::found();
  if (index != 0 || !found.is_usable())
    return Status(Code::no_device, "there is no device cpu:" + std::to_string(index));
  return std::shared_ptr<Device>(std::make_shared<cpu::CpuDevice>(found.traits, found.compilers));
}

}  // namespace penstock::device
