// Emitted expressions on every device against the interpreter: random graphs over all types, NULLs
// and extremes. Everything but the transcendental functions is compared bit for bit.
#include "on_device/expr/expression_batch.hpp"

namespace penstock {
namespace {

TEST(EmittedExpressions, RandomGraphsComputeWhatTheInterpreterComputes) {
  on_each_device([](Device& device) {
    int cases = 0;
    for (std::uint64_t seed = 1; seed <= random_batches; seed++) {
      test::RandomExpressions random(seed);
      Batch batch = random_batch(random);
      for (const std::uint32_t row_count : {0u, 1u, 63u, 64u, 65u, 128u, 20u}) {
        fill(batch, random, row_count, row_count == 20);
        compare_batch(device, batch, 0, device.traits().id + ", seed " + std::to_string(seed));
        if (testing::Test::HasFatalFailure()) return;
        cases += roots_per_batch;
      }
    }
    EXPECT_GE(cases, 2000);
  });
}

// The comparison above is worth what it sees: each of these errors in one operation must make it
// fail.
TEST(EmittedExpressions, RandomGraphsShowAPlantedDefect) {
  const std::pair<const char*, const char*> defects[] = {
      {"(u32)(a < b) | ((u32)(b != b) & (u32)(a == a))",
       "(u32)(a < b)"},  // NaN is no longer above numbers
      {"(i64)(rest >= middle) - (i64)(rest <= -middle)",
       "(i64)(rest > middle) - (i64)(rest <= -middle)"},          // a half rounded down
      {"(((a ^ b) & (a ^ subtract_i64(a, b))) < 0)", "0"},        // a difference that wraps
      {"(i64)((u64)a * (u64)b)", "(i64)((u64)(i32)a * (u64)b)"},  // 32 bits of 64
      {"month + 3u : month - 9u", "month + 3u : month - 8u"},     // January
  };
  on_each_device([&](Device& device) {
    for (const auto& [right, wrong] : defects)
      expect_seen(device, test::random_schema(), right, wrong);
  });
}

Schema all_types() {
  Schema types = test::random_schema();
  for (const Field& field : test::wide_schema()) types.push_back(field);
  std::erase_if(types, [](const Field& field) { return field.nullable; });
  return types;
}

// A batch over one pair of columns of a type, with every pair of interesting values as a row.
Batch pair_batch(Type type, std::uint64_t seed) {
  test::RandomExpressions random(seed);
  Batch batch{Builder({{"a", type, true}, {"b", type, true}}), {}, {{}, {}}, 400, {}};
  for (std::vector<Scalar>& column : batch.columns)
    column = random.values({"", type, true}, batch.row_count);
  return batch;
}

TEST(EmittedExpressions, EveryBinaryOperationOnEveryTypeIsExact) {
  on_each_device([](Device& device) {
    for (const Field& field : all_types()) {
      Batch batch = pair_batch(field.type, 7);
      const NodeId a = batch.builder.column(0), b = batch.builder.column(1);
      for (int o = static_cast<int>(Op::add); o <= static_cast<int>(Op::or_); o++) {
        const Op op = static_cast<Op>(o);
        if (op == Op::negate || op == Op::absolute || op == Op::bit_not) continue;
        if (const auto node = batch.builder.binary(op, a, b); node.ok())
          batch.roots.push_back(*node);
      }
      for (Op op : {Op::least, Op::greatest, Op::coalesce})
        if (const auto node = batch.builder.variadic(op, {a, b}); node.ok())
          batch.roots.push_back(*node);
      compare_batch(device, batch, 0, device.traits().id + ", " + field.name);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(EmittedExpressions, EveryCastAndExactFunctionOfEveryTypeIsExact) {
  on_each_device([](Device& device) {
    for (const Field& field : all_types()) {
      Batch batch = pair_batch(field.type, 11);
      const NodeId a = batch.builder.column(0);
      for (const Field& to : all_types())
        if (const auto node = batch.builder.cast(a, to.type); node.ok())
          batch.roots.push_back(*node);
      for (Op op : {Op::negate, Op::absolute, Op::bit_not, Op::not_, Op::is_null, Op::floor,
                    Op::ceiling, Op::round, Op::truncate, Op::square_root})
        if (const auto node = batch.builder.unary(op, a); node.ok()) batch.roots.push_back(*node);
      for (int o = static_cast<int>(Op::year); o < static_cast<int>(Op::custom); o++)
        if (const auto node = batch.builder.unary(static_cast<Op>(o), a); node.ok())
          batch.roots.push_back(*node);
      if (field.type.kind == Kind::float32)
        for (Op op : {Op::floor, Op::ceiling, Op::round, Op::truncate})
          batch.roots.push_back(*batch.builder.unary_as(op, a, field.type));
      compare_batch(device, batch, 0, device.traits().id + ", " + field.name);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// Two days of every month of a 400-year cycle, with the years before 1 and centuries: what a
// calendar gets wrong.
TEST(EmittedExpressions, DatePartsAgreeOverAWholeCalendarCycle) {
  on_each_device([](Device& device) {
    Batch batch{Builder({{"day", {Kind::date32}, false}}), {}, {{}}, 0, {}};
    for (std::int64_t days = -800000; days < 200000; days += 14)
      batch.columns[0].push_back(Scalar::of(Type{Kind::date32}, days));
    batch.row_count = static_cast<std::uint32_t>(batch.columns[0].size());
    for (int o = static_cast<int>(Op::year); o < static_cast<int>(Op::require); o++)
      batch.roots.push_back(*batch.builder.unary(static_cast<Op>(o), batch.builder.column(0)));
    compare_batch(device, batch, 0, device.traits().id);
  });
}

// A NULL's bits are 0 here: dividing by them would stop the process on a CPU.
TEST(EmittedExpressions, CustomFunctionsAreNotCalledForNull) {
  on_each_device([](Device& device) {
    auto function = std::make_shared<CustomFunction>();
    function->name = "inverse";
    function->parameter_names = {"x"};
    function->parameter_types = {{Kind::int32}};
    function->result_type = {Kind::int32};
    function->body = "return 1000 / x;";
    function->host = [](std::span<const Scalar> inputs) {
      return Scalar::of(static_cast<std::int32_t>(1000 / inputs[0].integer));
    };
    Batch batch{Builder({{"x", {Kind::int32}, true}}), {}, {{}}, 64, {}};
    for (int i = 1; i <= 64; i++)
      batch.columns[0].push_back(i % 3 == 0 ? Scalar::null_of({Kind::int32}) : Scalar::of(i));
    batch.roots.push_back(*batch.builder.custom(function, {batch.builder.column(0)}));
    compare_batch(device, batch, 0, device.traits().id);
  });
}

// OpenCL 1.2 grants 2 to 4 ulp (exp 3, ln 3, log10 3, sin and cos 4, tan 5, pow 16); the host's
// library is within 1.
TEST(EmittedExpressions, TranscendentalFunctionsStayWithinTheirBounds) {
  on_each_device([](Device& device) {
    test::RandomExpressions random(3);
    const Type type{Kind::float64};
    Batch batch{Builder({{"a", type, false}, {"b", type, false}}), {}, {{}, {}}, 2000, {}};
    for (std::uint32_t row = 0; row < batch.row_count; row++)
      for (std::vector<Scalar>& column : batch.columns)
        column.push_back(Scalar::of(static_cast<double>(random.below(2000001)) / 100000 - 10));
    const NodeId a = batch.builder.column(0), b = batch.builder.column(1);
    for (Op op :
         {Op::exponential, Op::logarithm, Op::logarithm10, Op::sine, Op::cosine, Op::tangent})
      batch.roots.push_back(*batch.builder.unary(op, a));
    batch.roots.push_back(*batch.builder.binary(Op::power, a, b));
    compare_batch(device, batch, 17, device.traits().id);
  });
}

}  // namespace
}  // namespace penstock
