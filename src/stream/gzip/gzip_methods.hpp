// The interface of gzip and zlib for the rest of the layer.
#pragma once
#include "stream/pipeline/compressor.hpp"
#include "stream/pipeline/method.hpp"

namespace penstock::stream {

std::span<const Method> gzip_methods();
std::span<const Method> zlib_methods();
bool is_gzip(std::span<const std::byte> bytes);
bool is_zlib(std::span<const std::byte> bytes);
// Skips zeros, with which tapes are padded. As gzip does, ignores other trailing garbage, which is
// counted in the report.
Result<bool> has_next_gzip_member(Context& context);
// Returns false at the input's end, and an error before it: a file has one stream.
Result<bool> has_next_zlib_stream(Context& context);
extern const Compressor gzip_compressor;

}  // namespace penstock::stream
