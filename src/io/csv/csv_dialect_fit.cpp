#include "io/csv/csv_dialect_fit.hpp"

#include <map>

namespace penstock::io {
namespace {

bool has_given_width(const CsvRowShape& shape, const CsvOptions& options) {
  const std::size_t given = options.all_columns.size();
  if (given == 0 || options.ignores_errors) return true;
  const std::size_t count = shape.field_count;
  return count == given || (count == given + 1 && shape.has_empty_tail) ||
         (options.pads_rows && count > given);
}

// The larger one of two that are equally frequent.
std::size_t most_frequent_width(const CsvShapes& shapes) {
  std::map<std::size_t, std::size_t> rows;
  std::size_t width = 1, most = 0;
  for (const CsvRowShape& shape : shapes.rows) rows[shape.field_count]++;
  for (const auto& [field_count, row_count] : rows) {
    if (row_count < most) continue;
    most = row_count;
    width = field_count;
  }
  return width;
}

// A byte begins comments where a line begins with it that would be no row, and three in five of
// its lines are likewise. Comments behind a row are so where the row is whole.
bool are_comments_likely(const CsvShapes& shapes, std::size_t column_count,
                         const CsvOptions& options, bool has_comment_byte) {
  if (options.comment) return true;
  std::size_t lines = 0, whole_lines = 0, likely = 0;
  for (const CsvRowShape& shape : shapes.rows) {
    const bool fits = shape.field_count == column_count ||
                      (options.pads_rows && shape.field_count < column_count);
    lines += shape.is_comment || shape.has_comment;
    whole_lines += shape.is_comment && shape.field_count != column_count;
    likely += shape.has_comment && fits;
  }
  if (whole_lines == 0) return !has_comment_byte;
  return (likely + whole_lines) * 5 >= lines * 3;
}

// Goes through the shapes in order and finds the width of the table.
class Fitting {
 public:
  Fitting(const CsvShapes& shapes, const CsvOptions& options)
      : shapes_(shapes),
        options_(options),
        any_width_(options.ignores_errors && !options.pads_rows),
        may_skip_(!options.skipped_lines),
        may_widen_(options.all_columns.empty() || options.pads_rows) {
    if (any_width_)
      fit_.column_count = most_frequent_width(shapes);
    else if (!shapes.rows.empty())
      fit_.column_count = shapes.rows[0].field_count;
  }

  CsvFit fit() {
    for (std::size_t i = 0; i < shapes_.rows.size(); i++) add(i);
    fit_.row_count += fit_.padded_rows;
    fit_.is_consistent = fit_.row_count + fit_.first_row - comments_before_ + fit_.comment_lines ==
                         shapes_.rows.size();
    fit_.start_row = options_.pads_rows ? first_wide_ : fit_.first_row;
    return fit_;
  }

 private:
  void add(std::size_t index) {
    const CsvRowShape& shape = shapes_.rows[index];
    const std::size_t count = shape.field_count;
    if (shape.is_comment) {
      fit_.comment_lines++;
    } else if (shape.has_empty_tail &&
               count == shapes_.rows[fit_.first_row].field_count + std::size_t{1}) {
      fit_.row_count++;  // every row but the header ends with a delimiter
    } else if (count > fit_.column_count && (may_skip_ || fit_.comment_lines > 0) && may_widen_ &&
               (!has_first_ || !any_width_)) {
      begin_at(index);  // what came before are title lines
      fit_.padded_rows = 0;
      fit_.row_count = 1;
    } else if (count == fit_.column_count || any_width_) {
      if (!has_first_) begin_at(index);
      fit_.ignored_rows += count != fit_.column_count;
      fit_.row_count++;
    } else if (count < fit_.column_count) {
      fit_.padded_rows++;
    }
  }

  void begin_at(std::size_t index) {
    if (!has_first_) first_wide_ = index;
    has_first_ = true;
    fit_.first_row = index;
    fit_.column_count = shapes_.rows[index].field_count;
    comments_before_ = fit_.comment_lines;
  }

  const CsvShapes& shapes_;
  const CsvOptions& options_;
  const bool any_width_, may_skip_, may_widen_;
  CsvFit fit_;
  bool has_first_ = false;
  std::size_t comments_before_ = 0, first_wide_ = 0;
};

}  // namespace

std::optional<CsvFit> csv_fit(const CsvShapes& shapes, const CsvOptions& options,
                              bool has_comment_byte) {
  for (const CsvRowShape& shape : shapes.rows)
    if (!has_given_width(shape, options)) return std::nullopt;
  CsvFit fit = Fitting(shapes, options).fit();
  fit.comments_are_likely =
      are_comments_likely(shapes, fit.column_count, options, has_comment_byte);
  return fit;
}

}  // namespace penstock::io
