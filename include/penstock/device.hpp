// Devices that run kernel text.
//
// A Device compiles text and gives buffers and queues; a Queue runs what is enqueued in order.
// Drivers (CUDA, OpenCL) are opened at run time, so one binary runs on machines with and without
// each. Nothing here knows expressions or plans.
//
//     PENSTOCK_ASSIGN(auto device, open_device("opencl:0"));
//     PENSTOCK_ASSIGN(auto program, device->build({.text = text, .group_size = 256}));
//     PENSTOCK_ASSIGN(auto queue, device->queue());
//     PENSTOCK_ASSIGN(auto out, device->allocate(bytes));
//     PENSTOCK_TRY(queue->launch(*program, "fill", groups, {{Argument::of(*out),
//         Argument::value(count)}}));
//     PENSTOCK_TRY(queue->download(host, bytes, *out));     // enqueued
//     // the one wait, because the host reads next
//     PENSTOCK_TRY(queue->finish());
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "penstock/status.hpp"

namespace penstock {

// The languages Kernel C is spelled in. Devices exist for cuda and opencl; the others are emitted
// as text, and host is also run by the reference executor of the tests.
enum class Target : unsigned char { cuda, opencl, metal, sycl, host };
std::string_view name_of(Target target);
Result<Target> target_from_name(std::string_view name);

struct Traits {
  std::string id;  // "cuda:0", "opencl:1": what --device takes
  Target target = Target::opencl;
  std::string name;  // "NVIDIA H200"
  std::string vendor;
  std::string driver;        // driver and API version, part of the cache key
  std::string architecture;  // "sm_90"; for OpenCL the device's name and version
  std::string compiler;      // "NVRTC 13.0", the OpenCL platform's version: part of the cache key
  std::uint32_t compute_units = 1;
  std::uint32_t max_group_size = 1;
  std::uint32_t subgroup_size = 1;
  bool has_subgroups =
      false;  // Kernel C's words for them work, with groups of a multiple of subgroup_size items
  std::uint64_t global_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  std::uint64_t local_bytes = 0;
  bool is_cpu = false;
  bool unified_memory = false;  // wrap_host() makes host memory a buffer without a copy
  bool has_f64 = false;
  bool has_atomic_u64 = false;
  bool forward_progress = false;  // resident groups may wait for one another (look-back)
  // The compiler takes a bound of the registers of a thread (`__launch_bounds__`), so that large
  // groups, and several on a multiprocessor, are sure to fit.
  bool has_launch_bounds = false;

  // Returns whether groups of one thread, which walks whole tiles or chunks, are fastest.
  bool wants_single_thread_groups() const { return is_cpu; }
};

// Device memory. The last owner gives it back to the device's pool; work already enqueued may still
// use it, the next owner's work waits for that on the device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  std::uint64_t bytes() const { return bytes_; }

 protected:
  explicit Buffer(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t bytes_;
};

// Host memory that the device copies at full speed (pinned where the driver has it).
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

 protected:
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

struct ProgramSource {
  std::string text;              // complete text in the device's language
  std::uint32_t group_size = 1;  // becomes -DGROUP_SIZE
  std::vector<std::pair<std::string, std::string>> defines;  // further -D
  bool fast_math = false;
  std::string label;  // for messages and profiles, not part of the key
};

enum class CacheResult : unsigned char { memory, disk, compiled };
std::string_view name_of(CacheResult result);

struct BuildReport {
  CacheResult cache = CacheResult::compiled;
  double seconds = 0;  // of the compiler, or of loading
  std::string log;     // the compiler's warnings
  std::string key;     // hex digest: the name of the file in the disk cache
};

class Program {
 public:
  virtual ~Program() = default;
  const BuildReport& report() const { return report_; }
  std::uint32_t group_size() const { return group_size_; }

 protected:
  BuildReport report_;
  std::uint32_t group_size_ = 1;
};

// What a kernel takes of a device; what a driver does not tell has no value.
struct KernelResources {
  std::optional<double>
      occupancy;  // items resident at once, of the most that the device holds: 0 to 1
  std::optional<std::uint32_t> registers;  // of an item
  std::optional<std::uint64_t>
      private_bytes;  // of an item, in the device's memory: what has no room in registers
  std::optional<std::uint64_t> local_bytes;  // of a group
  std::uint32_t group_size = 0;
};

// One argument of a launch: a buffer (at a byte offset, which must suit the element type) or a
// value of up to 16 bytes.
struct Argument {
  const Buffer* buffer = nullptr;
  std::uint64_t offset_bytes = 0;  // cuda only; OpenCL buffers are passed from their start
  std::array<std::byte, 16> bytes{};
  std::uint32_t byte_count = 0;

