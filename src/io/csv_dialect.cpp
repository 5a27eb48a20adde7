#include "io/csv_dialect.hpp"

#include <algorithm>
#include <optional>

#include <arrow/array.h>
#include <arrow/csv/options.h>
#include <arrow/csv/reader.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/type.h>
#include <arrow/util/value_parsing.h>

#include "io/common/arrow_errors.hpp"

namespace penstock::io {
namespace {

// Enough lines to tell one dialect from another, few enough to cost nothing beside a scan.
constexpr std::int64_t sniffed_bytes = 64 << 10;
constexpr std::size_t sniffed_lines = 200;

// The number of fields of each line. A line that the text ends within is left out, unless it is the
// only one.
std::vector<std::size_t> field_counts(std::string_view text, char delimiter) {
  std::vector<std::size_t> counts;
  std::size_t fields = 1, bytes = 0;
  bool is_quoted = false;
  for (const char c : text) {
    if (counts.size() == sniffed_lines) return counts;
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c == '\n' || c == '\r')) {
      if (bytes > 0) counts.push_back(fields);
      fields = 1;
      bytes = 0;
      continue;
    }
    fields += !is_quoted && c == delimiter;
    bytes++;
  }
  if (counts.empty()) counts.push_back(fields);
  return counts;
}

arrow::csv::ParseOptions parse_options(char delimiter) {
  auto options = arrow::csv::ParseOptions::Defaults();
  options.delimiter = delimiter;
  options.newlines_in_values = true;
  return options;
}

// The first block of the text as a table whose columns have made-up names.
Result<std::shared_ptr<arrow::RecordBatch>> first_batch(std::string_view text, char delimiter,
                                                        std::int32_t skipped_rows,
                                                        const arrow::csv::ConvertOptions& convert) {
  auto read_options = arrow::csv::ReadOptions::Defaults();
  read_options.autogenerate_column_names = true;
  read_options.skip_rows_after_names = skipped_rows;
  read_options.block_size = static_cast<std::int32_t>(text.size() + 1);
  auto input = std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(
      reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::int64_t>(text.size())));
  PENSTOCK_ASSIGN(const auto reader, from_arrow(arrow::csv::StreamingReader::Make(
                                         arrow::io::default_io_context(), std::move(input),
                                         read_options, parse_options(delimiter), convert)));
  std::shared_ptr<arrow::RecordBatch> batch;
  PENSTOCK_TRY(from_arrow(reader->ReadNext(&batch)));
  return batch;
}

template <class ArrowType> bool parses(const ArrowType& type, std::string_view text) {
  typename arrow::internal::StringConverter<ArrowType>::value_type value{};
  return arrow::internal::ParseValue(type, text.data(), text.size(), &value);
}

// Whether a field could stand in a column of this type.
bool fits(std::string_view field, const arrow::DataType& type) {
  if (field.empty()) return true;
  switch (type.id()) {
    case arrow::Type::INT64: return parses(arrow::Int64Type(), field);
    case arrow::Type::DOUBLE: return parses(arrow::DoubleType(), field);
    case arrow::Type::BOOL: return parses(arrow::BooleanType(), field);
    case arrow::Type::DATE32: return parses(arrow::Date32Type(), field);
    case arrow::Type::TIMESTAMP:
      return parses(static_cast<const arrow::TimestampType&>(type), field);
    default: return false;
  }
}

bool holds_strings(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::BINARY ||
         type.id() == arrow::Type::NA;
}

// nullopt where the first line alone, or an error, leaves nothing to compare with.
std::optional<bool> first_line_is_data(std::string_view text, char delimiter) {
  auto as_strings = arrow::csv::ConvertOptions::Defaults();
  const auto typed = first_batch(text, delimiter, 1, as_strings);
  if (!typed.ok() || *typed == nullptr || (*typed)->num_rows() == 0) return std::nullopt;
  for (int i = 0; i < (*typed)->num_columns(); i++)
    as_strings.column_types["f" + std::to_string(i)] = arrow::binary();
  const auto strings = first_batch(text, delimiter, 0, as_strings);
  if (!strings.ok() || *strings == nullptr || (*strings)->num_rows() == 0) return std::nullopt;
  bool all_strings = true;
  for (int i = 0; i < (*typed)->num_columns(); i++) {
    const arrow::DataType& type = *(*typed)->column(i)->type();
    if (holds_strings(type)) continue;
    all_strings = false;
    const auto& first = static_cast<const arrow::BinaryArray&>(*(*strings)->column(i));
    if (!first.IsNull(0) && !fits(first.GetView(0), type)) return false;
  }
  return !all_strings;
}

}  // namespace

char find_delimiter(std::string_view start) {
  for (const char candidate : {',', '\t', ';', '|'}) {
    const std::vector<std::size_t> counts = field_counts(start, candidate);
    if (counts[0] >= 2 &&
        std::all_of(counts.begin(), counts.end(), [&](std::size_t n) { return n == counts[0]; }))
      return candidate;
  }
  return ',';
}

Result<CsvDialect> sniff_csv(const std::string& path) {
  PENSTOCK_ASSIGN(const auto input, from_arrow(arrow::io::ReadableFile::Open(path)));
  PENSTOCK_ASSIGN(const auto start, from_arrow(input->Read(sniffed_bytes)));
  std::string_view text(reinterpret_cast<const char*>(start->data()),
                        static_cast<std::size_t>(start->size()));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  const bool is_whole = start->size() < sniffed_bytes;
  CsvDialect dialect;
  dialect.delimiter = find_delimiter(text);
  if (!is_whole)
    text = text.substr(0, text.rfind('\n') == text.npos ? text.size() : text.rfind('\n') + 1);
  dialect.has_header = !first_line_is_data(text, dialect.delimiter).value_or(false);
  return dialect;
}

std::vector<std::string> default_column_names(std::size_t count) {
  const std::size_t width = count == 0 ? 1 : std::to_string(count - 1).size();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; i++) {
    const std::string number = std::to_string(i);
    names.push_back("column" + std::string(width - number.size(), '0') + number);
  }
  return names;
}

}  // namespace penstock::io
