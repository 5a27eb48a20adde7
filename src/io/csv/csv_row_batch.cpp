#include "io/csv/csv_row_batch.hpp"

namespace penstock::io {

CsvRowError CsvRowBatch::error(Code code, std::string text) const {
  return {code, static_cast<std::size_t>(reader_.row_begin() - text_.data()), std::move(text)};
}

std::optional<CsvRowError> CsvRowBatch::wrong_width(std::size_t field_count) const {
  const std::string fields =
      std::to_string(field_count) + (field_count == 1 ? " field" : " fields");
  return error(Code::corrupt,
               "the row has " + fields + ", and the table " + std::to_string(column_count_) +
                   (column_count_ == 1 ? " column" : " columns") +
                   " (ignore_errors = true passes over such rows" +
                   (field_count < column_count_
                        ? ", null_padding = true fills them with NULL)"
                        : "; delim, quote and escape say how rows are cut, skip = n leaves out " +
                              std::string("the first n lines)")));
}

// Makes the fields from `begin` on as many as there are columns, or takes them out.
std::optional<CsvRowError> CsvRowBatch::fit_row(std::size_t begin) {
  const std::size_t count = fields_.size() - begin;
  const auto row_bytes = static_cast<std::uint64_t>(reader_.row_end() - reader_.row_begin());
  if (row_bytes > options_.max_line_bytes)
    return error(Code::capacity, "the row is longer than max_line_size, " +
                                     std::to_string(options_.max_line_bytes) + " bytes");
  if (reader_.is_blank() && column_count_ > 1) {
    fields_.resize(begin);
    return std::nullopt;
  }
  const bool has_empty_tail = count == column_count_ + 1 &&
                              options_.is_null_text(fields_.back().raw(), fields_.back().is_quoted);
  if (has_empty_tail) fields_.pop_back();
  if (has_empty_tail || count == column_count_) {
    offsets_.push_back(static_cast<std::size_t>(reader_.row_begin() - text_.data()));
    return std::nullopt;
  }
  if (count < column_count_ && options_.pads_rows) {
    fields_.resize(begin + column_count_);
    offsets_.push_back(static_cast<std::size_t>(reader_.row_begin() - text_.data()));
    return std::nullopt;
  }
  if (!options_.ignores_errors) return wrong_width(count);
  fields_.resize(begin);
  return std::nullopt;
}

std::optional<CsvRowError> CsvRowBatch::read(std::size_t max_rows) {
  fields_.clear();
  offsets_.clear();
  begin_ = end_;
  is_regular_ = read_regular(max_rows);
  return is_regular_ ? std::nullopt : read_any(max_rows);
}

bool CsvRowBatch::read_regular(std::size_t max_rows) {
  if (!regular_.cut(text_.substr(begin_), max_rows)) return false;
  end_ = begin_ + regular_.offset(regular_.row_count());
  is_at_end_ = end_ == text_.size();
  return true;
}

std::optional<CsvRowError> CsvRowBatch::read_any(std::size_t max_rows) {
  reader_.skip_to(text_.data() + begin_);
  while (offsets_.size() < max_rows && !is_at_end_) {
    const std::size_t begin = fields_.size();
    const CsvRowKind kind = reader_.next(fields_);
    if (kind != CsvRowKind::end) end_ = static_cast<std::size_t>(reader_.row_end() - text_.data());
    const bool is_cut = !is_whole_ && kind != CsvRowKind::end && reader_.row_end() == text_.end() &&
                        reader_.is_ended_by_text();
    if (kind == CsvRowKind::row && !is_cut) {
      if (auto wrong = fit_row(begin)) return wrong;
      continue;
    }
    fields_.resize(begin);
    is_at_end_ = kind == CsvRowKind::end || is_cut;
    if (is_at_end_ || kind == CsvRowKind::comment) continue;
    if (kind == CsvRowKind::unclosed_quote || !options_.ignores_errors)
      return error(kind == CsvRowKind::unclosed_quote ? Code::truncated : Code::corrupt,
                   std::string(wrong_row(kind)));
  }
  return std::nullopt;
}

void CsvRowBatch::keep_fields() {
  for (std::size_t row = 0; row < regular_.row_count(); row++) {
    offsets_.push_back(offset(row));
    for (std::size_t column = 0; column < column_count_; column++)
      fields_.push_back(field(row, column));
  }
  is_regular_ = false;
}

void CsvRowBatch::remove(const std::vector<bool>& is_removed) {
  if (is_regular_) keep_fields();
  std::size_t kept = 0;
  for (std::size_t row = 0; row < offsets_.size(); row++) {
    if (is_removed[row]) continue;
    for (std::size_t column = 0; column < column_count_; column++)
      fields_[kept * column_count_ + column] = fields_[row * column_count_ + column];
    offsets_[kept++] = offsets_[row];
  }
  fields_.resize(kept * column_count_);
  offsets_.resize(kept);
}

}  // namespace penstock::io
