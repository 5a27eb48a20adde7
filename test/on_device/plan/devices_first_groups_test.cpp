// The first groups of several devices by an order: where their exchange is refused, where groups of
// different ranges tie, and where ranges are empty. One device whose groups the host merges and
// orders knows the answer.
#include <cmath>
#include <limits>

#include "on_device/plan/as_gpu.hpp"
#include "on_device/plan/several_devices.hpp"

namespace penstock::test {
namespace {

// An order of a group-by over a table, of which the first groups are asked for.
struct FirstOfGroups {
  explicit FirstOfGroups(const Table& table) : source(plan.source(table_source(table))) {}
  NodeId column(std::string_view name) { return *b.column(name); }
  std::vector<Projection> keys(const std::vector<const char*>& names) {
    std::vector<Projection> projections;
    for (const char* const name : names) projections.push_back({name, column(name)});
    return projections;
  }
  void group(const std::vector<const char*>& names, const std::vector<AggregateCall>& calls) {
    grouped = *plan.group_by(source, b.graph(), keys(names), calls);
  }
  StepId first(const std::vector<SortKey>& order, std::uint64_t count, std::uint64_t after = 0) {
    return *plan.limit(*plan.order_by(grouped, order), count, after);
  }

  Plan plan;
  StepId source = 0, grouped = 0;
  Builder b{plan.step(source).schema};
};

QueryResult on_one_device(const Plan& plan, StepId step, const std::string& id) {
  auto one = run(plan, step, {.device = id});
  EXPECT_TRUE(one.ok()) << one.status().text();
  return one.ok() ? std::move(*one) : QueryResult();
}

bool are_exchanged(const RunReport& report) { return has_kernel(report, "group_parts"); }

// A device that is listed n times stands for n. All of them leave their groups in their memory.
void expect_first(const Plan& plan, StepId step, std::optional<bool> is_exchanged = {}) {
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    const QueryResult one = on_one_device(plan, step, id);
    for (const std::size_t count : {2u, 3u, 8u}) {
      SCOPED_TRACE(count);
      TAKE(const QueryResult several, run(plan, step, rows_on_device(list_of(id, count))));
      expect_equal_rows(several.table, one.table);
      if (is_exchanged) EXPECT_EQ(are_exchanged(several.report), *is_exchanged);
    }
  });
}

// So many CPUs that say of themselves that they are GPUs: they choose by the number of groups.
std::vector<plan::ListedDevice> as_gpus(const std::string& id, std::size_t count) {
  const auto opened = *open_device(id);
  std::vector<plan::ListedDevice> devices;
  for (std::size_t i = 0; i < count; i++)
    devices.push_back({id, std::shared_ptr<Device>(std::make_shared<AsGpu>(opened))});
  return devices;
}

// Runs a step on three such devices.
void expect_first_on_gpus(const Plan& plan, StepId step, bool is_exchanged) {
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    const QueryResult one = on_one_device(plan, step, id);
    TAKE(const std::vector<QueryResult> several,
         plan::run_on_devices(plan, {step}, RunOptions(), as_gpus(id, 3)));
    expect_equal_rows(several[0].table, one.table);
    EXPECT_TRUE(has_kernel(several[0].report, "group_merge"));
    EXPECT_EQ(are_exchanged(several[0].report), is_exchanged);
  });
}

// Rows of `groups` keys in a mixed order, each key twice, in shares that are far apart.
Table rows_of_groups(std::uint64_t groups) {
  std::vector<std::int64_t> key, x, same;
  std::vector<std::optional<std::int64_t>> maybe;
  for (std::uint64_t row = 0; row < 2 * groups; row++) {
    const std::uint64_t group = row * 7919 % groups;
    key.push_back(static_cast<std::int64_t>(group) * 3 - 1000);
    x.push_back(static_cast<std::int64_t>(group * 31 % 1009) + static_cast<std::int64_t>(row % 2));
    same.push_back(4);
    maybe.push_back(group % 3 == 0 ? std::nullopt : std::optional(x.back()));
  }
  return Table::of({{"key", Column::from(key)},
                    {"x", Column::from(x)},
                    {"same", Column::from(same)},
                    {"maybe", Column::from(maybe)}});
}

TEST(DevicesFirstGroups, OfStringKeysAreChosenByTheHost) {
  FirstOfGroups groups(random_table(6000, 31));
  groups.group({"s", "i16_null"}, {{Aggregate::sum, groups.column("i32"), "sum", nullptr}});
  expect_first(groups.plan, groups.first({{2, true, false}, {0}, {1}}, 10, 2), false);
  expect_first(groups.plan, groups.first({{0, true, true}, {1}}, 10), false);
}

