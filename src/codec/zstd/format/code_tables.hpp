// The values of length codes and the predefined distributions (RFC 8878, sections 3.1.1.3.2.1.1 and
// 3.1.1.3.2.2): plain tables without code. kernels/zstd_codes.kc has the same for devices, and
// test/host/codec/zstd_codes_test.cpp compares them.
#pragma once
#include <cstdint>

namespace penstock::zstd {

// A length is its code's base plus a number of this many extra bits.
inline constexpr std::uint32_t literal_length_base[36] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,   9,   10,  11,   12,   13,   14,   15,    16,    18,
    20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
inline constexpr std::uint8_t literal_length_bits[36] = {0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0,
                                                         0, 0, 0, 0, 1, 1,  1,  1,  2,  2,  3,  3,
                                                         4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
inline constexpr std::uint32_t match_length_base[53] = {
    3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13,   14,   15,   16,   17,    18,    19,   20,
    21, 22, 23, 24, 25, 26, 27, 28,  29,  30,  31,   32,   33,   34,   35,    37,    39,   41,
    43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539};
inline constexpr std::uint8_t match_length_bits[53] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0, 0,
    0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

// Probabilities in states; -1 is "less than 1", which has one state at the end of the table.
inline constexpr std::uint8_t literal_length_default_log = 6, match_length_default_log = 6,
                              offset_default_log = 5;
inline constexpr std::int16_t literal_length_default[36] = {4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
                                                            2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
                                                            2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
inline constexpr std::int16_t match_length_default[53] = {
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
inline constexpr std::int16_t offset_default[29] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                                    1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

// The repeat offsets at the beginning of a frame without a dictionary (section 3.1.1.5).
inline constexpr std::uint32_t first_offsets[3] = {1, 4, 8};

}  // namespace penstock::zstd
