// CSV: fields between commas, tabs, ; or |, quoted by ". The first line names the columns, unless
// it is data (csv_dialect.hpp). Types are those that Arrow infers from the file's first block
// (int64, date32, timestamp, bool, float64, else string) and hold for the whole file: a later value
// that does not fit is an error. An unquoted empty field is NULL; Arrow's further spellings of NULL
// ("NaN", "NA", ...) are values here. In a file of one column a blank line is therefore a row of
// NULL; where there are more columns it is passed over.
#include <arrow/buffer.h>
#include <arrow/csv/options.h>
#include <arrow/csv/reader.h>
#include <arrow/io/file.h>
#include <arrow/type.h>

#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "column/rebatch.hpp"
#include "io/arrow/arrow_batches.hpp"
#include "io/common/sources.hpp"
#include "io/csv_dialect.hpp"

namespace penstock::io {
namespace {

// Bytes that types are inferred from, and that one thread parses at a time.
constexpr std::int32_t block_bytes = 4 << 20;

arrow::csv::ConvertOptions convert_options() {
  auto options = arrow::csv::ConvertOptions::Defaults();
  options.null_values = {""};
  options.strings_can_be_null = true;
  options.quoted_strings_can_be_null = false;
  return options;
}

// How a file's lines are read, as found when it is opened.
struct Lines {
  CsvDialect dialect;
  std::vector<std::string> names;  // of a file without a header
  bool blank_is_row = false;
  std::int32_t blank_before_header = 0;
};

using Reader = std::shared_ptr<arrow::csv::StreamingReader>;
Result<Reader> open_reader(const std::string& path, const Lines& lines,
                           const arrow::csv::ConvertOptions& options) {
  PENSTOCK_ASSIGN(auto input, from_arrow(arrow::io::ReadableFile::Open(path)));
  auto read_options = arrow::csv::ReadOptions::Defaults();
  read_options.block_size = block_bytes;
  read_options.skip_rows = lines.blank_is_row ? lines.blank_before_header : 0;
  if (!lines.dialect.has_header) {
    read_options.column_names = lines.names;
    read_options.autogenerate_column_names = lines.names.empty();
    read_options.skip_rows = 0;
  }
  auto parse_options = arrow::csv::ParseOptions::Defaults();
  parse_options.delimiter = lines.dialect.delimiter;
  parse_options.newlines_in_values = true;
  parse_options.ignore_empty_lines = !lines.blank_is_row;
  return from_arrow(arrow::csv::StreamingReader::Make(
      arrow::io::default_io_context(), std::move(input), read_options, parse_options, options));
}

// Counts the line ends before the first other byte.
Result<std::int32_t> blank_lines_at_start(const std::string& path) {
  PENSTOCK_ASSIGN(const auto input, from_arrow(arrow::io::ReadableFile::Open(path)));
  PENSTOCK_ASSIGN(const auto start, from_arrow(input->Read(block_bytes)));
  const std::string_view text(reinterpret_cast<const char*>(start->data()),
                              static_cast<std::size_t>(start->size()));
  const std::string_view blank = text.substr(0, text.find_first_not_of("\r\n"));
  std::int32_t count = 0;
  for (std::size_t i = 0; i < blank.size(); i++)
    count += blank[i] == '\n' || i + 1 == blank.size() || blank[i + 1] != '\n';
  return count;
}

// Opens a file of one column again, where a blank line is a row of NULL.
Result<Reader> open_one_column(const std::string& path, Lines& lines) {
  lines.blank_is_row = true;
  PENSTOCK_ASSIGN(lines.blank_before_header, blank_lines_at_start(path));
  return open_reader(path, lines, convert_options());
}

class CsvSource final : public TableSource {
 public:
  CsvSource(std::string path, Lines lines, std::shared_ptr<arrow::Schema> arrow_schema,
            std::vector<column::ArrowField> fields, std::string identity)
      : path_(std::move(path)),
        lines_(lines),
        arrow_schema_(std::move(arrow_schema)),
        fields_(std::move(fields)),
        schema_(schema_of(fields_)),
        identity_(std::move(identity)) {}

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  std::string describe() const override { return std::filesystem::path(path_).filename().string(); }
  std::string identity() const override { return identity_; }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    PENSTOCK_TRY(check_columns(schema_, columns, path_));
    auto stream = catch_arrow_exceptions([&] { return start(columns, options); });
    if (!stream.ok()) return stream.with("while reading '" + path_ + "'");
    return stream;
  }

