// Functions and aggregates that a session keeps: SQL calls them, kernels and the host compute them.
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/query.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr Type real{Kind::float64}, whole{Kind::int64}, small{Kind::int32};

CustomFunction norm_of(const std::string& body = "return x * x + y * y;") {
  return {"norm", {"x", "y"}, {real, real}, real, body, {}};
}

CustomReduction longest_of(const std::string& body = "return a > b ? a : b;") {
  return {"longest", whole, Scalar::of(std::int64_t{-1000}), body, {}, true, true};
}

std::shared_ptr<TableSource> rows() {
  std::vector<std::optional<double>> a;
  std::vector<std::optional<std::int64_t>> b;
  std::vector<std::optional<std::string>> s;
  for (int i = 0; i < 1000; i++) {
    a.push_back(i % 7 == 3 ? std::nullopt : std::optional(i * 0.5));
    b.push_back(i % 5 == 1 ? std::nullopt : std::optional<std::int64_t>(i % 91));
    s.push_back("k" + std::to_string(i % 3));
  }
  return table_source(
      Table::of({{"a", Column::from(a)}, {"b", Column::from(b)}, {"s", Column::from_strings(s)}}),
      "t");
}

class SessionFunctionsTest : public ::testing::Test {
 protected:
  // Runs a test in a session of each device, which has the table t.
  template <class Body> void in_each_session(Body body, Planner planner = Planner::automatic) {
    on_each_device([&](Device& device) {
      SessionOptions options;
      options.device = device.traits().id;
      options.planner = planner;
      session_ = Session::create(options);
      ASSERT_OK(session_->define_table("t", rows()));
      body();
      session_.reset();
    });
  }
  // The rows as text, or the error's first line.
  std::string ask(const std::string& statement, const RunOptions& options = {}) {
    const auto outcome = session_->sql(statement, options);
    if (!outcome.ok()) return first_line(outcome.status());
    std::string text;
    for (std::uint64_t row = 0; row < outcome->table.row_count; row++)
      text += (text.empty() ? "" : " ") + text_of_row(outcome->table, row);
    return text;
  }
  // The number of kernels that a statement compiles: by a compiler, or from the disk.
  std::size_t builds(const std::string& statement) {
    const auto outcome = session_->sql(statement);
    EXPECT_OK(outcome.status());
    std::size_t count = 0;
    if (outcome.ok())
      for (const KernelReport& kernel : outcome->report.kernels)
        count += kernel.build.cache != CacheResult::memory;
    return count;
  }
  static std::string first_line(const Status& status) {
    const std::string text = status.text();
    return text.substr(0, text.find('\n'));
  }
  template <class T> std::string refusal(T function) {
    const Status status = session_->define(std::move(function));
    return first_line(status);
  }

  std::shared_ptr<Session> session_;
};

TEST_F(SessionFunctionsTest, ACallIsTheExpressionOfItsBody) {
  in_each_session([&] {
    ASSERT_OK(session_->define(norm_of()));
    for (const std::string& rest :
         {std::string(" FROM t"), std::string(" FROM t WHERE b > 3"),
          std::string(" FROM t WHERE s = 'k1' GROUP BY s"), std::string(" FROM t WHERE a > 1e9")})
      EXPECT_EQ(ask("SELECT sum(norm(a, b)), count(norm(a, b)), max(NORM(b, a))" + rest),
                ask("SELECT sum(a * a + CAST(b AS DOUBLE) * b), count(a + b), "
                    "max(CAST(b AS DOUBLE) * b + a * a)" +
                    rest));
    EXPECT_EQ(ask("SELECT count(*) FROM t WHERE norm(a, b) > 50 AND norm(b, b) < 999"),
              ask("SELECT count(*) FROM t WHERE a * a + CAST(b AS DOUBLE) * b > 50 AND "
                  "2.0 * b * b < 999"));
  });
}

TEST_F(SessionFunctionsTest, ConstantsAndNullsAreArguments) {
  in_each_session([&] {
    ASSERT_OK(session_->define(norm_of()));
    EXPECT_EQ(ask("SELECT norm(1, '2') AS n"), "5.0|");
    EXPECT_EQ(ask("SELECT norm(1, NULL) AS n"), "NULL|");
    EXPECT_EQ(ask("SELECT sum(norm(a, NULL)), count(norm(NULL, 1)) FROM t"), "NULL|0|");
    EXPECT_EQ(ask("SELECT b FROM t WHERE b IS NOT NULL LIMIT 1 OFFSET CAST(norm(1, 1) AS INTEGER)"),
              ask("SELECT b FROM t WHERE b IS NOT NULL LIMIT 1 OFFSET 2"));
  });
}

