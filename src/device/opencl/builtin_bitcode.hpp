// Removes functions from a file of LLVM bitcode, by LLVM's own C API.
#pragma once
#include <string>

#include "penstock/status.hpp"

namespace penstock::opencl {

// Copies a file without the functions that take or return vectors and that no other one uses.
// `llvm` is the path of LLVM's shared library.
Status copy_without_vectors(const std::string& llvm, const std::string& from,
                            const std::string& to);

}  // namespace penstock::opencl
