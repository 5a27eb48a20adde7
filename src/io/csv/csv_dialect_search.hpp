// Finds the dialects under which a text looks like a table, after DuckDB's sniffer.
//
// Each hypothesis is a delimiter, a quote with its escape, and a comment. It fits where the first
// rows have one width, but for title lines before them. The hypothesis with the most rows and
// columns wins. A hypothesis with quoted fields goes before one without.
#pragma once
#include <vector>

#include "io/csv/csv_shapes.hpp"
#include "io/csv/csv_text.hpp"

namespace penstock::io {

// So many rows are judged under every hypothesis. The sample's other rows are judged only under
// hypotheses that fit the first rows equally well.
constexpr std::size_t csv_judged_rows = 2048;

struct CsvCandidate {
  CsvDialect dialect;
  std::size_t column_count = 1;
  std::size_t offset = 0;  // of the first row of the table in the sample's text
  bool is_quoted = false, is_escaped = false;
};

// Returns the candidates in the order in which they are preferred. If there is none, the error says
// why the likeliest dialect does not fit.
Result<std::vector<CsvCandidate>> csv_candidates(const CsvSample& sample,
                                                 const CsvOptions& options);

}  // namespace penstock::io
