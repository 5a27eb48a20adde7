// The GPU that CUDA will have, as the driver's kernel module tells. It compiles, for the device
// that opens. NVML would tell the architecture of any GPU, but waits while CUDA starts.
#include "device/cuda/expected_device.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>

#include "device/cuda/begun_sources.hpp"
#include "device/cuda/compiling_device.hpp"
#include "device/cuda/cuda_ahead_of_time.hpp"
#include "device/cuda/cuda_compile.hpp"
#include "device/cuda/cuda_traits.hpp"
#include "device/driver.hpp"
#include "device/program_source.hpp"

namespace penstock::cuda {
namespace {

namespace fs = std::filesystem;

struct ExpectedGpu {
  std::string name;
  int architecture = 0;
};

// Reads what the kernel module says of a GPU: "Model: \t\t NVIDIA H200".
std::string model_in(const fs::path& information) {
  std::ifstream file(information);
  constexpr std::string_view label = "Model:";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(label))
      return line.substr(std::min(line.find_first_not_of(" \t", label.size()), line.size()));
  return "";
}

// Code::unsupported where the GPUs differ: which one is opened is not known here.
Result<ExpectedGpu> find_expected() {
  std::error_code error;
  std::optional<ExpectedGpu> expected;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    const std::string model = model_in(gpu.path() / "information");
    const int architecture = architecture_of_model(model);
    if (architecture == 0)
      return Status(Code::unsupported, "the architecture of '" + model + "' is not known");
    if (expected && expected->architecture != architecture)
      return Status(Code::unsupported, "the GPUs differ");
    expected = ExpectedGpu{model, architecture};
  }
  if (!expected) return Status(Code::no_device, "the driver's kernel module has no GPU");
  return *expected;
}

class ExpectedDevice final : public CompilingDevice {
 public:
  ExpectedDevice(const ExpectedGpu& gpu, int driver_version, Nvrtc nvrtc)
      : CompilingDevice(traits_of_architecture(gpu.architecture)),
        architecture_(gpu.architecture),
        nvrtc_(std::move(nvrtc)) {
    traits_.name = gpu.name;
    traits_.driver = driver_text(driver_version);
    traits_.compiler = compiler_text(nvrtc_);
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    PENSTOCK_TRY(device::check_source(traits_, source));
    if (!source.linked.empty()) return compiles_alone();
    if (!CudaDevice::has_opened_any()) begin(source);
    return std::shared_ptr<Program>(
        std::make_shared<CompiledProgram>(source.group_size, BuildReport{}));
  }

 private:
  void begin(const ProgramSource& source) const {
    const std::vector<std::string> options = compiler_options(source);
    auto key = device::cache_key(traits_, device::key_options(options, source), source);
    begin_source(nvrtc_, {architecture_, options, device::with_head(source, "")}, source.label,
                 [key = std::move(key), ahead = programs_ahead_of_time(traits_, source, options)] {
                   return device::DiskCache::from_environment().load(key) || ahead.find();
                 });
  }

  const int architecture_;
  const Nvrtc nvrtc_;
};

Result<std::shared_ptr<Device>> make_expected() {
  const int version = version_before_start();
  if (version == 0) return Status(Code::no_device, "CUDA's driver does not tell its version");
  PENSTOCK_ASSIGN(const ExpectedGpu gpu, find_expected());
  PENSTOCK_ASSIGN(Nvrtc nvrtc, open_nvrtc(version / 1000));
  return std::shared_ptr<Device>(std::make_shared<ExpectedDevice>(gpu, version, std::move(nvrtc)));
}

}  // namespace

int architecture_of_model(std::string_view model) {
  struct Row {
    std::string_view name;
    int architecture;
  };
  constexpr std::array rows = {
      Row{"V100", 70}, Row{"T4", 75},    Row{"A100", 80},  Row{"A30", 80},   Row{"A10", 86},
      Row{"A40", 86},  Row{"L4", 89},    Row{"L40", 89},   Row{"L40S", 89},  Row{"H100", 90},
      Row{"H200", 90}, Row{"GH200", 90}, Row{"B200", 100}, Row{"GB200", 100}};
  // A name is a word: "NVIDIA A100-SXM4-80GB" has A100, and not A10.
  const auto is_in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (const Row& row : rows) {
    const std::size_t at = model.find(row.name), end = at + row.name.size();
    if (at == model.npos) continue;
    if ((at == 0 || !is_in_word(model[at - 1])) && (end == model.size() || !is_in_word(model[end])))
      return row.architecture;
  }
  return 0;
}

}  // namespace penstock::cuda

namespace penstock::device {

Result<std::shared_ptr<Device>> expected_cuda_device() {
  static auto& expected = *new auto(cuda::make_expected());  // kept: threads outlive statics
  return expected;
}

}  // namespace penstock::device