TEST_F(SessionFunctionsTest, TheInterpreterComputesWhatTheBodySays) {
  in_each_session([&] {
    ASSERT_OK(session_->define(norm_of()));
    ASSERT_OK(session_->define(CustomFunction{"step",
                                              {"n", "flag"},
                                              {small, {Kind::boolean}},
                                              {Kind::boolean},
                                              "return flag ? n > 1 : n < 0;",
                                              {}}));
    // levenshtein() of two columns makes its step one of the interpreter.
    EXPECT_EQ(ask("SELECT sum(norm(levenshtein(s, s || 'xy'), b)) FROM t"),
              ask("SELECT sum(4 + CAST(b AS DOUBLE) * b) FROM t"));
    EXPECT_EQ(ask("SELECT count(*) FROM t WHERE step(levenshtein(s, s || 'xy'), b > 20)"),
              ask("SELECT count(*) FROM t WHERE b > 20"));
  });
}

TEST_F(SessionFunctionsTest, EveryFixedWidthTypePassesThroughTheHostUnchanged) {
  const Type types[] = {{Kind::boolean},   {Kind::int8},        {Kind::int16},       {Kind::int32},
                        {Kind::int64},     {Kind::uint8},       {Kind::uint16},      {Kind::uint32},
                        {Kind::uint64},    {Kind::float32},     {Kind::float64},     {Kind::date32},
                        {Kind::timestamp}, Type::decimal(9, 2), Type::decimal(30, 2)};
  const std::string values[] = {"true",
                                "-8",
                                "-300",
                                "-70000",
                                "-5000000000",
                                "200",
                                "60000",
                                "4000000000",
                                "18000000000000000000",
                                "-1.5",
                                "0.1",
                                "DATE '1969-02-03'",
                                "TIMESTAMP '1960-01-02 03:04:05'",
                                "-12.34",
                                "-1234567890123456789012.34"};
  in_each_session([&] {
    std::string called, cast;  // VALUES are computed on the host
    for (std::size_t i = 0; i < std::size(types); i++) {
      const std::string name = "same" + std::to_string(i), value = values[i];
      ASSERT_OK(
          session_->define(CustomFunction{name, {"x"}, {types[i]}, types[i], "return x;", {}}));
      called += (i == 0 ? "" : ", ") + name + "(" + value + ")";
      cast += (i == 0 ? "CAST(" : ", CAST(") + value + " AS " + name_of(types[i]) + ")";
    }
    EXPECT_EQ(ask("SELECT * FROM (VALUES (" + called + "))"),
              ask("SELECT * FROM (VALUES (" + cast + "))"));
  });
}

TEST_F(SessionFunctionsTest, AnAggregateReducesGroupsAndFilteredRows) {
  in_each_session([&] {
    ASSERT_OK(session_->define(longest_of()));
    EXPECT_EQ(ask("SELECT longest(b), longest(b) FILTER (WHERE a < 9) FROM t"),
              ask("SELECT max(b), max(b) FILTER (WHERE a < 9) FROM t"));
    EXPECT_EQ(ask("SELECT s, longest(b), count(*) FROM t WHERE a < 20 GROUP BY s ORDER BY s"),
              ask("SELECT s, max(b), count(*) FROM t WHERE a < 20 GROUP BY s ORDER BY s"));
    EXPECT_EQ(ask("SELECT a, longest(b) FROM t GROUP BY a HAVING longest(b) > 80 ORDER BY a"),
              ask("SELECT a, max(b) FROM t GROUP BY a HAVING max(b) > 80 ORDER BY a"));
    EXPECT_EQ(ask("SELECT longest(b) FROM t WHERE a > 1e9"), "NULL|");
    EXPECT_EQ(ask("SELECT (SELECT longest(b) FROM t AS u WHERE u.s = t.s) FROM t LIMIT 1"),
              ask("SELECT (SELECT max(b) FROM t AS u WHERE u.s = t.s) FROM t LIMIT 1"));
  });
}

TEST_F(SessionFunctionsTest, ValidationAgreesWithTheBody) {
  in_each_session([&] {
    ASSERT_OK(session_->define(norm_of()));
    ASSERT_OK(session_->define(longest_of()));
    RunOptions options;
    options.validate = true;
    EXPECT_EQ(ask("SELECT s, longest(b), sum(norm(a, b)) FROM t GROUP BY s ORDER BY s", options),
              ask("SELECT s, max(b), sum(a * a + CAST(b AS DOUBLE) * b) FROM t GROUP BY s "
                  "ORDER BY s"));
  });
}

