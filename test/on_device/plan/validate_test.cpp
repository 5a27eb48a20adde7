// Validation: what is right passes, and what lies is found, with the step, the row, both values and
// the inputs.
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

void expect_words(const Status& status, std::initializer_list<const char*> words) {
  EXPECT_EQ(status.code(), Code::internal) << status.text();
  for (const char* word : words)
    EXPECT_NE(status.message().find(word), std::string::npos) << word << " in " << status.text();
}

std::shared_ptr<CustomFunction> function_of_int64(const char* name, const char* body,
                                                  std::function<std::int64_t(std::int64_t)> host) {
  auto custom = std::make_shared<CustomFunction>();
  custom->name = name;
  custom->parameter_names = {"x"};
  custom->parameter_types = {{Kind::int64}};
  custom->result_type = {Kind::int64};
  custom->body = body;
  custom->host = [host = std::move(host)](std::span<const Scalar> inputs) {
    return Scalar::of(host(static_cast<std::int64_t>(inputs[0].integer)));
  };
  return custom;
}

// Says 100 of 77 on the host alone.
std::shared_ptr<CustomFunction> lying() {
  return function_of_int64("lying", "return x;", [](std::int64_t x) { return x == 77 ? 100 : x; });
}

constexpr std::int64_t custom_row_count = 3000;

struct Rows {
  Plan plan;
  StepId rows = no_step;
  Rows() {
    std::vector<std::int64_t> n;
    std::vector<std::optional<std::int32_t>> k;
    std::vector<double> r;
    for (std::int64_t i = 0; i < custom_row_count; i++)
      n.push_back(i), r.push_back(0.1 * static_cast<double>(i) - 100);
    for (int i = 0; i < custom_row_count; i++)
      k.push_back(i % 11 == 0 ? std::nullopt : std::optional(i % 7));
    rows = plan.source(table_source(
        Table::of({{"n", Column::from(n)}, {"k", Column::from(k)}, {"r", Column::from(r)}})));
  }
  Builder builder(StepId step) const { return Builder(plan.step(step).schema); }
};

Status validated(const Plan& plan, StepId step, Device& device) {
  return run(plan, step, {.device = device.traits().id, .batch_rows = 512, .validate = true})
      .status();
}

TEST(Validate, RightStepsPass) {
  on_each_device([&](Device& device) {
    Rows t;
    Builder b = t.builder(t.rows);
    const NodeId some =
        *b.binary(Op::not_equal, b.column(0u), b.literal(Scalar::of(std::int64_t{9})));
    TAKE(const StepId kept, t.plan.filter(t.rows, b.graph(), some));
    Builder c = t.builder(kept);
    const NodeId sine = *c.unary(Op::sine, c.column(2u));
    TAKE(const StepId mapped,
         t.plan.map(kept, c.graph(),
                    {{"k", c.column(1u)}, {"r", c.column(2u)}, {"s", sine}, {"n", c.column(0u)}}));
    Builder d = t.builder(mapped);
    const std::vector<AggregateCall> calls = {{Aggregate::sum, d.column(1u), "sr", nullptr},
                                              {Aggregate::average, d.column(2u), "as", nullptr},
                                              {Aggregate::sum, d.column(3u), "sn", nullptr},
                                              {Aggregate::count_rows, 0, "c", nullptr}};
    TAKE(const StepId groups, t.plan.group_by(mapped, d.graph(), {{"k", d.column(0u)}}, calls));
    TAKE(const StepId total, t.plan.reduce(mapped, d.graph(), calls));
    TAKE(const StepId ordered, t.plan.order_by(mapped, {{0, true, false}, {2, false, true}}));
    TAKE(const StepId limited, t.plan.limit(mapped, 700, 5));
    TAKE(const StepId first, t.plan.limit(ordered, 20, 3));
    Window window;
    window.partition = {0};
    window.order = {{1, true, false}};
    window.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "place"});
    TAKE(const StepId windowed, t.plan.window(mapped, window));
    for (const StepId step : {kept, mapped, groups, total, ordered, limited, first, windowed})
      EXPECT_OK(validated(t.plan, step, device));
  });
}

TEST(Validate, ALyingMapIsFoundWithItsRow) {
  on_each_device([&](Device& device) {
    Rows t;
    Builder b = t.builder(t.rows);
    TAKE(const StepId kept, t.plan.filter(t.rows, b.graph(),
                                          *b.binary(Op::greater, b.column(0u),
                                                    b.literal(Scalar::of(std::int64_t{6})))));
    Builder c = t.builder(kept);
    TAKE(const StepId mapped,
         t.plan.map(kept, c.graph(),
                    {{"k", c.column(1u)}, {"liar", *c.custom(lying(), {c.column(0u)})}}));
    expect_words(validated(t.plan, mapped, device),
                 {"step 2 (map): row 70", "column 'liar'", "has 77", "reference 100",
                  "row 77 of the source", "n = 77, k = NULL"});
  });
}

