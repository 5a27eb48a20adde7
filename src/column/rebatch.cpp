#include "column/rebatch.hpp"

#include <algorithm>
#include <optional>

#include "column/concatenate.hpp"

namespace penstock::column {
namespace {

class Rebatched final : public BatchStream {
 public:
  Rebatched(NextTable next, std::uint64_t batch_rows)
      : next_(std::move(next)), batch_rows_(std::max<std::uint64_t>(batch_rows / 64 * 64, 64)) {}

  Result<std::optional<Table>> next() override {
    while (!ended_ && rows_ < batch_rows_ && !rows_kept_whole()) {
      PENSTOCK_ASSIGN(auto table, next_());
      if (!table) {
        ended_ = true;
        break;
      }
      rows_ += table->row_count;
      if (table->row_count > 0) tables_.push_back(std::move(*table));
    }
    if (rows_ == 0) return std::optional<Table>();
    PENSTOCK_ASSIGN(Table table, take(rows_kept_whole().value_or(std::min(rows_, batch_rows_))));
    return std::optional<Table>(std::move(table));
  }

 private:
  // Rows of the first table that are a batch although it could have more: to copy codes together
  // costs more than a batch does.
  std::optional<std::uint64_t> rows_kept_whole() const {
    constexpr std::uint64_t min_rows = 1 << 16;
    if (tables_.empty()) return std::nullopt;
    const Table& front = tables_.front();
    const std::uint64_t rows = std::min(front.row_count - taken_, batch_rows_) / 64 * 64;
    const bool is_encoded = std::ranges::any_of(
        front.columns, [](const Column& column) { return column.encoded != nullptr; });
    return is_encoded && rows >= std::min(batch_rows_, min_rows) ? std::optional(rows)
                                                                 : std::nullopt;
  }

  Result<Table> take(std::uint64_t rows) {
    rows_ -= rows;
    std::vector<Table> parts;
    while (rows > 0) {
      Table& front = tables_.front();
      const std::uint64_t count = std::min(rows, front.row_count - taken_);
      Table part;
      part.names = front.names;
      part.row_count = count;
      for (const Column& column : front.columns)
        part.columns.push_back(column.slice(taken_, count));
      parts.push_back(std::move(part));
      rows -= count;
      taken_ += count;
      if (taken_ == front.row_count) {
        tables_.pop_front();
        taken_ = 0;
      }
    }
    return parts.size() == 1 ? Result<Table>(std::move(parts.front())) : joined(parts);
  }

  static Result<Table> joined(const std::vector<Table>& parts) {
    Table table;
    table.names = parts[0].names;
    for (const Table& part : parts) table.row_count += part.row_count;
    for (std::size_t i = 0; i < parts[0].columns.size(); i++) {
      std::vector<Column> columns;
      for (const Table& part : parts) columns.push_back(part.columns[i]);
      PENSTOCK_ASSIGN(table.columns.emplace_back(), concatenate_encoded(columns[0].type, columns));
    }
    return table;
  }

  NextTable next_;
  const std::uint64_t batch_rows_;
  std::deque<Table> tables_;
  std::uint64_t rows_ = 0, taken_ = 0;  // rows not handed out; rows of the first table that are
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<BatchStream> rebatch(NextTable next, std::uint64_t batch_rows) {
  return std::make_unique<Rebatched>(std::move(next), batch_rows);
}

}  // namespace penstock::column
