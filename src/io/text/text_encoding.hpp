// Encodings with units of more than one byte. No reader of texts takes them.
#pragma once
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::io {

// Refuses a text that begins as UTF-16 or UTF-32, and says how to convert it.
Status check_not_wide(std::string_view start);

}  // namespace penstock::io
