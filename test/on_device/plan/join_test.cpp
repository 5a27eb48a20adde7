// Joins against a loop over all pairs of rows; the interpreter compares their keys.
#include <random>

#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

using Kinds = std::vector<JoinKind>;
const Kinds all_kinds = {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti,
                         JoinKind::not_in};

struct SideOptions {
  std::uint64_t rows = 0;
  std::vector<Type> keys;
  std::uint64_t distinct = 10;  // values of a key, about
  bool nulls = false, unique = false;
  std::uint64_t seed = 1;
};

Scalar key_value(Type type, std::uint64_t number) {
  const auto value = static_cast<std::int64_t>(number) - 3;
  if (type.kind == Kind::string) return Scalar::of("text " + std::to_string(value));
  if (is_float(type))
    return Scalar::of(type, value == -3   ? std::nan("")
                            : value == -2 ? -0.0
                                          : static_cast<double>(value + 1));
  if (type.kind == Kind::boolean) return Scalar::of(value % 2 != 0);
  if (type.kind == Kind::decimal) {
    Int128 scaled = value;
    for (int i = 0; i < type.scale; i++) scaled *= 10;
    return Scalar::of(type, scaled);
  }
  return Scalar::of(
      type, is_signed(type) || type.kind == Kind::date32 ? Int128{value} : Int128{value + 3});
}

// Keys k0, k1..., then a number, a text, a truth and a float, the last three with NULLs.
Table side(const SideOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<std::vector<Scalar>> keys(options.keys.size());
  std::vector<Scalar> numbers, texts, truths, reals;
  for (std::uint64_t row = 0; row < options.rows; row++) {
    for (std::size_t k = 0; k < keys.size(); k++) {
      const std::uint64_t number = options.unique && k == 0 ? row : random() % options.distinct;
      keys[k].push_back(options.nulls && random() % 6 == 0 ? Scalar::null_of(options.keys[k])
                                                           : key_value(options.keys[k], number));
    }
    numbers.push_back(Scalar::of(static_cast<std::int32_t>(row + options.seed * 1000)));
    texts.push_back(row % 5 == 2 ? Scalar::null_of({Kind::string})
                                 : Scalar::of("t" + std::to_string(random() % 9)));
    truths.push_back(row % 7 == 3 ? Scalar::null_of({Kind::boolean})
                                  : Scalar::of(random() % 2 == 0));
    reals.push_back(row % 4 == 1 ? Scalar::null_of({Kind::float32})
                                 : Scalar::of(static_cast<float>(random() % 100)));
  }
  std::vector<std::pair<std::string, Column>> columns;
  for (std::size_t k = 0; k < keys.size(); k++)
    columns.emplace_back("k" + std::to_string(k), column_of(options.keys[k], keys[k]));
  columns.emplace_back("number", column_of({Kind::int32}, numbers));
  columns.emplace_back("text", column_of({Kind::string}, texts));
  columns.emplace_back("truth", column_of({Kind::boolean}, truths));
  columns.emplace_back("real", column_of({Kind::float32}, reals));
  return Table::of(std::move(columns));
}

// For each left row the right rows of equal keys, and whether a NULL left it open if there are
// more.
struct Matches {
  std::vector<std::vector<std::uint64_t>> rows;
  std::vector<bool> unknown;
};

Matches all_matches(const Table& left, const Table& right, std::size_t key_count) {
  Schema both = left.schema();
  for (const Field& field : right.schema()) both.push_back(field);
  Builder b(both);
  NodeId equal = b.literal(Scalar::of(true));
  for (std::uint32_t k = 0; k < key_count; k++) {
    const NodeId pair = *b.binary(Op::equal, b.column(k),
                                  b.column(static_cast<std::uint32_t>(left.columns.size()) + k));
    equal = *b.binary(Op::and_, equal, pair);
  }
  Matches matches;
  for (std::uint64_t l = 0; l < left.row_count; l++) {
    matches.rows.emplace_back();
    matches.unknown.push_back(false);
    for (std::uint64_t r = 0; r < right.row_count; r++) {
      std::vector<Scalar> row = row_of(left, l);
      for (Scalar& value : row_of(right, r)) row.push_back(std::move(value));
      const Scalar value = evaluate(*b.graph(), std::span(&equal, 1), row)[0].value;
      if (value.is_null)
        matches.unknown[l] = true;
      else if (value.integer != 0)
        matches.rows[l].push_back(r);
    }
  }
  return matches;
}

