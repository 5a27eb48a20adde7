#include "device/cuda/nvrtc.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/python_environments.hpp"
#include "device/compile_error.hpp"

namespace penstock::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_install_nvrtc =
    "CUDA: no usable NVRTC (libnvrtc.so.13 or .12), which compiles for it: pip install "
    "nvidia-cuda-nvrtc (for a driver "
    "of "
    "CUDA 12: nvidia-cuda-nvrtc-cu12) into the project's .venv, or set PENSTOCK_NVRTC to the file; "
    "without it the GPU "
    "is used "
    "through OpenCL where the driver brings that";

Result<Nvrtc> bind_nvrtc(const std::string& path) {
  PENSTOCK_ASSIGN(const device::Library library, device::Library::open({path}));
  Nvrtc nvrtc;
  nvrtc.path = path;
  PENSTOCK_TRY(library.bind(nvrtc.version, "nvrtcVersion"));
  PENSTOCK_TRY(library.bind(nvrtc.supported_count, "nvrtcGetNumSupportedArchs"));
  PENSTOCK_TRY(library.bind(nvrtc.supported, "nvrtcGetSupportedArchs"));
  PENSTOCK_TRY(library.bind(nvrtc.error_name, "nvrtcGetErrorString"));
  PENSTOCK_TRY(library.bind(nvrtc.create, "nvrtcCreateProgram"));
  PENSTOCK_TRY(library.bind(nvrtc.destroy, "nvrtcDestroyProgram"));
  PENSTOCK_TRY(library.bind(nvrtc.compile, "nvrtcCompileProgram"));
  PENSTOCK_TRY(library.bind(nvrtc.log_size, "nvrtcGetProgramLogSize"));
  PENSTOCK_TRY(library.bind(nvrtc.log, "nvrtcGetProgramLog"));
  PENSTOCK_TRY(library.bind(nvrtc.cubin_size, "nvrtcGetCUBINSize"));
  PENSTOCK_TRY(library.bind(nvrtc.cubin, "nvrtcGetCUBIN"));
  PENSTOCK_TRY(library.bind(nvrtc.ptx_size, "nvrtcGetPTXSize"));
  PENSTOCK_TRY(library.bind(nvrtc.ptx, "nvrtcGetPTX"));
  int count = 0;
  if (nvrtc.version(&nvrtc.major, &nvrtc.minor) != 0 || nvrtc.supported_count(&count) != 0 ||
      count <= 0)
    return Status(Code::no_device, path + " does not answer");
  nvrtc.architectures.resize(static_cast<std::size_t>(count));
  if (nvrtc.supported(nvrtc.architectures.data()) != 0)
    return Status(Code::no_device, path + " does not answer");
  std::sort(nvrtc.architectures.begin(), nvrtc.architectures.end());
  return nvrtc;
}

struct ProgramOwner {
  const Nvrtc& nvrtc;
  Nvrtc::Program program = nullptr;
  ~ProgramOwner() { release(); }
  void release() {
    if (program) nvrtc.destroy(&program);
    program = nullptr;
  }
};

Status failed(const Nvrtc& nvrtc, int code, const char* call) {
  if (code == 0) return {};
  return Status(Code::internal,
                std::string(call) + ": " + nvrtc.error_name(code) + " (" + nvrtc.path + ")");
}

// Returns the newest architecture that NVRTC knows and the GPU runs: the GPU's own, or an older one
// if the driver translates its PTX.
Result<int> architecture_for(const Nvrtc& nvrtc, int architecture) {
  int best = 0;
  for (const int known : nvrtc.architectures)
    if (known <= architecture) best = known;
  if (best > 0) return best;
  return Status(Code::unsupported, "NVRTC " + std::to_string(nvrtc.major) + "." +
                                       std::to_string(nvrtc.minor) + " no longer compiles for sm_" +
                                       std::to_string(architecture) +
                                       "; an older nvidia-cuda-nvrtc does");
}

