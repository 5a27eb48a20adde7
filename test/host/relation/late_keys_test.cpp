// Which keys of groups are joined after grouping, and which must not be.
#include "relation/late_keys.hpp"

#include <gtest/gtest.h>

namespace penstock {
namespace {

constexpr std::uint64_t table_rows = 1 << 16, fact_rows = 3 * table_rows;

// Rows that nobody reads: the rule looks at their number.
class Unread final : public TableSource {
 public:
  Unread(Schema schema, std::optional<std::uint64_t> rows, bool is_read_once = false)
      : schema_(std::move(schema)), rows_(rows), is_read_once_(is_read_once) {}
  bool can_be_scanned_again() const override { return !is_read_once_; }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return rows_; }
  std::string describe() const override { return "unread"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "this table is not read");
  }

 private:
  Schema schema_;
  std::optional<std::uint64_t> rows_;
  bool is_read_once_;
};

RelationId take(const Result<RelationId>& relation) {
  EXPECT_TRUE(relation.ok()) << relation.status().text();
  return relation.ok() ? *relation : 0;
}

// SELECT k, name, size, sum(v) FROM facts JOIN table USING (k) GROUP BY 1, 2, 3
// ORDER BY sum DESC LIMIT 10, with what a test changes of it.
struct GroupsOfJoin {
  JoinType join_type = JoinType::inner;
  Type key_type{Kind::int64};
  Type name_type{Kind::string};
  std::optional<std::uint64_t> rows_of_table = table_rows;
  bool is_null_safe = false, groups_by_key = true, has_sets = false, has_order = true,
       computes_late = false, filters_late = false, is_shared = false, reads_facts_once = false;
  std::uint32_t order_column = 3;
  std::uint64_t limit = 10;

  relation::Pruned relations() const {
    RelationGraph graph;
    const RelationId facts = graph.scan(std::make_shared<Unread>(
        Schema{{"f", key_type}, {"v", {Kind::int32}}}, fact_rows, reads_facts_once));
    const RelationId table = graph.scan(std::make_shared<Unread>(
        Schema{{"k", key_type}, {"name", name_type}, {"size", {Kind::int32}}}, rows_of_table));
    const RelationId joined = take(graph.join(facts, table, {join_type, {{0, 0, is_null_safe}}}));
    Builder rows(graph.at(joined).schema);
    RelationAggregate groups;
    groups.keys = {{"k", rows.column(groups_by_key ? 0u : 1u)},
                   {"name", rows.column(3u)},
                   {"size", rows.column(4u)}};
    groups.aggregates = {{Aggregate::sum, rows.column(1u), "sum", nullptr}};
    groups.graph = rows.graph();
    if (has_sets) groups.sets = {{0, 1, 2}, {0}};
    RelationId result = take(graph.aggregate(joined, groups));
    const RelationId grouped = result;
    if (filters_late) {
      Builder filter(graph.at(result).schema);
      const NodeId is_there =
          *filter.unary(Op::not_, *filter.unary(Op::is_null, filter.column(1u)));
      result = take(graph.filter(result, filter.graph(), is_there));
    }
    if (computes_late) {
      Builder values(graph.at(result).schema);
      const NodeId lower = *values.string_function("lower", {values.column(1u)});
      result = take(graph.project(result, values.graph(),
                                  {{"k", values.column(0u)},
                                   {"name", lower},
                                   {"size", values.column(2u)},
                                   {"sum", values.column(3u)}}));
    }
    if (has_order) result = take(graph.sort(result, {{order_column, true}}));
    result = take(graph.limit(result, limit));
    if (is_shared) result = take(graph.append({result, grouped}));
    return take_pruned(graph, result);
  }
  static relation::Pruned take_pruned(const RelationGraph& graph, RelationId result) {
    auto pruned = relation::prune(graph, result);
    EXPECT_TRUE(pruned.ok()) << pruned.status().text();
    return *std::move(pruned);
  }
  // Returns the tree with late keys; "" where there are none.
  std::string late() const {
    const auto found = relation::with_late_keys(relations(), std::make_shared<ExpectedKeys>());
    EXPECT_TRUE(found.ok()) << found.status().text();
    return found.ok() && *found ? describe((*found)->relations, (*found)->result) : "";
  }
};

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    count++;
  return count;
}

