// From a program's source to a module that the driver has loaded.
//
// Sources to link to (ProgramSource::linked) are compiled separately, at the same time as the
// program, and once for all programs. Linking takes a millisecond, so only a program's own text
// costs time. Without a linker the program is compiled whole.
#pragma once
#include <string>
#include <vector>

#include "device/cuda/cuda_device.hpp"

namespace penstock::cuda {

using Object = std::vector<std::byte>;  // relocatable code

struct ObjectCache {
  device::ModuleCache<Object, device::NoPermit> objects;
};

constexpr const char* line_information = "--generate-line-info";
std::vector<std::string> compiler_options(const ProgramSource& source);
// A source to link to, as it is compiled alone.
struct LinkedPart {
  ProgramSource source;
  std::vector<std::string> options;
};
LinkedPart linked_part(const LinkedSource& linked, const Traits& traits, bool fast_math);

Result<std::shared_ptr<Module>> load_module(const ContextPointer& context,
                                            const std::vector<std::byte>& binary);

Result<device::Compiled<Module>> compile_module(const ContextPointer& context,
                                                const ProgramSource& source, ObjectCache& objects);

}  // namespace penstock::cuda
