#include "exec/devices/split_rows.hpp"

#include <gtest/gtest.h>

#include "codec/pages/paged_table.hpp"
#include "exec/devices/merge_sorted.hpp"

namespace penstock::test {
namespace {

// A table of row groups without a page.
class GroupsOnly final : public pages::PagedTable {
 public:
  explicit GroupsOnly(std::vector<std::uint64_t> first_rows) : first_rows_(std::move(first_rows)) {}
  const std::vector<pages::PagedColumn>& columns() const override { return columns_; }
  std::span<const std::uint64_t> first_rows() const override { return first_rows_; }
  std::span<const pages::StoredChunk> chunks(std::uint32_t) const override { return {}; }
  Result<pages::ChunkPages> read(std::uint32_t, std::uint32_t,
                                 const BatchAllocator&) const override {
    return Status(Code::internal, "not read");
  }
  Result<Column> dictionary_strings(std::uint32_t, const pages::ChunkPages&) const override {
    return Status(Code::internal, "not read");
  }
  std::string location_of(std::uint32_t, const pages::ChunkPages&, std::uint32_t) const override {
    return "";
  }

 private:
  std::vector<std::uint64_t> first_rows_;
  std::vector<pages::PagedColumn> columns_;
};

class RowsOnly final : public TableSource {
 public:
  explicit RowsOnly(std::vector<std::uint64_t> first_rows = {}) {
    if (!first_rows.empty()) pages_ = std::make_shared<const GroupsOnly>(std::move(first_rows));
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return {}; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "not read");
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }
  std::string describe() const override { return "rows"; }

 private:
  Schema schema_;
  std::shared_ptr<const pages::PagedTable> pages_;
};

using Ranges = std::vector<RowRange>;

TEST(SplitRows, WeightsBecomeRows) {
  const std::vector<double> weights{1, 3};
  EXPECT_EQ(plan::split_rows(RowsOnly(), {0, 6400}, weights), (Ranges{{0, 1600}, {1600, 6400}}));
}

TEST(SplitRows, SharesEndAtTheNearestRowGroup) {
  const RowsOnly source({0, 10, 500, 520, 1000});
  const std::vector<double> weights{1, 1};
  EXPECT_EQ(plan::split_rows(source, {0, 1000}, weights), (Ranges{{0, 500}, {500, 1000}}));
}

TEST(SplitRows, OneRowGroupGoesToOneDevice) {
  const std::vector<double> weights{1, 1, 1};
  const Ranges shares = plan::split_rows(RowsOnly({0, 1000}), {0, 1000}, weights);
  EXPECT_EQ(shares, (Ranges{{0, 0}, {0, 1000}, {1000, 1000}}));
}

TEST(SplitRows, ADeviceWithoutWeightGetsNothing) {
  const std::vector<double> weights{1, 0, 1};
  const Ranges shares = plan::split_rows(RowsOnly(), {640, 1280}, weights);
  EXPECT_EQ(shares, (Ranges{{640, 960}, {960, 960}, {960, 1280}}));
}

// A device that failed is the last: its weight of 0 must not leave it the rest.
TEST(SplitRows, TheLastDeviceWithoutWeightGetsNothing) {
  const std::vector<double> weights{1, 0};
  const Ranges shares = plan::split_rows(RowsOnly(), {0, 100}, weights);
  EXPECT_EQ(shares, (Ranges{{0, 100}, {100, 100}}));
}

TEST(MergeSorted, EqualRowsKeepTheOrderOfRanges) {
  std::vector<std::int64_t> keys, places;
  std::vector<std::uint64_t> ends;
  for (const std::uint64_t rows : {70000u, 0u, 150000u, 3u}) {
    for (std::uint64_t i = 0; i < rows; i++) keys.push_back(static_cast<std::int64_t>(i / 100));
    ends.push_back(keys.size());
  }
  for (std::size_t i = 0; i < keys.size(); i++) places.push_back(static_cast<std::int64_t>(i));
  const Table rows = Table::of({{"key", Column::from(keys)}, {"place", Column::from(places)}});
  std::vector<std::int64_t> order = places;
  std::ranges::stable_sort(order, {},
                           [&](std::int64_t at) { return keys[static_cast<std::size_t>(at)]; });
  const Table merged = plan::merge_sorted(rows, ends, {{0}}, ~std::uint64_t{0});
  ASSERT_EQ(merged.row_count, order.size());
  for (std::uint64_t i = 0; i < order.size(); i++)
    ASSERT_EQ(scalar_at(merged.columns[1], i).integer, order[i]) << "row " << i;
}

// A limit that ends between threads' pieces, and one that ends within one.
TEST(MergeSorted, ALimitLeavesTheFirstRowsOfTheWholeOrder) {
  constexpr std::uint64_t half = 200'000;
  std::vector<std::int64_t> keys;
  for (std::uint64_t i = 0; i < 2 * half; i++)
    keys.push_back(static_cast<std::int64_t>(2 * (i % half) + i / half));
  const std::vector<std::uint64_t> ends{half, 2 * half};
  const Table rows = Table::of({{"key", Column::from(keys)}});
  for (const std::uint64_t limit : {0u, 1u, 1u << 17, 150'001u}) {
    const Table merged = plan::merge_sorted(rows, ends, {{0}}, limit);
    ASSERT_EQ(merged.row_count, limit);
    for (std::uint64_t i = 0; i < limit; i++)
      ASSERT_EQ(scalar_at(merged.columns[0], i).integer, static_cast<Int128>(i)) << "row " << i;
  }
}

}  // namespace
}  // namespace penstock::test
