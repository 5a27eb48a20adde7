// Kernels that are compiled into a fuzz program, a namespace for each size of groups and of offsets
// (fsst_programs.cpp).
#pragma once
#include <string_view>

namespace kernelc {

struct KernelEntry;
// Null for a kernel that is not there. `has_near_tables`: with MATCH_LOCAL_STATES.
namespace group1_u32 {
const KernelEntry* find(std::string_view kernel, bool has_near_tables);
}
namespace group1_u64 {
const KernelEntry* find(std::string_view kernel, bool has_near_tables);
}
namespace group8_u32 {
const KernelEntry* find(std::string_view kernel, bool has_near_tables);
}
namespace group8_u64 {
const KernelEntry* find(std::string_view kernel, bool has_near_tables);
}

}  // namespace kernelc
