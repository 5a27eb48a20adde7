#include "device/cpu/cpu_device.hpp"

#include <cstdlib>

#include "base/exception_boundary.hpp"
#include "base/human_readable.hpp"
#include "device/page_buffer.hpp"
#include "device/program_source.hpp"
#include "device/resident_groups.hpp"

namespace penstock::cpu {
namespace {

constexpr std::size_t alignment_bytes = 64;  // a cache line, and the widest vector

Result<std::uint64_t> allocate_memory(std::uint64_t bytes) {
  const std::uint64_t whole = (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  void* const memory = std::aligned_alloc(alignment_bytes, whole);
  if (!memory) return Status(Code::no_memory, "the host has no memory of " + bytes_text(bytes));
  return reinterpret_cast<std::uint64_t>(memory);
}

device::Pool::Driver pool_driver(const Traits& traits) {
  device::Pool::Driver driver;
  driver.allocate = allocate_memory;
  driver.free = [](std::uint64_t handle) { std::free(reinterpret_cast<void*>(handle)); };
  driver.limit_bytes = traits.global_bytes;
  driver.max_allocation_bytes = traits.max_allocation_bytes;
  driver.device = traits.id;
  return driver;
}

// The optimised code alone is kept on disk. A program of the quick tier has a key of its own, which
// finds no file.
std::vector<std::string> options_of_key(const Compilers& chosen) {
  if (!chosen.optimising) return {"quick", chosen.quick->identity};
  const Compiler& compiler = *chosen.optimising;
  std::vector<std::string> options = compiler.options;
  options.insert(options.end(), compiler.optimal_options.begin(), compiler.optimal_options.end());
  options.push_back(compiler.identity);
  return options;
}

}  // namespace

CpuDevice::CpuDevice(Traits traits, Compilers compilers)
    : compilers_(std::move(compilers)), pool_(std::make_shared<device::Pool>(pool_driver(traits))) {
  traits_ = std::move(traits);
}

Result<std::shared_ptr<Buffer>> CpuDevice::allocate(std::uint64_t bytes) {
  PENSTOCK_ASSIGN(device::Block block, pool_->take(bytes));
  return std::shared_ptr<Buffer>(
      std::make_shared<device::PooledBuffer>(this, pool_, std::move(block), bytes));
}

Result<std::shared_ptr<HostBuffer>> CpuDevice::allocate_host(std::uint64_t bytes) {
  return host_pool_->take(bytes, device::PageBuffer::make);
}

// Work has ended when a launch returns, so that nothing is to be waited for.
Result<std::shared_ptr<Buffer>> CpuDevice::wrap_host(const void* data, std::uint64_t bytes) {
  if (!data || bytes == 0) return allocate(bytes);
  return std::shared_ptr<Buffer>(
      device::PooledBuffer::borrowed(this, reinterpret_cast<std::uint64_t>(data), bytes));
}

Result<std::shared_ptr<Buffer>> CpuDevice::import_memory(std::uint64_t handle,
                                                         std::uint64_t bytes) {
  if (handle == 0) return Status(Code::invalid, "the memory's handle is null");
  return std::shared_ptr<Buffer>(device::PooledBuffer::borrowed(this, handle, bytes));
}

Result<std::unique_ptr<Queue>> CpuDevice::queue() { return make_queue(*this); }

Result<std::unique_ptr<Queue>> CpuDevice::import_queue(std::uint64_t handle) {
  if (handle == 0) return make_queue(*this);
  return Status(Code::invalid,
                "cpu:0 has no queues of callers: its work ends before a call returns");
}

Result<std::shared_ptr<Program>> CpuDevice::build(const ProgramSource& source) {
  return catch_exceptions([&] { return build_or_throw(source); });
}

Result<std::shared_ptr<Program>> CpuDevice::build_or_throw(const ProgramSource& source) {
  PENSTOCK_TRY(device::check_source(traits_, source));
  PENSTOCK_ASSIGN(const Compilers chosen, chosen_compilers(compilers_));
  const device::CacheKey key =
      device::cache_key(traits_, device::key_options(options_of_key(chosen), source), source);
  const auto input = [&] {
    return std::make_unique<BuildInput>(
        BuildInput{device::with_head(source, ""), source.label, traits_.id, key, chosen});
  };
  bool was_wanted = false;  // by an earlier process, which ended before the compiler
  const auto load = [&](const device::CacheEntry& entry) {
    was_wanted = entry.binary.empty();
    return load_module(entry, input());
  };
  const auto compile = [&] {
    auto wanted = input();
    wanted->is_wanted = was_wanted;
    return compile_module(std::move(wanted));
  };
  PENSTOCK_ASSIGN(auto found, modules_.get(key, load, compile));
  // It may be there at an earlier stage, by another choice of compilers.
  if (!chosen.quick) PENSTOCK_TRY(found.module->reach(Stage::optimal));
  return std::shared_ptr<Program>(
      std::make_shared<CpuProgram>(std::move(found.module), std::move(found.report)));
}

Result<std::uint32_t> CpuDevice::resident_groups(const Program& program, std::string_view kernel) {
  const auto* built = dynamic_cast<const CpuProgram*>(&program);
  if (!built) return Status(Code::invalid, "the program belongs to another driver's device");
  PENSTOCK_TRY(built->module().kernel(kernel).status());
  return device::resident_groups_by_size(traits_, 1, 0);
}

}  // namespace penstock::cpu
