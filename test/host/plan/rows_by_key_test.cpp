// The rows of a right side that shares read; sources record bounds of blocks of 64 rows.
#include "exec/devices/rows_by_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "penstock/expression.hpp"

namespace penstock::plan {
namespace {

using Keys = std::vector<std::int64_t>;
using Ranges = std::vector<RowRange>;
constexpr std::uint64_t block_rows = 64;

class BoundedSource final : public TableSource {
 public:
  explicit BoundedSource(std::vector<Keys> columns) : columns_(std::move(columns)) {
    for (std::size_t i = 0; i < columns_.size(); i++)
      schema_.push_back({"k" + std::to_string(i), Type{Kind::int64}});
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return columns_[0].size(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "no row is read");
  }
  std::string describe() const override { return "bounds"; }

  Result<std::optional<ValueBounds>> bounds(std::uint32_t column, RowRange rows) const override {
    const auto of_rows = std::span(columns_[column]).subspan(rows.begin, rows.end - rows.begin);
    const auto [least, most] = std::ranges::minmax(of_rows);
    return std::optional(ValueBounds{Column::from(Keys{least}), Column::from(Keys{most})});
  }
  // Takes `column BETWEEN a AND b`.
  Result<std::optional<RowSelection>> select_rows(const RowCondition& needed) const override {
    const auto constant = [&](std::size_t i) {
      return needed.conditions[i].constants.values.as<std::int64_t>()[0];
    };
    const Keys& keys = columns_[needed.conditions[0].column];
    RowSelection rows;
    rows.counts.rows = keys.size();
    for (std::uint64_t at = 0; at < keys.size(); at += block_rows) {
      const auto end = std::min<std::uint64_t>(at + block_rows, keys.size());
      const auto [least, most] = std::ranges::minmax(std::span(keys).subspan(at, end - at));
      if (most >= constant(0) && least <= constant(1)) rows.ranges.push_back({at, end});
    }
    return std::optional(rows);
  }

 private:
  std::vector<Keys> columns_;
  Schema schema_;
};

Keys keys_from(std::int64_t first, std::size_t count, std::int64_t step = 1) {
  Keys keys;
  for (std::size_t i = 0; i < count; i++)
    keys.push_back(first + step * static_cast<std::int64_t>(i));
  return keys;
}

struct Joined {
  Joined(std::vector<Keys> left_keys, std::vector<Keys> right_keys,
         std::vector<JoinKey> keys = {{0, 0}}, JoinKind kind = JoinKind::inner)
      : left(plan.source(std::make_shared<BoundedSource>(std::move(left_keys)))),
        right(plan.source(std::make_shared<BoundedSource>(std::move(right_keys)))),
        join(*plan.join(left, right, kind, std::move(keys))) {}

  std::optional<Ranges> rows_of(const Ranges& shares) const {
    return rows_by_key(plan, {join, left, right}, shares);
  }

  Plan plan;
  StepId left, right, join;
};

const Ranges four_shares = {{0, 256}, {256, 512}, {512, 768}, {768, 1024}};

TEST(RowsByKey, SharesReadTheBlocksOfTheirKeys) {
  const Joined joined({keys_from(0, 1024)}, {keys_from(0, 1024)});
  EXPECT_EQ(joined.rows_of(four_shares), four_shares);
  EXPECT_EQ(joined.rows_of({{0, 200}, {200, 1024}}), std::nullopt);  // the second needs too much
  const Ranges uneven = {{0, 480}, {480, 1024}};
  EXPECT_EQ(joined.rows_of(uneven), (Ranges{{0, 512}, {448, 1024}}));
}

TEST(RowsByKey, RowsThatNoShareNeedsAreReadByTheOneBefore) {
  Keys left = keys_from(200, 512);
  const Keys later = keys_from(1100, 512);
  left.insert(left.end(), later.begin(), later.end());
  const Joined joined({left}, {keys_from(0, 1984)});
  EXPECT_EQ(joined.rows_of({{0, 512}, {512, 1024}}), (Ranges{{0, 1088}, {1088, 1984}}));
}

TEST(RowsByKey, AShareThatNeedsMuchMoreThanOthersReadsNoneByKey) {
  const Joined joined({keys_from(1900, 128)}, {keys_from(0, 2048)});
  EXPECT_EQ(joined.rows_of({{0, 64}, {64, 128}}), std::nullopt);
}

TEST(RowsByKey, KeysInTheOtherDirectionOrInNoneAreNotDivided) {
  const Joined descending({keys_from(0, 1024)}, {keys_from(1023, 1024, -1)});
  EXPECT_EQ(descending.rows_of(four_shares), std::nullopt);
  Keys mixed = keys_from(0, 1024);
  for (std::size_t i = 0; i < mixed.size(); i++)
    mixed[i] = static_cast<std::int64_t>(i * 611 % 1024);
  EXPECT_EQ(Joined({keys_from(0, 1024)}, {mixed}).rows_of(four_shares), std::nullopt);
  EXPECT_EQ(Joined({mixed}, {keys_from(0, 1024)}).rows_of(four_shares), std::nullopt);
}

TEST(RowsByKey, AnyOfSeveralKeysMayDivide) {
  const Keys same(1024, 7);
  const Joined joined({same, keys_from(0, 1024)}, {keys_from(0, 1024), same}, {{0, 1}, {1, 0}});
  EXPECT_EQ(joined.rows_of(four_shares), four_shares);
}

TEST(RowsByKey, AShareWithoutPartnersAndNotInAreNotDivided) {
  const Joined without({keys_from(5000, 1024)}, {keys_from(0, 1024)});
  EXPECT_EQ(without.rows_of(four_shares), std::nullopt);
  const Joined not_in({keys_from(0, 1024)}, {keys_from(0, 1024)}, {{0, 0}}, JoinKind::not_in);
  EXPECT_EQ(not_in.rows_of(four_shares), std::nullopt);
}

}  // namespace
}  // namespace penstock::plan
