#include <gtest/gtest.h>

#include "penstock/expression.hpp"

namespace penstock {
namespace {

const Schema graph_schema{{"price", {Kind::float32}, false},
                          {"quantity", {Kind::int32}, true},
                          {"discount", Type::decimal(15, 2), false}};

TEST(Graph, EqualNodesShareOneId) {
  Builder b(graph_schema);
  const NodeId first = *b.binary(Op::add, b.column(1), b.literal(Scalar::of(1)));
  const NodeId second = *b.binary(Op::add, *b.column("quantity"), b.literal(Scalar::of(1)));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, *b.binary(Op::subtract, b.column(1), b.literal(Scalar::of(1))));
  EXPECT_NE(*b.binary(Op::subtract, b.column(1), b.column(0)),
            *b.binary(Op::subtract, b.column(0), b.column(1)));
}

TEST(Graph, LiteralsThatDifferInTypeOrSignOfZeroStayApart) {
  Graph graph;
  EXPECT_EQ(graph.parameter(Scalar::of(0.0)), graph.parameter(Scalar::of(0.0)));
  EXPECT_NE(graph.parameter(Scalar::of(0.0)), graph.parameter(Scalar::of(-0.0)));
  EXPECT_NE(graph.parameter(Scalar::of(1)), graph.parameter(Scalar::of(std::int64_t{1})));
  EXPECT_NE(graph.parameter(Scalar::of(1)), graph.parameter(Scalar::null_of({Kind::int32})));
}

// Otherwise the text of a kernel would depend on whether two captured values happen to be equal.
TEST(Graph, EqualCapturedScalarsStayApartAndSurviveImport) {
  Builder b(graph_schema);
  const NodeId first = b.captured(Scalar::of(2.0f)), second = b.captured(Scalar::of(2.0f));
  EXPECT_NE(first, second);
  Graph other;
  const NodeId copy = other.import(*b.graph(), first, {});
  EXPECT_EQ(other.import(*b.graph(), first, {}), copy)
      << "one captured value must not become two arguments";
  EXPECT_NE(other.import(*b.graph(), second, {}), copy);
}

TEST(Graph, ImportSubstitutesColumnsAndDerivesNullability) {
  Builder inner({{"x", {Kind::int32}, false}});
  const NodeId root = *inner.binary(Op::multiply, inner.column(0), inner.literal(Scalar::of(2)));
  EXPECT_FALSE(inner.graph()->at(root).nullable);
  inner.graph()->sites[root] = {7, "x * 2"};

  Builder outer(graph_schema);
  const NodeId sum = *outer.binary(Op::add, outer.column(1), outer.literal(Scalar::of(5)));
  const NodeId fused = outer.graph()->import(*inner.graph(), root, {&sum, 1});
  EXPECT_EQ(text_of(*outer.graph(), fused, graph_schema), "((quantity + 5) * 2)");
  EXPECT_TRUE(outer.graph()->at(fused).nullable) << "the substituted column is nullable";
  EXPECT_EQ(outer.graph()->sites.at(fused).text, "x * 2");
}

TEST(Graph, ImportSharesWhatIsThereAlready) {
  Builder a(graph_schema), b(graph_schema);
  const NodeId columns[] = {a.column(0), a.column(1), a.column(2)};
  const NodeId original = *a.binary(Op::multiply, a.column(0), a.column(1));
  const NodeId copy =
      a.graph()->import(*b.graph(), *b.binary(Op::multiply, b.column(0), b.column(1)), columns);
  EXPECT_EQ(copy, original);
}

TEST(Graph, TextOfASharedTowerStaysShort) {
  Builder b(graph_schema);
  NodeId node = b.column(0);
  for (int i = 0; i < 64; i++) node = *b.binary(Op::add, node, node);  // 2^64 leaves as a tree
  EXPECT_LT(text_of(*b.graph(), node, graph_schema).size(), 10000u);
}

TEST(Graph, OnlyWhatCanFaultIsSaidTo) {
  Builder b(graph_schema);
  const auto faults = [&](const Result<NodeId>& node) { return can_fault(*b.graph(), *node); };
  const NodeId price = b.column(0), quantity = b.column(1), discount = b.column(2);
  EXPECT_TRUE(faults(b.binary(Op::add, quantity, quantity)));
  EXPECT_TRUE(faults(b.unary(Op::is_null, *b.binary(Op::add, quantity, quantity))))
      << "an input's fault counts";
  EXPECT_TRUE(faults(b.binary(Op::multiply, discount, discount))) << "30 digits are cut to 18";
  EXPECT_TRUE(faults(b.cast(price, {Kind::int32})));
  EXPECT_FALSE(faults(b.binary(Op::divide, price, price)));
  EXPECT_FALSE(faults(b.binary(Op::subtract, b.literal(Scalar::of(1)), discount)))
      << "16 digits hold it";
  EXPECT_FALSE(faults(b.cast(quantity, {Kind::int64})));
  EXPECT_FALSE(faults(b.cast(quantity, Type::decimal(12, 2))));
  EXPECT_FALSE(faults(b.cast(discount, Type::decimal(14, 0))))
      << "13 digits before the point, and a carry";
  EXPECT_TRUE(faults(b.cast(discount, Type::decimal(13, 0))))
      << "9999999999999.99 rounds to 14 digits";
}

TEST(Graph, FaultsAreSentencesThatNameTheExpression) {
  Builder b(graph_schema);
  const NodeId node = *b.binary(Op::integer_divide, b.column(1), b.column(1));
  EXPECT_EQ(fault_status(*b.graph(), node, Code::invalid, graph_schema).message(),
            "division by zero in (quantity // quantity)");
  EXPECT_EQ(fault_status(*b.graph(), node, Code::overflow, graph_schema).message(),
            "a value of (quantity // quantity) is outside INTEGER");
  b.graph()->sites[node] = {3, "quantity / quantity"};
  EXPECT_EQ(fault_status(*b.graph(), node, Code::invalid, graph_schema).message(),
            "division by zero in quantity / quantity");
}

}  // namespace
}  // namespace penstock
