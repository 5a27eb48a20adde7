#include "io/csv/csv_convert.hpp"

#include <algorithm>

#include "io/csv/csv_text.hpp"

namespace penstock::io {
namespace {

// So many rows are cut into fields, then each of their columns is converted: few enough for their
// fields to stay in a processor's caches.
constexpr std::size_t batch_rows = 512;

std::string shortened(std::string_view value) {
  constexpr std::size_t max_bytes = 40;
  if (value.size() <= max_bytes) return std::string(value);
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) end--;
  return std::string(value.substr(0, end)) + "...";
}

}  // namespace

CsvRowError CsvConverter::misfit(const CsvRowBatch& rows, std::size_t row,
                                 std::size_t column) const {
  std::string room;
  const std::string_view value = value_of(rows.field(row, column), reading_.dialect, room);
  const std::string& name = schema_[column].name;
  return {Code::invalid, rows.offset(row),
          "'" + shortened(value) + "' in the column '" + name + "' is no " +
              name_of(schema_[column].type) + " (types = {'" + name +
              "': 'VARCHAR'} reads the column as text, sample_size = -1 finds types from all rows, "
              "ignore_errors = true passes over such rows)"};
}

std::optional<CsvRowError> CsvConverter::check_text(std::string_view text) const {
  const auto wrong = first_not_utf8(text);
  if (!wrong) return std::nullopt;
  return CsvRowError{Code::unsupported, *wrong,
                     "the text is not UTF-8 (to convert the file, if it is in Latin-1: iconv -f "
                     "LATIN1 -t UTF-8 FILE > NEW)"};
}

// Makes room for as many rows as the text has lines. A row that ends with a comment may end with a
// carriage return alone, and one in a file of carriage returns with a line feed alone.
CsvConverter::Builders CsvConverter::make_builders(std::string_view text) const {
  const CsvDialect& dialect = reading_.dialect;
  const bool may_end_with_return = dialect.ends_with_return || dialect.comment != '\0';
  const SpecialBytes line_ends(may_end_with_return ? "\r\n" : "\n");
  const std::uint64_t max_rows = line_ends.count_in(text) + 1;
  Builders builders(schema_.size());
  for (std::size_t i = 0; i < schema_.size(); i++) {
    const bool is_wanted = std::ranges::find(columns_, i) != columns_.end();
    const bool is_checked = reading_.options.ignores_errors && schema_[i].unsupported.empty() &&
                            schema_[i].type.kind != Kind::string;
    if (is_wanted || is_checked) builders[i].emplace(reading_, schema_[i].type, max_rows);
  }
  return builders;
}

std::optional<CsvRowError> CsvConverter::append(CsvRowBatch& rows, Builders& builders,
                                                std::uint64_t row_count) const {
  const bool ignores = reading_.options.ignores_errors;
  std::vector<bool> misfits(ignores ? rows.row_count() : 0);
  for (std::size_t i = 0; i < builders.size(); i++) {
    if (!builders[i]) continue;
    const auto row = builders[i]->append(rows, i, ignores ? &misfits : nullptr);
    if (row) return misfit(rows, *row, i);
  }
  if (std::ranges::find(misfits, true) == misfits.end()) return std::nullopt;
  rows.remove(misfits);
  for (std::size_t i = 0; i < builders.size(); i++) {
    if (!builders[i]) continue;
    builders[i]->cut_to(row_count);
    builders[i]->append(rows, i, nullptr);
  }
  return std::nullopt;
}

std::optional<CsvRowError> CsvConverter::convert(std::string_view text, Table& out) const {
  if (auto wrong = check_text(text)) return wrong;
  CsvRowBatch rows(reading_.dialect, reading_.options, schema_.size(), text, true);
  Builders builders = make_builders(text);
  while (!rows.is_at_end()) {
    if (auto error = rows.read(batch_rows)) return error;
    if (auto error = append(rows, builders, out.row_count)) return error;
    out.row_count += rows.row_count();
  }
  for (const std::uint32_t column : columns_) {
    out.names.push_back(schema_[column].name);
    out.columns.push_back(builders[column]->take());
  }
  return std::nullopt;
}

}  // namespace penstock::io
