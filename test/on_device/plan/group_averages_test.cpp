// Averages of groups in device memory, against the host's to the last digit.
#include <random>

#include "on_device/plan/merged_groups.hpp"

namespace penstock::test {
namespace {

// Values of any magnitude below 2^bits in groups of 1 to 40 rows, as integers, as decimals, and as
// small ones that the host divides as doubles.
Grouping averages_of(unsigned bits) {
  std::mt19937_64 random(bits);
  std::vector<std::int32_t> keys;
  std::vector<std::int64_t> integers;
  std::vector<std::int16_t> small;
  for (std::int32_t key = 0; key < 2000; key++)
    for (std::uint64_t row = random() % 40 + 1; row > 0; row--) {
      const std::uint64_t value = random() >> (64 - 1 - random() % bits);
      keys.push_back(key);
      integers.push_back(random() % 2 == 0 ? static_cast<std::int64_t>(value)
                                           : -static_cast<std::int64_t>(value));
      small.push_back(static_cast<std::int16_t>(random()));
    }
  Column decimals = Column::from(integers);
  decimals.type = Type{Kind::decimal, 18, 3};
  Grouping grouping;
  const StepId source = grouping.plan.source(table_source(Table::of({{"key", Column::from(keys)},
                                                                     {"i", Column::from(integers)},
                                                                     {"d", decimals},
                                                                     {"s", Column::from(small)}})));
  Builder b(grouping.plan.step(source).schema);
  grouping.step =
      *grouping.plan.group_by(source, b.graph(), {{"key", *b.column("key")}},
                              {{Aggregate::average, *b.column("i"), "of integers", nullptr},
                               {Aggregate::average, *b.column("d"), "of decimals", nullptr},
                               {Aggregate::average, *b.column("s"), "of small ones", nullptr}});
  return grouping;
}

TEST(GroupAverages, KernelsDivideToTheLastDigit) {
  for (const unsigned bits : {8u, 30u, 58u}) {
    SCOPED_TRACE(bits);
    const Grouping grouping = averages_of(bits);
    expect_as_on_host(grouping.plan, grouping.step, {}, [](const Merged& merged) {
      EXPECT_TRUE(has_kernel(merged.report, "group_results"));
    });
  }
}

// The kernel tells that it cannot divide them.
TEST(GroupAverages, SumsOfMoreThan64BitsAreDividedByTheHost) {
  const Grouping grouping = averages_of(63);
  expect_as_on_host(grouping.plan, grouping.step, {});
}

}  // namespace
}  // namespace penstock::test
