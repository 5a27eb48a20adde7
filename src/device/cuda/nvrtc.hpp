// NVRTC, the CUDA C++ compiler as a library: found, bound and called. It needs no GPU and no
// driver.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "device/library.hpp"

namespace penstock::cuda {

struct Nvrtc {
  using Program = struct ProgramHandle*;
  int (*version)(int*, int*) = nullptr;
  int (*supported_count)(int*) = nullptr;
  int (*supported)(int*) = nullptr;
  const char* (*error_name)(int) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;

  std::string path;
  int major = 0, minor = 0;
  std::vector<int> architectures;  // 90 for sm_90, ascending
};

// Opens $PENSTOCK_NVRTC (a file) if it is set. Otherwise searches the linker's libnvrtc.so.13, .12
// and .so, then /usr/local/cuda*, then Python environments: $VIRTUAL_ENV, a `.venv` of the
// executable's own tree, the user's and the system's. It never searches the working directory,
// which another user may have written. Takes the first library with a major version not above
// `driver_major` (0: any), since an older driver does not load a newer compiler's binaries.
// Code::no_device says what to install.
Result<Nvrtc> open_nvrtc(int driver_major);
std::vector<std::string> nvrtc_candidates(const std::string& executable);

// The parameters of that search for any library of CUDA: its variable, its name, its folders in a
// toolkit and in Python's wheels.
struct LibraryPlaces {
  const char* variable;  // "PENSTOCK_NVRTC"
  std::string name;      // "libnvrtc.so"
  std::vector<std::string> toolkit_folders, wheels;
  std::string version = {};  // of the file's name; empty: CUDA's major version
};
std::vector<std::string> library_candidates(const LibraryPlaces& places,
                                            const std::string& executable);

// Whether it makes CUBINs of this architecture. Otherwise it makes PTX of an older one.
bool knows_architecture(const Nvrtc& nvrtc, int architecture);

struct CompiledSource {
  // A CUBIN for exactly this GPU; PTX, ending in a zero byte, where NVRTC is older than the GPU.
  std::vector<std::byte> binary;
  std::string log;
};

// Compiles for an architecture, 90 for sm_90. Code::compile with the log, label and lines for an
// error in the source.
Result<CompiledSource> compile_source(const Nvrtc& nvrtc, const std::string& text, int architecture,
                                      const std::vector<std::string>& options,
                                      std::string_view label);

}  // namespace penstock::cuda