  static Argument of(const Buffer& buffer) {
    Argument a;
    a.buffer = &buffer;
    return a;
  }
  template <class T>
    requires(std::is_trivially_copyable_v<T> && sizeof(T) <= 16)
  static Argument value(T value) {
    Argument a;
    a.byte_count = sizeof(T);
    std::memcpy(a.bytes.data(), &value, sizeof(T));
    return a;
  }
};

// A point in a queue's order.
class Event {
 public:
  virtual ~Event() = default;
  virtual Status wait() const = 0;
  // Device time from `earlier` to this event; both must have happened (wait first).
  virtual Result<double> seconds_since(const Event& earlier) const = 0;
};

// An in-order queue. Every call enqueues and returns; finish() and Event::wait() are the only
// waits, and the destructor, which waits for what is enqueued. Host memory given to upload and
// download must stay until the work is done, so declare it before the queue. One thread at a time
// uses a queue; queues of one device may be used from different threads at once.
//
// Code::invalid: a range past a buffer's end, another device's buffer, a kernel that the program
// lacks, arguments that do not fit its parameters. Code::device_lost, with the driver's name for
// the error: the device is gone or a kernel faulted. A launch of 0 groups does nothing.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                        std::uint64_t to_offset = 0) = 0;
  virtual Status download(void* to, const Buffer& from, std::uint64_t bytes,
                          std::uint64_t from_offset = 0) = 0;
  virtual Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) = 0;
  virtual Status fill(const Buffer& to, std::uint32_t value,
                      std::uint64_t bytes) = 0;  // bytes: a multiple of 4
  virtual Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                        std::span<const Argument> arguments) = 0;
  // All groups run at once, so they may wait for one another; the device holds the launch back
  // while others' work is in the way. Code::unsupported where traits().forward_progress is not set;
  // more groups than resident_groups() fail.
  virtual Status launch_resident(const Program& program, std::string_view kernel,
                                 std::uint32_t groups, std::span<const Argument> arguments);
  virtual Result<std::shared_ptr<Event>> record() = 0;
  virtual Status wait_for(
      const Event& event) = 0;  // later work of this queue starts after the event; no host wait
  virtual Status flush() = 0;   // submit what is enqueued
  virtual Status finish() = 0;
};

// Where the groups of kernels stood, by samples of their program counters.
struct StallSample {
  std::string program_key;     // BuildReport::key of the program; empty where it is not known
  std::string kernel, reason;  // "pipeline_group", "long_scoreboard"
  std::string part;        // of the program's text: the last piece of the name that its #line gives
  std::uint32_t line = 0;  // of that part; 0 where it is not known
  std::uint64_t samples = 0;
};
struct StallSamples {
  std::vector<StallSample> samples;  // of each kernel, line and reason once
  std::uint64_t total = 0,
                dropped = 0;  // with what no kernel of ours took, and what the hardware lost
  std::uint32_t period_cycles = 0;
};

// Samples all kernels of a device from its making to finish().
class StallSampler {
 public:
  virtual ~StallSampler() = default;
  virtual Result<StallSamples> finish() = 0;  // once, when all work is done
};

class Device {
 public:
  virtual ~Device() = default;
  const Traits& traits() const { return traits_; }
  // Contents are undefined. Code::capacity above traits().max_allocation_bytes; Code::no_memory,
  // which says what was asked, what is free and the limit, after the pool's idle memory was given
  // back. Every call of a Device is thread-safe.
  virtual Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) = 0;
  virtual Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) = 0;
  // Makes host memory a buffer without copying; needs traits().unified_memory. The memory must
  // outlive the buffer, whose destructor waits for the work that uses it. Its address must suit the
  // kernel's element type (16 bytes for wide loads).
  virtual Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) = 0;
  virtual Result<std::unique_ptr<Queue>> queue() = 0;
  // Memory and queues of others' making, by the drivers' own handles: CUDA's CUdeviceptr and
  // CUstream of the device's primary context (the CUDA runtime's; 0 is the default stream),
  // OpenCL's cl_mem and in-order cl_command_queue of the device's context (context_handle(), or
  // open_device_of_queue()). Neither is owned: they outlive what is made of them, and the work that
  // uses them, whose order is their owner's affair, too. Destroying an imported queue waits only
  // where it used memory of allocate(). Addresses must suit kernels' wide loads (16 bytes).
  // Code::invalid: a handle of another context; Code::unsupported: a device that takes none.
  virtual Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle, std::uint64_t bytes);
  virtual Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle);
  // The CUcontext or cl_context that all of the device's memory belongs to, the device's as long as
  // it lives.
  virtual Result<std::uint64_t> context_handle() const;
  // Through the JIT cache: memory, then disk, then the compiler. Thread-safe; equal keys compile
  // once.
  virtual Result<std::shared_ptr<Program>> build(const ProgramSource& source) = 0;
  // How many groups of this kernel run at once on the whole device.
  virtual Result<std::uint32_t> resident_groups(const Program& program,
                                                std::string_view kernel) = 0;
  virtual Result<KernelResources> resources(const Program& program, std::string_view kernel);
  // NVIDIA GPUs through CUDA, with CUPTI and the right to read performance counters; the error says
  // what to install or to allow. One sampler at a time, made before the programs that it shall name
  // are built.
  virtual Result<std::unique_ptr<StallSampler>> sample_stalls();

 protected:
  Traits traits_;
};

// Every device of every driver found on this machine, in the order of preference (cuda, opencl
// GPUs, opencl CPUs). `notes` gets a line for each driver that was looked for and not usable, with
// what to install.
std::vector<Traits> list_devices(std::vector<std::string>* notes = nullptr);

// Opens by id ("cuda:0", "opencl:1"), by kind ("cuda", "opencl", "cpu", "gpu") or the first usable
// one (""). The error says what to install. One Device per id and process: repeated calls share it.
Result<std::shared_ptr<Device>> open_device(std::string_view selector = "");

// The device that an OpenCL queue (cl_command_queue) of others' making is for, opened in that
// queue's context: a Device of its own, which imports that context's memory and queues. CUDA has
// one context a device that all share: open_device() is for its streams.
Result<std::shared_ptr<Device>> open_device_of_queue(Target target, std::uint64_t handle);

// The JIT cache on disk.
struct CacheSummary {
  std::string directory;
  std::uint64_t file_count = 0, bytes = 0, limit_bytes = 0;
};
Result<CacheSummary> summarize_cache();
Result<CacheSummary> clear_cache();  // what was removed

}  // namespace penstock
