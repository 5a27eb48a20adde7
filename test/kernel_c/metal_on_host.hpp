// Metal texts for the host executor: what clang and metal_on_host/metal_stdlib need beyond the
// text.
#pragma once
#include "penstock/status.hpp"

namespace penstock::kernel {

// Returns the text with local memory that the threads of a group share, and with its entries in the
// executor's list. Code::unsupported for a text without entries that are spelled as metal.prelude
// does.
Result<std::string> metal_text_on_host(std::string_view text);

}  // namespace penstock::kernel
