// Helpers of the primitives: their kernel sources and their memory.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::primitive {

// Returns the program of a file of src/primitive/kernels, after its policy (definitions, a line
// each).
ProgramSource primitive_program(const Device& device, const std::string& file, std::string policy,
                                std::uint32_t group_size);
std::string define(const std::string& name, const std::string& value);
std::string define(const std::string& name, std::uint32_t value);  // an unsigned number
// Returns the definition of how many groups a multiprocessor should hold at once, for targets that
// have launch bounds.
std::string groups_per_multiprocessor(std::uint32_t count);

// Replaces a buffer that is too small; keeps one that is large enough.
Status replace(Device& device, std::shared_ptr<Buffer>& buffer, std::uint64_t bytes);

}  // namespace penstock::primitive
