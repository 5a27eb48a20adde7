// The error message of a kernel that does not compile: label, device, the compiler's log and the
// source lines that the log names.
#pragma once
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::device {

// Returns the error. `source` may contain `#line N "name"` directives, through which the log's
// "name:12" (clang, gcc) and "name(12)" (NVRTC) are found. Lines before the first directive belong
// to any other name that the compiler gave the source.
Status compile_error(std::string_view label, std::string_view device, std::string_view source,
                     std::string_view log);

}  // namespace penstock::device
