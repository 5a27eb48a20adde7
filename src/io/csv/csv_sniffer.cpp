#include "io/csv/csv_sniffer.hpp"

#include <algorithm>

#include "io/csv/csv_dialect_search.hpp"
#include "io/csv/csv_header.hpp"

namespace penstock::io {
namespace {

// A candidate with the types that its columns have in the first rows.
struct Typed {
  CsvCandidate candidate;
  std::vector<CsvType> types;
  CsvTimeFormats formats;
  std::vector<std::string> names;
  std::size_t offset = 0;  // of the first row behind the header, in the sample's text
  std::size_t string_count = 0;
};

CsvFirstRow first_row_of(const CsvRowBatch& rows, std::size_t column_count,
                         const CsvDialect& dialect, const CsvOptions& options) {
  CsvFirstRow out;
  std::string room;
  for (std::size_t i = 0; i < column_count && rows.row_count() > 0; i++) {
    const CsvField& field = rows.field(0, i);
    const std::string_view value = value_of(field, dialect, room);
    const bool is_null = field.data == nullptr || options.is_null_text(value, field.is_quoted);
    out.push_back(is_null ? std::nullopt : std::optional(std::string(value)));
  }
  return out;
}

std::vector<std::string> default_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; i++) names.push_back(default_column_name(i, count));
  return names;
}

Status row_error(const CsvSample& sample, const CsvCandidate& candidate, CsvRowError error) {
  const std::uint64_t line =
      sample.first_line + count_line_ends(sample.text().substr(0, candidate.offset + error.offset));
  return {error.code, "line " + std::to_string(line) + ": " + error.text};
}

// Reads the sample's rows under a candidate. An error in the first rows is the candidate's; one in
// later rows is left to the scan.
Result<Typed> typed(const CsvSample& sample, const CsvOptions& options,
                    const CsvCandidate& candidate) {
  const std::string_view text = sample.text().substr(candidate.offset);
  CsvRowBatch rows(candidate.dialect, options, candidate.column_count, text, sample.is_whole);
  const std::uint64_t sample_rows = options.sample_rows.value_or(text.size() + 1);
  if (auto error = rows.read(csv_judged_rows))
    return row_error(sample, candidate, std::move(*error));
  const CsvFirstRow first = first_row_of(rows, candidate.column_count, candidate.dialect, options);
  CsvTypeSearch types(options, candidate.dialect, candidate.column_count);
  const bool skips_first = rows.row_count() > 1 && options.has_header.value_or(true);
  types.see_first(rows, skips_first ? 1 : 0);
  Typed out{candidate, {}, types.formats(), {}, candidate.offset, 0};
  out.string_count =
      static_cast<std::size_t>(std::ranges::count(types.guesses(), CsvGuess::string));
  const bool has_one_row = rows.row_count() <= 1;
  const bool has_header = !first.empty() && is_header(first, types, options);
  if (has_header) {
    CsvRowBatch header(candidate.dialect, options, candidate.column_count, text, sample.is_whole);
    header.read(1);
    out.offset += header.end_offset();
    out.names = names_of_header(first, candidate.column_count);
  } else {
    out.names = default_names(candidate.column_count);
  }
  for (std::uint64_t seen = rows.row_count(); seen < sample_rows && !rows.is_at_end();
       seen += rows.row_count()) {
    const auto error = rows.read(csv_judged_rows);
    types.see(rows);
    if (error) break;
  }
  for (const CsvGuess guess : types.guesses())
    out.types.push_back(has_header && has_one_row ? CsvType{{Kind::string}} : type_of_guess(guess));
  return out;
}

Status set_given_types(Typed& typed, const CsvOptions& options) {
  for (CsvType& type : typed.types)
    if (options.all_strings) type = {{Kind::string}};
  if (options.first_types.size() > typed.types.size())
    return {Code::invalid, "types has " + std::to_string(options.first_types.size()) +
                               " types, and the table " + std::to_string(typed.types.size()) +
                               " columns"};
  std::ranges::copy(options.first_types, typed.types.begin());
  for (const auto& [name, type] : options.named_types) {
    const auto found = std::ranges::find(typed.names, name);
    if (found == typed.names.end())
      return {Code::invalid,
              "types names the column '" + name + "', which the table does not have"};
    typed.types[static_cast<std::size_t>(found - typed.names.begin())] = type;
  }
  return {};
}

Status set_given_names(Typed& typed, const CsvOptions& options) {
  const std::size_t count = typed.candidate.column_count;
  if (options.names.size() > count)
    return {Code::invalid, "names has " + std::to_string(options.names.size()) +
                               " names, and the table " + std::to_string(count) + " columns"};
  std::ranges::copy(options.names, typed.names.begin());
  for (std::size_t i = 0; i < options.all_columns.size() && i < count; i++) {
    typed.names[i] = options.all_columns[i].first;
    typed.types[i] = options.all_columns[i].second;
  }
  return {};
}

Result<Typed> best_typed(const CsvSample& sample, const CsvOptions& options,
                         std::span<const CsvCandidate> candidates) {
  std::optional<Typed> best;
  Status first_failure;
  for (const CsvCandidate& candidate : candidates) {
    auto one = typed(sample, options, candidate);
    if (!one.ok() && first_failure.ok()) first_failure = one.status();
    if (one.ok() && (!best || one->string_count < best->string_count)) best = std::move(*one);
  }
  if (!best) return first_failure;
  return std::move(*best);
}

}  // namespace

Result<CsvFormat> sniff_csv(const CsvSample& sample, const CsvOptions& options) {
  PENSTOCK_ASSIGN(auto candidates, csv_candidates(sample, options));
  for (CsvCandidate& candidate : candidates)
    if (!options.all_columns.empty()) candidate.column_count = options.all_columns.size();
  PENSTOCK_ASSIGN(Typed best, best_typed(sample, options, candidates));
  PENSTOCK_TRY(set_given_types(best, options));
  PENSTOCK_TRY(set_given_names(best, options));
  CsvFormat out{best.candidate.dialect, best.formats, {}, sample.first_byte + best.offset};
  for (std::size_t i = 0; i < best.types.size(); i++)
    out.schema.push_back({best.names[i], best.types[i].type, true, best.types[i].unsupported});
  return out;
}

}  // namespace penstock::io
