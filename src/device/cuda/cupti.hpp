// The part of CUPTI's PC Sampling API that is used here, declared here so that the build needs no
// SDK, and bound at run time. Names, values and layouts follow the CUPTI API reference, equal in
// CUDA 12 and 13. CUPTI packs its records, which changes nothing if every member is aligned anyway.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/cuda_api.hpp"

namespace penstock::cuda {

using CUptiResult = int;
enum : CUptiResult {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_OUT_OF_MEMORY = 8,
  CUPTI_ERROR_HARDWARE_BUSY = 26,
  CUPTI_ERROR_NOT_SUPPORTED = 27,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 33,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
  CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED = 41,
  CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED = 43,
};

// A count of one stall reason.
struct PcStall {
  std::uint32_t reason_index;
  std::uint32_t samples;
};

struct PcRecord {
  std::size_t size;
  std::uint64_t cubin_crc;
  std::uint64_t pc_offset;
  std::uint32_t function_index;
  std::uint32_t pad;
  char* function_name;  // from malloc, shared by records
  std::size_t stall_count;
  PcStall* stalls;
  std::uint32_t correlation_id;
};
static_assert(sizeof(PcStall) == 8 && sizeof(PcRecord) == 64 &&
              offsetof(PcRecord, correlation_id) == 56);

struct PcData {
  std::size_t size;
  std::size_t record_capacity;
  std::uint64_t total_samples;
  std::uint64_t dropped_samples;
  std::size_t record_count;
  std::size_t remaining_count;
  std::uint64_t range_id;
  PcRecord* records;
  std::uint64_t other_kernels_samples;
  std::uint8_t hardware_buffer_full;
};
static_assert(sizeof(PcData) == 80 && offsetof(PcData, hardware_buffer_full) == 72);

enum : std::uint32_t {
  CUPTI_PC_SAMPLING_ATTR_SAMPLING_PERIOD = 1,  // 2^value cycles, 5 to 31
  CUPTI_PC_SAMPLING_ATTR_COLLECTION_MODE = 5,
  CUPTI_PC_SAMPLING_ATTR_ENABLE_START_STOP_CONTROL = 6,
  CUPTI_PC_SAMPLING_ATTR_SAMPLING_DATA_BUFFER = 8,
  CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS = 1,  // kernels run as they would
};
struct PcAttribute {
  std::uint32_t type;
  CUptiResult status;
  union {
    std::uint64_t words[3];
    std::uint32_t number;
    void* pointer;
  } value;
};
static_assert(sizeof(PcAttribute) == 32);

// Parameter structs; each starts with its size.
struct PcContextParameters {
  std::size_t size;
  void* reserved;
  CUcontext context;
};  // of enable, disable, start and stop
struct PcAttributeParameters {
  std::size_t size;
  void* reserved;
  CUcontext context;
  std::size_t count;
  PcAttribute* attributes;
};
struct PcDataParameters {
  std::size_t size;
  void* reserved;
  CUcontext context;
  void* data;
};
struct PcReasonCountParameters {
  std::size_t size;
  void* reserved;
  CUcontext context;
  std::size_t* count;
};
struct PcReasonParameters {
  std::size_t size;
  void* reserved;
  CUcontext context;
  std::size_t count;
  std::uint32_t* indices;
  char** names;  // of reason_name_bytes each
};
constexpr std::size_t reason_name_bytes = 128;
struct PcLineParameters {
  std::size_t size;
  const void* cubin;
  const char* function_name;
  std::size_t cubin_bytes;
  std::uint32_t line;
  std::uint64_t pc_offset;
  char* file;  // from malloc
  char* folder;
};
static_assert(sizeof(PcLineParameters) == 64);
struct PcCrcParameters {
  std::size_t size;
  std::size_t cubin_bytes;
  const void* cubin;
  std::uint64_t crc;
};

struct Cupti {
  CUptiResult (*version)(std::uint32_t*) = nullptr;
  CUptiResult (*error_name)(CUptiResult, const char**) = nullptr;
  CUptiResult (*enable)(PcContextParameters*) = nullptr;
  CUptiResult (*disable)(PcContextParameters*) = nullptr;
  CUptiResult (*start)(PcContextParameters*) = nullptr;
  CUptiResult (*stop)(PcContextParameters*) = nullptr;
  CUptiResult (*set_attributes)(PcAttributeParameters*) = nullptr;
  CUptiResult (*get_data)(PcDataParameters*) = nullptr;
  CUptiResult (*reason_count)(PcReasonCountParameters*) = nullptr;
  CUptiResult (*reasons)(PcReasonParameters*) = nullptr;
  CUptiResult (*line_of)(PcLineParameters*) = nullptr;
  CUptiResult (*crc_of)(PcCrcParameters*) = nullptr;
  std::string path;
  int major = 0;  // of the CUDA that it belongs to
};

// Opens $PENSTOCK_CUPTI (a file) if it is set. Otherwise searches the same places as for NVRTC: the
// linker's path, /usr/local/cuda* and Python environments. It takes the first library with a CUDA
// version not newer than the driver's (0: any). Code::unsupported says what to install.
Result<Cupti> open_cupti(int driver_major);
// Returns ok for success; the error says what to allow where a permission is missing.
Status status_of(const Cupti& cupti, CUptiResult code, const char* call);
// Returns "long_scoreboard" for "smsp__pcsamp_warps_issue_stalled_long_scoreboard". Returns nothing
// for "..._not_issued", which counts some of the same samples again: the samples in which the
// scheduler issued nothing for any warp.
std::string stall_reason(std::string_view metric);
// The source of an instruction of a cubin: the file name of its #line, without folders
// ("operations.kc"), and the line in it; 0 if it has none.
struct SourcePlace {
  std::string part;
  std::uint32_t line = 0;
};
SourcePlace place_of(const Cupti& cupti, const std::vector<std::byte>& cubin,
                     const std::string& kernel, std::uint64_t pc_offset);

}  // namespace penstock::cuda
