// Rows that are cut many at once, against the reader that cuts them field by field.
#include <gtest/gtest.h>

#include <random>

#include "io/csv/csv_regular_rows.hpp"

namespace penstock::io {
namespace {

struct Padded {
  explicit Padded(std::string bytes) : size(bytes.size()), all(std::move(bytes)) {
    all.append(ByteWindow::bytes, '"');  // what follows a text is not looked at
  }
  std::string_view text() const { return std::string_view(all).substr(0, size); }

  std::size_t size;
  std::string all;
};

std::string shown(const CsvField& field) {
  return std::string(field.raw()) + (field.is_quoted ? " quoted" : "") +
         (field.has_escapes ? " escaped" : "") + "|";
}

// The fields of so many rows; nullopt where the reader finds a row that is not of this width.
std::optional<std::string> rows_by_reader(const CsvDialect& dialect, std::string_view text,
                                          std::size_t row_count, std::size_t width) {
  CsvRowReader reader(dialect, text);
  std::vector<CsvField> fields;
  std::string out;
  for (std::size_t row = 0; row < row_count; row++) {
    fields.clear();
    if (reader.next(fields) != CsvRowKind::row || fields.size() != width) return std::nullopt;
    for (const CsvField& field : fields) out += shown(field);
    out += std::to_string(reader.row_end() - text.data()) + "\n";
  }
  return out;
}

std::string rows_at_once(const CsvRegularRows& rows, std::size_t width) {
  std::string out;
  for (std::size_t row = 0; row < rows.row_count(); row++) {
    for (std::size_t column = 0; column < width; column++) out += shown(rows.field(row, column));
    out += std::to_string(rows.offset(row + 1)) + "\n";
  }
  return out;
}

std::string random_text(std::mt19937& random, std::size_t width) {
  const auto any = [&](std::size_t count) { return random() % count; };
  const std::size_t faults = any(3) == 0 ? 40 : 100'000;
  std::string out;
  for (std::size_t row = 0; row < 40; row++) {
    for (std::size_t column = 0; column < width; column++) {
      if (column > 0) out += ',';
      const bool is_quoted = any(3) == 0;
      if (is_quoted) out += '"';
      for (std::size_t left = any(12); left > 0; left--)
        out += is_quoted && any(6) == 0 ? std::string(any(2) ? "\"\"" : "\n") : "x";
      if (is_quoted) out += '"';
      if (any(faults) == 0) out += "\"\r\\# ,\n"[any(7)];
    }
    out += any(20) == 0 ? "\r\n" : "\n";
  }
  return out;
}

const CsvDialect dialects[] = {{',', '"', '"', '\0', false},
                               {',', '\0', '\0', '\0', false},
                               {',', '"', '\\', '\0', false},
                               {',', '"', '\0', '#', false}};

TEST(CsvRegularRows, AreCutWhereTheReaderCutsThem) {
  std::mt19937 random(7);
  const CsvOptions options;
  std::size_t cut_count = 0, refused_count = 0;
  for (int round = 0; round < 4000; round++) {
    const std::size_t width = 1 + random() % 4, max_rows = 1 + random() % 50;
    const Padded padded(random_text(random, width));
    const CsvDialect& dialect = dialects[random() % std::size(dialects)];
    CsvRegularRows rows(dialect, options, width);
    if (!rows.cut(padded.text(), max_rows)) {
      refused_count++;
      continue;
    }
    cut_count++;
    ASSERT_LE(rows.row_count(), max_rows);
    ASSERT_EQ(rows_at_once(rows, width),
              rows_by_reader(dialect, padded.text(), rows.row_count(), width))
        << padded.text();
  }
  EXPECT_GT(cut_count, 500u);
  EXPECT_GT(refused_count, 500u);
}

TEST(CsvRegularRows, OfAPlainTextNoneIsRefused) {
  const CsvOptions options;
  std::string text;
  for (int row = 0; row < 1000; row++)
    text += std::to_string(row) + ",\"a \"\"b\"\", c\",,\"\"\r\n";
  const Padded padded(text);
  CsvRegularRows rows(dialects[0], options, 4);
  ASSERT_TRUE(rows.cut(padded.text(), 1000));
  EXPECT_EQ(rows.row_count(), 1000u);
}

TEST(CsvRegularScan, TheLastRowEndIsTheReaders) {
  std::mt19937 random(9);
  std::size_t found_count = 0;
  for (int round = 0; round < 4000; round++) {
    std::string bytes = random_text(random, 2);
    bytes.resize(bytes.size() - random() % 20);
    const Padded padded(bytes);
    const CsvDialect& dialect = dialects[random() % std::size(dialects)];
    const auto found = regular_row_end(padded.text(), dialect);
    if (!found) continue;
    found_count++;
    CsvRowReader reader(dialect, padded.text());
    std::vector<CsvField> fields;
    std::size_t end = 0;
    while (reader.next(fields) == CsvRowKind::row && !reader.is_ended_by_text())
      end = static_cast<std::size_t>(reader.row_end() - padded.text().data());
    ASSERT_EQ(*found, end) << padded.text();
  }
  EXPECT_GT(found_count, 500u);
}

}  // namespace
}  // namespace penstock::io
