// Answers of read_csv() as text, for the tests of CSV.
#pragma once
#include "host/io/io_files.hpp"
#include "io/common/sources.hpp"

namespace penstock::test {

using Options = std::vector<TableOption>;

// Returns the columns' names and types, then a line for each row: "a BIGINT, b VARCHAR\n1 \"x\"\n".
// A column of a type that is not read has no cells. An error is returned as its text.
inline std::string answer_of(const TableSource& source, const ScanOptions& scan = {}) {
  std::string out;
  std::vector<std::uint32_t> columns;
  for (const Field& field : source.schema()) {
    out += (out.empty() ? "" : ", ") + field.name + " " +
           (field.unsupported.empty() ? name_of(field.type) : field.unsupported);
    if (field.unsupported.empty())
      columns.push_back(static_cast<std::uint32_t>(&field - source.schema().data()));
  }
  out += "\n";
  const auto cells = read_cells(source, columns, scan);
  if (!cells.ok()) return cells.status().text();
  for (std::size_t row = 0; !columns.empty() && row < cells.value()[0].size(); row++) {
    for (std::size_t i = 0; i < columns.size(); i++)
      out += (i > 0 ? " " : "") + cells.value()[i][row];
    out += "\n";
  }
  return out;
}

inline std::string csv_answer(std::string_view text, const Options& options = {}) {
  const Folder folder;
  write_file(folder / "t.csv", text);
  const auto source = io::open_csv(folder / "t.csv", options);
  return source.ok() ? answer_of(**source) : source.status().text();
}

// A text and what DuckDB 2.0 answers.
struct CsvCase {
  std::string_view text, answer;
  Options options = {};
};
inline void expect_answers(const std::vector<CsvCase>& cases) {
  for (const CsvCase& one : cases)
    EXPECT_EQ(csv_answer(one.text, one.options), one.answer) << one.text;
}

inline void expect_error(std::string_view text, const std::vector<std::string>& words,
                         const Options& options = {}) {
  const std::string answer = csv_answer(text, options);
  for (const std::string& word : words)
    EXPECT_NE(answer.find(word), std::string::npos) << "'" << word << "' in " << answer;
}

}  // namespace penstock::test