std::vector<std::string> expected_rows(const Table& left, const Table& right,
                                       const Matches& matches, JoinKind kind) {
  std::vector<std::string> rows;
  std::string nulls;
  for (std::size_t i = 0; i < right.columns.size(); i++) nulls += "NULL|";
  for (std::uint64_t l = 0; l < left.row_count; l++) {
    const bool found = !matches.rows[l].empty();
    const std::string text = text_of_row(left, l);
    if (kind == JoinKind::semi && found) rows.push_back(text);
    if (kind == JoinKind::anti && !found) rows.push_back(text);
    if (kind == JoinKind::not_in && !found && !matches.unknown[l]) rows.push_back(text);
    if (!yields_right_columns(kind)) continue;
    for (const std::uint64_t r : matches.rows[l]) rows.push_back(text + text_of_row(right, r));
    if (kind == JoinKind::left && !found) rows.push_back(text + nulls);
  }
  return rows;
}

struct Joined {
  Plan plan;
  StepId left = 0, right = 0;
};
Joined sources(const Table& left, const Table& right) {
  Joined joined;
  joined.left = joined.plan.source(table_source(left, "left"));
  joined.right = joined.plan.source(table_source(right, "right"));
  return joined;
}

std::vector<JoinKey> first_keys(std::size_t count) {
  std::vector<JoinKey> keys;
  for (std::uint32_t k = 0; k < count; k++) keys.push_back({k, k});
  return keys;
}

void expect_equal(const Table& got, const std::vector<std::string>& wanted) {
  ASSERT_EQ(got.row_count, wanted.size());
  for (std::uint64_t row = 0; row < got.row_count; row++)
    ASSERT_EQ(text_of_row(got, row), wanted[row]) << "row " << row;
}

void expect_every_kind(const SideOptions& left_options, const SideOptions& right_options,
                       std::uint64_t batch_rows = 0, const Kinds& kinds = all_kinds) {
  const Table left = side(left_options), right = side(right_options);
  const std::size_t key_count = left_options.keys.size();
  const Matches matches = all_matches(left, right, key_count);
  for (const JoinKind kind : kinds) {
    if (kind == JoinKind::not_in && key_count > 1) continue;  // SQL's NOT IN has one
    SCOPED_TRACE(std::string(name_of(kind)));
    Joined joined = sources(left, right);
    TAKE(const StepId step,
         joined.plan.join(joined.left, joined.right, kind, first_keys(key_count)));
    on_each_device([&](Device& device) {
      RunOptions options;
      options.device = device.traits().id;
      options.batch_rows = batch_rows;
      TAKE(const QueryResult outcome, run(joined.plan, step, options));
      expect_equal(outcome.table, expected_rows(left, right, matches, kind));
    });
  }
}

const Type int32{Kind::int32}, int64{Kind::int64}, text{Kind::string};

TEST(Join, KeysOfEveryTypeFindTheirRows) {
  for (const Kind kind : {Kind::int32, Kind::int64, Kind::string, Kind::int8, Kind::uint16,
                          Kind::uint64, Kind::float32, Kind::float64, Kind::boolean, Kind::date32,
                          Kind::timestamp, Kind::decimal}) {
    const Type type = kind == Kind::decimal ? Type::decimal(9, 2) : Type{kind};
    SCOPED_TRACE(name_of(type));
    expect_every_kind({70, {type}, 20, true, false, 1}, {40, {type}, 20, true, false, 2}, 0,
                      {JoinKind::left, JoinKind::semi});
  }
}

