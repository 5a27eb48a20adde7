// The first groups of an order, if several programs make their results: one finds the groups, and
// the others leave out all others. Against the order of all groups.
#include "exec/aggregate/host_steps.hpp"
#include "on_device/plan/first_of_groups.hpp"

namespace penstock::test {
namespace {

AggregateCall distinct_of(Aggregate function, NodeId argument) {
  AggregateCall call{function, argument, "distinct", nullptr};
  call.distinct = true;
  return call;
}

// Groups with a program for each argument of DISTINCT, and one for all else.
void group(FirstOfGroups& groups, const std::vector<const char*>& keys) {
  groups.group(keys, {distinct_of(Aggregate::count, groups.column("x")),
                      {Aggregate::sum, groups.column("x"), "sum", nullptr},
                      distinct_of(Aggregate::sum, groups.column("maybe")),
                      {Aggregate::maximum, groups.column("text"), "text", nullptr}});
}

void expect_first_of_all(FirstOfGroups& groups, const std::vector<SortKey>& order) {
  const StepId all = *groups.plan.order_by(groups.grouped, order);
  const StepId some = groups.first(order, 20, 3);
  on_each_device([&](Device& device) {
    for (const IntermediateRows rows : {IntermediateRows::automatic, IntermediateRows::device}) {
      RunOptions options;
      options.device = device.traits().id;
      options.intermediate_rows = rows;
      TAKE(const QueryResult wanted, run(groups.plan, all, options));
      TAKE(const QueryResult first, run(groups.plan, some, options));
      expect_equal_rows(first.table, plan::limit_rows(wanted.table, 20, 3));
    }
  });
}

TEST(FirstGroupsOfPrograms, AreByResultsOfAnyProgram) {
  FirstOfGroups groups(rows_of_groups(9000));
  group(groups, {"key"});
  for (const std::uint32_t by : {1u, 2u, 3u, 4u})
    expect_first_of_all(groups, {{by, true, false}, {0, false, false}});
}

TEST(FirstGroupsOfPrograms, OfResultsOfTwoProgramsAreOfAllGroups) {
  FirstOfGroups groups(rows_of_groups(5000));
  group(groups, {"key"});
  expect_first_of_all(groups, {{1, true, false}, {2, true, false}, {0, true, false}});
}

TEST(FirstGroupsOfPrograms, KeysThatAreStringsOrNullAreFoundInEachProgram) {
  FirstOfGroups groups(rows_of_groups(6000));
  group(groups, {"maybe", "text"});
  expect_first_of_all(groups, {{2, false, false}, {0, false, true}, {1, false, false}});
  expect_first_of_all(groups, {{0, false, true}, {1, true, false}});
}

TEST(FirstGroupsOfPrograms, ALimitWithoutAnOrderTakesTheSameGroupsOfEach) {
  FirstOfGroups groups(rows_of_groups(6000));
  group(groups, {"key"});
  const StepId some = *groups.plan.limit(groups.grouped, 7, 2);
  on_each_device([&](Device& device) {
    TAKE(const QueryResult all, run(groups.plan, groups.grouped, {.device = device.traits().id}));
    TAKE(const QueryResult first, run(groups.plan, some, {.device = device.traits().id}));
    expect_equal_rows(first.table, plan::limit_rows(all.table, 7, 2));
  });
}

}  // namespace
}  // namespace penstock::test
