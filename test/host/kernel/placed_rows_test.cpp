// Rows that a kernel without a filter stores where they stay, on the host executor: whole tiles by
// vectors, tails, chunks that begin at any row, and sources that tell less than they have.
#include <gtest/gtest.h>

#include "exec/collect/device_rows_collector.hpp"
#include "exec/collect/run_tiles.hpp"
#include "kernel_c/host_device.hpp"
#include "penstock/expression.hpp"
#include "table/join/join_kernels.hpp"
#include "take.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t row_total = 20011;  // several tiles a chunk

Table table_of_rows() {
  std::vector<std::int64_t> numbers;
  std::vector<std::optional<std::int16_t>> small;
  std::vector<std::int32_t> places;
  std::vector<std::int8_t> bytes;
  for (std::uint64_t row = 0; row < row_total; row++) {
    numbers.push_back(static_cast<std::int64_t>(row * 1000003));
    small.push_back(row % 5 == 2 ? std::nullopt : std::optional(static_cast<std::int16_t>(row)));
    places.push_back(static_cast<std::int32_t>(row));
    bytes.push_back(static_cast<std::int8_t>(row % 101));
  }
  return Table::of({{"number", Column::from(numbers)},
                    {"small", Column::from(small)},
                    {"place", Column::from(places)},
                    {"byte", Column::from(bytes)}});
}

std::optional<std::int64_t> cell_of(const Column& column, std::uint64_t row) {
  const Scalar value = scalar_at(column, row);
  if (value.is_null) return std::nullopt;
  return static_cast<std::int64_t>(value.integer);
}

// Tells that it has fewer rows, in batches of any length.
class Understated : public TableSource {
 public:
  Understated(const Table& table, std::uint64_t told, std::vector<std::uint64_t> lengths)
      : table_(table), told_(told), lengths_(std::move(lengths)), schema_(table.schema()) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return told_; }
  std::string describe() const override { return "understated"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions&) const override {
    struct Stream : BatchStream {
      Result<std::optional<Table>> next() override {
        if (first == from->table_.row_count) return std::optional<Table>();
        const std::uint64_t length = from->lengths_[batch++ % from->lengths_.size()];
        Table part{{}, {}, std::min(length, from->table_.row_count - first)};
        for (const std::uint32_t column : wanted) {
          part.names.push_back(from->table_.names[column]);
          part.columns.push_back(from->table_.columns[column].slice(first, part.row_count));
        }
        first += part.row_count;
        return std::optional(std::move(part));
      }
      const Understated* from = nullptr;
      std::vector<std::uint32_t> wanted;
      std::uint64_t first = 0, batch = 0;
    };
    auto stream = std::make_unique<Stream>();
    stream->from = this;
    stream->wanted.assign(columns.begin(), columns.end());
    return std::unique_ptr<BatchStream>(std::move(stream));
  }

 private:
  Table table_;
  std::uint64_t told_;
  std::vector<std::uint64_t> lengths_;
  Schema schema_;
};

class PlacedRows : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  // Leaves all rows on the device, or on the host where they exceed the limit.
  void expect_rows(std::uint64_t told, const std::vector<std::uint64_t>& lengths,
                   std::uint64_t limit_bytes = std::uint64_t{1} << 30) {
    const Table table = table_of_rows();
    const auto source = std::make_shared<Understated>(table, told, lengths);
    Plan plan;
    const StepId rows = plan.source(source);
    Builder builder(source->schema());
    TAKE(const StepId all, plan.map(rows, builder.graph(),
                                    {{"number", builder.column(0)},
                                     {"small", builder.column(1)},
                                     {"place", builder.column(2)},
                                     {"byte", builder.column(3)}}));
    TAKE(TileProgram program, fuse(plan, rows, all));
    const auto device = kernel::make_host_device(GetParam());
    ASSERT_TRUE(write_rows_on_device(program, device->traits(), [](int) { return false; }));
    RunOptions options;
    options.batch_rows = 1 << 20;
    StringPool strings;
    RunReport report;
    const RunContext run{device, &options, &strings, &report};
    const TileResults results{.stay = RowsOnDevice{begin_join_kernels(device), limit_bytes}};
    TAKE(auto kernel, TileKernel::begin(device, program, {}));
    TAKE(const CollectedRows left, run_tiles(run, std::move(kernel), program, {*source}, results));
    std::vector<Column> columns;
    EXPECT_EQ(std::holds_alternative<DeviceRows>(left), limit_bytes >= row_total * 16);
    if (const auto* const there = std::get_if<DeviceRows>(&left)) {
      ASSERT_EQ(there->row_count, row_total);
      TAKE(columns, download_columns(*device, *there, {0, 1, 2, 3}, strings));
    } else {
      ASSERT_EQ(std::get<Table>(left).row_count, row_total);
      columns = std::get<Table>(left).columns;
    }
    for (std::size_t column = 0; column < 4; column++)
      for (std::uint64_t row = 0; row < row_total; row++)
        ASSERT_EQ(cell_of(columns[column], row), cell_of(table.columns[column], row))
            << "column " << column << ", row " << row;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Devices, PlacedRows,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}),
    [](const auto& instance) { return instance.param.is_cpu ? "Cpu" : "Gpu"; });

TEST_P(PlacedRows, WholeTilesAndTailsAreBehindOneAnother) { expect_rows(row_total, {4480}); }

// Chunks that begin at an odd row are copied between others that are placed.
TEST_P(PlacedRows, ChunksOfAnyLengthAreBehindOneAnother) {
  expect_rows(row_total, {4483, 3, 5000, 2, 1, 4095});
}

TEST_P(PlacedRows, MoreRowsThanTheSourceTells) {
  expect_rows(1, {4480});
  expect_rows(9000, {4480, 64, 7});
}

TEST_P(PlacedRows, RowsBeyondTheLimitAreTheHosts) {
  expect_rows(row_total, {4480}, 9000 * 16);
  expect_rows(row_total, {4480}, 100);
}

}  // namespace
}  // namespace penstock::plan
