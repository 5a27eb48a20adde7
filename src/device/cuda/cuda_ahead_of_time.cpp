#include "device/cuda/cuda_ahead_of_time.hpp"

#include <cstdlib>
#include <filesystem>

#include "device/program_source.hpp"

namespace penstock::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder_name = "penstock_cuda.programs";

// PENSTOCK_CUDA_PROGRAMS, or a folder of that name beside the executable or in its tree's
// lib/penstock.
std::string find_folder() {
  if (const char* const asked = std::getenv("PENSTOCK_CUDA_PROGRAMS"); asked && *asked)
    return fs::path(asked).is_absolute() ? asked : "";
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (own.empty()) return "";
  const fs::path beside = own / folder_name;
  if (fs::is_directory(beside, error)) return beside.string();
  return (own.parent_path() / "lib" / "penstock" / folder_name).string();
}

}  // namespace

device::AheadOfTime programs_ahead_of_time(const Traits& traits, const ProgramSource& source,
                                           const std::vector<std::string>& options) {
  static const std::string& folder = *new std::string(find_folder());  // kept for threads
  Traits common;
  common.target = traits.target;
  common.architecture = traits.architecture;
  common.compiler = traits.compiler;
  return {folder, device::cache_key(common, device::key_options(options, source), source)};
}

}  // namespace penstock::cuda
