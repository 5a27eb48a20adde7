// Plans in Substrait that no producer made: bytes that end early or are changed, parts that are
// missing, numbers of nothing, depth without end.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sql/fixture.hpp"
#include "sql/recorded_plans.hpp"
#include "sql/substrait/plan_bytes.hpp"

namespace penstock::sql_test {
namespace {

using nlohmann::json;

std::string outcome(const std::string& plan_text) {
  Plan plan;
  const auto step = bind_plan(
      plan_text, plan, [](const TableReference& table) -> Result<std::shared_ptr<TableSource>> {
        if (table.text() != "t") return std::shared_ptr<TableSource>();
        return std::shared_ptr<TableSource>(std::make_shared<NoRows>(every_type()));
      });
  return step.ok() ? "accepted" : step.status().text();
}
std::string outcome_of(const json& relation, const json& functions = json::array()) {
  json extensions = json::array();
  for (std::size_t i = 0; i < functions.size(); i++)
    extensions.push_back({{"extensionFunction", {{"functionAnchor", i}, {"name", functions[i]}}}});
  return outcome(json{{"extensions", extensions},
                      {"relations", {{{"root", {{"input", relation}, {"names", json::array()}}}}}}}
                     .dump());
}

json one_value() {
  const json type = {{"i64", json::object()}};
  const json row = {{"fields", {{{"literal", {{"i64", "7"}}}}}}};
  return {{"read",
           {{"baseSchema", {{"names", {"a"}}, {"struct", {{"types", {type}}}}}},
            {"virtualTable", {{"expressions", {row}}}}}}};
}
json field(std::int64_t number) {
  return {{"selection", {{"directReference", {{"structField", {{"field", number}}}}}}}};
}
json call_of(int function, const json& inputs) {
  json arguments = json::array();
  for (const json& input : inputs) arguments.push_back({{"value", input}});
  return {{"scalarFunction", {{"functionReference", function}, {"arguments", arguments}}}};
}
json projection_of(const json& expression) {
  return {{"project", {{"input", one_value()}, {"expressions", {expression}}}}};
}

TEST(HostileSubstrait, APlanOfValuesIsAccepted) {
  EXPECT_EQ(outcome_of(one_value()), "accepted");
  EXPECT_EQ(outcome_of(projection_of(field(0))), "accepted");
}
TEST(HostileSubstrait, StatementsAreNoPlans) {
  for (const char* const statement :
       {"SELECT 1", "\n\tSELECT 1", "\x12", "\x12\x05SELECT", "\x1a\x03 SELECT", "* FROM t", "2"})
    EXPECT_FALSE(is_plan_text(statement)) << statement;
  EXPECT_TRUE(is_plan_text(std::string("\x12\x00\x1a\x00", 4)));
}
TEST(HostileSubstrait, OneErrorNamesEveryPartThatIsNotSupported) {
  const json left = {{"hashJoin", json::object()}},
             right = projection_of(call_of(0, json::array({field(0)})));
  const std::string text = outcome_of(
      {{"join", {{"left", right}, {"right", left}, {"type", "JOIN_TYPE_INNER"}}}}, {"levenshtein"});
  EXPECT_NE(text.find("the function levenshtein of Substrait's plan is not supported"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("the relation hash join of Substrait's plan is not supported"),
            std::string::npos)
      << text;
}
TEST(HostileSubstrait, ARelationWithoutItsInputIsRefused) {
  for (const char* const kind :
       {"filter", "project", "join", "cross", "aggregate", "sort", "fetch", "set"})
    EXPECT_EQ(outcome_of({{kind, json::object()}}),
              "invalid: the plan lacks an input of a relation")
        << kind;
}
TEST(HostileSubstrait, NumbersOfNothingAreRefused) {
  const std::int64_t numbers[] = {1, -1, std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max()};
  for (const std::int64_t number : numbers) {
    EXPECT_NE(outcome_of(projection_of(field(number))), "accepted") << number;
    json emitting = projection_of(field(0));
    emitting["project"]["common"]["emit"]["outputMapping"] = {number == 1 ? 2 : number};
    EXPECT_NE(outcome_of(emitting), "accepted") << number;
    EXPECT_NE(outcome_of({{"reference", {{"subtreeOrdinal", number}}}}), "accepted") << number;
    EXPECT_NE(outcome_of({{"aggregate",
                           {{"input", one_value()},
                            {"groupingExpressions", {field(0)}},
                            {"groupings", {{{"expressionReferences", {number}}}}}}}}),
              "accepted")
        << number;
  }
}
TEST(HostileSubstrait, ARelationThatRefersToItselfIsRefused) {
  const json itself = {{"rel", {{"reference", {{"subtreeOrdinal", 0}}}}}};
  const json root = {{"root", {{"input", {{"reference", {{"subtreeOrdinal", 0}}}}}}}};
  EXPECT_EQ(outcome(json{{"relations", {itself, root}}}.dump()),
            "capacity: the plan nests deeper than 1000 relations");
}
TEST(HostileSubstrait, FunctionsWithoutTheirInputsAreRefused) {
  for (const char* const name : {"add", "negate", "divide", "not", "and", "is_null", "like",
                                 "concat", "between", "coalesce", "substring", "date_part"})
    EXPECT_NE(outcome_of(projection_of(call_of(0, json::array())), {name}), "accepted") << name;
  EXPECT_NE(outcome_of(projection_of(call_of(5, json::array({field(0)})))), "accepted");
}
TEST(HostileSubstrait, TablesThatAreNotThereAreRefused) {
  EXPECT_EQ(outcome_of({{"read", {{"namedTable", {{"names", {"missing"}}}}}}}),
            "invalid: there is no table missing");
}

// A field of a message, with the bytes of the message inside.
std::string nested_bytes(const std::string& inside, int number) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  for (std::size_t size = inside.size();; size >>= 7) {
    bytes += static_cast<char>((size & 0x7F) | (size >= 0x80 ? 0x80 : 0));
    if (size < 0x80) break;
  }
  return bytes + inside;
}
// A plan of relations, each the input of the next.
std::string nested_filters(int count) {
  std::string relation;
  for (int i = 0; i < count; i++) relation = nested_bytes(nested_bytes(relation, 2), 2);
  return nested_bytes(nested_bytes(nested_bytes(relation, 1), 2), 3);
}

TEST(HostileSubstrait, RelationsThatNestWithoutEndAreRefused) {
  EXPECT_EQ(outcome(nested_filters(1200)), "capacity: the plan nests deeper than 1000 relations");
  EXPECT_EQ(outcome(nested_filters(20'000)), "capacity: the plan nests too deep");
}
TEST(HostileSubstrait, ExpressionsThatNestWithoutEndAreRefused) {
  std::string text, tail;
  for (int i = 0; i < 5000; i++) {
    text += R"({"cast":{"type":{"i64":{}},"input":)";
    tail += "}}";
  }
  const std::string plan = R"({"relations":[{"root":{"input":{"project":{"input":)" +
                           one_value().dump() + R"(,"expressions":[)" + text + field(0).dump() +
                           tail + "]}}}}]}";
  EXPECT_NE(outcome(plan).find("nest"), std::string::npos);
}

template <class Change> void for_plans(std::size_t stride, Change change) {
  for (const char* const suite : {"tpch", "tpcds", "clickbench"}) {
    const json recorded = recorded_plans(suite, "substrait");
    const TableOpener open = schema_opener(suite);
    for (const json& each : recorded["plans"])
      change(bytes_of_plan(each), open, stride * (std::string(suite) == "tpcds" ? 20 : 1));
  }
}

TEST(HostileSubstrait, APlanThatEndsEarlyIsNoCrash) {
  for_plans(97, [](const std::string& bytes, const TableOpener& open, std::size_t stride) {
    for (std::size_t size = 0; size < bytes.size(); size += stride) {
      const std::string part = bytes.substr(0, size);
      Plan plan;
      const bool is_bound = bind_plan(part, plan, open).ok();
      EXPECT_TRUE(!is_bound || is_plan_text(part)) << size;  // it ends between two fields
    }
  });
}
// Any outcome will do that is no crash.
TEST(HostileSubstrait, AChangedByteOfAPlanIsNoCrash) {
  for_plans(211, [](const std::string& bytes, const TableOpener& open, std::size_t stride) {
    std::string changed = bytes;
    for (std::size_t at = 0; at < bytes.size(); at += stride)
      for (const int mask : {0x01, 0x80, 0xFF, 0x08}) {
        changed[at] = static_cast<char>(changed[at] ^ mask);
        Plan plan;
        static_cast<void>(bind_plan(changed, plan, open));
        changed[at] = bytes[at];
      }
  });
}

void visit_parts(json& node, const std::function<void(json&)>& visit) {
  visit(node);
  if (node.is_structured())
    for (json& child : node) visit_parts(child, visit);
}

// A field that is left out, or is something else, reaches the reader.
TEST(HostileSubstrait, AChangedPartOfAPlanIsNoCrash) {
  const json others[] = {nullptr,       -1, json(std::uint64_t{1} << 63), 3, "", "x", json::array(),
                         json::object()};
  for_plans(211, [&](const std::string& bytes, const TableOpener& open, std::size_t stride) {
    auto decoded = sql::decode_plan(bytes);
    ASSERT_TRUE(decoded.ok());
    std::size_t count = 0;
    visit_parts((*decoded)["relations"], [&](json& part) {
      if (count++ % stride != 0) return;
      const json before = part;
      part = others[count / stride % std::size(others)];
      Plan plan;
      static_cast<void>(bind_plan(decoded->dump(), plan, open));
      part = before;
    });
  });
}

}  // namespace
}  // namespace penstock::sql_test
