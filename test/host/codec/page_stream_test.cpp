#include "codec/pages/page_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <set>

namespace penstock::pages {
namespace {

// A table of made-up chunks: byte 0 has the column, byte 1 the row group.
class MadeTable final : public PagedTable {
 public:
  MadeTable(std::uint32_t column_count, std::vector<std::uint64_t> group_rows)
      : columns_(column_count), chunks_(column_count) {
    for (const std::uint64_t rows : group_rows) first_rows_.push_back(first_rows_.back() + rows);
  }
  const std::vector<PagedColumn>& columns() const override { return columns_; }
  std::span<const std::uint64_t> first_rows() const override { return first_rows_; }
  std::span<const StoredChunk> chunks(std::uint32_t column) const override {
    std::vector<StoredChunk>& chunks = chunks_[column];
    chunks.clear();
    for (std::uint32_t group = 0; group + 1 < first_rows_.size(); group++)
      chunks.push_back({chunk_bytes, unpacked_bytes,
                        changes.contains({column, group}) ? Compression::gzip : Compression::none});
    return chunks;
  }
  Result<ChunkPages> read(std::uint32_t column, std::uint32_t row_group,
                          const BatchAllocator&) const override {
    reads++;
    if (on_read) on_read(row_group);
    std::this_thread::sleep_for(std::chrono::microseconds(std::minstd_rand(reads)() % 300));
    if (failing.contains({column, row_group}))
      return Status(Code::corrupt,
                    "chunk " + std::to_string(column) + " of " + std::to_string(row_group));
    ChunkPages chunk;
    chunk.row_group = row_group;
    chunk.memory = std::shared_ptr<std::byte>(new std::byte[2], std::default_delete<std::byte[]>());
    chunk.memory.get()[0] = static_cast<std::byte>(column);
    chunk.memory.get()[1] = static_cast<std::byte>(row_group);
    chunk.bytes = {chunk.memory.get(), 2};
    return chunk;
  }
  Result<Column> dictionary_strings(std::uint32_t, const ChunkPages&) const override {
    return Column();
  }
  std::string location_of(std::uint32_t, const ChunkPages&, std::uint32_t) const override {
    return "";
  }

  using Chunks = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  Chunks failing, changes;
  std::uint64_t chunk_bytes = 100, unpacked_bytes = 1000;
  mutable std::atomic<unsigned> reads{0};
  std::function<void(std::uint32_t)> on_read;  // with the row group

