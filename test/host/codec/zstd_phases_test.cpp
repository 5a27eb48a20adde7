// The phases alone: tables against the format's own examples, and the portable loops against the
// loops for this processor.
#include <gtest/gtest.h>

#include "codec/zstd/format/fse.hpp"
#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

// RFC 8878, section 4.1.1: 5 of 128 states of a symbol, ordered by state.
TEST(CodecZstdPhases, StatesOfTheFormatsExample) {
  zstd::Distribution distribution{7, 2, {}};
  distribution.states[0] = 5;
  distribution.states[1] = 123;
  std::array<zstd::FseState, 128> states;
  zstd::for_each_state(distribution,
                       [&](unsigned at, const zstd::FseState& state) { states[at] = state; });
  std::vector<unsigned> bits, bases;
  for (const zstd::FseState& state : states)
    if (state.symbol == 0) bits.push_back(state.next_bits), bases.push_back(state.next_base);
  EXPECT_EQ(bits, (std::vector<unsigned>{5, 5, 5, 4, 4}));
  EXPECT_EQ(bases, (std::vector<unsigned>{32, 64, 96, 0, 16}));
}

// RFC 8878, appendix A: some states of the predefined tables.
TEST(CodecZstdPhases, PredefinedTables) {
  const auto table_of = [](zstd::CodeKind kind) {
    auto table = std::make_unique<zstd::SequenceTable>();
    zstd::TableSource source;
    source.mode = zstd::TableMode::predefined;
    zstd::fill_table(kind, source, *table);
    return table;
  };
  const auto literal = table_of(zstd::CodeKind::literal_length),
             offset = table_of(zstd::CodeKind::offset);
  const auto expect_state = [](const zstd::SequenceState& state, unsigned value_bits,
                               std::uint32_t base, unsigned next_bits, unsigned next_base) {
    EXPECT_EQ(state.value_bits, value_bits);
    EXPECT_EQ(state.base, base);
    EXPECT_EQ(state.next_bits, next_bits);
    EXPECT_EQ(state.next_base, next_base);
  };
  expect_state(literal->states[0], 0, 0, 4, 0);
  expect_state(literal->states[1], 0, 0, 4, 16);
  expect_state(literal->states[2], 0, 1, 5, 32);
  expect_state(literal->states[63], 13, 8192, 6, 0);
  expect_state(offset->states[1], 6, 64 - 3, 4, 0);
  expect_state(offset->states[31], 24, (1 << 24) - 3, 5, 0);
}

TEST(CodecZstdPhases, OffsetsRelativeToThoseOfBlocksBefore) {
  const std::array<std::uint32_t, 3> latest{10, 200, 3};
  EXPECT_EQ(zstd::resolved_offset(zstd::relative_offset(0), latest), 10u);
  EXPECT_EQ(zstd::resolved_offset(zstd::relative_offset(1), latest), 200u);
  EXPECT_EQ(zstd::resolved_offset(zstd::relative_offset(2, 2), latest), 1u);
  EXPECT_EQ(zstd::resolved_offset(zstd::relative_offset(2, 3), latest), 0u);
  EXPECT_EQ(zstd::resolved_offset(zstd::relative_offset(1, 43690), latest), 0u);
  EXPECT_EQ(zstd::resolved_offset(0xFFFFFFFF, latest), 0u);
  EXPECT_EQ(zstd::resolved_offset(12345, latest), 12345u);
}

TEST(CodecZstdPhases, PortableLoopsGiveTheSame) {
  auto kinds = kinds_of_data(400000);
  for (std::size_t period = 1; period < 40; period++)
    kinds["period " + std::to_string(period)] = periodic(5000, period);
  for (const auto& [name, text] : kinds)
    for (const int level : {1, 5, 19}) {
      const std::string frame = compressed(text, {{ZSTD_c_compressionLevel, level}});
      ASSERT_TRUE(decoded_by(zstd::portable_hot_loops(), frame, text.size()).output == text)
          << name << " at level " << level;
      ASSERT_TRUE(decoded_by(zstd::hot_loops(), frame, text.size()).output == text)
          << name << " at level " << level;
    }
}

TEST(CodecZstdPhases, PortableLoopsRefuseTheSame) {
  const std::string text = words(3000, 1),
                    frame =
                        compressed(text, {{ZSTD_c_checksumFlag, 0}, {ZSTD_c_compressionLevel, 19}});
  for (std::size_t at = 10; at < frame.size(); at++)
    for (const int change : {1, 4, 32, 128, 255}) {
      std::string changed = frame;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const ChunkStatus portable = decoded_by(zstd::portable_hot_loops(), changed, 3000),
                        ours = decoded_by(zstd::hot_loops(), changed, 3000);
      ASSERT_TRUE(portable.is_ok == ours.is_ok && portable.output == ours.output) << at;
    }
}

}  // namespace
}  // namespace penstock::zstd_test
