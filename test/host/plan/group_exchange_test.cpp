// Shares of a group-by that exchange their groups, or find that they do not.
#include "exec/groups/group_exchange.hpp"

#include <gtest/gtest.h>

#include <future>

namespace penstock::plan {
namespace {

// A program by a key of 64 bits.
struct GroupsByNumber {
  GroupsByNumber() {
    const StepId rows =
        plan.source(table_source(Table::of({{"k", Column::from(std::vector<std::int64_t>{1})}})));
    Builder b(plan.step(rows).schema);
    const StepId groups = *plan.group_by(rows, b.graph(), {{"k", b.column(0u)}},
                                         {{Aggregate::count_rows, {}, "c", nullptr}});
    program = *fuse(plan, rows, groups);
  }
  Plan plan;
  TileProgram program;
};

// The others may be at their rows for a long time yet.
TEST(GroupExchange, AShareWhoseGroupsAreOnTheHostWaitsForNobody) {
  const GroupsByNumber by_number;
  GroupExchange exchange({3, 0});
  RunReport report;
  const auto done = std::async(std::launch::async, [&] {
    return exchange.exchange(0, {}, by_number.program, 0, nullptr, report);
  });
  const auto ended = done.wait_for(std::chrono::seconds(20));
  if (ended != std::future_status::ready) exchange.leave(1);  // else it would never end
  EXPECT_EQ(ended, std::future_status::ready);
}

TEST(GroupExchange, AShareWithGroupsWaitsNoLongerForOneWithout) {
  const GroupsByNumber by_number;
  GroupExchange exchange({2, 0});
  RunReport report;
  GroupsOnDevice groups{nullptr, 5, 4};
  auto waiting = std::async(std::launch::async, [&] {
    return exchange.exchange(1, {}, by_number.program, 0, &groups, report);
  });
  const auto without = exchange.exchange(0, {}, by_number.program, 0, nullptr, report);
  const auto with = waiting.get();
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_FALSE(*with);
  EXPECT_FALSE(*without);
}

}  // namespace
}  // namespace penstock::plan
