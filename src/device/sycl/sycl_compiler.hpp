// The SYCL compiler as a separate process: SYCL has no portable way to compile a text in-process.
#pragma once
#include <string>
#include <vector>

#include "device/compile_folder.hpp"
#include "device/compiler_process.hpp"
#include "device/sycl/sycl_api.hpp"

namespace penstock::sycl_plugin {

// Returns the compiler and options that built the plug-in. PENSTOCK_SYCL_COMPILER replaces the
// program if it is set.
std::vector<std::string> compiler_command(const Api& api);

// Runs a command in a folder and waits for it. Code::compile if it cannot be started.
Result<device::CompilerRun> run_compiler(const std::vector<std::string>& command,
                                         const device::CompileFolder& folder);

// Returns the path of sycl.hpp in the form that the compiler reads fastest, made once and kept in
// the cache; "" if the cache is off or the compiler has no such form.
std::string precompiled_header(const Api& api, const std::vector<std::string>& command);
// A header of the compiler was changed since: the file is of no use.
void forget_precompiled_header(const std::string& path);

}  // namespace penstock::sycl_plugin