TEST(LateKeys, GroupsAreByTheJoinsKeyAloneAndTheirTextsAreJoinedToTheFirst) {
  const std::string text = GroupsOfJoin().late();
  const std::size_t groups = text.find("aggregate"), end = text.find('\n', groups);
  const std::string keys = text.substr(groups, end - groups);
  EXPECT_TRUE(keys.ends_with(": f, sum")) << text;
  EXPECT_LT(text.find("inner on k = k"), text.find("sort")) << text;
  EXPECT_EQ(count_of(text, "semi"), 1) << text;
}
TEST(LateKeys, TheResultHasTheSameColumns) {
  const relation::Pruned before = GroupsOfJoin().relations();
  const auto found = relation::with_late_keys(before, std::make_shared<ExpectedKeys>());
  ASSERT_TRUE(found.ok() && *found);
  const Schema &old = before.relations.at(before.result).schema,
               &now = (*found)->relations.at((*found)->result).schema;
  ASSERT_EQ(old.size(), now.size());
  for (std::size_t i = 0; i < old.size(); i++) {
    EXPECT_EQ(old[i].name, now[i].name);
    EXPECT_TRUE(old[i].type == now[i].type) << old[i].name;
    EXPECT_EQ(old[i].nullable, now[i].nullable) << old[i].name;
  }
}
TEST(LateKeys, APlanPrefersThemAndHasTheOtherStepsToo) {
  const relation::Pruned relations = GroupsOfJoin().relations();
  Plan plan;
  const auto step = lower(relations.relations, relations.result, plan);
  ASSERT_TRUE(step.ok()) << step.status().text();
  const Plan without = plan.without_preferences();
  EXPECT_EQ(plan.step(*step).kind, StepKind::map);
  EXPECT_EQ(without.step(*step).kind, StepKind::limit);
  EXPECT_EQ(without.size(), plan.size());
  EXPECT_FALSE(plan.with_repeats_found().has_value());
}
TEST(LateKeys, TheyAreNotAppliedTwice) {
  const auto expected = std::make_shared<ExpectedKeys>();
  const auto once = relation::with_late_keys(GroupsOfJoin().relations(), expected);
  ASSERT_TRUE(once.ok() && *once);
  const auto twice = relation::with_late_keys(**once, expected);
  EXPECT_TRUE(twice.ok() && !*twice);
}

TEST(LateKeys, AKeyThatIsNotGroupedByDecidesAboutNothing) {
  EXPECT_EQ((GroupsOfJoin{.groups_by_key = false}).late(), "");
}
TEST(LateKeys, RowsWithoutAPartnerHaveNoTextsToJoin) {
  EXPECT_EQ((GroupsOfJoin{.join_type = JoinType::left}).late(), "");
}
TEST(LateKeys, NullsThatAreEqualAreNotLookedUp) {
  EXPECT_EQ((GroupsOfJoin{.is_null_safe = true}).late(), "");
}
TEST(LateKeys, ZerosOfTwoSignsAreOneKeyOfTwoGroups) {
  EXPECT_EQ((GroupsOfJoin{.key_type = {Kind::float64}}).late(), "");
}
TEST(LateKeys, KeysThatAreTextsWouldBeNumberedThemselves) {
  EXPECT_EQ((GroupsOfJoin{.key_type = {Kind::string}}).late(), "");
}
TEST(LateKeys, NumbersAloneAreGroupedSoonerThanTheyAreJoined) {
  EXPECT_EQ((GroupsOfJoin{.name_type = {Kind::int32}}).late(), "");
}
TEST(LateKeys, SetsOfKeysLackSomeOfThem) { EXPECT_EQ((GroupsOfJoin{.has_sets = true}).late(), ""); }
TEST(LateKeys, AnOrderByALateColumnNeedsIt) {
  EXPECT_EQ((GroupsOfJoin{.order_column = 1}).late(), "");
}
TEST(LateKeys, AConditionOnALateColumnNeedsIt) {
  EXPECT_EQ((GroupsOfJoin{.filters_late = true}).late(), "");
}
TEST(LateKeys, AFunctionOfALateColumnNeedsIt) {
  EXPECT_EQ((GroupsOfJoin{.computes_late = true}).late(), "");
}
TEST(LateKeys, WithoutAnOrderTheFirstGroupsAreThoseOfAllKeys) {
  EXPECT_EQ((GroupsOfJoin{.has_order = false}).late(), "");
}
TEST(LateKeys, ManyFirstGroupsReadManyTexts) {
  EXPECT_NE((GroupsOfJoin{.limit = 10'000}).late(), "");
  EXPECT_EQ((GroupsOfJoin{.limit = 10'001}).late(), "");
}
TEST(LateKeys, GroupsWithAnotherReaderAreComputedWhole) {
  EXPECT_EQ((GroupsOfJoin{.is_shared = true}).late(), "");
}
TEST(LateKeys, ASmallTableIsNotReadAgain) {
  EXPECT_EQ((GroupsOfJoin{.rows_of_table = table_rows - 1}).late(), "");
}
TEST(LateKeys, ATableAsLargeAsTheRowsIsNotReadAgain) {
  EXPECT_EQ((GroupsOfJoin{.rows_of_table = fact_rows}).late(), "");
}
TEST(LateKeys, ATableOfUnknownSizeIsNotReadAgain) {
  EXPECT_EQ((GroupsOfJoin{.rows_of_table = std::nullopt}).late(), "");
}

TEST(LateKeys, RowsThatAreReadOnceCannotBeReadAnewWhereAKeyRepeats) {
  EXPECT_EQ((GroupsOfJoin{.reads_facts_once = true}).late(), "");
}

}  // namespace
}  // namespace penstock