std::string log_of(const Nvrtc& nvrtc, Nvrtc::Program program) {
  std::size_t bytes = 0;
  if (nvrtc.log_size(program, &bytes) != 0 || bytes <= 1) return "";
  std::string log(bytes, '\0');
  if (nvrtc.log(program, log.data()) != 0) return "";
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

// Returns NVRTC's result; `owner` owns the program then.
Result<int> compile_program(ProgramOwner& owner, const std::string& text,
                            const std::vector<std::string>& options) {
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  owner.release();
  PENSTOCK_TRY(failed(
      owner.nvrtc, owner.nvrtc.create(&owner.program, text.c_str(), "program", 0, nullptr, nullptr),
      "nvrtcCreateProgram"));
  return owner.nvrtc.compile(owner.program, static_cast<int>(arguments.size()), arguments.data());
}

// These compile the same code faster: functions of a program in parallel, without the language's
// libraries, and without NVRTC's own cache. That is in the driver, which it starts and waits for:
// with an empty cache 60 to 250 ms a program on an H200's host. Older compilers know fewer of them.
Result<int> compile_quickly(ProgramOwner& owner, const std::string& text,
                            std::vector<std::string> options) {
  std::vector<std::string> quick = {"--split-compile=0", "--minimal", "--no-cache"};
  constexpr int invalid_option = 5;  // NVRTC_ERROR_INVALID_OPTION
  for (;; quick.pop_back()) {
    std::vector<std::string> all = options;
    all.insert(all.end(), quick.begin(), quick.end());
    PENSTOCK_ASSIGN(const int outcome, compile_program(owner, text, all));
    if (outcome != invalid_option || quick.empty()) return outcome;
  }
}

// Returns a CUBIN, or PTX.
Result<std::vector<std::byte>> binary_of(const ProgramOwner& owner, bool is_cubin) {
  const Nvrtc& nvrtc = owner.nvrtc;
  std::size_t bytes = 0;
  PENSTOCK_TRY(failed(
      nvrtc,
      is_cubin ? nvrtc.cubin_size(owner.program, &bytes) : nvrtc.ptx_size(owner.program, &bytes),
      "nvrtcGet...Size"));
  std::vector<std::byte> binary(bytes);
  char* const data = reinterpret_cast<char*>(binary.data());
  if (bytes != 0)
    PENSTOCK_TRY(
        failed(nvrtc, is_cubin ? nvrtc.cubin(owner.program, data) : nvrtc.ptx(owner.program, data),
               "nvrtcGet..."));
  return binary;
}

}  // namespace

std::vector<std::string> library_candidates(const LibraryPlaces& places,
                                            const std::string& executable) {
  if (const char* own = std::getenv(places.variable); own && *own) return {own};
  std::vector<std::string> paths = {places.name + ".13", places.name + ".12", places.name};
  if (!places.version.empty()) paths = {places.name + "." + places.version};
  const std::string file = places.name + "." + (places.version.empty() ? "1[0-9]" : places.version);
  for (const std::string& folder : places.toolkit_folders)
    add_glob_matches(paths, "/usr/local/cuda*/" + folder + "/" + file);
  for (const std::string& root : python_environments(executable))
    for (const char* packages :
         {"site-packages", "dist-packages"})  // Debian's own Python uses the latter
      for (const std::string& wheel : places.wheels)
        add_glob_matches(paths,
                         root + "/lib/python3*/" + packages + "/nvidia/" + wheel + "/lib/" + file);
  return paths;
}

// The wheels of CUDA 13 and later, and that of CUDA 12.
std::vector<std::string> nvrtc_candidates(const std::string& executable) {
  return library_candidates({"PENSTOCK_NVRTC",
                             "libnvrtc.so",
                             {"lib64", "lib", "targets/*/lib"},
                             {"cu1[0-9]", "cuda_nvrtc"}},
                            executable);
}

Result<Nvrtc> open_nvrtc(int driver_major) {
  std::string newer;
  for (const std::string& path : nvrtc_candidates(path_of_executable())) {
    auto nvrtc = bind_nvrtc(path);
    if (!nvrtc.ok()) continue;
    if (driver_major == 0 || nvrtc->major <= driver_major) return nvrtc;
    newer = path + " is NVRTC " + std::to_string(nvrtc->major) + ", the driver takes up to " +
            std::to_string(driver_major);
  }
  return Status(Code::no_device, how_to_install_nvrtc + (newer.empty() ? "" : " (" + newer + ")"));
}

bool knows_architecture(const Nvrtc& nvrtc, int architecture) {
  return std::binary_search(nvrtc.architectures.begin(), nvrtc.architectures.end(), architecture);
}

Result<CompiledSource> compile_source(const Nvrtc& nvrtc, const std::string& text, int architecture,
                                      const std::vector<std::string>& options,
                                      std::string_view label) {
  PENSTOCK_ASSIGN(const int known, architecture_for(nvrtc, architecture));
  const bool exact = known == architecture;
  std::vector<std::string> all = {
      (exact ? "--gpu-architecture=sm_" : "--gpu-architecture=compute_") + std::to_string(known)};
  all.insert(all.end(), options.begin(), options.end());
  ProgramOwner owner{nvrtc};
  PENSTOCK_ASSIGN(const int outcome, compile_quickly(owner, text, std::move(all)));
  constexpr int compilation_failed = 6;  // NVRTC_ERROR_COMPILATION
  CompiledSource compiled;
  compiled.log = log_of(nvrtc, owner.program);
  if (outcome == compilation_failed)
    return device::compile_error(label, "sm_" + std::to_string(architecture), text, compiled.log);
  PENSTOCK_TRY(failed(nvrtc, outcome, "nvrtcCompileProgram").with(compiled.log));
  PENSTOCK_ASSIGN(compiled.binary, binary_of(owner, exact));
  if (compiled.binary.empty())
    return Status(Code::internal, "NVRTC gave an empty binary for '" + std::string(label) + "'");
  return compiled;
}

}  // namespace penstock::cuda
