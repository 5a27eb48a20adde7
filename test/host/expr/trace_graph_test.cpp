// The graphs that lambdas leave in a plan, and refusals that come only when the table is known.
#include <gtest/gtest.h>

#include "expr/trace_step.hpp"
#include "penstock/query.hpp"

namespace penstock {
namespace {

struct Sale {
  Col<"price", float> price;
  Col<"quantity", opt<std::int32_t>> quantity;
  Col<"url", str> url;
  Col<"shipped", date> shipped;
};

Column days(std::vector<std::int32_t> values) {
  Column c = Column::from(std::move(values));
  c.type = {Kind::date32};
  return c;
}

Table sales() {
  return Table::of(
      {{"id", Column::from(std::vector<std::int64_t>{1, 2})},
       {"shipped", days({10561, 10562})},
       {"price", Column::from(std::vector<float>{1.5f, 2.5f})},
       {"quantity", Column::from(std::vector<std::optional<std::int32_t>>{3, std::nullopt})},
       {"url", Column::from_strings(std::vector<std::string>{"a", "b"})}});
}

// The lambda's result as SQL would print it.
template <class R, class F> std::string traced_text(F lambda) {
  const auto trace = std::make_shared<Trace>(sales().schema(), "map");
  const auto result = lambda(traced::Shape<R>::bind(trace));
  const Result<NodeId> root = trace->node_of(result);
  if (!root.ok() || !trace->status().ok()) return trace->status().text();
  return text_of(*trace->finish(), *root, trace->schema());
}
std::string error_of(const Query& query) {
  return query.status().ok() ? "no error" : query.status().text();
}

TEST(Trace, GraphsSayWhatTheLambdaSays) {
  const float floor = 1000;
  EXPECT_EQ(traced_text<Sale>([=](auto r) { return r.price * 2 > floor && r.quantity > 3; }),
            "(((price * CAST(2 AS FLOAT)) > 1000.0) AND (quantity > 3))");
  EXPECT_EQ(
      traced_text<Sale>([](auto r) { return select(is_null(r.quantity), year(r.shipped), 0); }),
      "CASE WHEN (quantity IS NULL) THEN year(shipped) ELSE CAST(0 AS BIGINT) END");
  EXPECT_EQ(traced_text<Sale>([](auto r) { return "a" != r.url; }), "('a' <> url)");
  EXPECT_EQ(traced_text<Sale>([](auto r) { return sqrt(-r.price) + abs(r.quantity) / 2; }),
            "(sqrt(-price) + CAST((abs(quantity) // 2) AS FLOAT))");
}

TEST(Trace, FaultsSayWhereInTheProgram) {
  const auto trace = std::make_shared<Trace>(sales().schema(), "map at sales.cpp:12");
  const Result<NodeId> root = trace->node_of(traced::Shape<Sale>::bind(trace).quantity / 0);
  const std::shared_ptr<const Graph> graph = trace->finish();
  EXPECT_EQ(fault_status(*graph, *root, Code::invalid, trace->schema()).message(),
            "division by zero in (quantity // 0) in the map at sales.cpp:12");
}

// Comments before the text tell the values.
TEST(Trace, EqualTextForEveryCapturedValue) {
  const auto source = [](float floor, int factor) {
    const std::string text = *from<Sale>(sales())
                                  .filter([=](auto r) { return r.price * factor > floor; })
                                  .count()
                                  .source(Target::opencl);
    const std::size_t begin = text.find("\n//   row_count");
    EXPECT_NE(begin, std::string::npos) << text;
    return text.substr(std::min(begin, text.size()));
  };
  EXPECT_EQ(source(1000, 2), source(-3.5f, 7)) << "a new captured value must not recompile";
  EXPECT_EQ(source(1, 1), source(2, 3))
      << "equal values of two captures must not be folded into one argument";
}

TEST(Trace, AMissingColumnNamesTheNearest) {
  struct Misspelt {
    Col<"prize", float> prize;
  };
  const auto query = from<Misspelt>(sales());
  EXPECT_NE(error_of(query).find("no column 'prize'; candidates: 'price'"), std::string::npos)
      << error_of(query);
  EXPECT_NE(error_of(query).find("from at trace_graph_test.cpp:"), std::string::npos)
      << error_of(query);
}

TEST(Trace, AnotherTypeNamesColumnAndBothTypes) {
  struct Wrong {
    Col<"price", double> price;
  };
  const auto query = from<Wrong>(sales());
  EXPECT_NE(
      error_of(query).find("column 'price' is FLOAT, and Col<\"price\", ...> declares DOUBLE"),
      std::string::npos)
      << error_of(query);
}

TEST(Trace, AColumnThatMayHoldNullNeedsOpt) {
  struct Strict {
    Col<"quantity", std::int32_t> quantity;
  };
  const auto query = from<Strict>(sales());
  EXPECT_NE(error_of(query).find("column 'quantity' may hold NULL"), std::string::npos)
      << error_of(query);
}

TEST(Trace, AValidityBitmapWithoutNullsNeedsNoOpt) {
  struct Strict {
    Col<"quantity", std::int32_t> quantity;
  };
  const Table table =
      Table::of({{"quantity", Column::from(std::vector<std::optional<std::int32_t>>{3, 4})}});
  ASSERT_FALSE(table.columns[0].validity.empty());
  EXPECT_EQ(error_of(from<Strict>(table)), "no error");
  std::vector<std::optional<std::int32_t>> values(17, 1);
  for (std::size_t missing : {0u, 15u, 16u}) {
    auto with_one = values;
    with_one[missing] = std::nullopt;
    EXPECT_NE(error_of(from<Strict>(Table::of({{"quantity", Column::from(with_one)}}))), "no error")
        << missing;
  }
}

TEST(Trace, TheFirstErrorStaysAndEveryResultReturnsIt) {
  struct Wrong {
    Col<"price", double> price;
  };
  const auto sum = from<Wrong>(sales())
                       .filter([](auto r) { return r.price > 1; })
                       .map([](auto r) { return r.price; })
                       .sum();
  EXPECT_EQ(sum.run().status().code(), Code::invalid);
  EXPECT_EQ(sum.explain({.device = "none"}).status().message(), sum.run().status().message());
  EXPECT_EQ(sum.source(Target::metal).status().message(), sum.run().status().message());
}

TEST(Trace, AFileThatDoesNotOpenIsTheQuerysError) {
  const auto query =
      from<Sale>(Result<std::shared_ptr<TableSource>>(Status(Code::io, "no such file"))).count();
  EXPECT_EQ(query.run().status().message(), "no such file");
}

TEST(Trace, AValueOfAnotherRowIsRefused) {
  std::optional<Value<float>> kept;
  from<Sale>(sales()).filter([&](auto r) {
    kept = r.price;
    return r.price > 1;
  });
  const auto query = from<Sale>(sales()).filter([&](auto r) { return r.price > *kept; });
  EXPECT_NE(error_of(query).find("a value of another step is used"), std::string::npos)
      << error_of(query);
  const Sale row;
  const auto unbound = from<Sale>(sales()).filter([&](auto r) { return r.price > row.price; });
  EXPECT_NE(error_of(unbound).find("belongs to no row"), std::string::npos) << error_of(unbound);
}

TEST(Trace, AStructThatLeavesAColumnOutIsRefusedByName) {
  struct Out {
    Col<"total", float> total;
    Col<"day", date> day;
  };
  const auto query = from<Sale>(sales()).map([](auto r) {
    Out out;
    out.total = r.price;
    return out;
  });
  EXPECT_NE(error_of(query).find("'day'"), std::string::npos) << error_of(query);
}

TEST(Trace, CustomFunctionsNeedIdentifiers) {
  const auto twice = custom_function<double(double)>("2x; }", {"x"}, "return 2 * x;",
                                                     [](double x) { return 2 * x; });
  const auto query = from<Sale>(sales()).map([&](auto r) { return twice(r.price); });
  EXPECT_NE(error_of(query).find("must be C identifiers"), std::string::npos) << error_of(query);
}

TEST(Trace, AReductionWithoutItsPropertiesIsRefused) {
  const auto last = custom_reduction<float>(
      "last", 0.0f, "return b;", [](float, float b) { return b; }, {.associative = true});
  const auto query = from<Sale>(sales()).map([](auto r) { return r.price; }).reduce(last);
  EXPECT_NE(error_of(query).find("'last' is not declared associative and commutative"),
            std::string::npos)
      << error_of(query);
}

TEST(Trace, SourceNeedsNoDevice) {
  const auto query = from<Sale>(sales())
                         .filter([](auto r) { return r.url == "a"; })
                         .map([](auto r) { return r.price; })
                         .sum();
  for (Target target : {Target::cuda, Target::opencl, Target::metal, Target::sycl}) {
    const Result<std::string> text = query.source(target);
    EXPECT_TRUE(text.ok()) << name_of(target) << ": " << text.status().text();
  }
}

TEST(Trace, VectorsOfDifferentLengthsAreRefused) {
  const auto query = from(std::vector<float>{1, 2}, std::vector<float>{1}).count();
  EXPECT_EQ(query.run().status().message(), "from: the vectors have 2 and 1 rows");
}

TEST(Trace, DecimalsAndDatesAreExact) {
  static_assert(decimal<3, 2>("0.05").count == 5);
  static_assert(decimal<15, 2>("-12").count == -1200);
  static_assert(date(1998, 12, 1).days_since_epoch == 10561);
  EXPECT_EQ((decimal<15, 2>("-12.5").text()), "-12.50");
}

}  // namespace
}  // namespace penstock
