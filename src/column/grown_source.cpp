#include "column/grown_source.hpp"

#include "column/held_batches.hpp"
#include "column/rebatch.hpp"

namespace penstock::column {
namespace {

using Parts = std::vector<std::shared_ptr<TableSource>>;
using Streams = std::vector<std::unique_ptr<BatchStream>>;

// Parts of no more rows together are one.
constexpr std::uint64_t max_merged_rows = 1 << 20;

std::uint64_t rows_in(const TableSource& part) { return part.row_count().value_or(0); }

class GrownSource final : public TableSource {
 public:
  explicit GrownSource(Parts parts) : parts_(std::move(parts)), schema_(parts_[0]->schema()) {
    for (const auto& part : parts_) {
      row_count_ += rows_in(*part);
      for (std::size_t i = 0; i < schema_.size(); i++)
        schema_[i].nullable |= part->schema()[i].nullable;
    }
  }

  const Parts& parts() const { return parts_; }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return row_count_; }
  std::string describe() const override { return parts_[0]->describe(); }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    auto streams = std::make_shared<Streams>();
    for (const auto& part : parts_) {
      PENSTOCK_ASSIGN(streams->emplace_back(), part->scan(columns, options));
    }
    return rebatch(
        [streams, at = std::size_t{0}]() mutable -> Result<std::optional<Table>> {
          for (; at < streams->size(); at++) {
            PENSTOCK_ASSIGN(std::optional<Table> batch, (*streams)[at]->next());
            if (batch) return batch;
          }
          return std::optional<Table>();
        },
        options.batch_rows);
  }

 private:
  const Parts parts_;
  Schema schema_;
  std::uint64_t row_count_ = 0;
};

// A part of more rows stands before one of fewer, so that rows are copied few times.
Status merge_small(Parts& parts) {
  while (parts.size() > 1) {
    const std::shared_ptr<TableSource> last = parts.back(), before = parts[parts.size() - 2];
    const bool is_small = rows_in(*last) + rows_in(*before) <= max_merged_rows;
    if (!is_small || rows_in(*before) > 2 * rows_in(*last)) return {};
    parts.resize(parts.size() - 2);
    PENSTOCK_ASSIGN(auto both, hold_batches(GrownSource({before, last})));
    parts.push_back(std::move(both));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<TableSource>> grow(const std::shared_ptr<TableSource>& table,
                                          std::shared_ptr<TableSource> added) {
  Parts parts{table};
  if (const auto* const grown = dynamic_cast<const GrownSource*>(table.get()))
    parts = grown->parts();
  parts.push_back(std::move(added));
  PENSTOCK_TRY(merge_small(parts));
  if (parts.size() == 1) return parts[0];
  return std::shared_ptr<TableSource>(std::make_shared<GrownSource>(std::move(parts)));
}

}  // namespace penstock::column
