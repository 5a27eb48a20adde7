// cuFile, the library of GPUDirect Storage: found, bound and called. Declared after NVIDIA's cuFile
// API reference (https://docs.nvidia.com/gpudirect-storage/api-reference-guide/).
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "penstock/status.hpp"

namespace penstock::cuda {

struct CuFileStatus {  // CUfileError_t
  int error = 0, cuda_error = 0;
};
struct CuFileDescriptor {  // CUfileDescr_t
  int type = 1;            // CU_FILE_HANDLE_TYPE_OPAQUE_FD
  union {
    int descriptor;
    void* windows_handle;
  } file{};
  const void* operations = nullptr;
};
struct CuFileProperties {  // CUfileDrvProps_t
  struct {
    unsigned major_version, minor_version;
    std::size_t poll_threshold_kib, max_direct_io_kib;
    unsigned status_flags, control_flags;
  } driver;
  unsigned feature_flags, sizes[5];
  unsigned later_versions[32];  // room for fields that are not known here
};

struct CuFile {
  CuFileStatus (*open_driver)() = nullptr;
  CuFileStatus (*properties)(CuFileProperties*) = nullptr;
  CuFileStatus (*register_file)(void** handle, CuFileDescriptor*) = nullptr;
  void (*deregister_file)(void* handle) = nullptr;
  ssize_t (*read)(void* handle, void* memory, std::size_t bytes, off_t file_offset,
                  off_t memory_offset) = nullptr;
  std::string path;
};

// Opens $PENSTOCK_CUFILE (a file) where it is set, else searches as open_nvrtc() does. Code::
// unsupported says what to install.
Result<CuFile> open_cufile();

// A file as cuFile knows it. Thread-safe.
class CuFileHandle {
 public:
  // A current CUDA context is needed, here and for read().
  static Result<std::unique_ptr<CuFileHandle>> open(const CuFile& library, const std::string& path);
  ~CuFileHandle();
  CuFileHandle(const CuFileHandle&) = delete;
  CuFileHandle& operator=(const CuFileHandle&) = delete;
  // Whether the driver moves this file's bytes to a GPU without the host's memory: it says so of
  // the file system, and the file allows direct access.
  bool bypasses_host() const { return bypasses_host_; }
  // Reads all bytes, however many one call yields.
  Status read(void* memory, std::uint64_t bytes, std::uint64_t file_offset,
              std::uint64_t memory_offset) const;

 private:
  CuFileHandle(const CuFile& library, const std::string& path, int flags)
      : library_(library), path_(path), file_(path, flags) {}
  Status enter();
  Status failed(ssize_t outcome, std::uint64_t at) const;

  const CuFile& library_;
  const std::string path_;
  const File file_;
  void* handle_ = nullptr;
  bool bypasses_host_ = false;
};

// Returns whether a driver with these flags reads files of a file system (statfs::f_type) without
// the host's memory.
bool reads_directly(unsigned status_flags, std::uint64_t file_system);

}  // namespace penstock::cuda
