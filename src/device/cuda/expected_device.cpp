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

// Local memory of a group by architecture, as CUDA's programming guide has it. The policies of some
// programs depend on it; where it is wrong, they are compiled in vain.
std::uint64_t local_bytes_of(int architecture) {
  struct Row {
    int architecture;
    std::uint64_t kib;
  };
  constexpr std::array rows = {Row{70, 96}, Row{75, 64},  Row{80, 163}, Row{86, 99},
                               Row{89, 99}, Row{90, 227}, Row{100, 227}};
  const auto* const row = std::ranges::find(rows, architecture, &Row::architecture);
  return (row == rows.end() ? 99 : row->kib) << 10;
}

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

Status compiles_alone() {
  return Status(Code::unsupported, "a device that is expected compiles, and does nothing else");
}

class BegunProgram : public Program {
 public:
  explicit BegunProgram(std::uint32_t group_size) { group_size_ = group_size; }
};

class ExpectedDevice final : public Device {
 public:
  ExpectedDevice(const ExpectedGpu& gpu, int driver_version, Nvrtc nvrtc)
      : architecture_(gpu.architecture), nvrtc_(std::move(nvrtc)) {
    set_common_traits(traits_);
    traits_.id = "cuda";
    traits_.name = gpu.name;
    traits_.driver = driver_text(driver_version);
    traits_.architecture = "sm_" + std::to_string(gpu.architecture);
    traits_.compiler = compiler_text(nvrtc_);
    traits_.max_group_size = 1024;
    traits_.subgroup_size = 32;
    traits_.local_bytes = local_bytes_of(gpu.architecture);
  }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t) override { return compiles_alone(); }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override {
    return compiles_alone();
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return compiles_alone();
  }
  Result<std::unique_ptr<Queue>> queue() override { return compiles_alone(); }
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override {
    return compiles_alone();
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    PENSTOCK_TRY(device::check_source(traits_, source));
    if (!source.linked.empty()) return compiles_alone();
    if (!CudaDevice::has_opened_any()) begin(source);
    return std::shared_ptr<Program>(std::make_shared<BegunProgram>(source.group_size));
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
