// The files of src/exec/kernels/, as one program.
#pragma once
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// `name` is without ".kc".
inline KernelFiles exec_kernels(const char* name) {
  return {kernel::exec_source, {"exec/kernels/" + std::string(name) + ".kc"}};
}

}  // namespace penstock::plan
