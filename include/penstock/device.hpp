// Devices that compile and run kernels.
//
// A Device compiles source text and creates buffers and queues. A Queue runs work in order.
// Drivers (CUDA, OpenCL, SYCL) are opened at run time, so one binary runs on machines with and
// without each. Nothing here knows expressions or plans.
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

// The languages that Kernel C is compiled as. There are devices of all but host, which the
// reference executor of the tests runs. cpu is C for the host's processor.
enum class Target : unsigned char { cuda, opencl, metal, sycl, cpu, host };
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
  // Kernel C's warp built-ins work, in groups of a multiple of subgroup_size threads.
  bool has_subgroups = false;
  std::uint64_t global_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  // For a group. An open device of NVIDIA's OpenCL has more than list_devices() reports (decision
  // 62).
  std::uint64_t local_bytes = 0;
  bool is_cpu = false;
  bool unified_memory = false;  // wrap_host() makes host memory a buffer without a copy
  bool has_f64 = false;
  bool has_atomic_u64 = false;
  bool forward_progress = false;  // resident groups may wait for one another (look-back)
  // The compiler takes a bound of the registers of a thread (`__launch_bounds__`; NVIDIA's OpenCL
  // has an option), so that large groups, and several on a multiprocessor, are sure to fit.
  bool has_launch_bounds = false;

  // Returns whether groups of one thread, which goes through whole tiles or chunks, are fastest.
  bool wants_single_thread_groups() const { return is_cpu; }
  // Returns whether a chunk should fit the caches, from decoding to the kernel.
  bool wants_cache_sized_chunks() const { return is_cpu; }
  // Returns whether kernels run on the host's cores, so that the host reads a column as fast.
  bool shares_host_cores() const { return is_cpu; }
};

// Device memory. The last owner returns it to the device's pool. Work already enqueued may still
// use it: the next owner's work waits for that on the device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  std::uint64_t bytes() const { return bytes_; }

 protected:
  explicit Buffer(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t bytes_;
};

// Host memory that the device copies at full speed: pinned, if the driver pins.
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

 protected:
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Functions that programs call, compiled apart from them: once for all programs, kept like these.
struct LinkedSource {
  std::string text;  // complete, as a program's; LINKED_PART is defined
  std::string label;
  std::uint32_t max_registers = 255;  // of a thread: no more than the kernels that call it may use
};

struct ProgramSource {
  std::string text;              // the complete source in the device's language
  std::uint32_t group_size = 1;  // becomes -DGROUP_SIZE
  std::vector<std::pair<std::string, std::string>> defines;  // further -D
  bool fast_math = false;
  std::string label;  // for messages and profiles, not part of the key
  // CUDA: sources that may be linked to the program instead of being compiled with it. With
  // LINKED_CALLS defined, `text` only declares their functions; otherwise it contains all that it
  // calls.
  std::vector<LinkedSource> linked = {};
};

enum class CacheResult : unsigned char { memory, disk, compiled };
std::string_view name_of(CacheResult result);

// The compiler that made the code of a CPU's kernels: the quick one or the optimising one. Answers
// are the same to the last bit.
enum class CpuTier : unsigned char { quick, optimising };
std::string_view name_of(CpuTier tier);

struct BuildReport {
  CacheResult cache = CacheResult::compiled;
  double seconds = 0;                // of compiling or loading
  std::string log;                   // the compiler's warnings
  std::string key;                   // hex digest: the name of the file in the disk cache
  std::optional<CpuTier> tier = {};  // of cpu:0's: what launches take now
};

class Program {
 public:
  virtual ~Program() = default;
  virtual BuildReport report() const { return report_; }
  std::uint32_t group_size() const { return group_size_; }

 protected:
  BuildReport report_;
  std::uint32_t group_size_ = 1;
};

// The resources that a kernel uses. A resource that the driver does not report has no value.
struct KernelResources {
  std::optional<double> occupancy;  // resident threads, as a share of the device's maximum: 0 to 1
  std::optional<std::uint32_t> registers;      // per thread
  std::optional<std::uint64_t> private_bytes;  // per thread, spilled to device memory
  std::optional<std::uint64_t> local_bytes;    // per group
  std::uint32_t group_size = 0;
};

// One argument of a launch: a buffer (at a byte offset aligned for the element type) or a value of
// up to 16 bytes.
struct Argument {
  const Buffer* buffer = nullptr;
  std::uint64_t offset_bytes = 0;  // not OpenCL: it passes buffers from their start
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

// A point in the order of a queue's work.
class Event {
 public:
  virtual ~Event() = default;
  virtual Status wait() const = 0;
  // Device time from `earlier` to this event; both must have happened (wait first).
  virtual Result<double> seconds_since(const Event& earlier) const = 0;
};

// An in-order queue. Every call enqueues and returns. Only finish(), Event::wait() and the
// destructor wait for the work. Host memory given to upload and download must live until the work
// is done, so declare it before the queue. One thread at a time uses a queue. Queues of one device
// may be used from different threads at once.
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
  // Launches groups that all run at once, so that they may wait for one another. The device delays
  // the launch while other work occupies it. Code::unsupported if traits().forward_progress is
  // not set. More groups than resident_groups() fail.
  virtual Status launch_resident(const Program& program, std::string_view kernel,
                                 std::uint32_t groups, std::span<const Argument> arguments);
  virtual Result<std::shared_ptr<Event>> record() = 0;
  // Makes later work of this queue start after the event. The host does not wait.
  virtual Status wait_for(const Event& event) = 0;
  virtual Status flush() = 0;  // submits what is enqueued
  virtual Status finish() = 0;
};

