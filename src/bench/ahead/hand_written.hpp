// The kernels that are written by hand, family by family, as they are compiled ahead of their use:
// `penstock cache --fill`. Kernels that a query generates are not among them.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::bench {

// Builds one program of a family, or a few that belong together. Code::unsupported, Code::invalid
// where the device does not run it.
struct ProgramToBuild {
  std::string name;
  std::function<Status()> build;
};
struct HandWrittenFamily {
  std::string_view name;
  std::vector<ProgramToBuild> (*programs)(const std::shared_ptr<Device>& device);
};
// A new family of kernels is a new row.
std::span<const HandWrittenFamily> hand_written_families();

std::vector<ProgramToBuild> fsst_programs(const std::shared_ptr<Device>& device);

struct FilledPrograms {
  std::uint32_t built = 0;
  std::vector<std::string> failed;  // "lz4_decode: MESSAGE"
};
// Builds every program of all families, several at once.
FilledPrograms build_hand_written(const std::shared_ptr<Device>& device);

}  // namespace penstock::bench
