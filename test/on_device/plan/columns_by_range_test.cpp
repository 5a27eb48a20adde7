// Columns in the order of their rows' ranges: rows of one range keep their order, whatever the
// columns' widths.
#include "table/sort/columns_by_range.hpp"

#include <numeric>
#include <random>

#include "on_device/plan/plan_fixture.hpp"
#include "table/sort/rows_download.hpp"

namespace penstock::test {
namespace {

using RawBytes = std::vector<std::uint8_t>;

plan::BufferPointer uploaded_bytes(Device& device, Queue& queue, const RawBytes& bytes) {
  plan::BufferPointer buffer = *device.allocate(std::max<std::uint64_t>(bytes.size(), 64));
  EXPECT_OK(queue.upload(*buffer, bytes.data(), bytes.size()));
  return buffer;
}

RawBytes random_bytes(std::uint64_t count) {
  std::mt19937_64 numbers(count);
  RawBytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers());
  return bytes;
}

// Returns the elements of these rows, one after another.
RawBytes taken(const RawBytes& column, std::uint64_t width,
               const std::vector<std::uint32_t>& rows) {
  RawBytes elements;
  for (const std::uint64_t row : rows)
    elements.insert(elements.end(), column.begin() + static_cast<std::int64_t>(row * width),
                    column.begin() + static_cast<std::int64_t>((row + 1) * width));
  return elements;
}

// One column of each width. The last one may be NULL.
struct ColumnsOfRows {
  std::vector<Type> types = {
      {Kind::uint8}, {Kind::int16}, {Kind::float32}, {Kind::int64}, {Kind::decimal, 38, 2}};
  std::vector<RawBytes> columns;
  RawBytes validity;

  explicit ColumnsOfRows(std::uint64_t rows) : validity(random_bytes(rows)) {
    for (const Type type : types) columns.push_back(random_bytes(rows * width_bytes(type) + 3));
  }
  plan::DeviceRows upload_to(Device& device, Queue& queue) const {
    plan::DeviceRows rows{validity.size(), {}};
    for (std::size_t i = 0; i < types.size(); i++)
      rows.columns.push_back({types[i], uploaded_bytes(device, queue, columns[i]), nullptr});
    rows.columns.back().validity = uploaded_bytes(device, queue, validity);
    return rows;
  }
};

void expect_bytes(Queue& queue, const Buffer& buffer, const RawBytes& wanted) {
  RawBytes found(wanted.size());
  ASSERT_OK(queue.download(found.data(), buffer, found.size()));
  ASSERT_OK(queue.finish());
  ASSERT_EQ(found, wanted);
}

void expect_moved(const std::shared_ptr<Device>& device, const RawBytes& ranges) {
  const ColumnsOfRows of(ranges.size());
  std::vector<std::uint32_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return ranges[row]; });
  plan::RowKernels kernels(device, plan::table_kernels({"order_columns", "order_ranges"}));
  TAKE(const auto queue, device->queue());
  TAKE(auto columns, plan::ColumnsByRange::begin(kernels, *queue, ranges.size()));
  ASSERT_OK(
      queue->copy(columns.numbers(), *uploaded_bytes(*device, *queue, ranges), ranges.size()));
  TAKE(const plan::DeviceRows moved, columns.move(of.upload_to(*device, *queue)));
  ASSERT_EQ(moved.row_count, ranges.size());
  for (std::size_t i = 0; i < of.types.size(); i++) {
    SCOPED_TRACE(name_of(of.types[i]));
    ASSERT_EQ(moved.columns[i].type, of.types[i]);
    expect_bytes(*queue, *moved.columns[i].values,
                 taken(of.columns[i], width_bytes(of.types[i]), order));
    ASSERT_EQ(moved.columns[i].validity != nullptr, i + 1 == of.types.size());
  }
  expect_bytes(*queue, *moved.columns.back().validity, taken(of.validity, 1, order));
  expect_bytes(*queue, columns.sorted_numbers(), taken(ranges, 1, order));
}

TEST(ColumnsByRange, ElementsOfEveryWidthFollowTheirRows) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const std::size_t rows : {1u, 511u, 9217u, 70'001u}) {
      SCOPED_TRACE(rows);
      expect_moved(device, random_bytes(rows));
    }
  });
}

TEST(ColumnsByRange, OneRangeAndOneThatHasMostRows) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    expect_moved(device, RawBytes(20'000, 255));
    RawBytes ranges = random_bytes(20'000);
    for (std::size_t row = 0; row < ranges.size(); row++)
      if (row % 10 != 0) ranges[row] = 7;
    expect_moved(device, ranges);
  });
}

TEST(RowsOfPiece, OneGpuDividesFrom512MiBOnAndACpuWhereItIsAskedTo) {
  Traits gpu, cpu, shared;
  cpu.is_cpu = true, shared.unified_memory = true;
  constexpr std::uint64_t row_bytes = 16, enough = (std::uint64_t{512} << 20) / row_bytes;
  EXPECT_EQ(plan::rows_of_piece(gpu, enough, row_bytes, 0), enough / 4);
  EXPECT_EQ(plan::rows_of_piece(gpu, enough - 1, row_bytes, 0), 0u);
  EXPECT_EQ(plan::rows_of_piece(cpu, 4 * enough, row_bytes, 0), 0u);
  EXPECT_EQ(plan::rows_of_piece(shared, 4 * enough, row_bytes, 0), 0u);
  EXPECT_EQ(plan::rows_of_piece(cpu, 5000, row_bytes, 1000), 1000u);
}

}  // namespace
}  // namespace penstock::test