TEST(Join, UniqueKeysAreLookedUpInTheKernel) {
  for (const Type type : {int32, text, Type{Kind::float64}}) {
    SCOPED_TRACE(name_of(type));
    expect_every_kind({300, {type}, 60, true, false, 3}, {50, {type}, 0, true, true, 4}, 64);
  }
}

TEST(Join, SeveralKeysOfMixedTypesMatchTogether) {
  expect_every_kind({120, {int32, text, Type::decimal(9, 2)}, 4, true, false, 5},
                    {60, {int64, text, Type::decimal(12, 4)}, 4, true, false, 6});
  expect_every_kind({120, {int32, Type{Kind::uint8}}, 12, false, false, 7},
                    {12, {Type{Kind::float64}, int32}, 12, false, true, 8});
}

TEST(Join, ASideWithoutRowsAndWithOne) {
  for (const std::uint64_t left : {0u, 1u, 65u})
    for (const std::uint64_t right : {0u, 1u}) {
      SCOPED_TRACE(std::to_string(left) + " and " + std::to_string(right));
      expect_every_kind({left, {int32}, 3, true, false, left + 1},
                        {right, {int32}, 1, false, false, 9});
      const Kinds kinds = {JoinKind::left, JoinKind::anti};
      expect_every_kind({left, {text, int32}, 2, true, false, left + 1},
                        {right, {text, int32}, 1, false, false, 9}, 0, kinds);
    }
}

// Keys without a gap fill every place of an exact table, and a power of two of them half of a
// hashed one.
TEST(Join, FullTablesEndTheSearchForAKeyThatIsNotThere) {
  for (const std::uint64_t rows : {16u, 63u, 64u, 65u}) {
    SCOPED_TRACE(rows);
    expect_every_kind({100, {int32}, 90, false, false, rows}, {rows, {int32}, 0, false, true, 11},
                      0, {JoinKind::left});
    const Kinds inner = {JoinKind::inner};
    expect_every_kind({100, {int32, int32}, 9, false, false, rows},
                      {rows, {int32, int32}, 9, false, true, 12}, 0, inner);
  }
}

TEST(Join, WideApartKeysAreHashed) {
  std::vector<std::int64_t> left_keys, right_keys;
  for (std::int64_t i = 0; i < 200; i++) left_keys.push_back((i - 100) * 0x123456789ABCDLL);
  for (std::int64_t i = 0; i < 90; i++) right_keys.push_back((2 * i - 90) * 0x123456789ABCDLL);
  const Table left = Table::of({{"k", Column::from(left_keys)}}),
              right = Table::of({{"k", Column::from(right_keys)}});
  Joined joined = sources(left, right);
  TAKE(const StepId step,
       joined.plan.join(joined.left, joined.right, JoinKind::left, first_keys(1)));
  on_each_variant(joined.plan, joined.left, step, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(joined.plan, step, options));
    expect_equal(outcome.table,
                 expected_rows(left, right, all_matches(left, right, 1), JoinKind::left));
  });
}

TEST(Join, RandomTablesAgreeWithALoop) {
  std::mt19937_64 random(20);
  const std::vector<Type> types = {int32,           int64,         text,
                                   {Kind::float64}, {Kind::int16}, {Kind::date32}};
  for (int round = 0; round < 6; round++) {
    SCOPED_TRACE(round);
    std::vector<Type> keys;
    for (std::size_t k = 0; k <= random() % 2; k++) keys.push_back(types[random() % types.size()]);
    const std::uint64_t distinct = 1 + random() % 40;
    expect_every_kind(
        {random() % 200, keys, distinct, random() % 2 == 0, false, random() % 1000},
        {random() % 100, keys, distinct, random() % 2 == 0, random() % 2 == 0, random() % 1000},
        random() % 2 * 64);
  }
}