// Samples of the program counters of stalled warps.
struct StallSample {
  std::string program_key;     // BuildReport::key of the program; empty if it is not known
  std::string kernel, reason;  // "pipeline_group", "long_scoreboard"
  std::string part;            // the file name of the program's #line, without folders
  std::uint32_t line = 0;      // in that part; 0 if it is not known
  std::uint64_t samples = 0;
};
struct StallSamples {
  std::vector<StallSample> samples;  // one for each kernel, line and reason
  std::uint64_t total = 0;           // includes kernels of others
  std::uint64_t dropped = 0;         // lost by the hardware
  std::uint32_t period_cycles = 0;
};

// Samples all kernels of a device from its creation to finish().
class StallSampler {
 public:
  virtual ~StallSampler() = default;
  virtual Result<StallSamples> finish() = 0;  // call once, when all work is done
};

class Device {
 public:
  virtual ~Device() = default;
  const Traits& traits() const { return traits_; }
  // Returns uninitialised memory. Code::capacity above traits().max_allocation_bytes.
  // Code::no_memory after the pool's idle memory was freed too; the message has the bytes asked,
  // free and allowed. Every call of a Device is thread-safe.
  // Returns the device below one that records its commands; otherwise the device itself.
  virtual Device& underlying() { return *this; }
  virtual Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) = 0;
  virtual Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) = 0;
  // Pins memory that exists already, so that copies of it are as fast as of allocate_host(). The
  // device keeps it for later allocations when the returned object is destroyed. Code::unsupported:
  // a driver without such a call; copies work all the same.
  virtual Result<std::shared_ptr<HostBuffer>> pin_host(std::shared_ptr<std::byte> memory,
                                                       std::uint64_t bytes);
  // Makes host memory a buffer without copying; needs traits().unified_memory. The memory must
  // outlive the buffer, whose destructor waits for the work that uses it. Its address must be
  // aligned for the kernel's element type (16 bytes for wide loads).
  virtual Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) = 0;
  virtual Result<std::unique_ptr<Queue>> queue() = 0;
  // Imports memory and queues of the caller, by the drivers' own handles: CUDA's CUdeviceptr and
  // CUstream of the device's primary context (the CUDA runtime's; 0 is the default stream),
  // OpenCL's cl_mem and in-order cl_command_queue of the device's context (context_handle(), or
  // open_device_of_queue()), SYCL's USM pointer and the address of an in-order sycl::queue, and of
  // cpu:0 an address of the host and 0, as its work ends before a call returns. Neither is owned:
  // both must outlive the returned objects and the work that uses them, and the caller orders that
  // work. Destroying an imported queue waits only if it used memory of allocate(). Addresses must
  // be aligned for wide loads (16 bytes). Code::invalid: a null handle if one is needed, or one of
  // another context. Code::unsupported: a device that imports nothing.
  virtual Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle, std::uint64_t bytes);
  virtual Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle);
  // Returns the CUcontext or cl_context of the device's memory, valid as long as the device lives.
  virtual Result<std::uint64_t> context_handle() const;
  // Builds through the JIT cache: memory, then disk, then the compiler. Thread-safe; equal keys
  // compile once.
  virtual Result<std::shared_ptr<Program>> build(const ProgramSource& source) = 0;
  // Returns how many groups of this kernel run at once on the whole device.
  virtual Result<std::uint32_t> resident_groups(const Program& program,
                                                std::string_view kernel) = 0;
  virtual Result<KernelResources> resources(const Program& program, std::string_view kernel);
  // Starts sampling. For NVIDIA GPUs through CUDA, with CUPTI and the permission to read
  // performance counters; the error says what to install or to allow. One sampler at a time,
  // created before the programs that it can name are built.
  virtual Result<std::unique_ptr<StallSampler>> sample_stalls();

 protected:
  Traits traits_;
};

// Lists every device of every driver on this machine, in the order of preference (cuda, opencl
// GPUs, cpu, opencl CPUs, sycl GPUs, sycl CPUs). Appends to `notes` a line for each driver that is
// not usable, with what to install.
std::vector<Traits> list_devices(std::vector<std::string>* notes = nullptr);

// Chooses what compiles kernels of cpu:0 from now on: "quick", "optimising", or "auto", which takes
// the optimising compiler in the background if work goes on for longer. The environment's
// PENSTOCK_CPU_COMPILER says the same. Code::invalid for another name.
Status choose_cpu_compiler(std::string_view name);
// Lets the optimising compiler alone make kernels of cpu:0, if nobody has chosen another and it
// is there. For benches, which measure what follows.
void prefer_optimised_kernels();

// Opens by id ("cuda:0", "opencl:1", "cpu:0"), by kind ("cuda", "opencl", "sycl", "cpu", "gpu") or
// the first usable one (""). The error says what to install. One Device per id and process:
// repeated calls share it.
Result<std::shared_ptr<Device>> open_device(std::string_view selector = "");
// Returns the traits of the device that open_device() would open, without opening it.
Result<Traits> find_device(std::string_view selector = "");

// Opens the device of a caller's OpenCL queue (cl_command_queue) or SYCL queue (the address of a
// sycl::queue) in that queue's context: a separate Device, which imports that context's memory and
// queues. For CUDA streams, call
// open_device(): CUDA has one context per device that all share. Code::invalid for a null handle.
Result<std::shared_ptr<Device>> open_device_of_queue(Target target, std::uint64_t handle);

// The JIT cache on disk.
struct CacheSummary {
  std::string directory;
  std::uint64_t file_count = 0, bytes = 0, limit_bytes = 0;
};
Result<CacheSummary> summarize_cache();
Result<CacheSummary> clear_cache();  // returns what was removed

}  // namespace penstock
