// What of a file the system has in memory.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace penstock {

// Returns the share of these bytes of a file that are in the page cache, by reading each only where
// it is; 1 for no bytes, and for a file system in memory. None where the system does not tell.
std::optional<double> share_in_page_cache(const std::string& path,
                                          std::span<const std::uint64_t> offsets);

}  // namespace penstock
