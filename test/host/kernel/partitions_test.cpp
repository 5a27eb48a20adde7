// Groups in partitions on the host executor, under sanitizers: partitions that are split among work
// groups, that have more slots than a table, and slots that most records come to.
#include "fuse/variants/partition_layout.hpp"
#include "host/kernel/dense_groups.hpp"

namespace penstock::plan {
namespace {

class PartitionedGroups : public DenseGroups {};
INSTANTIATE_TEST_SUITE_P(
    Devices, PartitionedGroups,
    ::testing::Values(Where{"group_dense_partitioned", {false, 64, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_partitioned",
                            {false, 64, kernel::ThreadOrder::forward, 16}},
                      Where{"group_dense_partitioned", {true, 256, kernel::ThreadOrder::reverse}}));

// Keys by number of row, whole numbers, in one chunk.
Table rows_of(std::size_t rows, std::uint32_t (*key_of)(std::size_t row)) {
  std::vector<std::uint32_t> key(rows);
  std::vector<std::int32_t> x(rows);
  for (std::size_t i = 0; i < rows; i++)
    key[i] = key_of(i), x[i] = static_cast<std::int32_t>(i * 7919 % 1000) - 400;
  return Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
}

// Each work group of a partition has a copy of the slot for some of its threads.
TEST_P(PartitionedGroups, ASlotThatMostRecordsComeToIsAddedUp) {
  const Table table = rows_of(30000, [](std::size_t i) {
    return i % 8 != 0 ? 4321u : static_cast<std::uint32_t>(i * 31 % 6000);
  });
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 30016));
  EXPECT_EQ(variant, GetParam().variant);
  expect_sums(table, result);
}

// Four sums of floats have 21 limbs, so that a table has a few hundred slots, and a partition of
// 391 is two groups' work.
TEST_P(PartitionedGroups, PartitionsOfMoreSlotsThanATableAreSharedOut) {
  const std::size_t rows = 5000;
  std::vector<std::uint32_t> key(rows);
  std::vector<double> x(rows);
  for (std::size_t i = 0; i < rows; i++)
    key[i] = static_cast<std::uint32_t>(i * i * 7919 % 400000), x[i] = static_cast<double>(i);
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  Plan plan;
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "sum", nullptr},
                                      {Aggregate::count_rows, 0, "rows", nullptr}};
  for (int i = 1; i < 4; i++) {
    TAKE(const NodeId product,
         b.binary(Op::multiply, b.column(1u), b.captured(Scalar::of(static_cast<double>(i + 1)))));
    calls.push_back({Aggregate::sum, product, "sum" + std::to_string(i), nullptr});
  }
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  TAKE(const TileProgram program, fuse(plan, source, groups));
  const Traits traits = kernel::make_host_device(GetParam().device)->traits();
  EXPECT_GT(partition_shape(partition_policy(traits, program), 400000).parts, 1u);
  TAKE(const Table result, grouped(plan, groups, 5056));
  EXPECT_EQ(variant, GetParam().variant);
  expect_sums(table, result);
  for (std::uint64_t row = 0; row < result.row_count; row++)
    EXPECT_EQ(scalar_at(result.columns[5], row).real, 4 * scalar_at(result.columns[1], row).real)
        << row;
}

// Keys of as many slots as fill the last partition, and of one fewer and more; the last key has
// rows, and so have a few of each partition.
TEST_P(PartitionedGroups, SlotsUpToTheLastOneOfAPartitionAreAddedUp) {
  for (const std::uint32_t slots : {64u, 127u, 128u, 4095u, 4096u, 4097u, 6400u}) {
    SCOPED_TRACE(slots);
    std::vector<std::int32_t> key, x;
    for (std::uint32_t row = 0; row < 3000; row++) {
      const std::uint32_t slot = row % 3 == 0 ? slots - 1 - row % 5 : row * 7919 % slots;
      key.push_back(static_cast<std::int32_t>(slot) - 77);
      x.push_back(static_cast<std::int32_t>(row) - 1000);
    }
    key[1] = -77;
    const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups, 3008));
    EXPECT_EQ(variant, GetParam().variant);
    expect_sums(table, result);
  }
}

// Rows are looked up once, in the kernel that adds them up at once.
TEST(DenseVariant, JoinedRowsAreNotPartitionedUnlessAskedFor) {
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, rows_of(10, [](std::size_t i) {
                                                   return static_cast<std::uint32_t>(i);
                                                 })));
  TAKE(TileProgram program, fuse(plan, plan.step(groups).inputs[0], groups));
  Traits traits = typical_traits(Target::cuda);
  traits.global_bytes = traits.max_allocation_bytes = std::uint64_t{64} << 30;
  const auto variant_after = [&](std::string_view name) {
    const auto now = choose_variant(traits, program, name);
    const Variant* next =
        dense_variant(traits, program, (*now)->policy(traits, program), 1 << 20, 1 << 24);
    return next ? next->name : "none";
  };
  EXPECT_EQ(variant_after("group_dense"), "group_dense_partitioned");
  program.lookups.emplace_back();
  EXPECT_EQ(variant_after("group_dense"), "group_dense_global");
  EXPECT_EQ(variant_after("group_dense_partitioned"), "group_dense_partitioned");
}

// Checks the last slot of every partition and the first of the next: slots are divided by a
// product.
TEST(PartitionShape, SlotsAreDividedAsKernelsDoIt) {
  Policy policy;
  policy.partition.max_count = 1024;
  policy.partition.counters = 8192;
  policy.groups = 132;
  for (const std::uint32_t table_slots : {64u, 1000u, 11558u, 65536u})
    for (const std::uint64_t slots :
         {1ull, 63ull, 64ull, 11559ull, 1000000ull, 9999991ull, (1ull << 26) - 1, 1ull << 26}) {
      policy.group.slots = table_slots;
      const PartitionShape shape = partition_shape(policy, slots);
      SCOPED_TRACE(std::to_string(slots) + " by " + std::to_string(shape.partition_slots));
      ASSERT_LE(shape.partitions, policy.partition.max_count);
      ASSERT_LE(shape.partition_slots, max_partition_slots);
      ASSERT_GE(std::uint64_t{shape.partitions} * shape.partition_slots, slots);
      EXPECT_LE((shape.partition_slots + shape.parts - 1) / shape.parts, policy.group.slots);
      const std::uint64_t factor = shape.words()[6];
      for (std::uint64_t p = 0; p < shape.partitions; p++)
        for (const std::uint64_t slot :
             {p * shape.partition_slots, std::min(slots, (p + 1) * shape.partition_slots) - 1})
          ASSERT_EQ(slot * factor >> 42, slot / shape.partition_slots);
    }
}

}  // namespace
}  // namespace penstock::plan
