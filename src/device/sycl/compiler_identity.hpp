// Inputs of compiled code besides its text and the compiler's options, for cache keys.
#pragma once
#include <string>
#include <vector>

#include "device/sycl/sycl_api.hpp"

namespace penstock::sycl_plugin {

// Returns lines that change where the compiler's file, the plug-in's file, or a variable of the
// environment does. The compiler's own version text stays the same when it is built anew.
std::vector<std::string> compiler_identity(const Api& api, const std::vector<std::string>& command);

// The lines of the environment's variables alone.
std::vector<std::string> compiler_environment();

// Returns the path of the plug-in; "" if the linker does not tell it.
std::string file_of_plugin(const Api& api);

}  // namespace penstock::sycl_plugin
