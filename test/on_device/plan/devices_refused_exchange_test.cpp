// The first groups of several devices by an order, if their groups are not exchanged: the host
// merges all of them, and none is lost.
#include "on_device/plan/first_of_groups.hpp"

namespace penstock::test {
namespace {

TEST(DevicesRefusedExchange, OfStringKeysAreChosenByTheHost) {
  FirstOfGroups groups(rows_of_groups(30'000));
  groups.group({"text"}, {{Aggregate::sum, groups.column("x"), "sum", nullptr}});
  expect_first(groups.plan, groups.first({{1, true, false}, {0}}, 10, 2), false);
}

// They begin to compile kernels that choose first groups, and then the groups are too few to be
// exchanged.
TEST(DevicesRefusedExchange, OfTooFewToBeExchangedAreChosenByTheHost) {
  FirstOfGroups groups(rows_of_groups(9000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("x"), "sum", nullptr}});
  expect_first_on_gpus(groups.plan, groups.first({{1, true, false}, {0}}, 10), false);
}

// A CPU leaves its groups to the host. The GPUs beside it wait for it, and then do so too.
TEST(DevicesRefusedExchange, OfACpuAmongGpusAreChosenByTheHost) {
  FirstOfGroups groups(rows_of_groups(120'000));  // a GPU chooses among so many
  groups.group({"key"}, {{Aggregate::sum, groups.column("x"), "sum", nullptr}});
  const StepId first = groups.first({{1, true, false}, {0}}, 10);
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const auto opened, open_device(id));
    if (!opened->traits().shares_host_cores()) return;
    const QueryResult one = on_one_device(groups.plan, first, id);
    std::vector<plan::ListedDevice> devices = as_gpus(id, 3);
    devices[1].device = opened;
    TAKE(const std::vector<QueryResult> several,
         plan::run_on_devices(groups.plan, {first}, RunOptions(), devices));
    expect_equal_rows(several[0].table, one.table);
    EXPECT_TRUE(has_kernel(several[0].report, "group_merge"));
    EXPECT_FALSE(groups_are_exchanged(several[0].report));
  });
}

// Around the number from which on groups of all shares are exchanged, at powers of two.
TEST(DevicesRefusedExchange, OfAsManyGroupsAsAreExchangedJust) {
  for (const std::uint64_t count : {8191u, 16'383u, 16'384u, 32'767u, 32'768u, 32'769u}) {
    SCOPED_TRACE(count);
    FirstOfGroups groups(rows_of_groups(count));
    groups.group({"key"}, {{Aggregate::sum, groups.column("x"), "sum", nullptr}});
    // Each of three shares has two thirds of the keys.
    expect_first_on_gpus(groups.plan, groups.first({{1, false, false}, {0}}, 9), count >= 16'384);
  }
}

// Each program has groups of its own; none of them may leave some out.
TEST(DevicesRefusedExchange, OfSeveralProgramsAreAmongAllGroupsOfEach) {
  FirstOfGroups groups(random_table(6000, 37));
  groups.group({"i16_null"},
               {{Aggregate::count, groups.column("u8_null"), "distinct", nullptr, false, true},
                {Aggregate::sum, groups.column("i32"), "sum", nullptr},
                {Aggregate::average, groups.column("d15_2"), "average", nullptr}});
  for (const std::uint32_t by : {1u, 2u, 3u})
    expect_first(groups.plan, groups.first({{by, true, false}, {0}}, 12), true);
}

TEST(DevicesRefusedExchange, OfSeveralProgramsByAStringAreChosenByTheHost) {
  FirstOfGroups groups(random_table(6000, 41));
  groups.group({"s", "i8"},
               {{Aggregate::count, groups.column("u8_null"), "distinct", nullptr, false, true},
                {Aggregate::minimum, groups.column("s"), "text", nullptr},
                {Aggregate::sum, groups.column("i32"), "sum", nullptr}});
  expect_first(groups.plan, groups.first({{2, true, false}, {0}, {1}}, 12), false);
}

TEST(DevicesRefusedExchange, AreTheSameWithoutADeviceThatFails) {
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
      EXPECT_FALSE(groups_are_exchanged(several[0].report))
          << "others could not take its rows over";
    }
  });
}

TEST(DevicesRefusedExchange, ARefusedAllocationLosesNone) {
  FirstOfGroups groups(rows_of_groups(15'000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
  expect_rows_or(Code::no_memory, groups.plan, groups.first({{1, true, false}, {0}}, 17));
}

// Somewhere among these limits chunks' groups fit and ranges do not.
TEST(DevicesRefusedExchange, RangesThatDoNotFitLoseNone) {
  FirstOfGroups groups(rows_of_groups(30'000));
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
      (groups_are_exchanged(several->report) ? exchanged : refused)++;
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(exchanged, 0);
  });
}

// A failing link between devices: there is no memory for copies by way of the host.
class WithoutStaging final : public ForwardingDevice {
 public:
  explicit WithoutStaging(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
    traits_.id = "unlinked:0";
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override {
    return Status(Code::no_memory, "no memory to copy by");
  }
};

TEST(DevicesRefusedExchange, ACopyBetweenDevicesThatFailsIsAnErrorThatNamesADevice) {
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

}  // namespace
}  // namespace penstock::test
