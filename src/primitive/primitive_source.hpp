// What every primitive does with its text and its memory.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::primitive {

// Returns the program of a file of src/primitive/kernels, after its policy (definitions, a line
// each).
ProgramSource text_of(const Device& device, const std::string& file, std::string policy,
                      std::uint32_t group_size);
std::string define(const std::string& name, const std::string& value);
std::string define(const std::string& name, std::uint32_t value);  // an unsigned number
// How many groups a multiprocessor should hold at once, where a target can say so.
std::string groups_per_unit(std::uint32_t count);

// Keeps a buffer that is large enough.
Status replace(Device& device, std::shared_ptr<Buffer>& buffer, std::uint64_t bytes);

}  // namespace penstock::primitive
