// The head that both drivers put before a program's text, and the options that become part of its
// key.
#pragma once
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::device {

// GROUP_SIZE and the defines as #define lines, so that values may hold spaces and quotes, which
// compilers' option strings do not carry alike; then `extra` lines; then `#line 1 "program"`, so
// that messages count the caller's lines.
std::string with_head(const ProgramSource& source, std::string_view extra);

// `options` and the same defines as text, for cache_key.
std::vector<std::string> key_options(const std::vector<std::string>& options,
                                     const ProgramSource& source);

// Code::invalid for a group size that the device does not run or a define that is no name.
Status check_source(const Traits& traits, const ProgramSource& source);

}  // namespace penstock::device
