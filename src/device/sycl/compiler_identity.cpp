#include "device/sycl/compiler_identity.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace penstock::sycl_plugin {
namespace {

// Variables that change the compilers' code, besides their options.
constexpr std::array variables = {"ACPP_TARGETS", "ACPP_CLANG",         "ACPP_CPU_CXX",
                                  "CPATH",        "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"};

// Returns the file of a program as the system finds it.
std::string file_of_program(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  if (name.find('/') != std::string::npos || !folders) return name;
  std::istringstream list{std::string(folders)};
  for (std::string folder; std::getline(list, folder, ':');)
    if (const std::string path = folder + "/" + name; access(path.c_str(), X_OK) == 0) return path;
  return name;
}

std::string identity_of_file(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return path;
  const auto written = std::filesystem::last_write_time(path, error);
  return path + ", " + std::to_string(bytes) + " bytes of " +
         std::to_string(written.time_since_epoch().count());
}

}  // namespace

std::string file_of_plugin(const Api& api) {
  Dl_info info{};
  const auto* const address = reinterpret_cast<const void*>(api.load_module);
  return dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

std::vector<std::string> compiler_identity(const Api& api,
                                           const std::vector<std::string>& command) {
  std::vector<std::string> lines = {"interface " + std::to_string(PENSTOCK_SYCL_INTERFACE_VERSION),
                                    "plug-in " + identity_of_file(file_of_plugin(api))};
  if (!command.empty())
    lines.push_back("compiler " + identity_of_file(file_of_program(command.front())));
  const std::vector<std::string> environment = compiler_environment();
  lines.insert(lines.end(), environment.begin(), environment.end());
  return lines;
}

std::vector<std::string> compiler_environment() {
  std::vector<std::string> lines;
  for (const char* const name : variables)
    if (const char* const value = std::getenv(name))
      lines.push_back(std::string(name) + "=" + value);
  return lines;
}

}  // namespace penstock::sycl_plugin
