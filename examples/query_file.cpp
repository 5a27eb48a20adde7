// A query over a Parquet file, once as lambdas and once as SQL: both become the same plan.
//
//     query_file [DEVICE]           writes sales.parquet in the current folder first,
//         so that there is something to ask
#include <cstdio>
#include <cstdlib>

#include "penstock/penstock.hpp"

using namespace penstock;

struct Sale {
  Col<"item", str> item;
  Col<"price", float> price;
  Col<"quantity", opt<std::int32_t>> quantity;
};

template <class T> T take(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "query_file: %s\n", result.status().text().c_str());
  std::exit(1);
}

Table make_sales() {
  std::vector<std::string> items;
  std::vector<float> prices;
  std::vector<std::optional<std::int32_t>> quantities;
  for (int i = 0; i < 200'000; i++) {
    items.push_back(i % 3 == 0 ? "apple" : i % 3 == 1 ? "pear" : "plum");
    prices.push_back(static_cast<float>(i % 100) / 8);
    quantities.push_back(i % 11 == 0 ? std::nullopt : std::optional(i % 6));
  }
  return Table::of({{"item", Column::from_strings(items)},
                    {"price", Column::from(prices)},
                    {"quantity", Column::from(quantities)}});
}

int main(int argument_count, char** arguments) {
  const RunOptions options{.device = argument_count > 1 ? arguments[1] : ""};
  const char* path = "sales.parquet";
  if (const Status written = write_table(make_sales(), path, FileFormat::parquet); !written.ok()) {
    std::fprintf(stderr, "query_file: %s\n", written.text().c_str());
    return 1;
  }

  const auto by_item =
      from<Sale>(open_table(path))
          .filter([](auto r) { return r.quantity > 2; })
          .group_by([](auto r) { return r.item; })
          .aggregate([](auto r) { return std::tuple(count(), sum(r.price * r.quantity)); });
  RunReport report;
  const auto rows = take(by_item.values(options, &report));
  for (const auto& [item, sales, revenue] : rows)
    std::printf("%-6s %8lld %12.2f\n", item.c_str(), static_cast<long long>(sales), *revenue);
  std::printf("on %s (%s), %llu rows read\n", report.device_id.c_str(), report.device_name.c_str(),
              static_cast<unsigned long long>(report.rows_read));

  Plan plan;
  const char* const statement =
      "SELECT item, count(*), sum(price * quantity) FROM 'sales.parquet' WHERE quantity > 2 GROUP "
      "BY item ORDER BY item";
  const StepId result = take(bind_sql(statement, plan, open_table));
  const Table answer = take(run(plan, result, options)).table;
  bool is_equal = answer.row_count == rows.size();
  for (std::size_t i = 0; is_equal && i < rows.size(); i++)
    is_equal = answer.columns[0].string(i) == std::get<0>(rows[i]) &&
               answer.columns[1].values.as<std::int64_t>()[i] == std::get<1>(rows[i]);
  if (is_equal) return 0;
  std::fprintf(stderr, "query_file: SQL gives another answer\n");
  return 1;
}
