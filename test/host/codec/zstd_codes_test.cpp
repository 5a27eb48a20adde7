// The tables of Zstandard's codes exist twice, for the host and in Kernel C. Both must be equal.
#include <gtest/gtest.h>

#include "codec/zstd/format/code_tables.hpp"

namespace penstock::zstd {
namespace {

namespace on_devices {
using u16 = std::uint16_t;
using u32 = std::uint32_t;
#define TABLE(type, name, count) constexpr type name[count]
#include "codec/zstd/kernels/zstd_codes.kc"
}  // namespace on_devices

template <std::size_t count>
void expect_lengths(const std::uint32_t (&device)[count], const std::uint32_t (&base)[count],
                    const std::uint8_t (&bits)[count]) {
  for (std::size_t code = 0; code < count; code++)
    EXPECT_EQ(device[code], base[code] | std::uint32_t{bits[code]} << 20) << code;
}
template <std::size_t count>
void expect_shares(const std::uint16_t (&device)[count], const std::int16_t (&host)[count]) {
  for (std::size_t code = 0; code < count; code++)
    EXPECT_EQ(device[code], static_cast<std::uint16_t>(host[code])) << code;
}

TEST(CodecZstdCodes, DevicesHaveTheHostsLengths) {
  expect_lengths(on_devices::LITERAL_LENGTHS, literal_length_base, literal_length_bits);
  expect_lengths(on_devices::MATCH_LENGTHS, match_length_base, match_length_bits);
}

TEST(CodecZstdCodes, DevicesHaveTheHostsDistributions) {
  expect_shares(on_devices::LITERAL_LENGTH_DEFAULT, literal_length_default);
  expect_shares(on_devices::MATCH_LENGTH_DEFAULT, match_length_default);
  expect_shares(on_devices::OFFSET_DEFAULT, offset_default);
  EXPECT_EQ(LITERAL_LENGTH_DEFAULT_LOG, literal_length_default_log);
  EXPECT_EQ(MATCH_LENGTH_DEFAULT_LOG, match_length_default_log);
  EXPECT_EQ(OFFSET_DEFAULT_LOG, offset_default_log);
}

}  // namespace
}  // namespace penstock::zstd
