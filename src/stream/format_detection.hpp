// What compressed bytes begin with.
#pragma once
#include "stream/input/input.hpp"

namespace penstock::stream {

// The format at the input's position. Names other formats that it knows, and says so of what is
// none.
Result<Format> detect_format(Input& input);

}  // namespace penstock::stream
