#include "column/grown_source.hpp"

#include <numeric>
#include <optional>

#include "column/held_batches.hpp"
#include "column/rebatch.hpp"

namespace penstock::column {
namespace {

using Parts = std::vector<std::shared_ptr<TableSource>>;
using Streams = std::vector<std::unique_ptr<BatchStream>>;

// Parts of no more rows together are one.
constexpr std::uint64_t max_merged_rows = 1 << 20;

bool is_small(const TableSource& part, const TableSource& other) {
  const auto rows = part.row_count(), others = other.row_count();
  return rows && others && *rows + *others <= max_merged_rows && *rows <= 2 * *others;
}

Result<std::optional<Table>> on_the_host(Result<std::optional<Table>> batch) {
  if (batch.ok() && *batch)
    for (const Column& column : (*batch)->columns)
      if (column.device_values && column.values.empty())
        return Status(Code::unsupported, "a table in device memory takes no rows; copy it first");
  return batch;
}

class GrownSource final : public TableSource {
 public:
  explicit GrownSource(Parts parts) : parts_(std::move(parts)), schema_(parts_[0]->schema()) {
    for (const auto& part : parts_) {
      const auto rows = part->row_count();
      row_count_ = row_count_ && rows ? std::optional(*row_count_ + *rows) : std::nullopt;
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
            PENSTOCK_ASSIGN(std::optional<Table> batch, on_the_host((*streams)[at]->next()));
            if (batch) return batch;
          }
          return std::optional<Table>();
        },
        options.batch_rows);
  }

 private:
  const Parts parts_;
  Schema schema_;
  std::optional<std::uint64_t> row_count_ = 0;  // unknown if that of a part is
};

// A part of more rows stands before one of fewer, so that rows are copied few times.
Status merge_small(Parts& parts) {
  while (parts.size() > 1) {
    const std::shared_ptr<TableSource> last = parts.back(), before = parts[parts.size() - 2];
    if (!is_small(*before, *last)) return {};
    parts.resize(parts.size() - 2);
    PENSTOCK_ASSIGN(auto both, hold_batches(GrownSource({before, last})));
    parts.push_back(std::move(both));
  }
  return {};
}

// Looks at the first rows; a table is in one place.
Status check_on_the_host(const TableSource& table) {
  std::vector<std::uint32_t> columns(table.schema().size());
  std::iota(columns.begin(), columns.end(), 0u);
  PENSTOCK_ASSIGN(const auto stream, table.scan(columns, {.batch_rows = 1024}));
  return on_the_host(stream->next()).status();
}

}  // namespace

Result<std::shared_ptr<TableSource>> grow(const std::shared_ptr<TableSource>& table,
                                          std::shared_ptr<TableSource> added) {
  Parts parts{table};
  if (const auto* const grown = dynamic_cast<const GrownSource*>(table.get()))
    parts = grown->parts();
  else
    PENSTOCK_TRY(check_on_the_host(*table));
  parts.push_back(std::move(added));
  PENSTOCK_TRY(merge_small(parts));
  if (parts.size() == 1) return parts[0];
  return std::shared_ptr<TableSource>(std::make_shared<GrownSource>(std::move(parts)));
}

}  // namespace penstock::column
