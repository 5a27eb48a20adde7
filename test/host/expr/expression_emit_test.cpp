#include "expr/emit.hpp"

#include <gtest/gtest.h>

namespace penstock {
namespace {

const Schema emitted_schema{{"a", {Kind::int32}, false},
                            {"b", {Kind::int32}, true},
                            {"f", {Kind::float32}, false},
                            {"s", {Kind::string}, false}};

EmissionNames names_of(const Schema& fields) {
  EmissionNames names;
  names.value = [](std::uint32_t c) { return "c" + std::to_string(c); };
  names.valid = [&fields](std::uint32_t c) {
    return fields[c].nullable ? "c" + std::to_string(c) + "_valid" : "";
  };
  names.parameter = [](std::uint32_t p) { return "p" + std::to_string(p); };
  names.parameter_valid = [](std::uint32_t) { return ""; };
  return names;
}

Result<Emission> emit_one(const Builder& b, NodeId root) {
  return emit(*b.graph(), {&root, 1}, names_of(emitted_schema));
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    found++;
  return found;
}

TEST(Emission, NothingIsTrackedThatCannotHappen) {
  Builder b(emitted_schema);
  const Result<Emission> emission =
      emit_one(b, *b.binary(Op::multiply, b.column(2), b.captured(Scalar::of(2.0f))));
  ASSERT_TRUE(emission.ok());
  EXPECT_EQ(emission->statements, "  const f32 v0 = c2 * p0;\n");
  EXPECT_EQ(emission->roots[0].valid, "1u");
  EXPECT_EQ(emission->roots[0].fault, "0u");
}

TEST(Emission, SharedExpressionsArePrintedOnce) {
  Builder b(emitted_schema);
  const NodeId sum = *b.binary(Op::add, b.column(0), b.column(1));
  const Result<Emission> emission = emit_one(b, *b.binary(Op::multiply, sum, sum));
  EXPECT_EQ(count(emission->statements, "= add_i32("), 1u) << emission->statements;
}

TEST(Emission, EqualExpressionsOfDifferentGraphsAreEqualTexts) {
  Builder first(emitted_schema), second(emitted_schema);
  for (int i = 0; i < 5; i++) (void)second.column(static_cast<std::uint32_t>(i % 4));  // other ids
  (void)*second.binary(Op::subtract, second.column(0), second.column(1));
  const auto build = [](Builder& b) {
    return *b.unary(Op::negate, *b.binary(Op::add, b.column(0), b.column(1)));
  };
  EXPECT_EQ(emit_one(first, build(first))->statements, emit_one(second, build(second))->statements);
}

TEST(Emission, FaultNumbersNameTheirNodeAndCode) {
  Builder b(emitted_schema);
  const NodeId quotient = *b.binary(Op::integer_divide, b.column(0), b.column(1));
  const Result<Emission> emission = emit_one(b, quotient);
  ASSERT_EQ(emission->faults, (std::vector<NodeId>{quotient, quotient}));
  EXPECT_EQ(emission->fault_codes, (std::vector<Code>{Code::invalid, Code::overflow}));
}

TEST(Emission, NoTraceOfGuardedCustomCallsForNullInputs) {
  Builder b(emitted_schema);
  auto function = std::make_shared<CustomFunction>();
  function->name = "inverse";
  function->parameter_names = {"x"};
  function->parameter_types = {{Kind::int32}};
  function->result_type = {Kind::int32};
  function->body = "return 100 / x;";
  const Result<Emission> emission = emit_one(b, *b.custom(function, {b.column(1)}));
  EXPECT_EQ(emission->functions, "FUNCTION i32 custom_0_inverse(i32 x)\n{\n  return 100 / x;\n}\n");
  EXPECT_NE(emission->statements.find("(c1_valid) != 0u ? custom_0_inverse(c1)"), std::string::npos)
      << emission->statements;
}

TEST(Emission, Float64IsFoundWhereverItHides) {
  Builder b(emitted_schema);
  const auto needs = [&](const Result<NodeId>& node) { return needs_f64(*b.graph(), {&*node, 1}); };
  EXPECT_TRUE(needs(b.binary(Op::divide, b.column(0), b.column(1)))) << "integers divide as DOUBLE";
  EXPECT_TRUE(needs(b.cast(b.column(2), Type::decimal(9, 2)))) << "FLOAT is scaled in f64";
  EXPECT_FALSE(needs(b.binary(Op::divide, b.column(2), b.column(2))));
  EXPECT_FALSE(needs(b.unary_as(Op::square_root, b.column(2), {Kind::float32})));
}

TEST(Emission, StringsAreComparedByCodeAndNothingElse) {
  Builder b(emitted_schema);
  const NodeId wanted = b.literal(Scalar::of(std::string("x")));
  const Result<Emission> equal = emit_one(b, *b.binary(Op::equal, b.column(3), wanted));
  EXPECT_EQ(equal->statements, "  const u32 v0 = (u32)(c3 == p0);\n");
  const NodeId order = b.graph()->add({Op::less, {Kind::boolean}, false, 0, {b.column(3), wanted}});
  EXPECT_EQ(emit_one(b, order).status().message(), "strings can be compared with = and <> only");
}

}  // namespace
}  // namespace penstock
