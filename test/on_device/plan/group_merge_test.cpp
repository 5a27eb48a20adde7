// Groups of chunks merged on the device, against the host's merge of the same chunks.
#include <limits>
#include <map>

#include "on_device/plan/merged_groups.hpp"

namespace penstock::test {
namespace {

using plan::MergeLocation;

void expect_merged_there(const Merged& merged) {
  EXPECT_TRUE(has_kernel(merged.report, "group_merge"));
  EXPECT_TRUE(merged.report.notes.empty());
}

// Every aggregate of every type by some columns of random_table().
Grouping grouping_of(std::uint64_t rows, const std::vector<const char*>& keys) {
  Grouping grouping;
  const StepId source =
      grouping.plan.source(std::make_shared<FixedSchemaSource>(random_table(rows, rows + 5)));
  Builder b(grouping.plan.step(source).schema);
  std::vector<Projection> projections;
  for (const char* key : keys) projections.push_back({key, *b.column(key)});
  std::vector<AggregateCall> calls = {{Aggregate::count_rows, 0, "rows", nullptr}};
  for (const char* name :
       {"i8", "u8_null", "i32", "u32_null", "i64_null", "u64", "f32_null", "f64_null", "d15_2"})
    for (const Aggregate function : {Aggregate::count, Aggregate::sum, Aggregate::average,
                                     Aggregate::minimum, Aggregate::maximum})
      calls.push_back({function, *b.column(name), "x", nullptr});
  const NodeId huge = *b.cast(*b.column("i64_null"), {Kind::int128});
  for (const NodeId wide :
       {*b.binary(Op::add, huge, huge), *b.cast(*b.column("d15_2"), Type::decimal(38, 20))})
    for (const Aggregate function : {Aggregate::minimum, Aggregate::maximum})
      calls.push_back({function, wide, "x", nullptr});
  grouping.step = *grouping.plan.group_by(source, b.graph(), projections, calls);
  return grouping;
}

TEST(GroupMerge, EveryAccumulatorIsAsTheHostMergesIt) {
  for (const std::vector<const char*>& keys : std::vector<std::vector<const char*>>{
           {"s", "b_null"}, {"f32_null"}, {"i16_null", "u8", "s"}}) {
    SCOPED_TRACE(keys[0]);
    const Grouping grouping = grouping_of(6000, keys);
    expect_as_on_host(grouping.plan, grouping.step, {.batch_rows = 640}, expect_merged_there);
  }
}

TEST(GroupMerge, NoRowsLeaveNothingToMerge) {
  const Grouping grouping = grouping_of(0, {"s"});
  expect_as_on_host(grouping.plan, grouping.step, {}, [](const Merged& merged) {
    EXPECT_EQ(merged.table.row_count, 0u);
    EXPECT_FALSE(has_kernel(merged.report, "group_merge"));
  });
}

TEST(GroupMerge, KeysWithoutAggregatesAreMerged) {
  Grouping grouping;
  std::vector<std::int32_t> x(5000);
  for (std::size_t i = 0; i < x.size(); i++) x[i] = static_cast<std::int32_t>(i % 777);
  const StepId source = grouping.plan.source(table_source(Table::of({{"x", Column::from(x)}})));
  Builder b(grouping.plan.step(source).schema);
  TAKE(const StepId groups, grouping.plan.group_by(source, b.graph(), {{"x", b.column(0u)}}, {}));
  expect_as_on_host(grouping.plan, groups, {.batch_rows = 1024}, [](const Merged& merged) {
    EXPECT_EQ(merged.table.row_count, 777u);
    expect_merged_there(merged);
  });
}

// Sums of a third, which float64 does not hold, of as many keys as `groups`.
Grouping sums_of_thirds(std::uint64_t rows, std::uint64_t groups) {
  Grouping grouping;
  std::vector<std::int64_t> key(rows);
  std::vector<double> value(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::int64_t>(i * 7919 % groups * 1'000'003);
    value[i] = static_cast<double>(i % 1000) / 3;
  }
  const StepId source = grouping.plan.source(
      table_source(Table::of({{"key", Column::from(key)}, {"value", Column::from(value)}})));
  Builder b(grouping.plan.step(source).schema);
  grouping.step = *grouping.plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::sum, b.column(1u), "sum", nullptr},
                                           {Aggregate::count_rows, 0, "rows", nullptr}});
  return grouping;
}

