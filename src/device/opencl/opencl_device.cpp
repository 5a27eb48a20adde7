#include "device/opencl/opencl_device.hpp"

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "device/compile_error.hpp"
#include "device/opencl/opencl_local_memory.hpp"
#include "device/page_buffer.hpp"
#include "device/program_source.hpp"
#include "device/resident_groups.hpp"

namespace penstock::opencl {
namespace {

std::uint64_t handle_of(cl_mem memory) { return reinterpret_cast<std::uint64_t>(memory); }

// Host memory that the driver allocates, mapped as long as it lives.
class MappedBuffer : public HostBuffer {
 public:
  MappedBuffer(ContextPointer context, cl_mem memory, void* data, std::uint64_t bytes)
      : context_(std::move(context)), memory_(memory) {
    data_ = static_cast<std::byte*>(data), bytes_ = bytes;
  }
  ~MappedBuffer() override {
    context_->api.clEnqueueUnmapMemObject(context_->host_queue, memory_, data_, 0, nullptr,
                                          nullptr);
    context_->api.clFinish(context_->host_queue);
    context_->api.clReleaseMemObject(memory_);
  }

 private:
  ContextPointer context_;
  cl_mem memory_;
};

Result<std::shared_ptr<HostBuffer>> allocate_mapped(const ContextPointer& context,
                                                    std::uint64_t bytes) {
  cl_int outcome = CL_SUCCESS;
  const std::uint64_t at_least = std::max<std::uint64_t>(bytes, 1);
  const cl_mem memory = context->api.clCreateBuffer(
      context->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, at_least, nullptr, &outcome);
  if (outcome == CL_INVALID_BUFFER_SIZE) return device::no_host_memory(bytes);
  PENSTOCK_TRY(status_of(outcome, "clCreateBuffer").with("for pinned host memory"));
  void* data =
      context->api.clEnqueueMapBuffer(context->host_queue, memory, 1, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      at_least, 0, nullptr, nullptr, &outcome);
  if (outcome != CL_SUCCESS) context->api.clReleaseMemObject(memory);
  PENSTOCK_TRY(status_of(outcome, "clEnqueueMapBuffer"));
  return std::shared_ptr<HostBuffer>(std::make_shared<MappedBuffer>(context, memory, data, bytes));
}

Result<std::uint64_t> create_buffer(const Context& context, std::uint64_t bytes) {
  cl_int outcome = CL_SUCCESS;
  const cl_mem memory =
      context.api.clCreateBuffer(context.context, CL_MEM_READ_WRITE, bytes, nullptr, &outcome);
  // Drivers also return INVALID_BUFFER_SIZE or OUT_OF_RESOURCES where they have no memory for a
  // size within the device's limit.
  if (outcome == CL_INVALID_BUFFER_SIZE || outcome == CL_OUT_OF_RESOURCES)
    return Status(Code::no_memory,
                  std::string("clCreateBuffer: ") + std::string(name_of_error(outcome)));
  PENSTOCK_TRY(status_of(outcome, "clCreateBuffer"));
  return handle_of(memory);
}

device::Pool::Driver pool_driver(const ContextPointer& context) {
  device::Pool::Driver driver;
  driver.allocate = [context](std::uint64_t bytes) { return create_buffer(*context, bytes); };
  driver.free = [context](std::uint64_t handle) {
    context->api.clReleaseMemObject(reinterpret_cast<cl_mem>(handle));
  };
  driver.limit_bytes = context->traits.global_bytes;
  driver.max_allocation_bytes = context->traits.max_allocation_bytes;
  driver.device = context->traits.id;
  return driver;
}

// Results must equal the host's unless fast_math: no relaxed option, divisions rounded, and no
// contraction of a*b+c, which OpenCL C allows by default and turns off only by a pragma.
std::vector<std::string> compiler_options(const Context& context, bool fast_math) {
  std::vector<std::string> options = {"-cl-std=CL1.2"};
  if (context.specialises_at_launch)
    options.push_back("-w");  // PoCL counts warnings on stderr, where a library must not write
  if (fast_math)
    options.push_back("-cl-fast-relaxed-math");
  else if (context.rounds_divisions)
    options.push_back("-cl-fp32-correctly-rounded-divide-sqrt");
  return options;
}

// NVIDIA's compiler takes a bound on a thread's registers as an option only: here so that as many
// groups fit a multiprocessor as the program wants, if it defines that.
void add_register_bound(const ProgramSource& source, std::vector<std::string>& options) {
  if (const std::uint32_t registers = device::register_bound(source.text, source.group_size))
    options.push_back("-cl-nv-maxrregcount=" + std::to_string(registers));
}

std::string joined(const std::vector<std::string>& options) {
  std::string line;
  for (const std::string& option : options) line += (line.empty() ? "" : " ") + option;
  return line;
}

struct ProgramOwner {
  const Context& context;
  cl_program program;
  ~ProgramOwner() {
    if (program) context.api.clReleaseProgram(program);
  }
  cl_program release() { return std::exchange(program, nullptr); }
};

Result<device::Compiled<Module>> compile(const ContextPointer& context, const ProgramSource& source,
                                         const BuildInput& input, const device::CacheKey& key) {
  BuildOutcome built = build_source(*context, input);
  ProgramOwner program{*context, built.program};
  if (built.code == CL_BUILD_PROGRAM_FAILURE)
    return device::compile_error(source.label, context->traits.id, input.text, built.log);
  PENSTOCK_TRY(
      status_of(built.code, "clBuildProgram").with("while building '" + source.label + "'"));
  device::CacheEntry entry{{}, std::move(built.log), ""};
  if (device::DiskCache::from_environment()
          .writable())  // PoCL compiles a general form for a binary: 80 ms a kernel
    if (auto binary = binary_of(*context, program.program); binary.ok())
      entry.binary = std::move(binary).value();
  auto module = std::make_shared<Module>(context, program.release(), key, input, entry);
  return device::Compiled<Module>{std::move(module), std::move(entry)};
}

Result<std::shared_ptr<Module>> load(const ContextPointer& context, const BuildInput& input,
                                     const device::CacheKey& key, const device::CacheEntry& entry) {
  const auto* data = reinterpret_cast<const unsigned char*>(entry.binary.data());
  const std::size_t bytes = entry.binary.size();
  cl_int state = CL_SUCCESS, outcome = CL_SUCCESS;
  ProgramOwner program{*context,
                       context->api.clCreateProgramWithBinary(context->context, 1, &context->device,
                                                              &bytes, &data, &state, &outcome)};
  PENSTOCK_TRY(status_of(outcome, "clCreateProgramWithBinary"));
  PENSTOCK_TRY(status_of(state, "clCreateProgramWithBinary"));
  PENSTOCK_TRY(status_of(context->api.clBuildProgram(program.program, 1, &context->device,
                                                     input.options.c_str(), nullptr, nullptr),
                         "clBuildProgram of a binary"));
  return std::make_shared<Module>(context, program.release(), key, input, entry);
}

}  // namespace

Context::~Context() {
  if (host_queue) api.clReleaseCommandQueue(host_queue);
  if (context) api.clReleaseContext(context);
}

// Policies for bounded registers (add_register_bound()) want more than 48 KiB: in less, group-by of
// 10^4 keys was half as fast by them on an H100.
static void use_local_memory(Traits& traits, std::uint64_t bytes) {
  traits.has_launch_bounds = bytes > traits.local_bytes;
  traits.local_bytes = bytes;
}

Result<std::shared_ptr<Device>> OpenClDevice::open(const FoundDevice& found, cl_context shared) {
  PENSTOCK_TRY(api().status());
  auto context = std::make_shared<Context>(*api(), found.traits, found.device);
  context->rounds_divisions = found.rounds_divisions,
  context->specialises_at_launch = found.is_pocl;
  context->aborts_where_grids_grow = found.aborts_where_grids_grow;
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(found.platform), 0};
  cl_int outcome = CL_SUCCESS;
  if (shared == nullptr)
    context->context =
        context->api.clCreateContext(properties, 1, &found.device, nullptr, nullptr, &outcome);
  else if (outcome = context->api.clRetainContext(shared); outcome == CL_SUCCESS)
    context->context = shared;
  PENSTOCK_TRY(status_of(outcome, shared == nullptr ? "clCreateContext" : "clRetainContext")
                   .with("while opening " + found.traits.id));
  context->host_queue =
      context->api.clCreateCommandQueue(context->context, found.device, 0, &outcome);
  PENSTOCK_TRY(status_of(outcome, "clCreateCommandQueue").with("while opening " + found.traits.id));
  use_local_memory(context->traits, usable_local_bytes(*context));
  return std::shared_ptr<Device>(new OpenClDevice(std::move(context)));
}

