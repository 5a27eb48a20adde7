// Bytes as text of 64 characters (RFC 4648, section 4, with padding).
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

std::string base64_text(std::span<const std::byte> bytes);
// Nothing where `text` is not what base64_text() would write.
std::optional<std::vector<std::byte>> base64_bytes(std::string_view text);

}  // namespace penstock