// They begin to compile what chooses first groups, and then the groups are too few to be exchanged.
TEST(DevicesFirstGroups, OfTooFewToBeExchangedAreChosenByTheHost) {
  FirstOfGroups groups(rows_of_groups(9000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("x"), "sum", nullptr}});
  expect_first_on_gpus(groups.plan, groups.first({{1, true, false}, {0}}, 10), false);
}

// Around the number from which on groups of all shares are exchanged, at powers of two.
TEST(DevicesFirstGroups, OfAsManyGroupsAsAreExchangedJust) {
  for (const std::uint64_t count : {8191u, 16'383u, 16'384u, 32'767u, 32'768u, 32'769u}) {
    SCOPED_TRACE(count);
    FirstOfGroups groups(rows_of_groups(count));
    groups.group({"key"}, {{Aggregate::sum, groups.column("x"), "sum", nullptr}});
    // Each of three shares has two thirds of the keys.
    expect_first_on_gpus(groups.plan, groups.first({{1, false, false}, {0}}, 9), count >= 16'384);
  }
}

// Each program has groups of its own; none of them may leave some out.
TEST(DevicesFirstGroups, OfSeveralProgramsAreAmongAllGroupsOfEach) {
  FirstOfGroups groups(random_table(6000, 37));
  groups.group({"i16_null"},
               {{Aggregate::count, groups.column("u8_null"), "distinct", nullptr, false, true},
                {Aggregate::sum, groups.column("i32"), "sum", nullptr},
                {Aggregate::average, groups.column("d15_2"), "average", nullptr}});
  for (const std::uint32_t by : {1u, 2u, 3u})
    expect_first(groups.plan, groups.first({{by, true, false}, {0}}, 12), true);
}

TEST(DevicesFirstGroups, OfSeveralProgramsByAStringAreChosenByTheHost) {
  FirstOfGroups groups(random_table(6000, 41));
  groups.group({"s", "i8"},
               {{Aggregate::count, groups.column("u8_null"), "distinct", nullptr, false, true},
                {Aggregate::minimum, groups.column("s"), "text", nullptr},
                {Aggregate::sum, groups.column("i32"), "sum", nullptr}});
  expect_first(groups.plan, groups.first({{2, true, false}, {0}, {1}}, 12), false);
}

TEST(DevicesFirstGroups, AreTheSameWithoutADeviceThatFails) {
  FirstOfGroups groups(rows_of_groups(6000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
  const StepId first = groups.first({{1, true, false}, {0}}, 17);
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    const QueryResult one = on_one_device(groups.plan, first, id);
    RunOptions options = rows_on_device(id);
    options.batch_rows = 1024;
    options.on_device_failure = OnDeviceFailure::go_on;
    for (int launches = 0; launches < 12; launches++) {
      SCOPED_TRACE(launches);
      TAKE(const std::vector<QueryResult> several,
           plan::run_on_devices(groups.plan, {first}, options,
                                three_of_which_one_fails(id, launches)));
      expect_equal_rows(several[0].table, one.table);
      EXPECT_FALSE(are_exchanged(several[0].report)) << "others could not take its rows over";
    }
  });
}

TEST(DevicesFirstGroups, ARefusedAllocationLosesNone) {
  FirstOfGroups groups(rows_of_groups(3000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
  expect_rows_or(Code::no_memory, groups.plan, groups.first({{1, true, false}, {0}}, 17));
}

// Somewhere among these limits chunks' groups fit and ranges do not.
TEST(DevicesFirstGroups, RangesThatDoNotFitLoseNone) {
  FirstOfGroups groups(rows_of_groups(6000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
  const StepId first = groups.first({{1, true, false}, {0}}, 17);
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    const QueryResult one = on_one_device(groups.plan, first, id);
    int refused = 0, exchanged = 0;
    for (std::uint64_t limit = 64 << 10; limit < 64 << 20; limit += limit / 2) {
      SCOPED_TRACE(limit);
      RunOptions options = rows_on_device(list_of(id, 3));
      options.batch_rows = 1024;
      options.memory_limit_bytes = limit;
      const auto several = run(groups.plan, first, options);
      if (!several.ok()) {
        EXPECT_EQ(several.status().code(), Code::no_memory) << several.status().text();
        continue;
      }
      expect_equal_rows(several->table, one.table);
      (are_exchanged(several->report) ? exchanged : refused)++;
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(exchanged, 0);
  });
}

// Where the link between devices fails: memory for copies by way of the host is not to be had.
class WithoutStaging final : public ForwardingDevice {
 public:
  explicit WithoutStaging(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
    traits_.id = "unlinked:0";
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override {
    return Status(Code::no_memory, "no memory to copy by");
  }
};

TEST(DevicesFirstGroups, ACopyBetweenDevicesThatFailsIsAnErrorThatNamesADevice) {
  FirstOfGroups groups(rows_of_groups(3000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("x"), "sum", nullptr}});
  const StepId first = groups.first({{1, true, false}, {0}}, 17);
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    const auto opened = *open_device(id);
    const std::shared_ptr<Device> unlinked = std::make_shared<WithoutStaging>(opened);
    const auto outcome =
        plan::run_on_devices(groups.plan, {first}, rows_on_device(id),
                             {{"first:0", opened}, {"second:0", unlinked}, {"third:0", opened}});
    EXPECT_EQ(outcome.status().code(), Code::no_memory) << outcome.status().text();
    EXPECT_NE(outcome.status().text().find("(on "), std::string::npos) << outcome.status().text();
  });
}

TEST(DevicesFirstGroups, TiedInAllRangesAreThoseOfOneDevice) {
  FirstOfGroups groups(rows_of_groups(6000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("same"), "sum", nullptr},
                         {Aggregate::count_rows, 0, "rows", nullptr}});
  for (const SortKey& key : {SortKey{1, true, false}, SortKey{1, false, true}, SortKey{2}})
    for (const std::uint64_t count : {1u, 17u, 2999u, 5999u, 6000u, 6001u})
      expect_first(groups.plan, groups.first({key}, count, count > 17 ? 0 : 3), true);
}

// The tie at the limit has groups before and after each bound of ranges.
TEST(DevicesFirstGroups, TiedAtTheLimitAreThoseOfOneDevice) {
  std::vector<std::int64_t> key, x;
  for (std::int64_t row = 0; row < 12'000; row++) {
    key.push_back(row * 7919 % 6000);
    x.push_back(key.back() % 700 == 5 ? 9 : key.back() % 2 == 0 ? 5 : 1);
  }
  FirstOfGroups groups(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}}));
  groups.group({"key"}, {{Aggregate::maximum, groups.column("x"), "greatest", nullptr},
                         {Aggregate::average, groups.column("x"), "average", nullptr}});
  for (const std::uint32_t by : {1u, 2u}) {
    expect_first(groups.plan, groups.first({{by, true, false}}, 20), true);
    expect_first(groups.plan, groups.first({{by, true, false}, {0, true, false}}, 20), true);
  }
}