// left.number > 1010, joined, right.real not NULL: the whole chain in one kernel, with every
// algorithm that fits.
struct OneKernel {
  Table left = side({500, {int32}, 60, true, false, 1}),
        right = side({50, {int32}, 0, true, true, 2});
  Joined joined;
  StepId kept = 0, both = 0;
  std::vector<std::string> wanted;  // of `both`

  explicit OneKernel(JoinKind kind) : joined(sources(left, right)) { build(kind); }
  void build(JoinKind kind) {
    Builder before(left.schema());
    TAKE(const NodeId number, before.column("number"));
    TAKE(const NodeId late, before.binary(Op::greater, number, before.literal(Scalar::of(1010))));
    TAKE(kept, joined.plan.filter(joined.left, before.graph(), late));
    TAKE(const StepId step, joined.plan.join(kept, joined.right, kind, first_keys(1)));
    Builder after(joined.plan.step(step).schema);
    const NodeId missing = *after.unary(Op::is_null, after.column(9));
    TAKE(both, joined.plan.filter(step, after.graph(), *after.unary(Op::not_, missing)));
    const Table passed = passed_rows(before, late);
    Table pairs;
    for (const std::string& row : expected_rows(passed, right, all_matches(passed, right, 1), kind))
      if (!row.ends_with("NULL|")) wanted.push_back(row);
  }
  Table passed_rows(const Builder& before, NodeId late) const {
    Table passed;
    passed.names = left.names;
    const std::vector<std::uint64_t> rows = passing(left, *before.graph(), late);
    passed.row_count = rows.size();
    for (const Column& column : left.columns) {
      std::vector<Scalar> values;
      for (const std::uint64_t row : rows) values.push_back(scalar_at(column, row));
      passed.columns.push_back(column_of(column.type, values));
    }
    return passed;
  }
};

TEST(Join, FiltersOnBothSidesOfALookupFuseIntoOneKernel) {
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left}) {
    OneKernel chain(kind);
    on_each_variant(chain.joined.plan, chain.joined.left, chain.both, [&](RunOptions options) {
      for (const std::uint64_t batch_rows : {0u, 64u}) {
        options.batch_rows = batch_rows;
        TAKE(const QueryResult outcome, run(chain.joined.plan, chain.both, options));
        EXPECT_EQ(outcome.report.kernels.size(), 1u);
        expect_equal(outcome.table, chain.wanted);
      }
    });
  }
}

// The predicate is true of no row, so that none would be looked up, but it overflows.
TEST(Join, AFaultBeforeALookupIsFoundInRowsThatDoNotPass) {
  const Table left = side({500, {int32}, 60, true, false, 1}),
              right = side({50, {int32}, 0, true, true, 2});
  Joined joined = sources(left, right);
  Builder b(left.schema());
  TAKE(const NodeId number, b.column("number"));
  TAKE(const NodeId product, b.binary(Op::multiply, number, b.literal(Scalar::of(3'000'000))));
  TAKE(const NodeId never, b.binary(Op::greater, product, b.literal(Scalar::of(INT32_MAX))));
  TAKE(const StepId kept, joined.plan.filter(joined.left, b.graph(), never));
  TAKE(const StepId both, joined.plan.join(kept, joined.right, JoinKind::inner, first_keys(1)));
  on_each_variant(joined.plan, joined.left, both, [&](const RunOptions& options) {
    EXPECT_EQ(run(joined.plan, both, options).status().code(), Code::overflow);
  });
}

