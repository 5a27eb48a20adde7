// The lines that both drivers put before a program's source, and the options in its cache key.
#pragma once
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::device {

// Returns the source after GROUP_SIZE and the defines as #define lines, `extra` lines, and
// `#line 1 "program"`, so that messages count the caller's lines. Option strings are not used:
// compilers differ in how they treat spaces and quotes in values.
std::string with_head(const ProgramSource& source, std::string_view extra);

// Returns `options` and the defines as text, for cache_key.
std::vector<std::string> key_options(const std::vector<std::string>& options,
                                     const ProgramSource& source);

// Code::invalid for a group size that the device does not support, or an invalid define.
Status check_source(const Traits& traits, const ProgramSource& source);

}  // namespace penstock::device