TEST(GroupMerge, TheTableGrowsWithItsGroups) {
  for (const std::uint64_t groups : {1u, 100'000u}) {
    SCOPED_TRACE(groups);
    const Grouping grouping = sums_of_thirds(200'000, groups);
    expect_as_on_host(grouping.plan, grouping.step, {.batch_rows = 6400},
                      [groups](const Merged& merged) {
                        EXPECT_EQ(merged.table.row_count, groups);
                        expect_merged_there(merged);
                      });
  }
}

TEST(GroupMerge, TheSameRunTwiceGivesTheSameBits) {
  const Grouping grouping = sums_of_thirds(50'000, 3000);
  on_each_device([&](Device& device) {
    const RunOptions options{.batch_rows = 4096};
    TAKE(const Merged first,
         merged_at(MergeLocation::device, device, grouping.plan, grouping.step, options));
    TAKE(const Merged second,
         merged_at(MergeLocation::device, device, grouping.plan, grouping.step, options));
    for (std::uint64_t row = 0; row < first.table.row_count; row++)
      ASSERT_EQ(scalar_at(first.table.columns[1], row).real,
                scalar_at(second.table.columns[1], row).real);
  });
}

TEST(GroupMerge, BeyondTheMemoryLimitTheHostGoesOn) {
  const Grouping grouping = sums_of_thirds(200'000, 100'000);
  expect_as_on_host(grouping.plan, grouping.step,
                    {.batch_rows = 6400, .memory_limit_bytes = 16 << 20}, [](const Merged& merged) {
                      EXPECT_EQ(merged.table.row_count, 100'000u);
                      EXPECT_TRUE(has_kernel(merged.report, "group_merge"));
                      ASSERT_EQ(merged.report.notes.size(), 1u);
                      EXPECT_TRUE(merged.report.notes[0].starts_with(
                          "groups were merged on the host after the "
                          "first "))
                          << merged.report.notes[0];
                    });
}

TEST(GroupMerge, ACustomReductionIsTheHosts) {
  Grouping grouping;
  const StepId source = grouping.plan.source(
      table_source(Table::of({{"key", Column::from(std::vector<std::int32_t>{1, 2, 1, 2})},
                              {"x", Column::from(std::vector<std::int64_t>{3, 5, 7, 11})}})));
  Builder b(grouping.plan.step(source).schema);
  CustomReduction product;
  product.name = "product";
  product.type = {Kind::int64};
  product.neutral = Scalar::of(std::int64_t{1});
  product.associative = product.commutative = true;
  product.body = "return a * b;";
  product.host = [](const Scalar& x, const Scalar& y) {
    return Scalar::of({Kind::int64}, x.integer * y.integer);
  };
  TAKE(const StepId groups, grouping.plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                                   {{Aggregate::custom, b.column(1u), "product",
                                                     std::make_shared<CustomReduction>(product)}}));
  expect_as_on_host(grouping.plan, groups, {}, [](const Merged& merged) {
    EXPECT_FALSE(has_kernel(merged.report, "group_merge"));
    EXPECT_EQ(texts_of(merged.table), (std::vector<std::string>{"1|21|", "2|55|"}));
  });
}

// Keys side by side have slots side by side. Keys at the ends of blocks, whole blocks apart, below
// zero and up to the last of 64 bits have slots, too. There are just enough keys to grow the table.
TEST(GroupMerge, KeysAroundTheBlocksOfSlotsAreAllFound) {
  constexpr auto last = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{63}, std::int64_t{64},
                                  std::int64_t{64} << 10, std::int64_t{1} << 40})
    for (const std::int64_t count : {1, 64, 341, 342, 1023, 1024, 1025, 4097}) {
      SCOPED_TRACE(std::to_string(count) + " keys by " + std::to_string(step));
      std::vector<std::int64_t> key, x;
      for (std::int64_t row = 0; row < 3 * count; row++) {
        const std::int64_t at = row * 7919 % count;
        key.push_back(row % 2 == 0 ? (at - count / 2) * step : last - at * step);
        x.push_back(row);
      }
      Grouping grouping;
      const StepId source = grouping.plan.source(
          table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
      Builder b(grouping.plan.step(source).schema);
      TAKE(const StepId groups,
           grouping.plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                  {{Aggregate::sum, b.column(1u), "sum", nullptr},
                                   {Aggregate::count_rows, 0, "rows", nullptr}}));
      expect_as_on_host(grouping.plan, groups, {.batch_rows = 1024}, expect_merged_there);
    }
}

// Entries as kernels leave them, of one key and a sum of 128 bits.
class SumsOf128Bits {
 public:
  explicit SumsOf128Bits(Device& device) : device_(device) {
    const StepId source = plan_.source(
        table_source(Table::of({{"key", Column::from(std::vector<std::int64_t>{0})}})));
    Builder b(plan_.step(source).schema);
    const StepId groups = *plan_.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::sum, b.column(0u), "sum", nullptr}});
    program_ = *plan::fuse(plan_, source, groups);
  }

  // Merges one chunk after another, each of one group, and returns the sum.
  Result<Int128> sum(const std::vector<Int128>& values) {
    PENSTOCK_ASSIGN(const auto device, open_device(device_.traits().id));
    std::vector<std::vector<std::uint64_t>> entries;
    PENSTOCK_ASSIGN(const auto queue, device->queue());
    const auto merge =
        plan::GroupMerge::begin({MergeLocation::device, device, queue.get(), 0}, program_);
    Int128 found = 0;
    for (const Int128 value : values) entries.push_back(entry_of(value));
    for (const auto& entry : entries) {
      plan::GroupByResults tables;
      PENSTOCK_ASSIGN(tables.results, on_device(*device, *queue, entry));
      tables.table_count = tables.slots_per_table = 1;
      const std::uint32_t count = 1;
      PENSTOCK_TRY(merge->add(tables, std::span(&count, 1)).status());
    }
    const std::size_t at = program_.key_words() + 2 * program_.results[0].accumulator;
    PENSTOCK_TRY(merge->take_all([&](std::span<const std::uint64_t> groups) {
      found =
          static_cast<Int128>(static_cast<unsigned __int128>(groups[at + 1]) << 64 | groups[at]);
    }));
    return found;
  }

 private:
  std::vector<std::uint64_t> entry_of(Int128 value) const {
    std::vector<std::uint64_t> entry(program_.key_words() + program_.accumulator_words(), 0);
    const plan::Accumulator& a = program_.accumulators[program_.results[0].accumulator];
    EXPECT_EQ(a.kind, plan::AccumulatorKind::sum_i128);
    entry[program_.key_words() + a.word] = static_cast<std::uint64_t>(value);
    entry[program_.key_words() + a.word + 1] = static_cast<std::uint64_t>(value >> 64);
    return entry;
  }

  Device& device_;
  Plan plan_;
  plan::TileProgram program_;
};

