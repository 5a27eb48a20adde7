// The first groups by an order: found without columns of the others, they are those that come first
// when all are ordered.
#include <cmath>
#include <filesystem>
#include <limits>

#include "on_device/plan/plan_fixture.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr std::int64_t ordered_group_count = 20000, ordered_first_count = 37;

std::string lines_of_first(const Table& table) {
  std::string text;
  for (std::uint64_t row = 0; row < std::min<std::uint64_t>(table.row_count, ordered_first_count);
       row++)
    text += text_of_row(table, row) + "\n";
  return text;
}

// Groups with sums beyond 64 bits, NULLs, NaN, both zeros, and many equal values.
Table rows_to_group_and_order() {
  std::vector<std::int64_t> k, large;
  std::vector<std::optional<std::int64_t>> few;
  std::vector<double> real;
  for (std::int64_t row = 0; row < 2 * ordered_group_count; row++) {
    const std::int64_t group = row * 7919 % ordered_group_count;
    k.push_back(group);
    large.push_back((group % 2 == 0 ? 1 : -1) * (std::numeric_limits<std::int64_t>::max() - group));
    few.push_back(group % 5 == 0 ? std::nullopt : std::optional(group % 11 - 5));
    real.push_back(group == 77       ? std::nan("")
                   : group % 97 == 0 ? -0.0
                                     : static_cast<double>(group % 401 - 200) / 4);
  }
  return Table::of({{"k", Column::from(k)},
                    {"large", Column::from(large)},
                    {"few", Column::from(few)},
                    {"real", Column::from(real)}});
}

TEST(FirstGroupsByNumber, AreThoseOfTheWholeOrder) {
  const std::string path = own_path("first_groups.parquet");
  ASSERT_OK(write_table(rows_to_group_and_order(), path, FileFormat::parquet));
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    for (const char* order :
         {"sum_large", "sum_large DESC", "sum_few NULLS FIRST, k", "sum_few DESC NULLS LAST, k",
          "max_real DESC, k DESC", "max_real, sum_few DESC, k", "c, sum_large DESC", "k DESC"}) {
      const std::string statement =
          "SELECT k, sum(large) AS sum_large, sum(few) AS sum_few, max(real) AS max_real, "
          "count(few) AS c FROM '" +
          path + "' GROUP BY k ORDER BY " + order;
      TAKE(const QueryResult all, session->sql(statement, {}));
      TAKE(const QueryResult first,
           session->sql(statement + " LIMIT " + std::to_string(ordered_first_count), {}));
      ASSERT_EQ(first.table.row_count, static_cast<std::uint64_t>(ordered_first_count));
      EXPECT_EQ(lines_of_first(first.table), lines_of_first(all.table)) << order;
    }
  });
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace penstock::test