// Counts by the right side's text, and sums of its number.
TEST(Join, GroupsAndSumsOfTheRightSideComeFromTheSameKernel) {
  OneKernel chain(JoinKind::inner);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> groups;
  for (const std::string& row : chain.wanted) {
    std::vector<std::string> cells;
    for (std::size_t at = 0, end; (end = row.find('|', at)) != std::string::npos; at = end + 1)
      cells.push_back(row.substr(at, end - at));
    auto& [count, sum] = groups[cells[7]];
    count++;
    sum += std::stoll(cells[6]);
  }
  Builder b(chain.joined.plan.step(chain.both).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::count_rows, 0, "n", nullptr},
                                            {Aggregate::sum, b.column(6), "s", nullptr}};
  TAKE(const StepId grouped,
       chain.joined.plan.group_by(chain.both, b.graph(), {{"text", b.column(7)}}, calls));
  on_each_variant(chain.joined.plan, chain.joined.left, grouped, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(chain.joined.plan, grouped, options));
    EXPECT_EQ(outcome.report.kernels.size(), 1u);
    ASSERT_EQ(outcome.table.row_count, groups.size());
    for (std::uint64_t row = 0; row < groups.size(); row++) {
      const auto& [count, sum] = groups.at(text_of(scalar_at(outcome.table.columns[0], row)));
      EXPECT_EQ(text_of_row(outcome.table, row)
                    .substr(text_of(scalar_at(outcome.table.columns[0], row)).size()),
                "|" + std::to_string(count) + "|" + std::to_string(sum) + "|");
    }
  });
}

// The second lookup's key is a column that the first one found.
TEST(Join, ALookupCanAskForWhatALookupFound) {
  const Table left = side({200, {int32}, 30, true, false, 1}),
              middle = side({30, {int32, text}, 12, true, true, 2}),
              last = side({12, {text}, 0, false, true, 3});
  Plan plan;
  const StepId source = plan.source(table_source(left));
  TAKE(const StepId first,
       plan.join(source, plan.source(table_source(middle)), JoinKind::left, {{0, 0}}));
  TAKE(const StepId second,
       plan.join(first, plan.source(table_source(last)), JoinKind::inner, {{6, 0}}));
  std::vector<std::string> wanted;
  const Matches of_middle = all_matches(left, middle, 1);
  for (std::uint64_t l = 0; l < left.row_count; l++)
    for (const std::uint64_t m : of_middle.rows[l])
      for (std::uint64_t r = 0; r < last.row_count; r++)
        if (middle.columns[1].is_valid(m) &&
            middle.columns[1].string(m) == last.columns[0].string(r))
          wanted.push_back(text_of_row(left, l) + text_of_row(middle, m) + text_of_row(last, r));
  on_each_variant(plan, source, second, [&](const RunOptions& options) {
    TAKE(const QueryResult outcome, run(plan, second, options));
    expect_equal(outcome.table, wanted);
  });
}

TEST(Join, FunctionsOfTheRightSidesTextsAreComputedForItsRows) {
  const Table left = side({100, {int32}, 20, false, false, 1}),
              right = side({15, {int32}, 0, false, true, 2});
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left}) {
    Joined joined = sources(left, right);
    TAKE(const StepId step, joined.plan.join(joined.left, joined.right, kind, first_keys(1)));
    Builder b(joined.plan.step(step).schema);
    TAKE(const NodeId length, b.string_function("length", {b.column(7)}));
    TAKE(const StepId mapped,
         joined.plan.map(step, b.graph(), {{"number", b.column(1)}, {"length", length}}));
    std::vector<std::string> wanted;
    const Matches matches = all_matches(left, right, 1);
    for (std::uint64_t l = 0; l < left.row_count; l++) {
      const std::string number = text_of(scalar_at(left.columns[1], l)) + "|";
      if (matches.rows[l].empty() && kind == JoinKind::left) wanted.push_back(number + "NULL|");
      for (const std::uint64_t r : matches.rows[l])
        wanted.push_back(number +
                         (right.columns[2].is_valid(r)
                              ? std::to_string(right.columns[2].string(r).size())
                              : "NULL") +
                         "|");
    }
    on_each_variant(joined.plan, joined.left, mapped, [&](const RunOptions& options) {
      TAKE(const QueryResult outcome, run(joined.plan, mapped, options));
      expect_equal(outcome.table, wanted);
    });
  }
}