TEST_F(SessionFunctionsTest, ARedefinitionChangesAnswersAndCompilesAgain) {
  in_each_session([&] {
    const std::string statement = "SELECT max(norm(a, b)) FROM t";
    ASSERT_OK(session_->define(norm_of()));
    const std::string before = ask(statement);
    ASSERT_OK(session_->define(norm_of("return x + y - 12345.0;")));
    EXPECT_EQ(ask(statement), ask("SELECT max(a + b - 12345.0) FROM t"));
    ASSERT_OK(session_->define(norm_of()));
    EXPECT_EQ(ask(statement), before);
  });
}

TEST_F(SessionFunctionsTest, TheSameDefinitionCompilesNothing) {
  in_each_session([&] {
    const std::string statement = "SELECT max(norm(a, b)), longest(b) FROM t";
    ASSERT_OK(session_->define(norm_of()));
    ASSERT_OK(session_->define(longest_of()));
    builds(statement);
    ASSERT_OK(session_->define(norm_of()));
    ASSERT_OK(session_->define(longest_of()));
    EXPECT_EQ(builds(statement), 0u);
  });
}

TEST_F(SessionFunctionsTest, ANameIsTheLastDefinition) {
  in_each_session([&] {
    ASSERT_OK(session_->define(longest_of()));
    CustomFunction function{"Longest", {"x"}, {whole}, whole, "return x + 1;", {}};
    ASSERT_OK(session_->define(function));
    EXPECT_EQ(ask("SELECT longest(4) AS n"), "5|");
    ASSERT_OK(session_->define(longest_of()));
    EXPECT_EQ(ask("SELECT longest(b) FROM t"), ask("SELECT max(b) FROM t"));
  });
}

TEST_F(SessionFunctionsTest, AMeaningInCppIsTakenAsItIs) {
  in_each_session([&] {
    CustomFunction function = norm_of();
    function.host = [](std::span<const Scalar> in) {
      return Scalar::of(in[0].real * in[0].real + in[1].real * in[1].real);
    };
    ASSERT_OK(session_->define(function));
    EXPECT_EQ(ask("SELECT norm(3, 4) AS n"), "25.0|");
    EXPECT_EQ(ask("SELECT max(norm(a, b)) FROM t"),
              ask("SELECT max(a * a + CAST(b AS DOUBLE) * b) FROM t"));
  });
}

TEST_F(SessionFunctionsTest, WrongCallsAreRefusedByName) {
  in_each_session([&] {
    ASSERT_OK(session_->define(norm_of()));
    ASSERT_OK(session_->define(longest_of()));
    EXPECT_EQ(ask("SELECT norm(a) FROM t"), "invalid: norm takes 2 arguments, not 1");
    EXPECT_EQ(ask("SELECT norm(*) FROM t"), "invalid: norm takes 2 arguments, not *");
    EXPECT_EQ(ask("SELECT norm(a, s) FROM t"), "invalid: norm takes DOUBLE as y, not VARCHAR");
    EXPECT_EQ(ask("SELECT norm(a, 'x') FROM t"), "invalid: 'x' is not a DOUBLE");
    EXPECT_EQ(ask("SELECT nrm(a, b) FROM t"),
              "unsupported: the function nrm is not supported; did you mean norm?");
    EXPECT_EQ(ask("SELECT norm(a, b) OVER () FROM t"),
              "unsupported: norm as a window function is not supported");
    EXPECT_EQ(ask("SELECT norm(DISTINCT a, b) FROM t"),
              "invalid: DISTINCT belongs to aggregates; norm is not one");
    EXPECT_EQ(ask("SELECT longest(a, b) FROM t"), "invalid: longest takes 1 argument, not 2");
    EXPECT_EQ(ask("SELECT longest(s) FROM t"), "invalid: longest takes BIGINT, not VARCHAR");
    EXPECT_EQ(ask("SELECT longest(DISTINCT b) FROM t"),
              "unsupported: DISTINCT inside longest is not supported");
    EXPECT_EQ(ask("SELECT longest(b) OVER () FROM t"),
              "unsupported: longest as a window function is not supported");
    EXPECT_EQ(ask("SELECT b FROM t WHERE longest(b) > 1"),
              "invalid: WHERE cannot contain aggregates (longest)");
  });
}

