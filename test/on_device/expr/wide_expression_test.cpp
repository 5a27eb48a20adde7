// Emitted expressions of 128 bits on every device against the interpreter.
#include "on_device/expr/expression_batch.hpp"

namespace penstock {
namespace {

TEST(EmittedExpressions, RandomGraphsOf128BitsAgreeWithTheInterpreter) {
  on_each_device([](Device& device) {
    for (std::uint64_t seed = 1; seed <= random_batches / 2; seed++) {
      test::RandomExpressions random(seed, test::wide_schema());
      Batch batch = random_batch(random);
      for (const std::uint32_t row_count : {1u, 1000u, 20u}) {
        fill(batch, random, row_count, row_count == 20);
        compare_batch(device, batch, 0, device.traits().id + ", seed " + std::to_string(seed));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TEST(EmittedExpressions, RandomGraphsOf128BitsShowAPlantedDefect) {
  const std::pair<const char*, const char*> defects[] = {
      {"(u64)a.high - (u64)b.high - (u64)(a.low < b.low)", "(u64)a.high - (u64)b.high"},
      {"i128_less(size, subtract_I128(unit, size))", "i128_less(size, unit)"},
      {"|| high < middle ||", "||"},                            // a carry of a product
      {"(a.low == ~(u64)0 && (u64)a.high == sign - 1u)", "0"},  // HUGEINT's greatest
      {"kept | (u64)(magnitude.low << zeros != 0)", "kept"},    // a double between two others
      {"if (is_zero_I128(rest) == 0u) quotient.low |= 1u;", ""},
      {"if (multiply_overflows_I128(a, power) != 0u) return", "if (0) return"},
  };
  on_each_device([&](Device& device) {
    for (const auto& [right, wrong] : defects)
      expect_seen(device, test::wide_schema(), right, wrong);
  });
}

}  // namespace
}  // namespace penstock
