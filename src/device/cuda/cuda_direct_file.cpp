// Reads files into the memory of CUDA devices by cuFile.
#include <algorithm>
#include <filesystem>
#include <mutex>
#include <vector>

#include "base/parallel.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cufile.hpp"
#include "device/direct_file.hpp"
#include "device/queue_checks.hpp"

namespace penstock::cuda {
namespace {

// The bytes that one call reads: several threads read in parallel.
constexpr std::uint64_t direct_read_bytes = 4 << 20;

// Opened once per process and never closed: buffers may live as long as the process.
const Result<CuFile>& opened_cufile(const Context& context) {
  static const Result<CuFile>& opened = *new Result<CuFile>([&]() -> Result<CuFile> {
    PENSTOCK_ASSIGN(CuFile library, open_cufile());
    const Current current(context);
    const CuFileStatus status = library.open_driver();
    if (status.error == 0) return library;
    return Status(Code::unsupported, "GPUDirect Storage: cuFileDriverOpen of " + library.path +
                                         " fails with cuFile's error " +
                                         std::to_string(status.error));
  }());
  return opened;
}

std::vector<device::FileRange> pieces_of(std::span<const device::FileRange> ranges) {
  std::vector<device::FileRange> pieces;
  for (const device::FileRange& range : ranges)
    for (std::uint64_t done = 0; done < range.bytes; done += direct_read_bytes)
      pieces.push_back({range.file_offset + done, std::min(direct_read_bytes, range.bytes - done),
                        range.to_offset + done});
  return pieces;
}

class CudaDirectFile final : public device::DirectFile {
 public:
  CudaDirectFile(ContextPointer context, std::unique_ptr<CuFileHandle> handle)
      : context_(std::move(context)), handle_(std::move(handle)) {}
  ~CudaDirectFile() override {
    const Current current(*context_);
    handle_.reset();
  }
  bool bypasses_host() const override { return handle_->bypasses_host(); }

  Status read(Queue& queue, const Buffer& to,
              std::span<const device::FileRange> ranges) const override {
    for (const device::FileRange& range : ranges)
      PENSTOCK_TRY(device::check_range("read of a file", to, range.bytes, range.to_offset));
    PENSTOCK_ASSIGN(const CUdeviceptr address, settled_address(queue, to));
    if (ranges.empty()) return {};
    const std::vector<device::FileRange> pieces = pieces_of(ranges);
    std::mutex mutex;
    Status failed;
    in_parallel(pieces.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
      const Status status = read_pieces(std::span(pieces).subspan(first, last - first), address);
      const std::lock_guard lock(mutex);
      if (failed.ok()) failed = status;
    });
    return failed;
  }

 private:
  // The queue waits for earlier uses of a buffer when it uses it, so it fills a word.
  Result<CUdeviceptr> settled_address(Queue& queue, const Buffer& to) const {
    const auto* pooled = dynamic_cast<const device::PooledBuffer*>(&to);
    if (!pooled || pooled->device() != context_.get())
      return Status(Code::invalid,
                    "the buffer belongs to another device than " + context_->traits.id);
    PENSTOCK_TRY(queue.fill(to, 0, std::min<std::uint64_t>(to.bytes(), 4) / 4 * 4));
    PENSTOCK_TRY(queue.finish());
    return pooled->handle();
  }
  Status read_pieces(std::span<const device::FileRange> pieces, CUdeviceptr address) const {
    const Current current(*context_);
    for (const device::FileRange& piece : pieces)
      PENSTOCK_TRY(handle_->read(reinterpret_cast<void*>(address), piece.bytes, piece.file_offset,
                                 piece.to_offset));
    return {};
  }

  ContextPointer context_;
  std::unique_ptr<CuFileHandle> handle_;
};

}  // namespace
}  // namespace penstock::cuda

namespace penstock::device {

namespace {

// A recording device stands in for the process's own.
Result<cuda::ContextPointer> context_with_cufile(const Device& device) {
  const std::string& id = device.traits().id;
  if (device.traits().target != Target::cuda)
    return Status(Code::unsupported,
                  "GPUDirect Storage is for NVIDIA's GPUs through CUDA, not for " + id);
  PENSTOCK_ASSIGN(const auto opened, open_device(id));
  const auto* found = dynamic_cast<const cuda::CudaDevice*>(opened.get());
  if (!found) return Status(Code::internal, id + " is not a device of CUDA's driver");
  PENSTOCK_TRY(cuda::opened_cufile(*found->context()).status());
  return found->context();
}

}  // namespace

Status check_direct_files(const Device& device) { return context_with_cufile(device).status(); }

Result<std::shared_ptr<const DirectFile>> open_direct_file(const Device& device,
                                                           const std::string& path) {
  PENSTOCK_ASSIGN(const cuda::ContextPointer context, context_with_cufile(device));
  const cuda::Current current(*context);
  PENSTOCK_ASSIGN(auto handle, cuda::CuFileHandle::open(*cuda::opened_cufile(*context), path));
  return std::shared_ptr<const DirectFile>(
      std::make_shared<cuda::CudaDirectFile>(context, std::move(handle)));
}

// The kernel module's folder.
bool expects_direct_files() {
  std::error_code error;
  return std::filesystem::exists("/proc/driver/nvidia-fs", error);
}

}  // namespace penstock::device
