// Helpers of the primitives: their kernel sources and their memory.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::primitive {

// Returns the program of files of src/primitive/kernels, the kernels' file last. Their policy
// (definitions, a line each) comes first.
ProgramSource text_of(const Device& device, const std::vector<std::string>& files,
                      std::string policy, std::uint32_t group_size);
std::string define(const std::string& name, const std::string& value);
std::string define(const std::string& name, std::uint32_t value);  // an unsigned number
// Returns the definition of how many groups a multiprocessor should hold at once, for targets that
// have launch bounds.
std::string groups_per_unit(std::uint32_t count);

// Replaces a buffer that is too small; keeps one that is large enough.
Status replace(Device& device, std::shared_ptr<Buffer>& buffer, std::uint64_t bytes);

}  // namespace penstock::primitive