TEST(Validate, ALyingFilterIsFoundWithItsRow) {
  on_each_device([&](Device& device) {
    Rows t;
    Builder b = t.builder(t.rows);
    const NodeId liar = *b.custom(lying(), {b.column(0u)});
    TAKE(const StepId kept,
         t.plan.filter(t.rows, b.graph(),
                       *b.binary(Op::less, liar, b.literal(Scalar::of(std::int64_t{90})))));
    expect_words(validated(t.plan, kept, device),
                 {"step 1 (filter): row 77", "keeps it, the reference does not", "n = 77"});
  });
}

TEST(Validate, AnAggregateOfALyingMapNamesTheMap) {
  on_each_device([&](Device& device) {
    Rows t;
    Builder b = t.builder(t.rows);
    TAKE(const StepId mapped,
         t.plan.map(t.rows, b.graph(),
                    {{"k", b.column(1u)}, {"liar", *b.custom(lying(), {b.column(0u)})}}));
    Builder c = t.builder(mapped);
    TAKE(const StepId groups, t.plan.group_by(mapped, c.graph(), {{"k", c.column(0u)}},
                                              {{Aggregate::sum, c.column(1u), "s", nullptr}}));
    expect_words(validated(t.plan, groups, device),
                 {"step 1 (map): row 77", "has 77", "reference 100"});
  });
}

TEST(Validate, ALyingKeyIsFoundInItsGroup) {
  on_each_device([&](Device& device) {
    Rows t;
    Builder b = t.builder(t.rows);
    const auto lie = function_of_int64("lying_key", "return x % 3;",
                                       [](std::int64_t x) { return x == 77 ? 5 : x % 3; });
    const NodeId key = *b.custom(lie, {b.column(0u)});
    TAKE(const StepId groups, t.plan.group_by(t.rows, b.graph(), {{"k", key}},
                                              {{Aggregate::count_rows, 0, "c", nullptr}}));
    expect_words(validated(t.plan, groups, device),
                 {"step 1 (group by): row 2, column 'c'", "has 1000", "reference 999", "k = 2"});
  });
}

// The reference of one step alone faults where a kernel, which carries faults, does not.
TEST(Validate, TheFirstRowsOfALyingMapNameTheMap) {
  on_each_device([&](Device& device) {
    Rows t;
    Builder b = t.builder(t.rows);
    TAKE(const StepId mapped,
         t.plan.map(t.rows, b.graph(),
                    {{"liar", *b.custom(lying(), {b.column(0u)})}, {"n", b.column(0u)}}));
    TAKE(const StepId ordered, t.plan.order_by(mapped, {{0, false, false}}));
    TAKE(const StepId first, t.plan.limit(ordered, 90));
    expect_words(validated(t.plan, first, device),
                 {"step 1 (map): row 77", "has 77", "reference 100"});
  });
}

TEST(Validate, AFaultThatNothingUsesIsNoDifference) {
  on_each_device([&](Device& device) {
    Rows t;
    Builder b = t.builder(t.rows);
    const NodeId quotient = *b.binary(Op::integer_divide, b.column(0u), b.column(0u));
    TAKE(const StepId mapped,
         t.plan.map(t.rows, b.graph(), {{"n", b.column(0u)}, {"q", quotient}}));
    Builder c = t.builder(mapped);
    TAKE(const StepId unused, t.plan.map(mapped, c.graph(), {{"n", c.column(0u)}}));
    EXPECT_OK(validated(t.plan, unused, device));
    const NodeId positive =
        *c.binary(Op::greater, c.column(0u), c.literal(Scalar::of(std::int64_t{0})));
    TAKE(const StepId dropped, t.plan.filter(mapped, c.graph(), positive));
    EXPECT_OK(validated(t.plan, dropped, device));
    Builder d = t.builder(dropped);
    TAKE(const StepId total,
         t.plan.reduce(dropped, d.graph(), {{Aggregate::sum, d.column(1u), "s", nullptr}}));
    EXPECT_OK(validated(t.plan, total, device));
    EXPECT_EQ(validated(t.plan, mapped, device).code(),
              Code::invalid);  // both fault: the device's own error
  });
}

TEST(Validate, RandomTablesPass) {
  on_each_device([&](Device& device) {
    Plan plan;
    const StepId rows = plan.source(std::make_shared<FixedSchemaSource>(random_table(700, 5)));
    Builder b(plan.step(rows).schema);
    std::vector<Projection> projections;
    for (std::uint32_t i = 0; i < plan.step(rows).schema.size(); i++)
      projections.push_back({"c" + std::to_string(i), b.column(i)});
    TAKE(const StepId mapped, plan.map(rows, b.graph(), projections));
    EXPECT_OK(validated(plan, mapped, device));
    const auto strings = static_cast<std::uint32_t>(plan.step(rows).schema.size() - 1);
    TAKE(const StepId groups, plan.group_by(rows, b.graph(), {{"s", b.column(strings)}},
                                            {{Aggregate::count_rows, 0, "c", nullptr}}));
    EXPECT_OK(validated(plan, groups, device));
    TAKE(const StepId ordered, plan.order_by(rows, {{strings, true, true}, {0, false, false}}));
    EXPECT_OK(validated(plan, ordered, device));
  });
}

TEST(Validate, FastMathIsRefused) {
  Rows t;
  EXPECT_EQ(run(t.plan, t.rows, {.fast_math = true, .validate = true}).status().code(),
            Code::invalid);
}

}  // namespace
}  // namespace penstock::test