TEST(DevicesFirstGroups, TiedNullsOfAnAggregateAreThoseOfOneDevice) {
  FirstOfGroups groups(rows_of_groups(6000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
  for (const bool nulls_first : {true, false})
    for (const bool descending : {true, false})
      for (const std::uint64_t count : {20u, 2500u})
        expect_first(groups.plan, groups.first({{1, descending, nulls_first}}, count), true);
}

TEST(DevicesFirstGroups, ByDistinctValuesAndAveragesAreThoseOfOneDevice) {
  FirstOfGroups groups(random_table(20'000, 43));
  for (const Aggregate function : {Aggregate::count, Aggregate::sum, Aggregate::average}) {
    groups.group({"i16_null"},
                 {{function, groups.column("i8"), "of distinct", nullptr, false, true}});
    for (const bool descending : {true, false})
      expect_first(groups.plan, groups.first({{1, descending, descending}, {0}}, 11, 2), true);
  }
  groups.group({"i16_null"},
               {{Aggregate::average, groups.column("i64_null"), "average", nullptr},
                {Aggregate::average, groups.column("d15_2"), "of decimals", nullptr}});
  for (const std::uint32_t by : {1u, 2u})
    expect_first(groups.plan, groups.first({{by, true, false}, {0}}, 11), true);
}

// Averages that 64 bits do not tell apart, of which the device keeps more than are asked for.
TEST(DevicesFirstGroups, ByAveragesSideBySideAreThoseOfOneDevice) {
  std::vector<std::int64_t> key, x;
  for (std::int64_t row = 0; row < 24'000; row++) {
    key.push_back(row % 8000);
    x.push_back((std::int64_t{1} << 53) + row % 8000 % 13 + row / 8000);
  }
  FirstOfGroups groups(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}}));
  groups.group({"key"}, {{Aggregate::average, groups.column("x"), "average", nullptr}});
  for (const bool descending : {true, false})
    expect_first(groups.plan, groups.first({{1, descending, false}, {0}}, 25), true);
}

TEST(DevicesFirstGroups, ByFloatKeysWithNanZeroesAndNullsAreThoseOfOneDevice) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<std::optional<double>> key;
  std::vector<float> narrow;
  std::vector<std::int64_t> x;
  const std::vector<std::optional<double>> odd = {
      std::nan(""), -std::nan("1"), 0.0, -0.0, infinite, -infinite, std::nullopt, 5e-324, -5e-324};
  for (std::uint64_t row = 0; row < 18'000; row++) {
    const std::uint64_t group = row * 7919 % 6000;
    key.push_back(group < odd.size() ? odd[group] : static_cast<double>(group) - 3000.5);
    narrow.push_back(static_cast<float>(key.back().value_or(1)));
    x.push_back(static_cast<std::int64_t>(group % 77));
  }
  FirstOfGroups groups(Table::of(
      {{"key", Column::from(key)}, {"narrow", Column::from(narrow)}, {"x", Column::from(x)}}));
  for (const char* const name : {"key", "narrow"}) {
    groups.group({name}, {{Aggregate::sum, groups.column("x"), "sum", nullptr},
                          {Aggregate::maximum, groups.column("key"), "greatest", nullptr}});
    expect_first(groups.plan, groups.grouped, true);
    for (const std::uint32_t by : {0u, 1u, 2u})
      for (const bool descending : {true, false})
        expect_first(groups.plan, groups.first({{by, descending, !descending}}, 14), true);
  }
}