// Above the join the chain goes on; below it another lookup is passed through on the way to the
// left rows.
TEST(Join, KeysThatStandTwiceCutTheChainAtTheirJoin) {
  const Table left = side({90, {int32}, 20, true, false, 1}),
              once = side({20, {int32}, 0, false, true, 2}),
              twice = side({40, {int32}, 20, true, false, 3});
  Plan plan;
  const StepId source = plan.source(table_source(left));
  TAKE(const StepId first,
       plan.join(source, plan.source(table_source(once)), JoinKind::inner, {{0, 0}}));
  TAKE(const StepId second,
       plan.join(first, plan.source(table_source(twice)), JoinKind::inner, {{0, 0}}));
  Builder b(plan.step(second).schema);
  TAKE(const StepId mapped,
       plan.map(second, b.graph(), {{"a", b.column(1)}, {"b", b.column(7)}, {"c", b.column(11)}}));
  std::vector<std::string> wanted;
  const Matches of_once = all_matches(left, once, 1), of_twice = all_matches(left, twice, 1);
  const auto cell = [](const Table& table, std::size_t column, std::uint64_t row) {
    return text_of(scalar_at(table.columns[column], row)) + "|";
  };
  for (std::uint64_t l = 0; l < left.row_count; l++)
    for (const std::uint64_t o : of_once.rows[l])
      for (const std::uint64_t t : of_twice.rows[l])
        wanted.push_back(cell(left, 1, l) + cell(once, 2, o) + cell(twice, 1, t));
  on_each_device([&](Device& device) {
    RunOptions options;
    options.device = device.traits().id;
    TAKE(const QueryResult outcome, run(plan, mapped, options));
    expect_equal(outcome.table, wanted);
  });
}

// The reference joins on the host, whatever the kernel looked up.
TEST(Join, ValidationAgreesWithEveryKind) {
  const Table left = side({200, {int32}, 30, true, false, 1}),
              once = side({30, {int32}, 0, true, true, 2});
  for (const JoinKind kind : all_kinds) {
    SCOPED_TRACE(std::string(name_of(kind)));
    Joined joined = sources(left, once);
    TAKE(const StepId step, joined.plan.join(joined.left, joined.right, kind, first_keys(1)));
    Builder b(joined.plan.step(step).schema);
    TAKE(const NodeId twice, b.binary(Op::add, b.column(1), b.column(1)));
    TAKE(const StepId mapped,
         joined.plan.map(step, b.graph(), {{"twice", twice}, {"text", b.column(2)}}));
    on_each_device([&](Device& device) {
      RunOptions options;
      options.device = device.traits().id;
      options.validate = true;
      const Result<QueryResult> outcome = run(joined.plan, mapped, options);
      EXPECT_TRUE(outcome.ok()) << outcome.status().text();
    });
  }
}

// A kernel takes 64 parameters, and each joined table is two of them. A longer chain is cut.
TEST(Join, MoreTablesThanAKernelTakesAreJoinedBySeveralKernels) {
  const Table rows = side({10, {int32}, 0, false, true, 1});
  Plan plan;
  StepId joined = plan.source(table_source(rows)), first = joined;
  for (int i = 0; i < 40; i++) {
    TAKE(joined, plan.join(joined, plan.source(table_source(rows)), JoinKind::semi, {{0, 0}}));
    if (i == 0) first = joined;
  }
  on_each_device([&](Device& device) {
    const RunOptions options = {.device = device.traits().id};
    TAKE(const QueryResult all, run(plan, joined, options));
    TAKE(const QueryResult one, run(plan, first, options));
    ASSERT_GT(one.table.row_count, 0u);
    ASSERT_EQ(all.table.row_count, one.table.row_count);
    for (std::uint64_t row = 0; row < one.table.row_count; row++)
      EXPECT_EQ(text_of_row(all.table, row), text_of_row(one.table, row));
  });
}

}  // namespace
}  // namespace penstock::test
