// Builds programs from the kernels in src/codec/fsst/kernels.
#pragma once
#include <string_view>

#include "penstock/device.hpp"

namespace penstock::fsst {

struct ProgramOptions {
  std::uint32_t offset_bytes = 4, group_size = 1;
  std::string definitions;  // #define lines before the kernels
};
// Assembles these files, in this order, after fsst_tables. The program is named after the last.
ProgramSource program_source(const Device& device, const ProgramOptions& options,
                             std::string_view file);
Result<std::shared_ptr<Program>> build_program(Device& device, const ProgramOptions& options,
                                               std::string_view file);

}  // namespace penstock::fsst