TEST_F(SessionFunctionsTest, DuckDbsPlannerIsNotAsked) {
  in_each_session(
      [&] {
        ASSERT_OK(session_->define(norm_of()));
        EXPECT_EQ(ask("SELECT /* */ \"norm\" (a, b) FROM t"),
                  "unsupported: the session's function norm is known to our own planner alone, not "
                  "to DuckDB's");
      },
      Planner::duckdb);
}

TEST_F(SessionFunctionsTest, BadDefinitionsAreRefused) {
  in_each_session(
      [&] {
        const auto named = [&](const std::string& name) {
          CustomFunction function = norm_of();
          function.name = name;
          return refusal(function);
        };
        for (const char* const name : {"sqrt", "SQRT", "sum", "median", "row_number", "list_value"})
          EXPECT_EQ(named(name), "invalid: " + std::string(name) +
                                     " is a function of SQL already: take another name");
        for (const char* const name : {"", "2x", "a b", "x; }", "n(", "\xc3\xa9t\xc3\xa9", "a\nb"})
          EXPECT_NE(named(name).find("a function's name has letters, digits and _"),
                    std::string::npos);
        for (const std::string& name : {std::string("select"), std::string("extract"),
                                        std::string("values"), std::string(64, 'n')})
          EXPECT_NE(named(name).find("SQL cannot call a function " + name), std::string::npos)
              << name;
        CustomFunction function = norm_of();
        function.parameter_types[1] = {Kind::string};
        EXPECT_EQ(refusal(function),
                  "invalid: norm: VARCHAR is no type of a function; these are "
                  "numbers, BOOLEAN, DATE and TIMESTAMP");
        function = norm_of();
        function.parameter_names[1] = "y) { }";
        EXPECT_NE(refusal(function).find("a parameter's name has letters"), std::string::npos);
        function.parameter_names[1] = "x";
        EXPECT_EQ(refusal(function), "invalid: norm: two parameters have one name");
        EXPECT_NE(refusal(norm_of(" \n")).find("needs a body"), std::string::npos);
        CustomReduction reduction = longest_of();
        reduction.commutative = false;
        EXPECT_NE(refusal(reduction).find("is not declared associative and commutative"),
                  std::string::npos);
        reduction = longest_of();
        reduction.neutral = Scalar::of(0.0);
        EXPECT_EQ(refusal(reduction),
                  "invalid: the reduction 'longest' needs a neutral element of its "
                  "type");
        EXPECT_EQ(ask("SELECT norm(a, b) FROM t").substr(0, 11), "unsupported");
      },
      Planner::own);
}

TEST_F(SessionFunctionsTest, ABodyThatDoesNotCompileComesWithTheLog) {
  in_each_session([&] {
    const Status status = session_->define(norm_of("return z;"));
    EXPECT_EQ(status.code(), Code::compile);
    EXPECT_NE(status.text().find("'z' undeclared"), std::string::npos) << status.text();
    EXPECT_EQ(session_->define(norm_of("return no_such(x);")).code(), Code::compile);
    EXPECT_EQ(session_->define(norm_of("return x; } }")).code(), Code::compile);
    EXPECT_EQ(session_->define(longest_of("return a +;")).code(), Code::compile);
  });
}

TEST_F(SessionFunctionsTest, MathematicalFunctionsOfCAreKernelCs) {
  in_each_session([&] {
    ASSERT_OK(session_->define(
        norm_of("/* atan(x) */ const char q = '('; return q == '(' ? sqrt (x) + fabs(y) : 0;")));
    EXPECT_EQ(ask("SELECT sum(norm(a, b)) FROM t"), ask("SELECT sum(sqrt(a) + abs(b)) FROM t"));
    EXPECT_EQ(first_line(session_->define(norm_of("return hypot(x, y);"))),
              "compile: hypot() is a function of the C library, which Kernel C lacks");
  });
}

TEST_F(SessionFunctionsTest, AFunctionWithoutAMeaningIsRefusedWhereTheHostComputes) {
  const auto function = std::make_shared<CustomFunction>(norm_of());
  Builder builder({{"a", real, true}});
  const auto call = builder.custom(function, {builder.column(0), builder.column(0)});
  ASSERT_OK(call);
  const Evaluated result =
      evaluate(*builder.graph(), std::array{*call}, std::array{Scalar::of(1.0)})[0];
  EXPECT_EQ(result.fault, Code::unsupported);
  EXPECT_EQ(
      fault_status(*builder.graph(), result.fault_node, result.fault, builder.schema()).text(),
      "unsupported: the function norm runs in kernels alone, and this step runs on the host");
}

}  // namespace
}  // namespace penstock::test
