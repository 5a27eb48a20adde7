// Devices of unlike weight, and plans of which some rows are one share and others are split.
#include <atomic>

#include "exec/devices/cuts.hpp"
#include "on_device/plan/several_devices.hpp"

namespace penstock::test {
namespace {

// A device of another kind than others, which counts its launches but for those that weigh it.
class Counted final : public ForwardingDevice {
 public:
  Counted(std::shared_ptr<Device> device, const std::string& name)
      : ForwardingDevice(std::move(device)) {
    traits_.name = name;
  }
  int launches() const { return *launches_; }
  Result<std::unique_ptr<Queue>> queue() override {
    PENSTOCK_ASSIGN(auto queue, ForwardingDevice::queue());
    return std::unique_ptr<Queue>(std::make_unique<CountingQueue>(std::move(queue), launches_));
  }

 private:
  class CountingQueue final : public ForwardingQueue {
   public:
    CountingQueue(std::unique_ptr<Queue> queue, std::shared_ptr<std::atomic<int>> launches)
        : ForwardingQueue(std::move(queue)), launches_(std::move(launches)) {}
    Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                  std::span<const Argument> arguments) override {
      *launches_ += !kernel.starts_with("copy_");
      return ForwardingQueue::launch(program, kernel, groups, arguments);
    }

   private:
    std::shared_ptr<std::atomic<int>> launches_;
  };
  std::shared_ptr<std::atomic<int>> launches_ = std::make_shared<std::atomic<int>>(0);
};

Table numbered(std::int64_t rows) {
  std::vector<std::int64_t> key, x;
  for (std::int64_t row = 0; row < rows; row++) {
    key.push_back(row * 7919 % 40);
    x.push_back(row);
  }
  return Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
}

Result<StepId> sums_by_key(Plan& plan, std::int64_t rows) {
  const StepId source = plan.source(table_source(numbered(rows)));
  Builder b(plan.step(source).schema);
  return plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                       {{Aggregate::sum, b.column(1u), "sum", nullptr},
                        {Aggregate::average, b.column(1u), "average", nullptr}});
}

TEST(DevicesUnlike, OneShareOfRowsIsTheWorkOfOneDevice) {
  Plan plan;
  TAKE(const StepId grouped, sums_by_key(plan, 60));
  TAKE(const StepId sorted, plan.order_by(grouped, {{1, true, false}}));
  TAKE(const StepId first, plan.limit(sorted, 7));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const auto opened, open_device(id));
    for (const StepId step : {grouped, first}) {
      TAKE(const QueryResult one, run(plan, step, {.device = id}));
      std::vector<std::shared_ptr<Counted>> counted;
      std::vector<plan::ListedDevice> devices;
      for (const char* const name : {"a kind", "another kind", "a third kind"}) {
        counted.push_back(std::make_shared<Counted>(opened, name));
        devices.push_back({id, std::shared_ptr<Device>(counted.back())});
      }
      TAKE(const std::vector<QueryResult> several,
           plan::run_on_devices(plan, {step}, RunOptions(), std::move(devices)));
      expect_equal_rows(several[0].table, one.table);
      EXPECT_TRUE(several[0].report.shares.empty());
      EXPECT_EQ(several[0].report.rows_read, 60u);
      EXPECT_EQ(std::ranges::count_if(counted, [](const auto& of) { return of->launches() > 0; }),
                1);
    }
  });
}

TEST(DevicesUnlike, EveryRowIsReadOnceWhateverTheWeights) {
  for (const std::int64_t rows : {1, 64, 65, 1000, 4097}) {
    SCOPED_TRACE(rows);
    Plan plan;
    TAKE(const StepId grouped, sums_by_key(plan, rows));
    on_each_device([&](Device& device) {
      const std::string id = device.traits().id;
      TAKE(const auto opened, open_device(id));
      TAKE(const QueryResult one, run(plan, grouped, {.device = id}));
      // One that is listed twice has half of its weight each time.
      const std::shared_ptr<Device> twice = std::make_shared<Counted>(opened, "twice");
      TAKE(const std::vector<QueryResult> several,
           plan::run_on_devices(plan, {grouped}, RunOptions(),
                                {{id, twice}, {id, opened}, {id, twice}}));
      expect_equal_rows(several[0].table, one.table);
      EXPECT_EQ(several[0].report.rows_read, static_cast<std::uint64_t>(rows));
    });
  }
}

// The right side is an aggregate of its own rows: one of the two sides is one share.
TEST(DevicesUnlike, ACutThatIsSplitGoesOnFromOneThatIsNot) {
  for (const auto& [left_rows, right_rows] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{5000, 50}, {50, 5000}, {50, 50}}) {
    SCOPED_TRACE(left_rows);
    Plan plan;
    const StepId left = plan.source(table_source(numbered(left_rows)));
    TAKE(const StepId right, sums_by_key(plan, right_rows));
    TAKE(const StepId joined, plan.join(left, right, JoinKind::inner, {{0, 0}}));
    Builder b(plan.step(joined).schema);
    const auto last = static_cast<std::uint32_t>(plan.step(joined).schema.size() - 2);
    TAKE(const StepId grouped,
         plan.group_by(joined, b.graph(), {{"key", b.column(0u)}},
                       {{Aggregate::sum, b.column(1u), "sum", nullptr},
                        {Aggregate::maximum, b.column(last), "greatest", nullptr}}));
    TAKE(const StepId sorted, plan.order_by(grouped, {{2, true, false}, {0}}));
    TAKE(const StepId first, plan.limit(sorted, 9));
    TAKE(const std::vector<plan::Cut> cuts, plan::find_cuts(plan, {first}));
    ASSERT_EQ(cuts.size(), 2u);
    on_each_device([&](Device& device) {
      const std::string id = device.traits().id;
      for (const StepId step : {joined, first}) {
        TAKE(const QueryResult one, run(plan, step, {.device = id}));
        for (const std::size_t count : {2u, 5u}) {
          TAKE(const QueryResult as_listed, run(plan, step, {.device = list_of(id, count)}));
          expect_equal_rows(as_listed.table, one.table);
          TAKE(const QueryResult there, run(plan, step, rows_on_device(list_of(id, count))));
          expect_equal_rows(there.table, one.table);
        }
      }
    });
  }
}

// Two results of one plan: one of many rows, one of few.
TEST(DevicesUnlike, ResultsOfWhichOneIsSplitAreBothThere) {
  Plan plan;
  TAKE(const StepId many, sums_by_key(plan, 5000));
  TAKE(const StepId few, sums_by_key(plan, 50));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one_of_many, run(plan, many, {.device = id}));
    TAKE(const QueryResult one_of_few, run(plan, few, {.device = id}));
    RunOptions options{.device = list_of(id, 4)};
    TAKE(const std::vector<QueryResult> both, plan::run_on_devices(plan, {few, many}, options));
    ASSERT_EQ(both.size(), 2u);
    expect_equal_rows(both[0].table, one_of_few.table);
    expect_equal_rows(both[1].table, one_of_many.table);
  });
}

}  // namespace
}  // namespace penstock::test