TEST(GroupMerge, SumsReachTheLimitsOf128BitsAndSayWhereTheyPassThem) {
  const Int128 largest = ~(Int128{1} << 127), least = Int128{1} << 127;
  on_each_device([&](Device& device) {
    SumsOf128Bits sums(device);
    TAKE(const Int128 high, sums.sum({largest - 5, 3, 2}));
    EXPECT_TRUE(high == largest);
    TAKE(const Int128 low, sums.sum({least + 1, largest, -largest, -1}));
    EXPECT_TRUE(low == least);
    for (const auto& values : std::vector<std::vector<Int128>>{
             {largest, 1}, {least, -1, 0, 0, 0, 0, 0}, {largest, largest}}) {
      const auto outcome = sums.sum(values);
      ASSERT_FALSE(outcome.ok());
      EXPECT_EQ(outcome.status().code(), Code::overflow);
    }
  });
}

// Chunks of made-up tables, as kernels leave them: keys, and a sum of 64 bits.
class MadeTables {
 public:
  explicit MadeTables(Device& device, bool of_floats = false) : device_(device) {
    const auto values = of_floats ? Column::from(std::vector<double>{0})
                                  : Column::from(std::vector<std::int32_t>{0});
    const StepId source = plan_.source(table_source(
        Table::of({{"key", Column::from(std::vector<std::int64_t>{0})}, {"value", values}})));
    Builder b(plan_.step(source).schema);
    const StepId groups = *plan_.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::sum, b.column(1u), "sum", nullptr}});
    program_ = *plan::fuse(plan_, source, groups);
  }

  // Table t of each chunk has the keys t, t + 1 ... of counts[t] entries; the value of entry n of a
  // chunk is n + 1. Returns the groups' sums by key, and the launches that it took.
  Result<std::map<std::uint64_t, std::uint64_t>> sums(const std::vector<std::uint32_t>& counts,
                                                      bool is_slot_major, std::size_t chunks,
                                                      std::uint64_t& launches) {
    PENSTOCK_ASSIGN(const auto device, open_device(device_.traits().id));
    PENSTOCK_ASSIGN(const auto queue, device->queue());
    const auto merge =
        plan::GroupMerge::begin({MergeLocation::device, device, queue.get(), 0}, program_);
    plan::GroupByResults tables;
    tables.is_slot_major = is_slot_major;
    tables.table_count = static_cast<std::uint32_t>(counts.size());
    tables.slots_per_table = *std::max_element(counts.begin(), counts.end()) + 3;
    const std::vector<std::uint64_t> entries = entries_of(tables, counts);
    PENSTOCK_ASSIGN(tables.results, on_device(*device, *queue, entries));
    PENSTOCK_ASSIGN(tables.used_slots, on_device(*device, *queue, counts));
    for (std::size_t chunk = 0; chunk < chunks; chunk++)
      PENSTOCK_TRY(merge->add(tables, counts).status());
    std::map<std::uint64_t, std::uint64_t> found;
    std::uint64_t words = program_.key_words() + 2 * program_.accumulators.size(),
                  at = program_.key_words() + 2 * program_.results[0].accumulator;
    PENSTOCK_TRY(merge->take_all([&](std::span<const std::uint64_t> groups) {
      for (; !groups.empty(); groups = groups.subspan(words))
        EXPECT_TRUE(found.emplace(groups[0], groups[at]).second) << "twice: " << groups[0];
    }));
    RunReport report;
    merge->add_to(report);
    launches = report.kernels.at(0).launches;
    return found;
  }
  bool wants(const std::vector<std::uint32_t>& counts) const {
    const auto device = *open_device(device_.traits().id);
    const auto queue = *device->queue();
    const auto merge =
        plan::GroupMerge::begin({MergeLocation::automatic, device, queue.get(), 0}, program_);
    return merge && merge->wants(counts);
  }

 private:
  std::vector<std::uint64_t> entries_of(const plan::GroupByResults& tables,
                                        const std::vector<std::uint32_t>& counts) const {
    const std::size_t words = program_.key_words() + program_.accumulator_words();
    const plan::Accumulator& a = program_.accumulators[program_.results[0].accumulator];
    std::vector<std::uint64_t> entries(words * tables.table_count * tables.slots_per_table, 0);
    std::uint64_t value = 0;
    for (std::size_t table = 0; table < counts.size(); table++)
      for (std::size_t slot = 0; slot < counts[table]; slot++) {
        std::uint64_t* const entry =
            &entries[words * (tables.is_slot_major ? slot * tables.table_count + table
                                                   : table * tables.slots_per_table + slot)];
        entry[0] = table + slot;
        entry[program_.key_words() + a.word] = ++value;
      }
    return entries;
  }

  Device& device_;
  Plan plan_;
  plan::TileProgram program_;
};

