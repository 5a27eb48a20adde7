// Which program a group-by is expected to need, from the records of its source.
#include "fuse/variants/next_variant.hpp"

#include <gtest/gtest.h>

#include "codec/pages/paged_table.hpp"
#include "penstock/expression.hpp"
#include "penstock/skipping.hpp"
#include "take.hpp"

namespace penstock::plan {
namespace {

// One chunk a column, of so many bytes.
class ChunksOnly final : public pages::PagedTable {
 public:
  explicit ChunksOnly(std::uint64_t bytes) { chunk_.page_bytes = bytes; }
  const std::vector<pages::PagedColumn>& columns() const override { return columns_; }
  std::span<const std::uint64_t> first_rows() const override { return first_rows_; }
  std::span<const pages::StoredChunk> chunks(std::uint32_t) const override { return {&chunk_, 1}; }
  Result<pages::ChunkPages> read(std::uint32_t, std::uint32_t,
                                 const BatchAllocator&) const override {
    return Status(Code::unsupported, "there are no pages");
  }
  Result<Column> dictionary_strings(std::uint32_t, const pages::ChunkPages&) const override {
    return Status(Code::unsupported, "there are no strings");
  }
  std::string location_of(std::uint32_t, const pages::ChunkPages&, std::uint32_t) const override {
    return "";
  }

 private:
  std::vector<pages::PagedColumn> columns_ = std::vector<pages::PagedColumn>(2);
  std::vector<std::uint64_t> first_rows_ = {0, 1 << 22};
  pages::StoredChunk chunk_;
};

// Four million rows. The extremes of the first column are known, or not.
class RecordedSource : public TableSource {
 public:
  RecordedSource(Field key, std::optional<std::pair<std::int64_t, std::int64_t>> extremes,
                 std::uint64_t page_bytes)
      : pages_(std::make_shared<ChunksOnly>(page_bytes)),
        schema_({std::move(key), {"x", {Kind::int32}, false}}),
        extremes_(extremes) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return 1 << 22; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::unsupported, "there are no rows");
  }
  Result<ColumnStatistics> statistics(std::uint32_t column) const override {
    ColumnStatistics known;
    if (column != 0 || !extremes_) return known;
    known.minimum = Column::from(std::vector<std::int64_t>{extremes_->first});
    known.maximum = Column::from(std::vector<std::int64_t>{extremes_->second});
    return known;
  }
  std::shared_ptr<const pages::PagedTable> pages() const override { return pages_; }
  std::string describe() const override { return "records"; }

 private:
  std::shared_ptr<const ChunksOnly> pages_;
  Schema schema_;
  std::optional<std::pair<std::int64_t, std::int64_t>> extremes_;
};

std::string expected_variant(Type key,
                             std::optional<std::pair<std::int64_t, std::int64_t>> extremes = {},
                             std::uint64_t page_bytes = 8 << 22) {
  const auto source =
      std::make_shared<RecordedSource>(Field{"key", key, false}, extremes, page_bytes);
  Plan plan;
  const StepId rows = plan.source(source);
  Builder b(plan.step(rows).schema);
  const auto groups = plan.group_by(rows, b.graph(), {{"key", b.column(0u)}},
                                    {{Aggregate::sum, b.column(1u), "sum", nullptr}});
  const auto program = fuse(plan, rows, *groups);
  Traits traits = typical_traits(Target::cuda);
  traits.global_bytes = traits.max_allocation_bytes = std::uint64_t{64} << 30;
  const auto now = choose_variant(traits, *program);
  EXPECT_EQ((*now)->name, "group_dense");
  const Variant* next =
      likely_next_variant(traits, *program, (*now)->policy(traits, *program), source.get());
  return next ? std::string(next->name) : "none";
}

TEST(NextVariant, RecordsOfFewKeysAskForNoOtherProgram) {
  EXPECT_EQ(expected_variant({Kind::int64}, std::pair(-5, 900)), "group_dense");
  EXPECT_EQ(expected_variant({Kind::int8}), "group_dense");
}

TEST(NextVariant, RecordsOfAMillionKeysAskForPartitions) {
  EXPECT_EQ(expected_variant({Kind::int64}, std::pair(7, 1'000'000)), "group_dense_partitioned");
}

TEST(NextVariant, RecordsOfWideKeysAskForATableThatHashes) {
  EXPECT_EQ(expected_variant({Kind::int64}, std::pair(INT64_MIN, INT64_MAX)), "group_global");
  EXPECT_EQ(expected_variant({Kind::int64}, std::pair(0, INT64_MAX)), "group_global");
  EXPECT_EQ(expected_variant({Kind::int64}, std::pair(0, std::int64_t{1} << 40)), "group_global");
}

// Codes of eight bits.
TEST(NextVariant, WideKeysOfShortCodesAskForLocalMemory) {
  EXPECT_EQ(expected_variant({Kind::int64}, std::pair(INT64_MIN, INT64_MAX), 1 << 22),
            "group_local");
}

TEST(NextVariant, KeysWithoutRecordsMayBeWide) {
  EXPECT_EQ(expected_variant({Kind::int64}), "group_global");
}

}  // namespace
}  // namespace penstock::plan
