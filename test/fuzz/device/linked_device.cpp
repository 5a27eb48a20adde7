// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
// clang-format on
#include "kernel_c/executor.hpp"

#include "fuzz/device/linked_device.hpp"

#include "fuzz/input.hpp"

namespace penstock::fuzz {
namespace {

std::byte unwritten_byte{0xcd};

struct HeapBuffer : Buffer {
  explicit HeapBuffer(std::uint64_t bytes) : Buffer(bytes), content(bytes, unwritten_byte) {}
  mutable std::vector<std::byte> content;  // queues write to buffers they get as const
};
struct HeapHostBuffer : HostBuffer {
  explicit HeapHostBuffer(std::uint64_t bytes) : content(bytes) {
    data_ = content.data(), bytes_ = bytes;
  }
  std::vector<std::byte> content;
};
struct LinkedProgram : Program {
  explicit LinkedProgram(const ProgramSource& from) : source(from) {
    group_size_ = source.group_size;
  }
  ProgramSource source;
};
struct DoneEvent : Event {
  Status wait() const override { return {}; }
  Result<double> seconds_since(const Event&) const override { return 0.0; }
};

kernelc::LaunchOptions order_of_threads;
bool are_buffers_watched = true;
std::uint32_t min_groups = 1;

void check_range(const Buffer& buffer, std::uint64_t bytes, std::uint64_t offset) {
  require(offset <= buffer.bytes() && bytes <= buffer.bytes() - offset,
          "a queue is asked for bytes inside a buffer");
}

// Whether the parameter `at` of those as written ("IN(u8, codes), VALUE(u32, count)") is one that
// kernels write.
std::vector<bool> written_parameters(std::string_view parameters) {
  std::vector<bool> are_written;
  for (std::size_t at = 0; (at = parameters.find('(', at)) != parameters.npos; at++) {
    const char last = parameters[at - 1];  // of IN, OUT, ATOMIC, VALUE
    are_written.push_back(last == 'T' || last == 'C');
  }
  return are_written;
}

class LinkedQueue : public Queue {
 public:
  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    check_range(to, bytes, to_offset);
    if (bytes > 0) std::memcpy(content_of(to).data() + to_offset, from, bytes);
    return {};
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    check_range(from, bytes, from_offset);
    if (bytes > 0) std::memcpy(to, content_of(from).data() + from_offset, bytes);
    return {};
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    check_range(from, bytes, 0);
    return upload(to, content_of(from).data(), bytes, 0);
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    check_range(to, bytes, 0);
    for (std::uint64_t at = 0; at < bytes; at++)
      content_of(to)[at] = static_cast<std::byte>(value >> (8 * (at % 4)));
    return {};
  }
  Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    const kernelc::KernelEntry* const entry =
        find_linked(static_cast<const LinkedProgram&>(program).source, kernel);
    require(entry != nullptr, "a kernel is linked: " + std::string(kernel));
    const std::vector<bool> are_written = written_parameters(entry->parameters);
    require(are_written.size() == arguments.size(),
            "as many arguments as parameters: " + std::string(kernel));
    kernelc::LaunchOptions options = order_of_threads;
    std::vector<void*> data(arguments.size()), pointers(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); i++) {
      const Argument& argument = arguments[i];
      if (argument.buffer) data[i] = content_of(*argument.buffer).data();
      pointers[i] = argument.buffer ? static_cast<void*>(&data[i])
                                    : const_cast<std::byte*>(argument.bytes.data());
      if (argument.buffer && are_written[i] && are_buffers_watched)
        options.watched.push_back(
            {data[i], argument.buffer->bytes(), "argument " + std::to_string(i)});
    }
    if (kernel.starts_with("fsst_") && groups > 0) groups = std::max(groups, min_groups);
    const kernelc::Findings findings = kernelc::launch(*entry, groups, pointers.data(), options);
    for (const std::string& finding : findings) std::fprintf(stderr, "%s\n", finding.c_str());
    require(findings.empty(), "no races and no divergent barriers in " + std::string(kernel));
    return {};
  }
  Result<std::shared_ptr<Event>> record() override {
    return std::shared_ptr<Event>(std::make_shared<DoneEvent>());
  }
  Status wait_for(const Event&) override { return {}; }
  Status flush() override { return {}; }
  Status finish() override { return {}; }
};

class LinkedDevice : public Device {
 public:
  explicit LinkedDevice(const Traits& traits) { traits_ = traits; }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    return std::shared_ptr<Buffer>(std::make_shared<HeapBuffer>(bytes));
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override {
    return std::shared_ptr<HostBuffer>(std::make_shared<HeapHostBuffer>(bytes));
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return Status(Code::unsupported, "copied");
  }
  Result<std::unique_ptr<Queue>> queue() override {
    return std::unique_ptr<Queue>(std::make_unique<LinkedQueue>());
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    return std::shared_ptr<Program>(std::make_shared<LinkedProgram>(source));
  }
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override {
    return 1u;
  }  // they run one after another
};

}  // namespace

std::shared_ptr<Device> make_linked_device(const Traits& traits) {
  return std::make_shared<LinkedDevice>(traits);
}

void set_launches(std::uint32_t number) {
  min_groups = 1 + number / 3 % 5;
  order_of_threads.order = static_cast<kernelc::Order>(number % 3);
  order_of_threads.seed = number;
  constexpr std::byte fillings[] = {std::byte{0xcd}, std::byte{0}, std::byte{0x3c},
                                    std::byte{0xff}};
  unwritten_byte = fillings[number / 64 % 4];
}
std::byte unwritten() { return unwritten_byte; }

void watch_buffers(bool is_on) { are_buffers_watched = is_on; }

std::span<std::byte> content_of(const Buffer& buffer) {
  return static_cast<const HeapBuffer&>(buffer).content;
}

}  // namespace penstock::fuzz
