// Counts and sizes as people read them, the same in all reports.
#pragma once
#include <cstdint>
#include <string>

namespace penstock {

std::string count_text(std::uint64_t count);  // 6001215 -> "6,001,215"
std::string bytes_text(std::uint64_t bytes);  // 1536 -> "1.50 KiB"
// Returns three significant digits, or all before the point: 14.6 -> "14.6".
std::string number_text(double value, const char* unit);

}  // namespace penstock
