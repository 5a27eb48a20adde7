#include "device/cuda/compiling_device.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "base/exception_boundary.hpp"
#include "device/compile_semaphore.hpp"
#include "device/cuda/cuda_ahead_of_time.hpp"
#include "device/cuda/cuda_compile.hpp"
#include "device/cuda/cuda_traits.hpp"
#include "device/driver.hpp"
#include "device/program_source.hpp"

namespace penstock::cuda {
namespace {

// Local memory of a group, as CUDA's programming guide has it, and the multiprocessors of a GPU
// that is common in servers. The policies of some programs depend on them; where they are wrong, a
// program is compiled in vain.
struct ArchitectureRow {
  int architecture;
  std::uint64_t local_kib;
  std::uint32_t compute_units;
};
ArchitectureRow row_of(int architecture) {
  constexpr std::array rows = {
      ArchitectureRow{70, 96, 80},   ArchitectureRow{75, 64, 40},    ArchitectureRow{80, 163, 108},
      ArchitectureRow{86, 99, 84},   ArchitectureRow{87, 163, 16},   ArchitectureRow{89, 99, 58},
      ArchitectureRow{90, 227, 132}, ArchitectureRow{100, 227, 148}, ArchitectureRow{103, 227, 148},
      ArchitectureRow{110, 227, 20}, ArchitectureRow{120, 99, 188},  ArchitectureRow{121, 99, 48}};
  const auto* const row = std::ranges::find(rows, architecture, &ArchitectureRow::architecture);
  return row == rows.end() ? ArchitectureRow{architecture, 99, 64} : *row;
}

// Compiles programs to be kept (device/ahead_of_time.hpp).
class AheadDevice final : public CompilingDevice {
 public:
  AheadDevice(int architecture, Nvrtc nvrtc)
      : CompilingDevice(traits_of_architecture(architecture)),
        architecture_(architecture),
        nvrtc_(std::move(nvrtc)) {
    traits_.name = "any GPU of " + traits_.architecture;
    traits_.compiler = compiler_text(nvrtc_);
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    return catch_exceptions([&] { return compile(source); });
  }

 private:
  Result<std::shared_ptr<Program>> compile(const ProgramSource& source) const {
    PENSTOCK_TRY(device::check_source(traits_, source));
    BuildReport report;
    const double begun = now_seconds();
    PENSTOCK_TRY(compile_and_keep(source, compiler_options(source), report));
    for (const LinkedSource& linked : source.linked) {
      const LinkedPart part = linked_part(linked, traits_, source.fast_math);
      BuildReport of_part;
      PENSTOCK_TRY(compile_and_keep(part.source, part.options, of_part));
    }
    report.seconds = now_seconds() - begun;
    return std::shared_ptr<Program>(
        std::make_shared<CompiledProgram>(source.group_size, std::move(report)));
  }

  // Without line information, which would be more than half of what packages have.
  Status compile_and_keep(const ProgramSource& source, std::vector<std::string> options,
                          BuildReport& report) const {
    const auto ahead = programs_ahead_of_time(traits_, source, options);
    std::erase(options, line_information);
    const device::CompilePermit permit;
    PENSTOCK_ASSIGN(CompiledSource compiled, compile_source(nvrtc_, device::with_head(source, ""),
                                                            architecture_, options, source.label));
    report.key = ahead.key.digest.hex(), report.log = compiled.log;
    ahead.keep({std::move(compiled.binary), std::move(compiled.log), ""});
    return {};
  }

  const int architecture_;
  const Nvrtc nvrtc_;
};

}  // namespace

Status compiles_alone() {
  return Status(Code::unsupported, "this device compiles, and does nothing else");
}

Traits traits_of_architecture(int architecture) {
  Traits traits;
  set_common_traits(traits);
  traits.id = "cuda";
  traits.architecture = "sm_" + std::to_string(architecture);
  traits.max_group_size = 1024;
  traits.subgroup_size = 32;
  const ArchitectureRow row = row_of(architecture);
  traits.local_bytes = row.local_kib << 10, traits.compute_units = row.compute_units;
  return traits;
}

}  // namespace penstock::cuda

namespace penstock::device {

Result<std::shared_ptr<Device>> cuda_compiler_for(int architecture) {
  if (const int shipped = cuda::shipped_architecture(architecture); shipped != architecture)
    return Status(Code::unsupported, "GPUs of sm_" + std::to_string(architecture) +
                                         " run what is compiled for sm_" + std::to_string(shipped));
  PENSTOCK_ASSIGN(cuda::Nvrtc nvrtc, cuda::open_nvrtc(0));
  if (!cuda::knows_architecture(nvrtc, architecture))
    return Status(Code::unsupported, cuda::compiler_text(nvrtc) + " does not compile for sm_" +
                                         std::to_string(architecture));
  return std::shared_ptr<Device>(
      std::make_shared<cuda::AheadDevice>(architecture, std::move(nvrtc)));
}

}  // namespace penstock::device
