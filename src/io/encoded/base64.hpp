// Bytes in 64 characters (RFC 4648, section 4, with padding), by Arrow's functions.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace penstock::io {

std::string encode_base64(std::span<const std::byte> bytes);
// Returns nothing where `text` is not what encode_base64() writes.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace penstock::io
