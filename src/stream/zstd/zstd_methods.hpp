// The interface of Zstandard for the rest of the layer.
#pragma once
#include "stream/pipeline/compressor.hpp"
#include "stream/pipeline/method.hpp"

namespace penstock::stream {

std::span<const Method> zstd_methods();
bool is_zstd(std::span<const std::byte> bytes);
// Skips skippable frames.
Result<bool> has_next_zstd_frame(Context& context);
extern const Compressor zstd_compressor;

}  // namespace penstock::stream
