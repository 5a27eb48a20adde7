// Functions of strings as columns that the host computes.
#include <gtest/gtest.h>

#include <atomic>

#include "codec/fsst/format/encoded_column.hpp"
#include "expr/string_functions.hpp"
#include "fuse/codegen/code_functions.hpp"
#include "fuse/program/derived_columns.hpp"

namespace penstock::plan {
namespace {

struct Built {
  Plan plan;
  Table table = Table::of(
      {{"s", Column::from_strings(std::vector<std::optional<std::string>>{"x", std::nullopt})},
       {"t", Column::from_strings(std::vector<std::string>{"a", "b"})},
       {"k", Column::from(std::vector<std::int32_t>{1, 2})}});
  StepId source = plan.source(table_source(table));
  Builder builder{plan.step(source).schema};
  NodeId s = builder.column(0u), t = builder.column(1u), k = builder.column(2u);
  NodeId text(const char* value) { return builder.literal(Scalar::of(std::string(value))); }
  NodeId call(const char* name, std::vector<NodeId> inputs) {
    return *builder.string_function(name, std::move(inputs));
  }
  Result<TileProgram> fused(NodeId predicate) {
    return fuse(plan, source, *plan.filter(source, builder.graph(), predicate));
  }
};

TEST(DerivedColumns, TheKernelReadsTheResultAndNeverTheText) {
  Built b;
  const auto program = b.fused(b.call("like", {b.s, b.text("a%")}));
  ASSERT_TRUE(program.ok()) << program.status().text();
  ASSERT_EQ(program->derived.size(), 1u);
  EXPECT_EQ(program->device_columns, (std::vector<std::uint32_t>{2, 3}))
      << "k, which is kept, and the derived column";
  EXPECT_EQ(program->source_schema[3].name, "like(s, 'a%')");
  EXPECT_EQ(program->source_schema[3].type.kind, Kind::boolean);
  EXPECT_TRUE(program->source_schema[3].nullable);
  EXPECT_TRUE(program->graph->custom_functions.empty());
  EXPECT_TRUE(program->graph->parameters.empty()) << "the pattern stays on the host";
  EXPECT_EQ(program->scanned_columns(), (std::vector<std::uint32_t>{2, 0, 1}))
      << "the column that it is derived from is read";
}

TEST(DerivedColumns, ACallOfACallIsDerivedFromTheOthersColumn) {
  Built b;
  const auto program = b.fused(b.call("contains", {b.call("lower", {b.t}), b.text("a")}));
  ASSERT_TRUE(program.ok()) << program.status().text();
  ASSERT_EQ(program->derived.size(), 2u);
  EXPECT_EQ(program->derived[0].source, 1u);
  EXPECT_EQ(program->derived[1].source, 3u);
  EXPECT_FALSE(program->source_schema[4].nullable);
}

// The same rows, of which s can come as FSST codes.
struct BuiltEncoded : Built {
  BuiltEncoded() {
    const auto strings = fsst::encode(table.columns[0]);
    table.columns[0] = *fsst::encoded_column(*strings);
    plan = Plan();
    source = plan.source(table_source(table));
  }
  NodeId is(const char* value) { return *builder.binary(Op::equal, s, text(value)); }
  std::vector<std::uint32_t> kept(NodeId predicate) {
    return columns_kept_encoded(*fused(predicate));
  }
};
using Columns = std::vector<std::uint32_t>;

TEST(DerivedColumns, EqualitiesOfAnEncodedColumnAreOneColumnAndTheTextsNone) {
  BuiltEncoded b;
  const NodeId swapped = *b.builder.binary(Op::equal, b.text("z"), b.s);
  const NodeId any =
      *b.builder.binary(Op::or_, *b.builder.binary(Op::or_, b.is("x"), b.is("y")), swapped);
  const auto program = b.fused(any);
  ASSERT_TRUE(program.ok()) << program.status().text();
  ASSERT_EQ(program->derived.size(), 1u);
  EXPECT_EQ(program->derived[0].inputs.size(), 4u) << "a row's text, and three constants";
  EXPECT_TRUE(is_on_codes(*program, program->derived[0]));
  EXPECT_EQ(program->device_columns, (Columns{2, 3})) << "k, which is kept, and the derived column";
  Built plain;
  const NodeId same = *plain.builder.binary(Op::equal, plain.s, plain.text("x"));
  EXPECT_TRUE(plain.fused(same)->derived.empty()) << "codes of the run's pool are compared";
}

// A kernel with a comparison for each compiles long.
TEST(DerivedColumns, ManyEqualitiesOfAFunctionAreOneColumn) {
  for (const int count : {15, 16}) {
    Built b;
    const NodeId lower = b.call("lower", {b.t});
    std::vector<NodeId> equal;
    for (int i = 0; i < count; i++)
      equal.push_back(*b.builder.binary(Op::equal, lower, b.text(std::to_string(i).c_str())));
    NodeId any = equal[0];
    for (std::size_t i = 1; i < equal.size(); i++) any = *b.builder.binary(Op::or_, any, equal[i]);
    const auto program = b.fused(any);
    ASSERT_TRUE(program.ok()) << program.status().text();
    EXPECT_EQ(program->derived.size(), count == 15 ? 1u : 2u);
    EXPECT_EQ(program->graph->parameters.empty(), count == 16);
  }
}

TEST(DerivedColumns, OrsOfOtherThingsKeepTheirEqualitiesApart) {
  BuiltEncoded b;
  const NodeId number =
      *b.builder.binary(Op::equal, b.k, b.builder.literal(Scalar::of(std::int32_t{1})));
  const NodeId other = *b.builder.binary(Op::equal, b.t, b.text("a"));
  const NodeId one = *b.builder.binary(Op::or_, b.is("x"), number),
               two = *b.builder.binary(Op::or_, b.is("y"), other);
  const auto program = b.fused(*b.builder.binary(Op::or_, one, two));
  ASSERT_TRUE(program.ok()) << program.status().text();
  EXPECT_EQ(program->derived.size(), 2u) << "x and y; t is not encoded";
}

TEST(DerivedColumns, UnequalIsTheNegationOfEqual) {
  BuiltEncoded b;
  const NodeId both =
      *b.builder.binary(Op::and_, *b.builder.binary(Op::not_equal, b.s, b.text("x")), b.is("x"));
  const auto program = b.fused(both);
  ASSERT_TRUE(program.ok()) << program.status().text();
  ASSERT_EQ(program->derived.size(), 1u);
  EXPECT_EQ(program->source_schema[3].name, "(s = 'x')");
}

TEST(DerivedColumns, AColumnStaysEncodedWhereNotAllItsTextsAreWanted) {
  BuiltEncoded b;
  EXPECT_EQ(b.kept(b.call("like", {b.s, b.text("a%")})), (Columns{0}));
  EXPECT_EQ(b.kept(*b.builder.unary(Op::is_null, b.s)), (Columns{0}));
  EXPECT_EQ(
      b.kept(*b.builder.binary(Op::greater, b.k, b.builder.literal(Scalar::of(std::int32_t{1})))),
      (Columns{0}))
      << "the rows' alone";
  EXPECT_EQ(b.kept(*b.builder.binary(Op::equal, b.call("lower", {b.s}), b.text("a"))), Columns());
  const NodeId both = *b.builder.binary(Op::and_, b.call("starts_with", {b.s, b.text("a")}),
                                        b.call("less", {b.s, b.text("b")}));
  EXPECT_EQ(b.kept(both), (Columns{0})) << "decoded for one, searched for the other";
  const auto all_rows = fuse(b.plan, b.source, b.source);
  ASSERT_TRUE(all_rows.ok());
  EXPECT_EQ(columns_kept_encoded(*all_rows), Columns());
}

TEST(DerivedColumns, EqualCallsShareAColumn) {
  Built b;
  const NodeId once = b.call("length", {b.t}), again = b.call("length", {b.t});
  const NodeId sum = *b.builder.binary(Op::add, again, *b.builder.cast(b.k, {Kind::int64}));
  const auto program = b.fused(*b.builder.binary(Op::equal, once, sum));
  ASSERT_TRUE(program.ok()) << program.status().text();
  EXPECT_EQ(program->derived.size(), 1u);
}

TEST(DerivedColumns, WhatHasNoColumnIsRefusedByName) {
  Built b;
  for (const NodeId predicate :
       {b.call("contains", {b.s, b.t}), b.call("less", {b.s, b.t}),
        b.call("like", {*b.builder.variadic(Op::coalesce, {b.s, b.t}), b.text("a")})}) {
    const auto program = b.fused(predicate);
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.status().code(), Code::unsupported);
    EXPECT_NE(program.status().message().find("takes one column and constants"), std::string::npos)
        << program.status().text();
  }
}

TEST(DerivedColumns, ADictionarysTextsAreComputedOnceEach) {
  static std::atomic<int> calls;
  calls = 0;
  DerivedColumn derived;
  derived.function = std::make_shared<CustomFunction>(CustomFunction{
      "counted", {"text"}, {{Kind::string}}, {Kind::int64}, "", [](std::span<const Scalar> in) {
        calls++;
        return Scalar::of(Type{Kind::int64}, Int128(in[0].text.size()));
      }});
  derived.inputs.resize(1);
  Column source;
  source.type = {Kind::string};
  source.row_count = 5;
  source.values = Bytes::own(std::vector<std::int32_t>{1, 0, 1, 2, 1});
  source.validity = Bytes::own(std::vector<std::uint8_t>{0b10111});
  source.dictionary = std::make_shared<const Column>(
      Column::from_strings(std::vector<std::string>{"", "two", "a"}));
  const auto column = derive(derived, source);
  ASSERT_TRUE(column.ok());
  EXPECT_EQ(calls, 3);
  const std::vector<std::int64_t> expected = {3, 0, 3, 0, 3};
  for (std::uint64_t row = 0; row < 5; row++) {
    EXPECT_EQ(column->is_valid(row), row != 3);
    if (row != 3) { EXPECT_EQ(column->values.as<std::int64_t>()[row], expected[row]); }
  }
}

TEST(DerivedColumns, ADictionaryOfNoTextsGivesNulls) {
  DerivedColumn derived;
  derived.function = expr::string_function("length", 1);
  derived.inputs.resize(1);
  Column source;
  source.type = {Kind::string};
  source.row_count = 3;
  source.values = Bytes::own(std::vector<std::int32_t>{0, 0, 0});
  source.validity = Bytes::own(std::vector<std::uint8_t>{0});
  source.dictionary =
      std::make_shared<const Column>(Column::from_strings(std::vector<std::string>{}));
  const auto column = derive(derived, source);
  ASSERT_TRUE(column.ok());
  EXPECT_FALSE(column->is_valid(2));
  EXPECT_EQ(column->row_count, 3u);
}

// Linear in text times pattern: a pattern of many % would take exponential time by trying all
// splits.
TEST(Like, ManyWildcardsEnd) {
  const std::string text(20'000, 'a');
  std::string pattern;
  for (int i = 0; i < 50; i++) pattern += "%a";
  EXPECT_FALSE(expr::matches_like(text, pattern + "%b"));
  EXPECT_TRUE(expr::matches_like(text, pattern));
}

TEST(Like, TextThatIsNotUtf8IsTakenByteByByte) {
  EXPECT_TRUE(expr::matches_like("\xff\xc3", "__"));
  EXPECT_TRUE(expr::matches_like("a\xe6", "a_"));
  EXPECT_FALSE(expr::matches_like("\xc3\xa9", "__"));
}

TEST(Like, AnEscapeAtTheEndMatchesItself) {
  EXPECT_TRUE(expr::matches_like("a!", "a!", "!"));
  EXPECT_TRUE(expr::matches_like("a%", "a!%", "!"));
  EXPECT_FALSE(expr::matches_like("ab", "a!%", "!"));
}

}  // namespace
}  // namespace penstock::plan
