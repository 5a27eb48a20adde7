#include "device/cuda/cupti.hpp"
#include "base/python_environments.hpp"

#include <cstdlib>
#include <filesystem>

#include "device/cuda/nvrtc.hpp"

namespace penstock::cuda {
namespace {

constexpr const char* how_to_install_cupti =
    "no usable CUPTI (libcupti.so.13 or .12), which samples kernels: pip install nvidia-cuda-cupti "
    "(for a driver of CUDA 12: "
    "nvidia-cuda-cupti-cu12) into the project's .venv, or set PENSTOCK_CUPTI to the file";

// CUPTI 12.0 says 18 and counts on; from 13 on it says 130000 for 13.0.
int major_of(std::uint32_t version) {
  return version >= 100000 ? static_cast<int>(version / 10000) : version >= 18 ? 12 : 11;
}

Result<Cupti> bind_cupti(const std::string& path) {
  PENSTOCK_ASSIGN(const device::Library library, device::Library::open({path}));
  Cupti cupti;
  cupti.path = path;
  PENSTOCK_TRY(library.bind(cupti.version, "cuptiGetVersion"));
  PENSTOCK_TRY(library.bind(cupti.error_name, "cuptiGetResultString"));
  PENSTOCK_TRY(library.bind(cupti.enable, "cuptiPCSamplingEnable"));
  PENSTOCK_TRY(library.bind(cupti.disable, "cuptiPCSamplingDisable"));
  PENSTOCK_TRY(library.bind(cupti.start, "cuptiPCSamplingStart"));
  PENSTOCK_TRY(library.bind(cupti.stop, "cuptiPCSamplingStop"));
  PENSTOCK_TRY(library.bind(cupti.set_attributes, "cuptiPCSamplingSetConfigurationAttribute"));
  PENSTOCK_TRY(library.bind(cupti.get_data, "cuptiPCSamplingGetData"));
  PENSTOCK_TRY(library.bind(cupti.reason_count, "cuptiPCSamplingGetNumStallReasons"));
  PENSTOCK_TRY(library.bind(cupti.reasons, "cuptiPCSamplingGetStallReasons"));
  PENSTOCK_TRY(library.bind(cupti.line_of, "cuptiGetSassToSourceCorrelation"));
  PENSTOCK_TRY(library.bind(cupti.crc_of, "cuptiGetCubinCrc"));
  std::uint32_t version = 0;
  if (cupti.version(&version) != CUPTI_SUCCESS)
    return Status(Code::unsupported, path + " does not answer");
  cupti.major = major_of(version);
  return cupti;
}

const char* what_to_allow(CUptiResult code) {
  switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "performance counters are kept for administrators: run as root or with CAP_SYS_ADMIN, "
             "or load the driver with "
             "'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "a GPU that is cut into instances (MIG) is not sampled";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "a GPU in confidential mode is not sampled";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED: return "this virtual GPU is not sampled";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler uses the GPU: end it first";
    case CUPTI_ERROR_NOT_SUPPORTED:
      return "this GPU or driver has no PC sampling; Volta and later have it";
    default: return "";
  }
}

}  // namespace

Result<Cupti> open_cupti(int driver_major) {
  const LibraryPlaces places{"PENSTOCK_CUPTI",
                             "libcupti.so",
                             {"extras/CUPTI/lib64", "lib64", "lib", "targets/*/lib"},
                             {"cu1[0-9]", "cuda_cupti"}};
  std::string why;
  for (const std::string& path : library_candidates(places, path_of_executable())) {
    auto cupti = bind_cupti(path);
    if (cupti.ok() && cupti->major >= 12 && (driver_major == 0 || cupti->major <= driver_major))
      return cupti;
    if (cupti.ok())
      why = path + " is of CUDA " + std::to_string(cupti->major) + ", the driver of " +
            std::to_string(driver_major);
    else if (cupti.status().code() == Code::unsupported)
      why = cupti.status().message();
  }
  return Status(Code::unsupported, how_to_install_cupti + (why.empty() ? "" : " (" + why + ")"));
}

Status status_of(const Cupti& cupti, CUptiResult code, const char* call) {
  if (code == CUPTI_SUCCESS) return {};
  const char* name = nullptr;
  if (cupti.error_name(code, &name) != CUPTI_SUCCESS || !name) name = "an unknown error";
  const std::string text = std::string(call) + ": " + name + " (" + std::to_string(code) + ")",
                    allow = what_to_allow(code);
  return allow.empty() ? Status(Code::internal, text)
                       : Status(Code::unsupported, allow + " (" + text + ")");
}

std::string stall_reason(std::string_view metric) {
  constexpr std::string_view prefix = "smsp__pcsamp_warps_issue_stalled_";
  if (metric.ends_with("_not_issued")) return "";
  return std::string(metric.starts_with(prefix) ? metric.substr(prefix.size()) : metric);
}

SourcePlace place_of(const Cupti& cupti, const std::vector<std::byte>& cubin,
                     const std::string& kernel, std::uint64_t pc_offset) {
  PcLineParameters line{};
  line.size = sizeof line;
  line.cubin = cubin.data();
  line.cubin_bytes = cubin.size();
  line.function_name = kernel.c_str();
  line.pc_offset = pc_offset;
  const CUptiResult outcome = cupti.line_of(&line);
  SourcePlace place;
  if (outcome == CUPTI_SUCCESS && line.file) {
    const std::string_view file = line.file;
    place = {std::string(file.substr(file.rfind('/') + 1)), line.line};  // npos + 1 is 0
  }
  std::free(line.file);
  std::free(line.folder);
  return place;
}

}  // namespace penstock::cuda
