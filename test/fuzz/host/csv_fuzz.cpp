// CSV texts, as they may come: they end in rows or in an error that lies within the text, and which
// columns are asked for changes no row.
//
// The first byte chooses options. The text follows.
#include "fuzz/input.hpp"
#include "io/csv/csv_convert.hpp"
#include "io/csv/csv_sniffer.hpp"

namespace penstock::io {
namespace {

using fuzz::require;

CsvOptions options_of(std::uint32_t choice) {
  CsvOptions options;
  options.ignores_errors = choice % 2 != 0;
  options.pads_rows = choice / 2 % 2 != 0;
  options.quoted_may_be_null = choice / 4 % 2 == 0;
  if (choice / 8 % 4 == 1) options.delimiter = ';';
  if (choice / 8 % 4 == 2) options.quote = '\'';
  if (choice / 8 % 4 == 3) options.has_header = true;
  if (choice / 32 % 2 != 0) options.max_line_bytes = 50;
  return options;
}

std::optional<CsvRowError> convert(const CsvReading& reading, const CsvFormat& format,
                                   std::span<const std::uint32_t> columns, std::string_view text,
                                   Table& table) {
  auto error = CsvConverter(reading, format.schema, columns).convert(text, table);
  if (error) require(error->offset <= text.size(), "an error lies within the text");
  return error;
}

void check(const CsvOptions& options, std::string bytes) {
  const auto sample = csv_sample(std::move(bytes), true, options);
  if (!sample.ok()) return;
  const auto format = sniff_csv(*sample, options);
  if (!format.ok()) return;
  require(format->first_byte <= sample->first_byte + sample->text().size(),
          "rows begin within the text");
  const std::string_view text = sample->text().substr(format->first_byte - sample->first_byte);
  const CsvReading reading{options, format->dialect, format->time_formats,
                           std::make_shared<BatchMemory>(8, BatchAllocator())};
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < format->schema.size(); i++)
    if (format->schema[i].unsupported.empty()) columns.push_back(i);
  Table all, none;
  const auto error = convert(reading, *format, columns, text, all);
  if (error || convert(reading, *format, {}, text, none)) return;
  require(all.row_count == none.row_count, "rows do not depend on what is asked for");
  for (const Column& column : all.columns)
    require(column.row_count == all.row_count, "a column has every row");
}

}  // namespace
}  // namespace penstock::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  fuzz::Input input(data, size);
  const io::CsvOptions options = io::options_of(input.byte());
  io::check(options, input.take(input.left()));
  return 0;
}
