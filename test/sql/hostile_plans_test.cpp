// Plans that no DuckDB made: parts that are missing, numbers of nothing, depth without end.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sql/fixture.hpp"
#include "sql/recorded_plans.hpp"

namespace penstock::sql_test {
namespace {

using nlohmann::json;

std::string refusal(const std::string& plan_text) {
  Plan plan;
  const auto step = bind_plan(
      plan_text, plan, [](const TableReference& table) -> Result<std::shared_ptr<TableSource>> {
        if (table.text() != "t") return std::shared_ptr<TableSource>();
        return std::shared_ptr<TableSource>(std::make_shared<NoRows>(every_type()));
      });
  return step.ok() ? "accepted" : step.status().text();
}
json one_row() { return {{"type", "LOGICAL_DUMMY_SCAN"}}; }
json above(const std::string& type, json input) { return {{"type", type}, {"children", {input}}}; }
json projection(json input, const json& expression) {
  json plan = above("LOGICAL_PROJECTION", std::move(input));
  plan["expressions"] = json::array({expression});
  return plan;
}
json column(std::int64_t index) {
  return {{"expression_class", "BOUND_REF"}, {"type", "BOUND_REF"}, {"index", index}};
}

TEST(HostilePlans, ATextThatIsNoPlanSaysSo) {
  EXPECT_EQ(refusal("{\"plans\": ["), "invalid: the plan is not JSON");
  EXPECT_EQ(refusal("{}"), "invalid: the text is not a plan of DuckDB's json_serialize_plan()");
  EXPECT_EQ(refusal(R"({"error": true, "error_message": "no such table"})"),
            "invalid: DuckDB: no such table");
  EXPECT_EQ(refusal(json{{"plans", {one_row(), one_row()}}}.dump()),
            "unsupported: several statements in one plan are not supported");
}
TEST(HostilePlans, ATextIsAPlanByItsFirstCharacter) {
  EXPECT_TRUE(is_plan_text(" \n{\"plans\": []}"));
  EXPECT_FALSE(is_plan_text("SELECT '{'"));
  EXPECT_FALSE(is_plan_text(""));
}
TEST(HostilePlans, OneErrorNamesEveryOperatorThatIsNotSupported) {
  const std::string text =
      refusal(above("LOGICAL_PIVOT", above("LOGICAL_POSITIONAL_JOIN", one_row())).dump());
  EXPECT_NE(text.find("the operator pivot of DuckDB's plan is not supported"), std::string::npos)
      << text;
  EXPECT_NE(text.find("the operator positional join"), std::string::npos) << text;
}
TEST(HostilePlans, AnOperatorWithoutItsInputIsRefused) {
  for (const char* const type :
       {"FILTER", "PROJECTION", "AGGREGATE_AND_GROUP_BY", "COMPARISON_JOIN", "CROSS_PRODUCT",
        "DELIM_JOIN", "ORDER_BY", "TOP_N", "LIMIT", "DISTINCT", "WINDOW", "UNION", "INTERSECT",
        "SAMPLE", "MATERIALIZED_CTE"}) {
    const json plan = {{"type", std::string("LOGICAL_") + type}};
    EXPECT_EQ(refusal(plan.dump()), "invalid: the plan lacks an input of an operator") << type;
  }
}
TEST(HostilePlans, ReferencesToNothingAreRefused) {
  EXPECT_NE(refusal(json{{"type", "LOGICAL_DELIM_GET"}}.dump()), "accepted");
  EXPECT_NE(refusal(json{{"type", "LOGICAL_CTE_REF"}, {"cte_index", 7}}.dump()), "accepted");
  for (const std::int64_t index : {std::int64_t{0}, std::int64_t{5}, std::int64_t{-1},
                                   std::numeric_limits<std::int64_t>::min()})
    EXPECT_NE(refusal(projection(one_row(), column(index)).dump()), "accepted") << index;
}
TEST(HostilePlans, TablesThatAreNotThereAreRefused) {
  const json scan = {
      {"type", "LOGICAL_GET"}, {"name", "seq_scan"}, {"function_data", {{"table", "missing"}}}};
  EXPECT_EQ(refusal(scan.dump()), "invalid: there is no table missing");
  const json planned = {{"tables", {"missing"}}, {"plan", one_row()}};
  EXPECT_EQ(refusal(planned.dump()), "invalid: there is no table missing");
}
// A text of `count` times the head, a core, and as many ends.
std::string nested(const std::string& head, const std::string& core, const std::string& end,
                   int count) {
  std::string text, tail;
  for (int i = 0; i < count; i++) {
    text += head;
    tail += end;
  }
  return text + core + tail;
}
std::string nested_operators(int count) {
  return nested(R"({"type": "LOGICAL_DISTINCT", "children": [)", one_row().dump(), "]}", count);
}
std::string nested_expressions(int count) {
  const std::string expression =
      nested(R"({"expression_class": "BOUND_OPERATOR", "type": "OPERATOR_NOT", "children": [)",
             column(0).dump(), "]}", count);
  return R"({"type": "LOGICAL_PROJECTION", "children": [{"type": "LOGICAL_DUMMY_SCAN"}],)"
         R"( "expressions": [)" +
         expression + "]}";
}

TEST(HostilePlans, OperatorsThatNestWithoutEndAreRefused) {
  EXPECT_EQ(refusal(nested_operators(2000)), "capacity: the plan nests deeper than 1000 operators");
}
TEST(HostilePlans, ExpressionsThatNestWithoutEndAreRefused) {
  EXPECT_NE(refusal(nested_expressions(2000)).find("nests too deep"), std::string::npos);
}

// The tests that are left out end the process, until the reader counts the inputs of operations
// and the depth of casts over stand-ins.
TEST(HostilePlans, CastsThatNestWithoutEndAreRefused) {
  const std::string cast = nested(
      R"({"expression_class": "BOUND_CAST", "type": "OPERATOR_CAST", "return_type": {"id": "INTEGER"}, "child": )",
      column(0).dump(), "}", 200'000);
  EXPECT_NE(
      refusal(R"({"type": "LOGICAL_PROJECTION", "children": [{"type": "LOGICAL_DUMMY_SCAN"}],)"
              R"( "expressions": [)" +
              cast + "]}"),
      "accepted");
}
TEST(HostilePlans, OperationsWithoutTheirInputsAreRefused) {
  const json one = {{"expression_class", "BOUND_CONSTANT"},
                    {"value", {{"type", {{"id", "INTEGER"}}}, {"is_null", false}, {"value", 1}}}};
  for (const char* const type :
       {"COMPARE_EQUAL", "COMPARE_DISTINCT_FROM", "COMPARE_IN", "COMPARE_NOT_IN", "COMPARE_BETWEEN",
        "CONJUNCTION_AND", "OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_CAST"}) {
    json expression = {{"expression_class", "BOUND_OPERATOR"},
                       {"type", type},
                       {"return_type", {{"id", "INTEGER"}}}};
    EXPECT_NE(refusal(projection(one_row(), expression).dump()), "accepted") << type;
    if (std::string(type).starts_with("COMPARE_")) {
      expression["children"] = json::array({one});
      EXPECT_NE(refusal(projection(one_row(), expression).dump()), "accepted") << type;
    }
  }
  for (const char* const name : {"+", "-", "*", "/", "//", "%", "**", "&", "<<", "~", "||"}) {
    const json expression = {
        {"expression_class", "BOUND_FUNCTION"}, {"type", "BOUND_FUNCTION"}, {"name", name}};
    EXPECT_NE(refusal(projection(one_row(), expression).dump()), "accepted") << name;
  }
}

// Visits every value of a plan that is no list or object, in a fixed order.
void visit_leaves(json& node, const std::function<void(json&)>& visit) {
  if (!node.is_structured()) return visit(node);
  for (json& child : node) visit_leaves(child, visit);
}
void visit_lists(json& node, const std::function<void(json&)>& visit) {
  if (!node.is_structured()) return;
  visit(node);
  for (json& child : node) visit_lists(child, visit);
}

// Binds plans with one part changed each, of every `stride` parts. Any outcome will do that is no
// crash.
void bind_changed(const json& planned, const TableOpener& open, std::size_t stride) {
  const json others[] = {nullptr, -1, json(std::uint64_t{1} << 63), 3, "", "x", json::array()};
  std::size_t count = 0;
  json changed = planned;
  const auto bind = [&] {
    Plan plan;
    static_cast<void>(bind_plan(changed.dump(), plan, open));
  };
  const auto with_others = [&](json& part) {
    if (count++ % stride != 0) return;
    const json before = part;
    part = others[count / stride % std::size(others)];
    bind();
    part = before;
  };
  visit_leaves(changed["plan"], with_others);
  visit_lists(changed["plan"], [&](json& list) {
    if (count++ % stride != 0 || list.empty()) return;
    const json before = list;
    if (list.is_array())
      list.erase(list.size() - 1);
    else
      list.erase(list.begin());
    bind();
    list = before;
  });
}

TEST(HostilePlans, AChangedPartOfARecordedPlanIsNoCrash) {
  constexpr std::size_t stride = 211;
  for (const char* const suite : {"tpch", "tpcds", "clickbench"})
    for (const char* const dialect : {"1.5", "2.0"}) {
      const json recorded = recorded_plans(suite, dialect);
      const TableOpener open = schema_opener(suite);
      for (const json& each : recorded["plans"])
        bind_changed({{"names", each["names"]},
                      {"tables", recorded["tables"]},
                      {"plan", each["plan"]["plans"][0]}},
                     open, stride * (std::string(suite) == "tpcds" ? 10 : 1));
    }
}

}  // namespace
}  // namespace penstock::sql_test
