#include "device/cuda/cufile.hpp"
#include "base/python_environments.hpp"

#include <fcntl.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "device/cuda/nvrtc.hpp"

namespace penstock::cuda {
namespace {

constexpr const char* how_to_install_cufile =
    "GPUDirect Storage: no usable cuFile (libcufile.so.0): install NVIDIA's gds-tools or "
    "libcufile, pip install nvidia-cufile into the project's .venv, or set PENSTOCK_CUFILE to the "
    "file";

Result<CuFile> bind_cufile(const std::string& path) {
  PENSTOCK_ASSIGN(const device::Library library, device::Library::open({path}));
  CuFile cufile;
  cufile.path = path;
  PENSTOCK_TRY(library.bind(cufile.open_driver, "cuFileDriverOpen"));
  PENSTOCK_TRY(library.bind(cufile.properties, "cuFileDriverGetProperties"));
  PENSTOCK_TRY(library.bind(cufile.register_file, "cuFileHandleRegister"));
  PENSTOCK_TRY(library.bind(cufile.deregister_file, "cuFileHandleDeregister"));
  PENSTOCK_TRY(library.bind(cufile.read, "cuFileRead"));
  return cufile;
}

std::vector<std::string> cufile_candidates() {
  const LibraryPlaces places{
      "PENSTOCK_CUFILE", "libcufile.so", {"lib64", "targets/*/lib"}, {"cu1[0-9]", "cufile"}, "0"};
  std::error_code error;
  return library_candidates(places, path_of_executable());
}

Status status_of_cufile(CuFileStatus status, const char* call) {
  if (status.error == 0) return {};
  return {Code::unsupported, std::string(call) + ": cuFile's error " +
                                 std::to_string(status.error) + ", CUDA's " +
                                 std::to_string(status.cuda_error)};
}

// Places of flags (CUfileDriverStatusFlags), by the magic numbers of file systems.
struct SupportedFileSystem {
  std::uint64_t magic;
  unsigned flags;
};
constexpr unsigned flag(unsigned place) { return 1u << place; }
constexpr unsigned block_devices =
    flag(4) | flag(5) | flag(6) | flag(11);  // NVMe, of fabrics, SCSI
constexpr SupportedFileSystem supported_file_systems[] = {
    {0xEF53, block_devices},      // ext4
    {0x58465342, block_devices},  // XFS
    {0x0BD00BD0, flag(0)},        // Lustre
    {0x6969, flag(2)},            // NFS over RDMA
    {0x47504653, flag(3)},        // GPFS
    {0x19830326, flag(9)},        // BeeGFS
};

}  // namespace

bool reads_directly(unsigned status_flags, std::uint64_t file_system) {
  for (const SupportedFileSystem& supported : supported_file_systems)
    if (supported.magic == file_system) return (supported.flags & status_flags) != 0;
  return false;
}

Result<CuFile> open_cufile() {
  std::string why;
  for (const std::string& path : cufile_candidates()) {
    auto cufile = bind_cufile(path);
    if (cufile.ok()) return cufile;
    if (cufile.status().code() == Code::unsupported) why = cufile.status().message();
  }
  return Status(Code::unsupported, how_to_install_cufile + (why.empty() ? "" : " (" + why + ")"));
}

// A file system without O_DIRECT, such as tmpfs, leaves the compatibility mode.
Result<std::unique_ptr<CuFileHandle>> CuFileHandle::open(const CuFile& library,
                                                         const std::string& path) {
  std::unique_ptr<CuFileHandle> direct(new CuFileHandle(library, path, O_RDONLY | O_DIRECT));
  if (direct->file_) {
    PENSTOCK_TRY(direct->enter());
    return direct;
  }
  std::unique_ptr<CuFileHandle> buffered(new CuFileHandle(library, path, O_RDONLY));
  if (!buffered->file_)
    return Status(Code::io, "cannot open '" + path + "': " + std::strerror(errno));
  PENSTOCK_TRY(buffered->enter());
  buffered->bypasses_host_ = false;
  return buffered;
}

CuFileHandle::~CuFileHandle() {
  if (handle_) library_.deregister_file(handle_);
}

Status CuFileHandle::enter() {
  CuFileDescriptor descriptor;
  descriptor.file.descriptor = file_.descriptor();
  void* handle = nullptr;
  PENSTOCK_TRY(
      status_of_cufile(library_.register_file(&handle, &descriptor), "cuFileHandleRegister")
          .with("GPUDirect Storage of '" + path_ + "'"));
  handle_ = handle;
  CuFileProperties properties{};
  struct statfs info{};
  bypasses_host_ =
      library_.properties(&properties).error == 0 && fstatfs(file_.descriptor(), &info) == 0 &&
      reads_directly(properties.driver.status_flags, static_cast<std::uint64_t>(info.f_type));
  return {};
}

// -1 stands for errno, other negative numbers for cuFile's errors.
Status CuFileHandle::failed(ssize_t outcome, std::uint64_t at) const {
  const std::string where = "byte " + std::to_string(at) + " of '" + path_ + "'";
  if (outcome == 0) return {Code::truncated, "the file ends at " + where};
  return {Code::io, "cuFileRead at " + where + ": " +
                        (outcome == -1 ? std::strerror(errno)
                                       : "cuFile's error " + std::to_string(-outcome))};
}

Status CuFileHandle::read(void* memory, std::uint64_t bytes, std::uint64_t file_offset,
                          std::uint64_t memory_offset) const {
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t outcome =
        library_.read(handle_, memory, bytes - done, static_cast<off_t>(file_offset + done),
                      static_cast<off_t>(memory_offset + done));
    if (outcome <= 0) return failed(outcome, file_offset + done);
    if (static_cast<std::uint64_t>(outcome) > bytes - done)
      return {Code::internal, "cuFileRead says that it read more than it was asked for"};
    done += static_cast<std::uint64_t>(outcome);
  }
  return {};
}

}  // namespace penstock::cuda
