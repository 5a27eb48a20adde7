// The parts of a file that are in the page cache.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace penstock {

// Returns the share of these bytes of a file that are in the page cache: each byte is read only if
// it is cached. 1 for no bytes, and for a file system in memory. Nothing if the system does not
// tell.
std::optional<double> share_in_page_cache(const std::string& path,
                                          std::span<const std::uint64_t> offsets);

}  // namespace penstock