 private:
  // Fixes types to those of the schema. Converts only the columns asked for, unless two have one
  // name; when rows are only counted, the first column as bytes.
  Result<std::unique_ptr<BatchStream>> start(std::span<const std::uint32_t> columns,
                                             const ScanOptions& options) const {
    auto convert = convert_options();
    for (const auto& field : arrow_schema_->fields())
      convert.column_types[field->name()] = field->type();
    const bool are_unique = unique_names();
    std::vector<column::ArrowField> read_fields;
    std::vector<std::uint32_t> wanted;
    if (are_unique) {
      for (const std::uint32_t column : columns) {
        wanted.push_back(static_cast<std::uint32_t>(read_fields.size()));
        read_fields.push_back(fields_[column]);
        convert.include_columns.push_back(schema_[column].name);
      }
    } else {
      wanted.assign(columns.begin(), columns.end());
      read_fields = fields_;
    }
    if (convert.include_columns.empty() && are_unique) {
      convert.include_columns.push_back(schema_[0].name);
      convert.column_types[schema_[0].name] = arrow::binary();
      read_fields.push_back(fields_[0]);
    }
    PENSTOCK_ASSIGN(auto reader, open_reader(path_, lines_, convert));
    return column::rebatch(
        [path = path_, reader, read_fields, wanted] {
          auto table =
              catch_arrow_exceptions([&] { return read_next(*reader, read_fields, wanted); });
          return table.ok()
                     ? std::move(table)
                     : Result<std::optional<Table>>(table.with("while reading '" + path + "'"));
        },
        options.batch_rows);
  }

  bool unique_names() const {
    std::set<std::string> names;
    for (const Field& field : schema_) names.insert(field.name);
    return names.size() == schema_.size();
  }

  static Result<std::optional<Table>> read_next(arrow::csv::StreamingReader& reader,
                                                std::span<const column::ArrowField> fields,
                                                std::span<const std::uint32_t> wanted) {
    std::shared_ptr<arrow::RecordBatch> batch;
    PENSTOCK_TRY(from_arrow(reader.ReadNext(&batch)));
    if (!batch) return std::optional<Table>();
    PENSTOCK_ASSIGN(Table table, import_untrusted(*batch, fields, wanted));
    return std::optional<Table>(std::move(table));
  }

  std::string path_;
  Lines lines_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  std::vector<column::ArrowField> fields_;
  Schema schema_;
  std::string identity_;  // when it was opened
};

}  // namespace

Result<std::shared_ptr<TableSource>> open_csv(const std::string& path) {
  return catch_arrow_exceptions([&]() -> Result<std::shared_ptr<TableSource>> {
    std::string identity = file_identity(path);
    Lines lines;
    PENSTOCK_ASSIGN(lines.dialect, sniff_csv(path));
    PENSTOCK_ASSIGN(Reader reader, open_reader(path, lines, convert_options()));
    if (!lines.dialect.has_header) {
      lines.names = default_column_names(static_cast<std::size_t>(reader->schema()->num_fields()));
      PENSTOCK_ASSIGN(reader, open_reader(path, lines, convert_options()));
    }
    if (reader->schema()->num_fields() == 1) {
      PENSTOCK_ASSIGN(reader, open_one_column(path, lines));
    }
    auto schema = reader->schema();
    for (int i = 0; i < schema->num_fields(); i++) {
      auto type = schema->field(i)->type();
      if (type->id() == arrow::Type::NA)
        type = arrow::utf8();  // only empty fields in the first block
      // Whole seconds in the first block do not promise whole seconds later.
      if (type->Equals(arrow::timestamp(arrow::TimeUnit::SECOND)))
        type = arrow::timestamp(arrow::TimeUnit::MICRO);
      PENSTOCK_ASSIGN(
          schema, from_arrow(schema->SetField(i, arrow::field(schema->field(i)->name(), type))));
    }
    PENSTOCK_ASSIGN(auto fields, fields_of(*schema));
    for (int i = 0; i < schema->num_fields(); i++)  // Arrow infers BINARY for what is not UTF-8
      if (schema->field(i)->type()->id() == arrow::Type::BINARY)
        fields[static_cast<std::size_t>(i)].field.unsupported =
            "text that is not UTF-8 (to convert it: iconv -f LATIN1 -t UTF-8)";
    return std::shared_ptr<TableSource>(std::make_shared<CsvSource>(
        path, lines, std::move(schema), std::move(fields), std::move(identity)));
  });
}

}  // namespace penstock::io
