// Compares what a file says of a column with the column's values.
#include "io/parquet/parquet_bloom.hpp"
#include "io/parquet/parquet_page_index.hpp"
#include "io/parquet/parquet_scan.hpp"
#include "io/parquet/parquet_statistics.hpp"

namespace penstock::io {
namespace {

// Values of some rows beside the bounds that were stated for them, and the extremes, if any were.
class StatedBounds {
 public:
  StatedBounds(Bounds bounds, std::uint64_t end, std::optional<ExactExtremes> extremes = {})
      : bounds_(std::move(bounds)), end_(end), extremes_(std::move(extremes)) {}
  std::uint64_t end() const { return end_; }  // the row behind the last one

  // Returns what is wrong with a row; "" where nothing is.
  std::string_view look_at(const Column& values, std::uint64_t row) {
    if (!values.is_valid(row)) {
      null_count_++;
      return "";
    }
    const auto value = ordered_value(values, row);
    if (!value) return "";
    if (bounds_.lowest && *value < *bounds_.lowest) return "is below their minimum";
    if (bounds_.highest && *bounds_.highest < *value) return "is above their maximum";
    has_lowest_ = has_lowest_ || (extremes_ && *value == extremes_->lowest);
    has_highest_ = has_highest_ || (extremes_ && *value == extremes_->highest);
    return "";
  }
  // Returns what is wrong with all rows; "" where nothing is.
  std::string count() const {
    if (bounds_.null_count && *bounds_.null_count != null_count_)
      return "they count " + std::to_string(*bounds_.null_count) + " NULLs, and there are " +
             std::to_string(null_count_);
    if (!extremes_ || null_count_ == bounds_.row_count) return "";
    if (!has_lowest_) return "no row has their minimum";
    return has_highest_ ? "" : "no row has their maximum";
  }

 private:
  Bounds bounds_;
  std::uint64_t end_, null_count_ = 0;
  std::optional<ExactExtremes> extremes_;
  bool has_lowest_ = false, has_highest_ = false;
};

class ColumnCheck {
 public:
  ColumnCheck(std::shared_ptr<const ParquetFile> file, std::uint32_t column)
      : file_(std::move(file)), index_(column), column_(file_->columns()[column]) {}

  Status check() {
    PENSTOCK_ASSIGN(const auto stream, scan_parquet(file_, std::span(&index_, 1), {}));
    begin_group();
    for (;;) {
      PENSTOCK_ASSIGN(const std::optional<Table> batch, stream->next());
      if (!batch) break;
      for (std::uint64_t row = 0; row < batch->row_count; row++, row_++)
        PENSTOCK_TRY(look_at(batch->columns[0], row));
    }
    return {};
  }

 private:
  Status look_at(const Column& values, std::uint64_t row) {
    if (const std::string_view wrong = group_->look_at(values, row); !wrong.empty())
      return differs("statistics", row_text(wrong));
    if (page_)
      if (const std::string_view wrong = page_->look_at(values, row); !wrong.empty())
        return differs(page_name(), row_text(wrong));
    if (filter_ && values.is_valid(row) && !filter_->may_hold(values, row))
      return differs("bloom filter", row_text("is not in it"));
    return end_with(row_ + 1);
  }

  Status end_with(std::uint64_t end) {
    if (page_ && page_->end() == end) {
      if (const std::string wrong = page_->count(); !wrong.empty())
        return differs(page_name(), wrong);
      next_page_++;
      begin_page();
    }
    if (group_->end() != end) return {};
    if (const std::string wrong = group_->count(); !wrong.empty())
      return differs("statistics", wrong);
    next_group_++;
    begin_group();
    return {};
  }

  // Goes to the next row group that has rows.
  void begin_group() {
    const auto& firsts = file_->first_rows();
    while (next_group_ < file_->row_group_count() && firsts[at(0)] == firsts[at(1)]) next_group_++;
    if (next_group_ == file_->row_group_count()) return;
    group_.emplace(bounds_of_chunk(*file_, next_group_, column_), firsts[at(1)],
                   exact_extremes(*file_, next_group_, column_));
    filter_ = ChunkBloomFilter::open(*file_, next_group_, column_);
    pages_ = page_bounds(*file_, next_group_, column_);
    next_page_ = 0;
    begin_page();
  }
  std::size_t at(int offset) const { return static_cast<std::size_t>(next_group_ + offset); }

  void begin_page() {
    page_.reset();
    if (!pages_) return;
    while (next_page_ < pages_->bounds.size() && pages_->bounds[next_page_].row_count == 0)
      next_page_++;
    if (next_page_ < pages_->bounds.size())
      page_.emplace(pages_->bounds[next_page_],
                    file_->first_rows()[at(0)] + pages_->starts[next_page_ + 1]);
  }

  std::string page_name() const { return "index of page " + std::to_string(next_page_); }
  std::string row_text(std::string_view wrong) const {
    return "row " + std::to_string(row_ + 1) + " " + std::string(wrong);
  }
  Status differs(const std::string& record, const std::string& wrong) const {
    return Status(Code::corrupt, "the " + record + " of column '" + column_.field.name +
                                     "', row group " + std::to_string(next_group_) + ": " + wrong)
        .with("in '" + file_->path() + "'");
  }

  std::shared_ptr<const ParquetFile> file_;
  const std::uint32_t index_;
  const ParquetColumn& column_;
  int next_group_ = 0;  // begun, and not ended
  std::size_t next_page_ = 0;
  std::optional<StatedBounds> group_, page_;
  std::optional<PageBounds> pages_;
  std::unique_ptr<ChunkBloomFilter> filter_;
  std::uint64_t row_ = 0;
};

}  // namespace

Status check_parquet_statistics(std::shared_ptr<const ParquetFile> file,
                                std::span<const std::uint32_t> columns) {
  for (const std::uint32_t column : columns) PENSTOCK_TRY(ColumnCheck(file, column).check());
  return {};
}

}  // namespace penstock::io