 private:
  std::vector<PagedColumn> columns_;
  mutable std::vector<std::vector<StoredChunk>> chunks_;  // as last returned
  std::vector<std::uint64_t> first_rows_{0};
};

std::vector<std::uint32_t> first_groups(std::uint32_t count) {
  std::vector<std::uint32_t> groups(count);
  for (std::uint32_t g = 0; g < count; g++) groups[g] = g;
  return groups;
}

std::vector<std::vector<std::uint32_t>> groups_of(const std::vector<RowGroupBatch>& batches) {
  std::vector<std::vector<std::uint32_t>> groups;
  for (const RowGroupBatch& batch : batches) groups.push_back(batch.row_groups);
  return groups;
}

TEST(PageBatches, EndWhereAnyLimitIsReached) {
  const MadeTable table(2, {10, 10, 10, 10, 10});
  const std::uint32_t columns[] = {0, 1};
  using Groups = std::vector<std::vector<std::uint32_t>>;
  const Groups pairs{{0, 1}, {2, 3}, {4}};
  for (const BatchLimits& limits :
       {BatchLimits{400, UINT64_MAX, UINT64_MAX}, BatchLimits{UINT64_MAX, 4000, UINT64_MAX},
        BatchLimits{UINT64_MAX, UINT64_MAX, 20}})
    EXPECT_EQ(groups_of(plan_batches(table, columns, first_groups(5), limits)), pairs);
  EXPECT_EQ(groups_of(plan_batches(table, columns, first_groups(5), {1, 1, 1})).size(), 5u);
}

TEST(PageBatches, EndWhereACompressionChangesAndLeaveOutEmptyGroups) {
  MadeTable table(2, {10, 0, 10, 10, 10});
  table.changes = {{1, 3}, {1, 4}};
  const std::uint32_t columns[] = {0, 1};
  const std::vector<std::vector<std::uint32_t>> expected{{0, 2}, {3, 4}};
  const auto batches = plan_batches(table, columns, first_groups(5));
  EXPECT_EQ(groups_of(batches), expected);
  EXPECT_EQ(batches[1].row_count, 20u);
  EXPECT_EQ(batches[1].stored_bytes, 400u);
}

TEST(PageBatches, DoNotOverflowByAFootersSizes) {
  MadeTable table(3, {10, 10});
  table.chunk_bytes = table.unpacked_bytes = INT64_MAX;
  const std::uint32_t columns[] = {0, 1, 2};
  EXPECT_EQ(plan_batches(table, columns, first_groups(2)).size(), 2u);
}

TEST(PageStream, BatchesComeInOrderFromAnyNumberOfThreads) {
  for (const std::uint32_t threads : {1u, 3u, 16u}) {
    auto table = std::make_shared<MadeTable>(3, std::vector<std::uint64_t>(20, 10));
    const std::vector<std::uint32_t> columns{2, 0};
    auto batches = plan_batches(*table, columns, first_groups(20), {UINT64_MAX, UINT64_MAX, 30});
    auto stream = PageStream::open(table, columns, batches, {}, threads);
    ASSERT_TRUE(stream.ok());
    for (std::uint32_t first = 0; first < 20; first += 3) {
      auto batch = (*stream)->next();
      ASSERT_TRUE(batch.ok() && batch.value());
      const PageBatch& got = **batch;
      ASSERT_EQ(got.columns.size(), 2u);
      for (std::size_t c = 0; c < 2; c++)
        for (std::size_t g = 0; g < got.groups.row_groups.size(); g++) {
          EXPECT_EQ(std::to_integer<unsigned>(got.columns[c][g].bytes[0]), columns[c]);
          EXPECT_EQ(std::to_integer<unsigned>(got.columns[c][g].bytes[1]), first + g);
        }
    }
    EXPECT_FALSE((*stream)->next().value().has_value());
    EXPECT_FALSE((*stream)->next().value().has_value());
  }
}

TEST(PageStream, TheFirstFailureArrivesInItsTurnAndStays) {
  for (int round = 0; round < 20; round++) {
    auto table = std::make_shared<MadeTable>(2, std::vector<std::uint64_t>(12, 10));
    table->failing = {{1, 6}, {0, 7}, {0, 9}, {1, 11}};
    auto batches = plan_batches(*table, std::vector<std::uint32_t>{0, 1}, first_groups(12),
                                {UINT64_MAX, UINT64_MAX, 30});
    auto stream = PageStream::open(table, {0, 1}, batches, {}, 8);
    ASSERT_TRUE(stream.ok());
    for (int i = 0; i < 2; i++) ASSERT_TRUE((*stream)->next().ok());
    for (int i = 0; i < 2; i++) {
      const auto failed = (*stream)->next();
      ASSERT_FALSE(failed.ok());
      EXPECT_EQ(failed.status().message(), "chunk 1 of 6");
    }
  }
}

TEST(PageStream, AStreamLeftEarlyStopsItsThreads) {
  for (int taken = 0; taken < 4; taken++) {
    auto table = std::make_shared<MadeTable>(2, std::vector<std::uint64_t>(400, 10));
    auto batches = plan_batches(*table, std::vector<std::uint32_t>{0, 1}, first_groups(400),
                                {UINT64_MAX, UINT64_MAX, 10});
    auto stream = PageStream::open(table, {0, 1}, batches, {}, 4);
    ASSERT_TRUE(stream.ok());
    for (int i = 0; i < taken; i++) ASSERT_TRUE((*stream)->next().ok());
    stream->reset();
    EXPECT_EQ(table.use_count(), 1);
    EXPECT_LT(table->reads.load(), 100u);  // what the window and the taken batches have
  }
}

TEST(PageStream, ABatchOfNoColumnsHasItsRows) {
  auto table = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>{10, 20});
  auto stream = PageStream::open(table, {}, plan_batches(*table, {}, first_groups(2)), {}, 2);
  ASSERT_TRUE(stream.ok());
  const auto batch = (*stream)->next();
  ASSERT_TRUE(batch.ok() && batch.value());
  EXPECT_EQ(batch.value()->groups.row_count, 30u);
  EXPECT_FALSE((*stream)->next().value().has_value());
}

// Returns whether a condition comes true within ten seconds.
bool waits_for(const std::function<bool()>& condition) {
  for (int i = 0; i < 10000 && !condition(); i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

std::unique_ptr<PageStream> stream_in(const std::shared_ptr<ReadingOrder>& order,
                                      const std::shared_ptr<MadeTable>& table) {
  const auto groups = static_cast<std::uint32_t>(table->first_rows().size() - 1);
  auto batches =
      plan_batches(*table, std::vector<std::uint32_t>{0}, first_groups(groups), {1, 1, 1});
  auto stream = PageStream::open(table, {0}, batches, {}, 2, order);
  EXPECT_TRUE(stream.ok());
  return std::move(stream).value();
}

// The first table's last chunk is read only when the second table's first one is, and that one
// begins only when all of the first have begun.
TEST(PageStream, TheNextOfAnOrderReadsBesideTheLastChunkOfTheOneBefore) {
  for (int round = 0; round < 20; round++) {
    auto first = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(6, 10)),
         second = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(6, 10));
    std::atomic<bool> overlapped = false, waited = true;
    first->on_read = [&](std::uint32_t group) {
      if (group == 5) overlapped = waits_for([&] { return second->reads > 0; });
    };
    // two threads may have begun chunks that they have not counted
    second->on_read = [&](std::uint32_t) { waited = waited && first->reads >= 4; };
    const auto order = std::make_shared<ReadingOrder>();
    const auto before = stream_in(order, first), after = stream_in(order, second);
    EXPECT_TRUE(waits_for([&] { return second->reads == 6; }));
    for (int i = 0; i < 6; i++) EXPECT_TRUE(before->next().ok() && after->next().ok());
    EXPECT_TRUE(overlapped);
    EXPECT_TRUE(waited);
  }
}

TEST(PageStream, AllOfAnOrderKeepToOneLimitOfWhatIsNotTaken) {
  auto first = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(4, 10)),
       second = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(4, 10));
  first->chunk_bytes = second->chunk_bytes = 256 << 20;  // four are all of it
  const auto order = std::make_shared<ReadingOrder>();
  auto before = stream_in(order, first);
  const auto after = stream_in(order, second);
  for (unsigned taken = 0; taken < 4; taken++) {
    EXPECT_TRUE(waits_for([&] { return first->reads == 4 && second->reads == taken; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(second->reads, taken);
    ASSERT_TRUE(before->next().ok());
  }
  EXPECT_TRUE(waits_for([&] { return second->reads == 4; }));
}

TEST(PageStream, OneThatIsAskedForABatchWaitsForNoOtherOfItsOrder) {
  auto first = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(100, 10)),
       second = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(4, 10));
  first->chunk_bytes = 512 << 20;  // two are read, and none is taken
  const auto order = std::make_shared<ReadingOrder>();
  const auto before = stream_in(order, first), after = stream_in(order, second);
  for (int i = 0; i < 4; i++) EXPECT_TRUE(after->next().value().has_value());
  EXPECT_FALSE(after->next().value().has_value());
}

TEST(PageStream, AStreamThatFailsOrIsLeftLetsTheNextOfItsOrderRead) {
  for (const bool is_left : {false, true}) {
    auto first = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(100, 10)),
         second = std::make_shared<MadeTable>(1, std::vector<std::uint64_t>(4, 10));
    if (is_left)
      first->chunk_bytes = 512 << 20;
    else
      first->failing = {{0, 0}};
    const auto order = std::make_shared<ReadingOrder>();
    auto before = stream_in(order, first);
    const auto after = stream_in(order, second);
    if (is_left) before.reset();
    EXPECT_TRUE(waits_for([&] { return second->reads > 0; }));
  }
}

}  // namespace
}  // namespace penstock::pages
