// Plans on ranks that are threads: each rank has a share, rank 0 the result of one process.
#include <cmath>
#include <stdexcept>

#include "on_device/plan/plan_fixture.hpp"
#include "rank_threads.hpp"
#include "ranks/run/exchange.hpp"
#include "ranks/run/rank_device.hpp"
#include "ranks/wire/wire.hpp"

namespace penstock::test {
namespace {

using Outcome = Result<std::optional<QueryResult>>;

constexpr std::uint64_t row_count = 5000;

// Groups of a table of every type, or its sorted rows.
Result<StepId> groups_in(Plan& plan) {
  const StepId rows = plan.source(std::make_shared<FixedSchemaSource>(random_table(row_count, 3)));
  Builder b{plan.step(rows).schema};
  const auto column = [&](std::string_view name) {
    return b.column(*find_field(plan.step(rows).schema, name));
  };
  return plan.group_by(rows, b.graph(), {{"key", column("i8")}},
                       {{Aggregate::count_rows, 0, "rows", nullptr},
                        {Aggregate::sum, column("i64_null"), "sum", nullptr},
                        {Aggregate::maximum, column("s"), "text", nullptr}});
}
Result<StepId> sorted_in(Plan& plan) {
  const StepId rows = plan.source(std::make_shared<FixedSchemaSource>(random_table(row_count, 3)));
  PENSTOCK_ASSIGN(const StepId sorted, plan.order_by(rows, {{.column = 1, .descending = true}}));
  return plan.limit(sorted, 700);
}

void expect_as_alone(const PlanBinder& bind) {
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    Plan plan;
    TAKE(const StepId step, bind(plan));
    TAKE(const QueryResult alone, run(plan, step, {.device = id}));
    const auto outcomes = on_ranks(3, [&](Communicator& communicator) -> Outcome {
      return run_on_ranks(communicator, bind, {.device = id});
    });
    for (const Outcome& outcome : outcomes) ASSERT_TRUE(outcome.ok()) << outcome.status().text();
    ASSERT_TRUE(outcomes[0]->has_value());
    EXPECT_FALSE(outcomes[1]->has_value() || outcomes[2]->has_value());
    const QueryResult& got = **outcomes[0];
    EXPECT_EQ(got.report.shares.size(), 3);
    EXPECT_EQ(got.report.rows_read, row_count);
    ASSERT_EQ(got.table.row_count, alone.table.row_count);
    for (std::uint64_t row = 0; row < alone.table.row_count; row++)
      ASSERT_EQ(text_of_row(got.table, row), text_of_row(alone.table, row)) << "row " << row;
  });
}

TEST(Ranks, GroupsAreOneProcesssGroups) { expect_as_alone(groups_in); }
TEST(Ranks, SortedRowsAreOneProcesssRows) { expect_as_alone(sorted_in); }

TEST(Ranks, ARankThatIsCancelledEndsAllAndIsNamed) {
  on_each_device([](Device& device) {
    const auto outcomes = on_ranks(3, [&](Communicator& communicator) -> Outcome {
      RunOptions options{.device = device.traits().id, .batch_rows = 64};
      options.progress = [&](const Progress&) { return communicator.rank() != 1; };
      return run_on_ranks(communicator, groups_in, options);
    });
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.status().code(), Code::cancelled);
      EXPECT_NE(outcome.status().text().find("on rank 1 of 3"), std::string::npos)
          << outcome.status().text();
    }
  });
}

// The error's text and the shares are longer than MPI sends without a receiver.
TEST(Ranks, ALongErrorWhileOthersSendLongSharesEndsAll) {
  on_each_device([](Device& device) {
    const std::string why(100'000, 'x');
    const auto outcomes = on_ranks(
        3,
        [&](Communicator& communicator) -> Outcome {
          RunOptions options{.device = device.traits().id, .batch_rows = 64};
          options.progress = [&](const Progress&) -> bool {
            if (communicator.rank() == 0) throw std::runtime_error(why);
            return true;
          };
          return run_on_ranks(communicator, sorted_in, options);
        },
        16);
    for (const Outcome& outcome : outcomes)
      EXPECT_NE(outcome.status().text().find(why), std::string::npos);
  });
}

Result<StepId> first_rows_in(Plan& plan, std::uint64_t limit) {
  const StepId rows = plan.source(std::make_shared<FixedSchemaSource>(random_table(row_count, 3)));
  PENSTOCK_ASSIGN(const StepId sorted, plan.order_by(rows, {{.column = 1, .descending = true}}));
  return plan.limit(sorted, limit);
}

void expect_refused(const char* words, const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    EXPECT_NE(outcome.status().text().find(words), std::string::npos) << outcome.status().text();
    EXPECT_NE(outcome.status().text().find("on rank 1 of 2"), std::string::npos);
  }
}

TEST(Ranks, AnotherLiteralOnOneRankIsRefused) {
  expect_refused("another statement", on_ranks(2, [](Communicator& communicator) -> Outcome {
                   const std::uint64_t limit = 700 + communicator.rank();
                   return run_on_ranks(communicator,
                                       [&](Plan& plan) { return first_rows_in(plan, limit); }, {});
                 }));
}

TEST(Ranks, FastMathOnOneRankIsRefused) {
  expect_refused("fast math", on_ranks(2, [](Communicator& communicator) -> Outcome {
                   return run_on_ranks(communicator, sorted_in,
                                       {.fast_math = communicator.rank() == 1});
                 }));
}

TEST(Ranks, AnErrorThatAllWereToldLeavesThemInStep) {
  const auto are_in_step = on_ranks(2, [](Communicator& communicator) {
    EXPECT_FALSE(run_on_ranks(communicator, groups_in, {.validate = true}).ok());
    return communicator.is_in_step();
  });
  EXPECT_TRUE(are_in_step[0] && are_in_step[1]);
}

// Rows of such a weight would be in no share, and the answer would lack them.
TEST(Ranks, ABandwidthThatIsNoNumberIsRefused) {
  for (const double bandwidth : {std::nan(""), -1.0, 0.0, HUGE_VAL})
    on_each_device([&](Device& device) {
      const auto weights = on_ranks(2, [&](Communicator& communicator) {
        if (communicator.rank() == 0)
          return ranks::weights_of_ranks(communicator, open_device(device.traits().id));
        ranks::WireWriter name, number;
        name.put_text("a device of another kind");
        name.put_text("other:0");
        number.put(bandwidth);
        EXPECT_OK(ranks::exchange_bytes(communicator, name.take()));
        EXPECT_OK(ranks::exchange_bytes(communicator, number.take()));
        return Result<std::vector<double>>(std::vector<double>());
      });
      EXPECT_EQ(weights[0].status().code(), Code::internal) << weights[0].status().text();
    });
}

TEST(Ranks, AnOptionForOneProcessIsRefusedOnAll) {
  const auto outcomes = on_ranks(2, [&](Communicator& communicator) -> Outcome {
    return run_on_ranks(communicator, groups_in, {.validate = true});
  });
  for (const Outcome& outcome : outcomes)
    EXPECT_EQ(outcome.status().message(), "validate takes one process, not several");
}

}  // namespace
}  // namespace penstock::test
