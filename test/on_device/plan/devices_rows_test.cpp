// Rows in the order of their source that stay in the memory of several devices, and are downloaded
// to one table. A device that is listed n times stands for n.
#include "exec/devices/share_run.hpp"
#include "on_device/plan/several_devices.hpp"

namespace penstock::test {
namespace {

// The rows of a filter, some columns of them.
struct FilteredRows {
  explicit FilteredRows(const std::vector<const char*>& names) {
    NodeId is_null = *b.unary(Op::is_null, *b.column("i16_null"));
    const StepId filtered = *plan.filter(source, b.graph(), *b.unary(Op::not_, is_null));
    std::vector<Projection> projections;
    for (const char* const name : names) projections.push_back({name, *b.column(name)});
    kept = *plan.map(filtered, b.graph(), projections);
  }

  // The results of three shares, with rows on the device.
  Result<std::vector<plan::FinishedShare>> shares_on(const std::string& id) const {
    PENSTOCK_ASSIGN(const auto device, open_device(id));
    std::vector<plan::Worker> workers;
    for (const double weight : {1.0, 3.0, 2.0})
      workers.push_back({.id = id, .device = device, .weight = weight});
    RunOptions options;
    options.intermediate_rows = IntermediateRows::device;
    options.batch_rows = 512;
    PENSTOCK_ASSIGN(const std::vector<plan::Cut> cuts, plan::find_cuts(plan, {kept}));
    return plan::run_shares(plan, cuts[0], options, workers, {});
  }
  void expect_merged(std::vector<plan::FinishedShare> shares, const std::string& id) const {
    TAKE(const QueryResult one, run(plan, kept, {.device = id}));
    std::vector<plan::SharePart> parts;
    for (plan::FinishedShare& share : shares) parts.push_back(std::move(share.share.parts));
    TAKE(const std::vector<plan::Cut> cuts, plan::find_cuts(plan, {kept}));
    TAKE(const Table merged, plan::merge_shares(plan, cuts[0], parts));
    expect_equal_rows(merged, one.table);
  }

  Plan plan;
  StepId source = plan.source(std::make_shared<FixedSchemaSource>(random_table(9001, 29)));
  StepId kept = no_step;
  Builder b{plan.step(source).schema};
};

TEST(DevicesRows, RowsOfAllSharesComeToOneTableInTheirOrder) {
  const FilteredRows rows({"i8", "u64", "f32_null", "b_null", "date", "i64_null", "d15_2"});
  on_each_device([&](Device& device) {
    TAKE(auto shares, rows.shares_on(device.traits().id));
    ASSERT_EQ(shares.size(), 3u);
    EXPECT_GT(shares[0].share.parts[0].rows.row_count, 4500u);
    EXPECT_EQ(shares[1].share.parts[0].rows.row_count, 0u);
    EXPECT_EQ(shares[2].share.parts[0].rows.row_count, 0u);
    rows.expect_merged(std::move(shares), device.traits().id);
  });
}

// Codes of strings refer to a share's own pool.
TEST(DevicesRows, StringsOfEachShareAreItsOwn) {
  const FilteredRows rows({"i8", "s", "f64"});
  on_each_device([&](Device& device) {
    TAKE(auto shares, rows.shares_on(device.traits().id));
    for (const plan::FinishedShare& share : shares)
      EXPECT_GT(share.share.parts[0].rows.row_count, 0u);
    rows.expect_merged(std::move(shares), device.traits().id);
  });
}

}  // namespace
}  // namespace penstock::test
