// Which program a group-by is expected to need, from the records of its source.
#include "plan/variants/next_variant.hpp"

#include <gtest/gtest.h>

#include "penstock/expression.hpp"
#include "penstock/skipping.hpp"
#include "take.hpp"

namespace penstock::plan {
namespace {

// Four million rows, of whose first column the extremes are known, or not.
class RecordedSource : public TableSource {
 public:
  RecordedSource(Field key, std::optional<std::pair<std::int64_t, std::int64_t>> extremes)
      : schema_({std::move(key), {"x", {Kind::int32}, false}}), extremes_(extremes) {}
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
  std::string describe() const override { return "records"; }

 private:
  Schema schema_;
  std::optional<std::pair<std::int64_t, std::int64_t>> extremes_;
};

std::string expected_variant(Type key,
                             std::optional<std::pair<std::int64_t, std::int64_t>> extremes = {}) {
  const auto source = std::make_shared<RecordedSource>(Field{"key", key, false}, extremes);
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

TEST(NextVariant, KeysWithoutRecordsMayBeWide) {
  EXPECT_EQ(expected_variant({Kind::int64}), "group_global");
}

}  // namespace
}  // namespace penstock::plan
