// The interface of framed Snappy for the rest of the layer.
#pragma once
#include "stream/pipeline/method.hpp"

namespace penstock::stream {

std::span<const Method> snappy_methods();
bool is_snappy(std::span<const std::byte> bytes);
// Returns whether the input goes on: a further stream identifier may follow.
Result<bool> has_next_snappy_chunk(Context& context);

}  // namespace penstock::stream
