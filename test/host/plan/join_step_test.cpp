// Errors of a plan about joins that cannot be: the kind, the columns and their types.
#include <gtest/gtest.h>

#include "penstock/run.hpp"

namespace penstock {
namespace {

struct Sides {
  Plan plan;
  StepId left, right;
  Sides() {
    const std::vector<std::int32_t> numbers{1, 2};
    const std::vector<std::string> texts{"a", "b"};
    left = plan.source(table_source(
        Table::of({{"number", Column::from(numbers)}, {"text", Column::from_strings(texts)}})));
    right =
        plan.source(table_source(Table::of({{"wide", Column::from(std::vector<std::int64_t>{1, 2})},
                                            {"real", Column::from(std::vector<double>{1, 2})}})));
  }
  std::string refusal(JoinKind kind, std::vector<JoinKey> keys) {
    const Result<StepId> step = plan.join(left, right, kind, std::move(keys));
    return step.ok() ? "accepted" : step.status().message();
  }
};

TEST(JoinStep, ErrorsNameTheKindTheColumnsAndTheTypes) {
  Sides sides;
  EXPECT_EQ(sides.refusal(JoinKind::semi, {}), "semi join: it has no keys");
  EXPECT_EQ(sides.refusal(JoinKind::inner, {{2, 0}}), "inner join: its left input has no column 2");
  EXPECT_EQ(sides.refusal(JoinKind::inner, {{0, 5}}),
            "inner join: its right input has no column 5");
  EXPECT_EQ(sides.refusal(JoinKind::left, {{1, 0}}),
            "left join: the keys 'text' (VARCHAR) and 'wide' (BIGINT) cannot be compared");
}

TEST(JoinStep, SumsOf128BitsAreRefusedAsKeys) {
  Sides sides;
  Builder b(sides.plan.step(sides.right).schema);
  const Result<StepId> sums =
      sides.plan.reduce(sides.right, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}});
  ASSERT_TRUE(sums.ok());
  const Result<StepId> step = sides.plan.join(sides.left, *sums, JoinKind::inner, {{0, 0}});
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.status().code(), Code::unsupported);
  EXPECT_EQ(step.status().message(),
            "inner join: keys of HUGEINT ('number' (INTEGER) and 'sum' (HUGEINT)) are not "
            "supported; cast both to BIGINT");
}

TEST(JoinStep, NotInOfUnsignedAndSignedIsRefusedAsANullWouldSayMore) {
  Sides sides;
  const std::vector<std::uint64_t> numbers{1, ~std::uint64_t{0}};
  const StepId huge = sides.plan.source(table_source(Table::of({{"huge", Column::from(numbers)}})));
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
    EXPECT_TRUE(sides.plan.join(sides.left, huge, kind, {{0, 0}}).ok());
    EXPECT_TRUE(sides.plan.join(huge, sides.right, kind, {{0, 0}}).ok());
  }
  EXPECT_EQ(sides.plan.join(sides.left, huge, JoinKind::not_in, {{0, 0}}).status().code(),
            Code::invalid);
}

// The casts that bring keys to one type are not among the columns that the join yields.
TEST(JoinStep, ColumnsAreTheLeftOnesThenTheRightOnes) {
  Sides sides;
  const auto names = [&](JoinKind kind) {
    const Result<StepId> step = sides.plan.join(sides.left, sides.right, kind, {{0, 0}, {0, 1}});
    EXPECT_TRUE(step.ok());
    std::string text;
    for (const Field& field : sides.plan.step(*step).schema)
      text += field.name + (field.nullable ? "? " : " ");
    return text;
  };
  EXPECT_EQ(names(JoinKind::inner), "number text wide real ");
  EXPECT_EQ(names(JoinKind::left), "number text wide? real? ");
  EXPECT_EQ(names(JoinKind::anti), "number text ");
}

}  // namespace
}  // namespace penstock
