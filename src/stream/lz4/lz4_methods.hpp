// The interface of LZ4 for the rest of the layer.
#pragma once
#include "stream/pipeline/compressor.hpp"
#include "stream/pipeline/method.hpp"

namespace penstock::stream {

std::span<const Method> lz4_methods();
bool is_lz4(std::span<const std::byte> bytes);
// Skips skippable frames.
Result<bool> has_next_lz4_frame(Context& context);
extern const Compressor lz4_compressor;

}  // namespace penstock::stream
