// The error of a kernel that does not compile: label, device, the compiler's log and the source
// lines that the log names.
#pragma once
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::device {

// `text` may hold `#line N "name"` directives; the log's "name:12" (clang, gcc) and "name(12)"
// (NVRTC) are found through them. Lines before the first directive belong to whatever other name
// the compiler gave the text.
Status compile_error(std::string_view label, std::string_view device, std::string_view text,
                     std::string_view log);

}  // namespace penstock::device
