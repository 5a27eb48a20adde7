// Queries over columns in light encodings, which kernels load row by row: their answers are those
// over plain columns, in every kind and at every edge of a vector.
#include <cmath>
#include <limits>

#include "codec/light/host/encode_block.hpp"
#include "codec/light/light_column.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/sql.hpp"

namespace penstock::test {
namespace {

constexpr std::uint32_t every_kind =
    1u << LIGHT_DELTA | 1u << LIGHT_RUNS | 1u << LIGHT_DICTIONARY | 1u << LIGHT_ALP;

// Columns that differ in width, sign and shape; `maybe` has NULLs. Sums of the floats are exact.
Table numbers_table(std::uint64_t row_count) {
  std::vector<std::int64_t> ascending, wide;
  std::vector<std::int32_t> few;
  std::vector<std::uint8_t> small;
  std::vector<double> prices, mixed;
  std::vector<float> quarters;
  std::vector<std::optional<std::int64_t>> maybe;
  for (std::uint64_t row = 0; row < row_count; row++) {
    const std::uint64_t random = (row + 1) * 0x9e3779b97f4a7c15u;
    ascending.push_back(static_cast<std::int64_t>(row * 5 + (random >> 61)) - 1000);
    wide.push_back(static_cast<std::int64_t>(random) >> (row % 3 * 8));
    few.push_back(static_cast<std::int32_t>(row / 70 % 5) - 2);
    small.push_back(static_cast<std::uint8_t>(random >> 58));
    prices.push_back(static_cast<double>(random >> 50) / 4);
    mixed.push_back(row % 41 == 7 ? -0.0 : row % 53 == 9 ? 0x1p-40 : static_cast<double>(row % 10));
    quarters.push_back(static_cast<float>(random >> 56) / 4);
    maybe.push_back(row % 3 == 1 ? std::nullopt
                                 : std::optional(static_cast<std::int64_t>(row % 1000)));
  }
  return Table::of({{"ascending", Column::from(ascending)},
                    {"wide", Column::from(wide)},
                    {"few", Column::from(few)},
                    {"small", Column::from(small)},
                    {"prices", Column::from(prices)},
                    {"mixed", Column::from(mixed)},
                    {"quarters", Column::from(quarters)},
                    {"maybe", Column::from(maybe)}});
}

Table with_light(Table table, light::Kinds kinds) {
  for (Column& column : table.columns) {
    const auto block = light::encode(column, kinds);
    EXPECT_TRUE(block.ok()) << block.status().text();
    column = light::light_column(*block, column.validity);
  }
  return table;
}

Result<QueryResult> light_answer(const std::string& statement,
                                 const std::shared_ptr<TableSource>& source,
                                 const RunOptions& options) {
  Plan plan;
  PENSTOCK_ASSIGN(const StepId result,
                  bind_sql(statement, plan, [&](const TableReference&) { return Result(source); }));
  return run(plan, result, options);
}

std::string all_rows(const Table& table) {
  std::string text;
  for (std::uint64_t row = 0; row < table.row_count; row++) text += text_of_row(table, row) + "\n";
  return text;
}

const char* const light_statements[] = {
    "SELECT sum(ascending), min(wide), max(wide), sum(small), sum(prices), sum(mixed), "
    "sum(quarters), sum(maybe), count(maybe), sum(few) FROM 't'",
    "SELECT few, count(*), sum(prices) FROM 't' WHERE small > 20 GROUP BY few ORDER BY few",
    "SELECT ascending, wide, mixed, quarters, maybe FROM 't' WHERE ascending % 7 = 3",
};

void expect_plain_answers(std::uint64_t row_count, light::Kinds kinds, std::uint64_t batch_rows) {
  const auto plain = table_source(numbers_table(row_count));
  const auto light = table_source(with_light(numbers_table(row_count), kinds));
  on_each_device([&](Device& device) {
    for (const char* const statement : light_statements) {
      SCOPED_TRACE(statement);
      RunOptions options{.device = device.traits().id, .batch_rows = batch_rows};
      TAKE(const QueryResult expected, light_answer(statement, plain, options));
      options.page_decoding = PageDecoding::device;
      TAKE(const QueryResult found, light_answer(statement, light, options));
      EXPECT_EQ(all_rows(found.table), all_rows(expected.table));
      ASSERT_EQ(found.report.notes.size(), row_count > 0 ? 1u : 0u);
    }
  });
}

TEST(Light, KernelsReadEveryKind) {
  for (const std::uint32_t kind :
       {LIGHT_PACKED, LIGHT_DELTA, LIGHT_RUNS, LIGHT_DICTIONARY, LIGHT_ALP}) {
    SCOPED_TRACE("kind " + std::to_string(kind));
    expect_plain_answers(5000, {1u << kind}, 0);
  }
}

TEST(Light, KernelsReadTheLastVectorWhateverItsRows) {
  for (const std::uint64_t rows : {1u, 3u, 1023u, 1024u, 1025u, 2049u})
    expect_plain_answers(rows, {every_kind}, 0);
}

TEST(Light, ChunksMayBeginWithinAVector) { expect_plain_answers(5000, {every_kind}, 640); }

TEST(Light, TheHostDecodesWhereItIsAskedTo) {
  const auto light = table_source(with_light(numbers_table(3000), {every_kind}));
  const auto plain = table_source(numbers_table(3000));
  RunOptions options;
  options.page_decoding = PageDecoding::host;
  TAKE(const QueryResult found, light_answer(light_statements[2], light, options));
  TAKE(const QueryResult expected, light_answer(light_statements[2], plain, options));
  EXPECT_EQ(all_rows(found.table), all_rows(expected.table));
  EXPECT_TRUE(found.report.notes.empty());
}

}  // namespace
}  // namespace penstock::test
