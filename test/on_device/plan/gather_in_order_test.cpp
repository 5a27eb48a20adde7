// Columns gathered range by range: runs of all ranges alternate, and no row is left out or is
// twice.
#include "plan/order/gather_in_order.hpp"

#include <numeric>

#include "on_device/plan/plan_fixture.hpp"
#include "plan/order/rows_download.hpp"

namespace penstock::test {
namespace {

using plan::RangeEnds;

struct Ranges {
  std::vector<std::uint32_t> ends, order;  // rows of ranges lie among each other
};

// Each row is in a range that is not full; ranges fill at a like pace.
Ranges mixed_ranges(const std::vector<std::uint32_t>& sizes) {
  Ranges ranges;
  for (const std::uint32_t size : sizes)
    ranges.ends.push_back(size + (ranges.ends.empty() ? 0 : ranges.ends.back()));
  const std::uint32_t rows = ranges.ends.back(), longest = *std::ranges::max_element(sizes);
  ranges.order.resize(rows);
  std::vector<std::uint32_t> filled(sizes.size());
  std::uint32_t row = 0;
  for (std::uint64_t turn = 1; turn <= longest; turn++)
    for (std::size_t range = 0; range < sizes.size(); range++)
      for (; filled[range] < turn * sizes[range] / longest; filled[range]++)
        ranges.order[ranges.ends[range] - sizes[range] + filled[range]] = row++;
  EXPECT_EQ(row, rows);
  return ranges;
}

template <class T> plan::BufferPointer uploaded(Device& device, const std::vector<T>& values) {
  const std::uint64_t bytes = values.size() * sizeof(T);
  plan::BufferPointer buffer = *device.allocate(std::max<std::uint64_t>(bytes, 64));
  const auto queue = *device.queue();
  EXPECT_OK(queue->upload(*buffer, values.data(), bytes));
  EXPECT_OK(queue->finish());
  return buffer;
}

// Gathers elements of `T`, each of which tells its row, into memory that no element equals.
template <class T>
void expect_gathered(const std::shared_ptr<Device>& device, const Ranges& ranges, T mask) {
  std::vector<T> from(ranges.order.size()), to(ranges.order.size(), static_cast<T>(~T{0}));
  for (std::size_t row = 0; row < from.size(); row++) from[row] = static_cast<T>(row & mask);
  const plan::BufferPointer order = uploaded(*device, ranges.order),
                            source = uploaded(*device, from), target = uploaded(*device, to);
  const RangeEnds ends{uploaded(*device, ranges.ends), {ranges.ends.begin(), ranges.ends.end()}};
  plan::RowKernels kernels(device, {"order_ranges"});
  const auto queue = *device->queue();
  ASSERT_OK(plan::gather_elements(kernels, *queue, {*order, 0, from.size(), &ends}, *source,
                                  *target, sizeof(T)));
  ASSERT_OK(queue->download(to.data(), *target, to.size() * sizeof(T)));
  ASSERT_OK(queue->finish());
  for (std::size_t at = 0; at < to.size(); at++)
    ASSERT_EQ(to[at], from[ranges.order[at]]) << "position " << at;
}

void expect_gathered(const std::vector<std::uint32_t>& sizes) {
  const Ranges ranges = mixed_ranges(sizes);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    expect_gathered<std::uint8_t>(device, ranges, 127);
    expect_gathered<std::uint32_t>(device, ranges, 0xffffff);
    expect_gathered<std::uint64_t>(device, ranges, 0xffffff);
  });
}

// One, three and four runs of up to 1024 rows.
TEST(GatherInOrder, RangesOfEveryLengthHaveAllTheirRows) {
  expect_gathered({1022, 0, 1, 255, 256, 257, 1021, 1022, 1020, 1000, 900});
  expect_gathered({2046, 1023, 1024, 2045, 2040, 2000, 1025});
  expect_gathered({3072, 2046, 2047, 3069, 1, 3070, 2500});
}

TEST(GatherInOrder, OneRangeAndOneThatHasMostRows) {
  expect_gathered({5000});
  expect_gathered({7, 9000, 11, 3, 0, 2});
}

TEST(GatherInOrder, PartOfAnOrderWithRangesIsGatheredAlone) {
  const Ranges ranges = mixed_ranges({2000, 2100});
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    std::vector<std::uint32_t> rows(4100), found(4100, ~0u);
    std::iota(rows.begin(), rows.end(), 0u);
    const plan::BufferPointer order = uploaded(*device, ranges.order),
                              from = uploaded(*device, rows), to = uploaded(*device, found);
    const RangeEnds ends{uploaded(*device, ranges.ends), {2000, 4100}};
    plan::RowKernels kernels(device, {"order_ranges"});
    const auto queue = *device->queue();
    ASSERT_OK(plan::gather_elements(kernels, *queue, {*order, 1990, 20, &ends}, *from, *to, 4));
    ASSERT_OK(queue->download(found.data(), *to, found.size() * 4));
    ASSERT_OK(queue->finish());
    for (std::size_t i = 0; i < found.size(); i++)
      ASSERT_EQ(found[i], i < 20 ? ranges.order[1990 + i] : ~0u) << i;
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
