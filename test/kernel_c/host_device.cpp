#include "kernel_c/host_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>

namespace penstock::kernel {
namespace {

struct HeapBuffer : Buffer {
  explicit HeapBuffer(std::uint64_t bytes)
      : Buffer(bytes), content(bytes, std::byte{0xcd}), data(content.data()) {}
  HeapBuffer(void* memory, std::uint64_t bytes)
      : Buffer(bytes), data(static_cast<std::byte*>(memory)) {}
  std::vector<std::byte> content;
  std::byte* data;  // memory of others, or `content`
};
struct HeapHostBuffer : HostBuffer {
  explicit HeapHostBuffer(std::uint64_t bytes) : content(bytes) {
    data_ = content.data(), bytes_ = bytes;
  }
  std::vector<std::byte> content;
};
struct BuiltProgram : Program {
  BuiltProgram(HostProgram built, std::uint32_t group_size) : program(std::move(built)) {
    group_size_ = group_size;
  }
  HostProgram program;
};
struct DoneEvent : Event {
  Status wait() const override { return {}; }
  Result<double> seconds_since(const Event&) const override { return 0.0; }
};

std::byte* data_of(const Buffer& buffer) { return static_cast<const HeapBuffer&>(buffer).data; }

Status check_range(const Buffer& buffer, std::uint64_t bytes, std::uint64_t offset) {
  if (offset <= buffer.bytes() && bytes <= buffer.bytes() - offset) return {};
  return Status(Code::invalid, std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                   " of a buffer of " + std::to_string(buffer.bytes()));
}

class HostQueue : public Queue {
 public:
  explicit HostQueue(ThreadOrder order) : order_(order) {}
  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    PENSTOCK_TRY(check_range(to, bytes, to_offset));
    if (bytes > 0) std::memcpy(data_of(to) + to_offset, from, bytes);
    return {};
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    PENSTOCK_TRY(check_range(from, bytes, from_offset));
    if (bytes > 0) std::memcpy(to, data_of(from) + from_offset, bytes);
    return {};
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    PENSTOCK_TRY(check_range(from, bytes, 0));
    return upload(to, data_of(from), bytes, 0);
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    PENSTOCK_TRY(check_range(to, bytes, 0));
    for (std::uint64_t at = 0; at < bytes; at++)
      data_of(to)[at] = static_cast<std::byte>(value >> (8 * (at % 4)));
    return {};
  }
  Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    const HostProgram& built = static_cast<const BuiltProgram&>(program).program;
    for (const Signature& signature : built.signatures())
      if (signature.name == kernel) PENSTOCK_TRY(check_arguments(signature, arguments));
    std::vector<HostArgument> all;
    for (const Argument& argument : arguments) {
      if (argument.buffer != nullptr)
        all.push_back(HostArgument::buffer_of(data_of(*argument.buffer) + argument.offset_bytes,
                                              argument.buffer->bytes() - argument.offset_bytes));
      else
        all.push_back({nullptr,
                       argument.byte_count,
                       {argument.bytes.begin(), argument.bytes.begin() + argument.byte_count}});
    }
    return groups == 0 ? Status() : built.run(kernel, groups, all, order_);
  }
  Result<std::shared_ptr<Event>> record() override {
    return std::shared_ptr<Event>(std::make_shared<DoneEvent>());
  }
  Status wait_for(const Event&) override { return {}; }
  Status flush() override { return {}; }
  Status finish() override { return {}; }

 private:
  ThreadOrder order_;
};

class HostDevice : public Device {
 public:
  explicit HostDevice(const HostDeviceOptions& options) : options_(options) {
    traits_.id = traits_.name = options.target == Target::host ? "host" : "metal on host";
    traits_.target = options.target;
    traits_.compute_units = 2;
    traits_.max_group_size = options.max_group_size;
    traits_.global_bytes = traits_.max_allocation_bytes = std::uint64_t{1} << 30;
    traits_.local_bytes = 32 << 10;
    traits_.is_cpu = options.is_cpu;
    // Metal's text has SIMD-groups of 32 threads where groups are whole ones.
    const bool is_metal = options.target == Target::metal;
    traits_.has_subgroups = is_metal || options.subgroup_size > 0;
    traits_.subgroup_size = is_metal ? 32u : std::max(1u, options.subgroup_size);
    traits_.has_f64 = true;
    traits_.has_atomic_u64 = options.target == Target::host;
  }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    return std::shared_ptr<Buffer>(std::make_shared<HeapBuffer>(bytes));
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override {
    return std::shared_ptr<HostBuffer>(std::make_shared<HeapHostBuffer>(bytes));
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return Status(Code::unsupported, "the host device copies");
  }
  Result<std::unique_ptr<Queue>> queue() override {
    return std::unique_ptr<Queue>(std::make_unique<HostQueue>(options_.order));
  }
  // Plain pointers; every queue runs at once.
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle,
                                                std::uint64_t bytes) override {
    return std::shared_ptr<Buffer>(
        std::make_shared<HeapBuffer>(reinterpret_cast<void*>(handle), bytes));
  }
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t) override { return queue(); }
  // Once a text and its numbers, whichever device asks: most of a test's time is the compiler's.
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<Program>> programs;
    HostProgramOptions options{source.group_size, source.defines, options_.target};
    if (options_.subgroup_size > 0 && options_.target == Target::host)
      options.defines.emplace_back("SUBGROUP_SIZE", std::to_string(options_.subgroup_size));
    std::string key = source.text + std::to_string(source.group_size);
    for (const auto& [name, value] : options.defines) key += '\n' + name + '=' + value;
    const std::lock_guard lock(mutex);
    if (const auto built = programs.find(key); built != programs.end()) return built->second;
    PENSTOCK_ASSIGN(HostProgram program, HostProgram::build(source.text, options));
    return programs[key] = std::make_shared<BuiltProgram>(std::move(program), source.group_size);
  }
  // Groups run one after another: none may wait for another.
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override { return 1u; }

 private:
  HostDeviceOptions options_;
};

}  // namespace

std::shared_ptr<Device> make_host_device(HostDeviceOptions options) {
  const char* target = std::getenv("PENSTOCK_HOST_TARGET");
  if (target != nullptr && std::string_view(target) == "metal") options.target = Target::metal;
  return std::make_shared<HostDevice>(options);
}

}  // namespace penstock::kernel