TEST(DevicesFirstGroups, OfOneRowAndOfFewerRowsThanDevicesAreAllThereAre) {
  for (const std::uint64_t rows : {1u, 2u, 65u, 129u}) {
    SCOPED_TRACE(rows);
    Table table = rows_of_groups(rows);
    for (Column& column : table.columns) column = column.slice(0, rows);
    table.row_count = rows;
    FirstOfGroups groups(table);
    groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
    expect_first(groups.plan, groups.first({{1, true, false}}, 3));
    expect_first(groups.plan, groups.first({{1, true, false}}, 0));
  }
}

// Only the last rows pass: the first shares have no groups, and choose among those of their range.
TEST(DevicesFirstGroups, OfSharesWithoutGroupsAreChosenInTheirRange) {
  std::vector<std::int64_t> places(40'000), keys(40'000);
  for (std::size_t i = 0; i < places.size(); i++) {
    places[i] = static_cast<std::int64_t>(i);
    keys[i] = static_cast<std::int64_t>(i * 2654435761u % 30'011);
  }
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"place", Column::from(places)}, {"key", Column::from(keys)}})));
  Builder b(plan.step(source).schema);
  TAKE(const NodeId passes,
       b.binary(Op::greater_equal, b.column(0u), b.literal(Scalar::of(std::int64_t{22'000}))));
  TAKE(const StepId kept, plan.filter(source, b.graph(), passes));
  for (const bool of_distinct : {false, true}) {
    TAKE(const StepId grouped,
         plan.group_by(kept, b.graph(), {{"key", b.column(1u)}},
                       {{Aggregate::sum, b.column(0u), "sum", nullptr, false, of_distinct}}));
    TAKE(const StepId sorted, plan.order_by(grouped, {{1, true, false}, {0}}));
    TAKE(const StepId first, plan.limit(sorted, 21));
    expect_first(plan, first, true);
  }
}

// A map is between the groups and their order.
TEST(DevicesFirstGroups, BehindAMapAreThoseOfOneDevice) {
  FirstOfGroups groups(rows_of_groups(6000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr},
                         {Aggregate::count_rows, 0, "rows", nullptr}});
  Builder after(groups.plan.step(groups.grouped).schema);
  TAKE(const NodeId more,
       after.binary(Op::add, after.column(2u), after.literal(Scalar::of(std::int64_t{1}))));
  TAKE(const StepId mapped,
       groups.plan.map(groups.grouped, after.graph(),
                       {{"more", more}, {"sum", after.column(1u)}, {"key", after.column(0u)}}));
  TAKE(const StepId sorted, groups.plan.order_by(mapped, {{1, true, false}, {2, true, false}}));
  TAKE(const StepId first, groups.plan.limit(sorted, 31));
  expect_first(groups.plan, first, true);
}

}  // namespace
}  // namespace penstock::test
