// Codes of strings: numbers of a column's own, of the run, and ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "fuse/program/program_strings.hpp"
#include "fuse/program/string_ranks.hpp"
#include "table/strings/column_strings.hpp"
#include "table/strings/string_order.hpp"

namespace penstock::plan {
namespace {

using Columns = std::vector<std::uint32_t>;

// Groups rows with columns s, t and k by the keys, after a filter.
struct Grouped {
  Plan plan;
  StepId source = plan.source(
      table_source(Table::of({{"s", Column::from_strings(std::vector<std::string>{"x", "y"})},
                              {"t", Column::from_strings(std::vector<std::string>{"a", "x"})},
                              {"k", Column::from(std::vector<std::int32_t>{1, 2})}})));
  Builder builder{plan.step(source).schema};
  NodeId s = builder.column(0u), t = builder.column(1u);
  NodeId text(const char* value) { return builder.literal(Scalar::of(std::string(value))); }
  NodeId equal(NodeId a, NodeId b) { return *builder.binary(Op::equal, a, b); }

  TileProgram fused(NodeId predicate, std::vector<NodeId> keys,
                    std::vector<AggregateCall> calls = {}, bool ranks_strings = false) {
    const StepId kept = *plan.filter(source, builder.graph(), predicate);
    std::vector<Projection> projections;
    for (const NodeId key : keys) projections.push_back({"key", key});
    const StepId last = keys.empty() ? *plan.reduce(kept, builder.graph(), std::move(calls))
                                     : *plan.group_by(kept, builder.graph(), std::move(projections),
                                                      std::move(calls));
    return *fuse(plan, source, last, whole_slice(plan.step(last)), ranks_strings);
  }
};

TEST(StringCodes, KeysAndConstantsHaveTheColumnsOwn) {
  Grouped g;
  const TileProgram program = g.fused(g.equal(g.t, g.text("x")), {g.s});
  EXPECT_EQ(program.own_codes, (Columns{0, 1}));
  ASSERT_EQ(program.own_parameters.size(), 1u);
  EXPECT_EQ(program.own_parameters[0].column, 1u);
}

TEST(StringCodes, ColumnsThatAreComparedHaveTheRuns) {
  Grouped g;
  EXPECT_EQ(g.fused(g.equal(g.s, g.t), {g.s}).own_codes, Columns{});
}

TEST(StringCodes, AChoiceOfTwoColumnsHasTheRuns) {
  Grouped g;
  const NodeId either =
      *g.builder.select(g.equal(g.builder.column(2u), g.builder.literal(Scalar::of(1))), g.s, g.t);
  EXPECT_EQ(g.fused(g.equal(g.s, g.text("x")), {either}).own_codes, Columns{});
}

// A constant is one argument of the kernel, which has one value.
TEST(StringCodes, ColumnsThatShareAConstantHaveTheirOwn) {
  Grouped g;
  const NodeId x = g.text("x");
  const TileProgram program =
      g.fused(*g.builder.binary(Op::and_, g.equal(g.s, x), g.equal(x, g.t)), {g.s});
  EXPECT_EQ(program.own_codes, (Columns{0, 1}));
  EXPECT_EQ(program.own_parameters.size(), 2u);
}

// Two constants that no row has must differ.
TEST(StringCodes, ConstantsThatMayBeChosenHaveNumbers) {
  Grouped g;
  const NodeId either = *g.builder.select(g.equal(g.s, g.text("x")), g.s, g.text("none"));
  const NodeId other = *g.builder.select(g.equal(g.t, g.text("a")), either, g.text("no one"));
  const TileProgram program = g.fused(g.equal(g.t, g.text("a")), {other});
  EXPECT_EQ(program.own_codes, (Columns{0, 1}));
  StringPool pool;
  const ProgramStrings strings(pool);
  std::set<std::string_view> chosen;
  for (const OwnParameter& parameter : program.own_parameters)
    if (parameter.is_chosen)
      chosen.insert(
          strings.text(program, 0, strings.code_of_parameter(program, parameter.parameter)));
  EXPECT_TRUE(chosen.contains("none"));
  EXPECT_TRUE(chosen.contains("no one"));
}

// No column is a leaf of the output.
TEST(StringCodes, AChoiceOfConstantsIsOfTheColumnThatTheyMeet) {
  Grouped g;
  const NodeId x = g.text("x");
  const NodeId chosen = *g.builder.select(g.equal(g.s, x), x, g.text("other"));
  const TileProgram program = g.fused(g.equal(g.s, x), {chosen});
  if (program.graph->parameters.size() > 2) GTEST_SKIP() << "equal constants are two parameters";
  EXPECT_EQ(program.own_codes, Columns{0});
  StringPool pool;
  const ProgramStrings strings(pool);
  for (const OwnParameter& parameter : program.own_parameters) {
    const std::uint32_t code = strings.code_of_parameter(program, parameter.parameter);
    EXPECT_EQ(strings.text(program, 0, code), program.graph->parameters[parameter.parameter].text);
  }
}

TEST(StringCodes, TheTextOfAnOutputIsOfItsColumn) {
  Grouped g;
  const TileProgram program = g.fused(g.equal(g.t, g.text("x")), {g.s, g.t});
  StringPool pool;
  pool.code("of the run");
  const ProgramStrings strings(pool);
  EXPECT_EQ(strings.of_column(0)->number("of s"), 0u);
  EXPECT_EQ(strings.of_column(1)->number("of t"), 0u);
  EXPECT_EQ(strings.text(program, 0, 0), "of s");
  EXPECT_EQ(strings.text(program, 1, 0), "of t");
  EXPECT_EQ(strings.of_outputs(program).of_column(1)->text(0), "of t");
}

// A session would keep the constants of all its statements.
TEST(StringCodes, AConstantHasANumberOnceARowHasIt) {
  Grouped g;
  const TileProgram program = g.fused(g.equal(g.t, g.text("x")), {g.s});
  const std::uint32_t constant = program.own_parameters[0].parameter;
  StringPool pool;
  const ProgramStrings strings(pool);
  EXPECT_EQ(strings.code_of_parameter(program, constant), StringPool::no_code);
  EXPECT_EQ(strings.of_column(1)->count(), 0u);
  strings.of_column(1)->number("y");
  strings.of_column(1)->number("x");
  EXPECT_EQ(strings.code_of_parameter(program, constant), 1u);
}

TEST(StringCodes, AStringThatCameAfterTheOrderIsAnError) {
  StringPool pool;
  const ProgramStrings strings(pool);
  const std::uint32_t first = strings.of_column(0)->number("b");
  EXPECT_EQ(strings.order_of_column(0).ranks.size(), 1u);
  const std::uint32_t later = strings.of_column(0)->number("a");
  EXPECT_TRUE(strings.check_order(0, std::vector{first}).ok());
  EXPECT_EQ(strings.check_order(0, std::vector{first, later}).code(), Code::io);
}

// A share of a file reads some of its rows.
TEST(ColumnStrings, TheStringsOfAPartAreNotAllOfTheFile) {
  ColumnStrings strings;
  const std::string file = "a file", part = file + DeviceCache::end_of_file_identity + "rows";
  strings.set_complete(part);
  EXPECT_TRUE(strings.is_complete(part));
  EXPECT_FALSE(strings.is_complete(file));
  strings.set_complete(file);
  EXPECT_TRUE(strings.is_complete(file));
  EXPECT_TRUE(strings.is_complete(part + " of others"));
}

TEST(StringCodes, TheLeastStringIsOfTheLeastRank) {
  Grouped g;
  const TileProgram program =
      g.fused(g.equal(g.t, g.text("x")), {}, {{Aggregate::minimum, g.s, "least", {}}}, true);
  EXPECT_FALSE(program.of_distinct);
  ASSERT_EQ(ranked_columns(program), Columns{0});
  StringPool pool;
  const ProgramStrings strings(pool);
  for (const char* text : {"b", "c", "a"}) strings.of_column(0)->number(text);
  EXPECT_EQ(strings.order_of_column(0).ranks, (Columns{1, 2, 0}));
  EXPECT_EQ(strings.text(program, program.results[0], 0), "a");
  EXPECT_EQ(strings.text(program, program.results[0], StringOrder::no_rank), "");
}

TEST(StringOrder, IsThatOfBytes) {
  std::mt19937 random(3);
  std::set<std::string> distinct = {"", std::string(1, '\0'), std::string(9, '\0'), "\xff",
                                    "prefixed"};
  while (distinct.size() < 50'000) {
    std::string text(random() % 24, 'a');
    for (char& c : text) c = static_cast<char>(random() % 4 == 0 ? random() : 'a');
    distinct.insert(std::move(text));
  }
  std::vector<std::string> texts(distinct.begin(), distinct.end());
  std::shuffle(texts.begin(), texts.end(), random);
  const auto count = static_cast<std::uint32_t>(texts.size());
  const StringOrder order =
      order_of_strings(count, [&](std::uint32_t i) -> std::string_view { return texts[i]; });
  for (std::uint32_t rank = 0; rank < count; rank++) {
    ASSERT_EQ(order.ranks[order.numbers[rank]], rank);
    if (rank == 0) continue;
    ASSERT_LT(texts[order.numbers[rank - 1]], texts[order.numbers[rank]]);
  }
}

// Many new strings are added by threads: each by its first row, in the order of first rows, after
// the known ones.
TEST(ColumnStrings, ManyNewStringsHaveTheNumbersOfTheirFirstRows) {
  std::mt19937 random(5);
  ColumnStrings strings;
  std::map<std::string, std::uint32_t> wanted;
  for (int round = 0; round < 3; round++) {
    std::vector<std::optional<std::string>> texts(60'000);
    for (std::optional<std::string>& text : texts)
      if (random() % 9 != 0)
        text = std::string(random() % 30, 'x') + std::to_string(random() % 20'000);
    std::vector<std::uint32_t> numbers;
    ASSERT_TRUE(strings.number(Column::from_strings(texts), numbers).ok());
    for (std::size_t row = 0; row < texts.size(); row++) {
      if (!texts[row]) continue;
      const auto next = static_cast<std::uint32_t>(wanted.size());
      ASSERT_EQ(numbers[row], wanted.try_emplace(*texts[row], next).first->second) << row;
    }
    ASSERT_EQ(strings.count(), wanted.size());
    for (const auto& [text, number] : wanted) ASSERT_EQ(strings.all()->string(number), text);
  }
}

// A statement's constants are numbered while another statement reads texts.
TEST(ColumnStrings, TextsAreReadWhileOthersAreAdded) {
  ColumnStrings strings;
  const std::uint32_t first = strings.number("first");
  std::thread adding([&] {
    for (int i = 0; i < 100'000; i++) strings.number("text " + std::to_string(i));
  });
  for (int i = 0; i < 100'000; i++) ASSERT_EQ(strings.text(first), "first");
  adding.join();
  EXPECT_EQ(strings.count(), 100'001u);
  EXPECT_EQ(strings.text(strings.number("text 77777")), "text 77777");
  EXPECT_EQ(strings.all()->string(0), "first");
}

}  // namespace
}  // namespace penstock::plan
