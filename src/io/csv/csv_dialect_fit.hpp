// Measures how well a table fits the shapes of a text's rows.
#pragma once
#include <cstddef>
#include <optional>

#include "io/csv/csv_options.hpp"
#include "io/csv/csv_shapes.hpp"

namespace penstock::io {

struct CsvFit {
  std::size_t column_count = 1;
  std::size_t row_count = 0;     // of the table, padded rows included
  std::size_t padded_rows = 0;   // which have too few fields
  std::size_t ignored_rows = 0;  // which have another width, where errors are ignored
  std::size_t comment_lines = 0;
  std::size_t first_row = 0;   // of the table among the shapes
  std::size_t start_row = 0;   // from which on it is read
  bool is_consistent = false;  // every shape is a title line, a comment or a row of the table
  bool comments_are_likely = true;
};

// nullopt if the options give columns, and the width differs from their number.
std::optional<CsvFit> csv_fit(const CsvShapes& shapes, const CsvOptions& options,
                              bool has_comment_byte);

}  // namespace penstock::io