TEST(GroupMerge, TablesOfAChunkWithKeysInCommonAreMergedByTwoLaunches) {
  std::vector<std::uint32_t> counts(300);
  for (std::size_t i = 0; i < counts.size(); i++)
    counts[i] = static_cast<std::uint32_t>(i * 37 % 90);
  std::map<std::uint64_t, std::uint64_t> expected;
  std::uint64_t value = 0;
  constexpr std::size_t chunks = 3;
  for (std::size_t table = 0; table < counts.size(); table++)
    for (std::size_t slot = 0; slot < counts[table]; slot++)
      expected[table + slot] += chunks * ++value;
  on_each_device([&](Device& device) {
    MadeTables tables(device);
    for (const bool is_slot_major : {false, true}) {
      SCOPED_TRACE(is_slot_major);
      std::uint64_t launches = 0;
      TAKE(const auto sums, tables.sums(counts, is_slot_major, chunks, launches));
      EXPECT_EQ(sums, expected);
      EXPECT_LE(launches, 2 * chunks + 3);  // and those that grow the table, and collect
    }
  });
}

// For sums of floats the order matters: small tables go to the host, which adds them one by one.
TEST(GroupMerge, ManySmallTablesAreWantedWhereTheOrderOfAdditionsDoesNotMatter) {
  on_each_device([&](Device& device) {
    const bool has_own_cores = !device.traits().shares_host_cores();
    const std::vector<std::uint32_t> many(300, 20), few(300, 10);
    EXPECT_EQ(MadeTables(device).wants(many), has_own_cores);
    EXPECT_FALSE(MadeTables(device).wants(few));
    EXPECT_FALSE(MadeTables(device, true).wants(many));
  });
}

}  // namespace
}  // namespace penstock::test