OpenClDevice::OpenClDevice(ContextPointer context)
    : context_(std::move(context)), pool_(std::make_shared<device::Pool>(pool_driver(context_))) {
  traits_ = context_->traits;
}

Result<std::shared_ptr<Buffer>> OpenClDevice::allocate(std::uint64_t bytes) {
  PENSTOCK_ASSIGN(device::Block block, pool_->take(bytes));
  return std::shared_ptr<Buffer>(
      std::make_shared<device::PooledBuffer>(context_.get(), pool_, std::move(block), bytes));
}

Result<std::shared_ptr<HostBuffer>> OpenClDevice::allocate_host(std::uint64_t bytes) {
  if (!traits_.is_cpu)
    return host_pool_->take(bytes, [this](std::uint64_t class_bytes) {
      return allocate_mapped(context_, class_bytes);
    });
  return device::PageBuffer::make(bytes);
}

Result<std::shared_ptr<Buffer>> OpenClDevice::wrap_host(const void* data, std::uint64_t bytes) {
  if (!traits_.unified_memory)
    return Status(Code::unsupported, traits_.id + " cannot use host memory in place");
  if (!data || bytes == 0) return allocate(bytes);
  cl_int outcome = CL_SUCCESS;
  const cl_mem memory =
      context_->api.clCreateBuffer(context_->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   bytes, const_cast<void*>(data), &outcome);
  if (outcome == CL_INVALID_BUFFER_SIZE)
    return Status(Code::capacity, "host memory of " + std::to_string(bytes) +
                                      " bytes is above what " + traits_.id +
                                      " takes as one buffer, " +
                                      std::to_string(traits_.max_allocation_bytes) + " bytes");
  PENSTOCK_TRY(status_of(outcome, "clCreateBuffer").with("over host memory"));
  const auto release = [context = context_](std::uint64_t handle) {
    context->api.clReleaseMemObject(reinterpret_cast<cl_mem>(handle));
  };
  return std::shared_ptr<Buffer>(std::make_shared<device::PooledBuffer>(
      context_.get(), device::Block{handle_of(memory), bytes, {}}, bytes, release));
}

