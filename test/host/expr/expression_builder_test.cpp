#include <gtest/gtest.h>

#include "penstock/expression.hpp"

namespace penstock {
namespace {

const Schema built_schema{{"price", {Kind::float32}, false},
                          {"quantity", {Kind::int8}, true},
                          {"discount", Type::decimal(15, 2), false},
                          {"name", {Kind::string}, false},
                          {"shipped", {Kind::date32}, false},
                          {"id", {Kind::uint64}, false},
                          {"key", {Kind::int64}, false},
                          {"paid", {Kind::boolean}, false},
                          {"at", {Kind::timestamp}, false}};

std::string message(const Result<NodeId>& result) {
  return result.ok() ? "no error" : result.status().message();
}

TEST(Builder, RefusalsNameTheOperationAndTheTypes) {
  Builder b(built_schema);
  const auto column = [&](const char* name) { return *b.column(name); };
  EXPECT_EQ(message(b.binary(Op::add, column("name"), column("quantity"))),
            "cannot add VARCHAR and TINYINT");
  EXPECT_EQ(message(b.binary(Op::multiply, column("paid"), column("paid"))),
            "cannot multiply BOOLEAN and BOOLEAN");
  EXPECT_EQ(message(b.binary(Op::equal, column("shipped"), column("price"))),
            "cannot compare DATE and FLOAT");
  EXPECT_EQ(message(b.variadic(Op::least, {column("name"), column("name")})),
            "cannot take the least of VARCHAR: strings are not ordered inside an expression");
  EXPECT_EQ(
      message(b.string_function("length", {column("price")})),
      "no function matches the given name and argument types 'length(FLOAT)'; the candidate is "
      "length(VARCHAR) -> BIGINT");
  EXPECT_EQ(message(b.binary(Op::and_, column("paid"), column("shipped"))), "cannot AND DATE");
  EXPECT_EQ(message(b.unary(Op::negate, column("paid"))), "cannot negate BOOLEAN");
  EXPECT_EQ(message(b.unary(Op::year, column("price"))), "cannot take the year of FLOAT");
  EXPECT_EQ(message(b.cast(column("name"), {Kind::int32})), "cannot cast VARCHAR to INTEGER");
  EXPECT_EQ(message(b.cast(column("shipped"), {Kind::int32})), "cannot cast DATE to INTEGER");
  EXPECT_EQ(message(b.cast(column("price"), Type::decimal(39, 2))),
            "DECIMAL(39,2) is not computed with: decimals have 1 to 38 digits");
  EXPECT_EQ(message(b.binary(Op::add, column("shipped"), column("key"))),
            "cannot add DATE and BIGINT: days are added to a date as INTEGER");
  EXPECT_EQ(message(b.binary(Op::subtract, column("at"), column("at"))),
            "cannot subtract TIMESTAMP and TIMESTAMP");
}

TEST(Builder, WhatWouldBeHugeintIsRefusedByNameButComparedByValue) {
  Builder b(built_schema);
  const NodeId id = *b.column("id"), key = *b.column("key");
  const Result<NodeId> sum = b.binary(Op::add, id, key);
  EXPECT_EQ(sum.status().code(), Code::unsupported);
  EXPECT_NE(sum.status().message().find("HUGEINT"), std::string::npos);
  const NodeId less = *b.binary(Op::less, key, id);
  const auto compare = [&](std::int64_t k, std::uint64_t i) {
    std::vector<Scalar> row;
    for (const Field& field : built_schema) row.push_back(Scalar::null_of(field.type));
    row[5] = Scalar::of(i);
    row[6] = Scalar::of(k);
    return evaluate(*b.graph(), {&less, 1}, row)[0].value.integer != 0;
  };
  EXPECT_TRUE(compare(-1, 0)) << "-1 must not turn into the largest word";
  EXPECT_TRUE(compare(INT64_MAX, UINT64_MAX));
  EXPECT_FALSE(compare(5, 5));
}

TEST(Builder, UnknownColumnsGetTheNearestNames) {
  Builder b(built_schema);
  const std::string text = message(b.column("prize"));
  EXPECT_TRUE(text.starts_with("no column 'prize'; candidates: 'price'")) << text;
}

TEST(Builder, OperationsOnLiteralsAloneAreComputedOnce) {
  Builder b(built_schema);
  const NodeId one = b.literal(Scalar::of(1)), rate = b.literal(Scalar::of(Type::decimal(3, 2), 5));
  const NodeId factor = *b.binary(Op::subtract, one, rate);
  EXPECT_EQ(b.graph()->at(factor).op, Op::parameter);
  EXPECT_EQ(text_of(*b.graph(), factor, built_schema), "0.95");
  EXPECT_EQ(name_of(b.type(factor)), "DECIMAL(13,2)");
  const NodeId day = b.literal(Scalar::of(Type{Kind::date32}, 10561));
  EXPECT_EQ(
      text_of(*b.graph(), *b.binary(Op::subtract, day, b.literal(Scalar::of(90))), built_schema),
      "1998-09-02");
}

// 1 // 0 in a branch that no row takes must not end the query.
TEST(Builder, LiteralsThatFaultFaultWhereTheyAreUsed) {
  Builder b(built_schema);
  const Result<NodeId> quotient =
      b.binary(Op::integer_divide, b.literal(Scalar::of(1)), b.literal(Scalar::of(0)));
  ASSERT_TRUE(quotient.ok());
  EXPECT_EQ(b.graph()->at(*quotient).op, Op::integer_divide);
}

TEST(Builder, CapturedScalarsKeepTheirTypeAndAreNotFolded) {
  Builder b(built_schema);
  const NodeId quantity = *b.column("quantity");
  EXPECT_EQ(name_of(b.type(*b.binary(Op::add, quantity, b.literal(Scalar::of(1))))), "TINYINT");
  EXPECT_EQ(name_of(b.type(*b.binary(Op::add, quantity, b.captured(Scalar::of(1))))), "INTEGER");
  const NodeId one = b.captured(Scalar::of(1));
  EXPECT_EQ(b.graph()->at(*b.binary(Op::add, one, one)).op, Op::add)
      << "a new captured value must not change the kernel";
}

TEST(Builder, AnExplicitCastEndsALiteralsAdaptation) {
  Builder b(built_schema);
  const NodeId one = *b.cast(b.literal(Scalar::of(1)), {Kind::int32});
  EXPECT_EQ(name_of(b.type(*b.binary(Op::add, *b.column("quantity"), one))), "INTEGER");
}

TEST(Builder, FunctionsOfFloat32StayNarrowOnlyWhenAsked) {
  Builder b(built_schema);
  const NodeId price = *b.column("price");
  EXPECT_EQ(name_of(b.type(*b.unary(Op::square_root, price))), "DOUBLE");
  EXPECT_EQ(name_of(b.type(*b.unary_as(Op::square_root, price, {Kind::float32}))), "FLOAT");
}

TEST(Builder, CustomFunctionsCheckAndConvertTheirInputs) {
  Builder b(built_schema);
  auto function = std::make_shared<CustomFunction>();
  function->name = "twice";
  function->parameter_names = {"x"};
  function->parameter_types = {{Kind::float64}};
  function->result_type = {Kind::float64};
  function->body = "return x + x;";
  function->host = [](std::span<const Scalar> inputs) { return Scalar::of(inputs[0].real * 2); };
  EXPECT_EQ(message(b.custom(function, {})), "twice takes 1 inputs, not 0");
  EXPECT_EQ(b.custom(function, {*b.column("name")}).status().context().at(0), "for x of twice");
  const NodeId node = *b.custom(function, {*b.column("quantity")});
  EXPECT_TRUE(b.graph()->at(node).nullable);
  EXPECT_EQ(text_of(*b.graph(), node, built_schema), "twice(CAST(quantity AS DOUBLE))");
}

TEST(CommonType, RefusesWhatDoesNotMeet) {
  EXPECT_EQ(name_of(*common_type({Kind::int8}, {Kind::uint8})), "SMALLINT");
  EXPECT_EQ(name_of(*common_type(Type::decimal(15, 2), Type::decimal(9, 4))), "DECIMAL(17,4)");
  EXPECT_EQ(common_type({Kind::date32}, {Kind::int32}).status().message(),
            "DATE and INTEGER have no common type");
  EXPECT_EQ(common_type({Kind::int64}, {Kind::uint64}).status().code(), Code::unsupported);
}

}  // namespace
}  // namespace penstock