Result<std::unique_ptr<Queue>> OpenClDevice::queue() { return make_queue(context_); }

Result<std::shared_ptr<Buffer>> OpenClDevice::import_memory(std::uint64_t handle,
                                                            std::uint64_t bytes) {
  if (handle == 0) return Status(Code::invalid, "the memory's handle is null");
  const auto memory = reinterpret_cast<cl_mem>(handle);
  cl_context theirs = nullptr;
  std::size_t size = 0;
  PENSTOCK_TRY(status_of(
      context_->api.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof theirs, &theirs, nullptr),
      "clGetMemObjectInfo"));
  if (theirs != context_->context)
    return Status(Code::invalid, "the memory is of another context than that of " + traits_.id);
  PENSTOCK_TRY(
      status_of(context_->api.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, nullptr),
                "clGetMemObjectInfo"));
  if (size < bytes)
    return Status(Code::invalid, "memory of " + std::to_string(size) + " bytes was said to have " +
                                     std::to_string(bytes));
  return std::shared_ptr<Buffer>(device::PooledBuffer::borrowed(context_.get(), handle, bytes));
}

Result<std::unique_ptr<Queue>> OpenClDevice::import_queue(std::uint64_t handle) {
  return borrow_queue(context_, reinterpret_cast<cl_command_queue>(handle));
}

Result<std::shared_ptr<Program>> OpenClDevice::build(const ProgramSource& source) {
  return catch_exceptions([&] { return build_or_throw(source); });
}

Result<std::shared_ptr<Program>> OpenClDevice::build_or_throw(const ProgramSource& source) {
  PENSTOCK_TRY(device::check_source(traits_, source));
  std::vector<std::string> options = compiler_options(*context_, source.fast_math);
  if (traits_.has_subgroups) add_register_bound(source, options);
  const auto input = [&] {  // copies the text, which a program in memory does not need
    return BuildInput{
        device::with_head(source, source.fast_math ? "" : "#pragma OPENCL FP_CONTRACT OFF\n"),
        joined(options)};
  };
  const device::CacheKey key =
      device::cache_key(traits_, device::key_options(options, source), source);
  PENSTOCK_ASSIGN(
      auto found,
      modules_.get(
          key, [&](const device::CacheEntry& entry) { return load(context_, input(), key, entry); },
          [&] { return compile(context_, source, input(), key); }));
  return std::shared_ptr<Program>(std::make_shared<OpenClProgram>(
      std::move(found.module), std::move(found.report), source.group_size));
}

// OpenCL 1.2 reports no occupancy.
Result<std::uint32_t> OpenClDevice::resident_groups(const Program& program,
                                                    std::string_view kernel) {
  const auto* built = dynamic_cast<const OpenClProgram*>(&program);
  if (!built) return Status(Code::invalid, "the program belongs to another driver's device");
  PENSTOCK_ASSIGN(const Kernel* const found, built->module().kernel(kernel));
  cl_ulong local_bytes = 0;
  PENSTOCK_TRY(status_of(context_->api.clGetKernelWorkGroupInfo(
                             found->handle, context_->device, CL_KERNEL_LOCAL_MEM_SIZE,
                             sizeof local_bytes, &local_bytes, nullptr),
                         "clGetKernelWorkGroupInfo"));
  return device::resident_groups_by_size(traits_, built->group_size(), local_bytes);
}

// OpenCL does not report occupancy and registers.
Result<KernelResources> OpenClDevice::resources(const Program& program, std::string_view kernel) {
  const auto* built = dynamic_cast<const OpenClProgram*>(&program);
  if (!built) return Status(Code::invalid, "the program belongs to another driver's device");
  PENSTOCK_ASSIGN(const Kernel* const found, built->module().kernel(kernel));
  const auto bytes_of = [&](cl_uint which) -> std::optional<std::uint64_t> {
    cl_ulong bytes = 0;
    const cl_int got = context_->api.clGetKernelWorkGroupInfo(found->handle, context_->device,
                                                              which, sizeof bytes, &bytes, nullptr);
    return got == CL_SUCCESS ? std::optional<std::uint64_t>(bytes) : std::nullopt;
  };
  KernelResources resources;
  resources.group_size = built->group_size();
  resources.private_bytes = bytes_of(CL_KERNEL_PRIVATE_MEM_SIZE);
  resources.local_bytes = bytes_of(CL_KERNEL_LOCAL_MEM_SIZE);
  return resources;
}

}  // namespace penstock::opencl
