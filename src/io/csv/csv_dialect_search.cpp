#include "io/csv/csv_dialect_search.hpp"

#include <algorithm>
#include <array>

#include "io/csv/csv_dialect_fit.hpp"

namespace penstock::io {
namespace {

struct QuoteEscape {
  char quote, escape;
};
constexpr std::array<QuoteEscape, 9> quote_escapes{{{'\0', '\0'},
                                                    {'"', '\0'},
                                                    {'"', '"'},
                                                    {'"', '\''},
                                                    {'"', '\\'},
                                                    {'\'', '\0'},
                                                    {'\'', '\''},
                                                    {'\'', '"'},
                                                    {'\'', '\\'}}};
constexpr std::array<char, 4> delimiters{',', '|', ';', '\t'};
constexpr std::array<char, 2> comments{'\0', '#'};

std::vector<QuoteEscape> quote_escapes_of(const CsvOptions& options) {
  if (options.quote && options.escape) return {{*options.quote, *options.escape}};
  std::vector<QuoteEscape> out;
  for (const QuoteEscape& pair : quote_escapes)
    if ((!options.quote || pair.quote == *options.quote) &&
        (!options.escape || pair.escape == *options.escape))
      out.push_back(pair);
  if (!out.empty()) return out;
  if (options.quote) {
    for (const char escape : {*options.quote, '\0', '\\', '"', '\''})
      out.push_back({*options.quote, escape});
  } else {
    for (const char quote : {*options.escape, '"', '\''}) out.push_back({quote, *options.escape});
  }
  return out;
}

template <class Bytes> std::vector<char> given_or(std::optional<char> given, const Bytes& all) {
  return given ? std::vector<char>{*given} : std::vector<char>(all.begin(), all.end());
}

std::vector<CsvDialect> hypotheses(const CsvSample& sample, const CsvOptions& options) {
  std::vector<CsvDialect> out;
  for (const char comment : given_or(options.comment, comments))
    for (const QuoteEscape& pair : quote_escapes_of(options))
      for (const char delimiter : given_or(options.delimiter, delimiters))
        if (delimiter != pair.quote && delimiter != pair.escape && delimiter != comment)
          out.push_back({delimiter, pair.quote, pair.escape, comment, sample.ends_with_return});
  return out;
}

// Keeps the best of the hypotheses that it is shown.
class DialectSearch {
 public:
  explicit DialectSearch(const CsvOptions& options) : options_(options) {}

  void consider(const CsvDialect& dialect, const CsvShapes& shapes) {
    if (shapes.is_wrong) return;
    const auto found = csv_fit(shapes, options_, dialect.comment != '\0');
    if (!found || !is_possible(*found, shapes)) return;
    const CsvFit& fit = *found;
    CsvCandidate candidate{dialect, fit.column_count, 0, shapes.is_quoted, shapes.is_escaped};
    if (!shapes.rows.empty()) candidate.offset = shapes.rows[fit.start_row].offset;
    if (is_better(fit, candidate))
      replace(fit, std::move(candidate));
    else if (is_as_good(fit, candidate))
      candidates_.push_back(std::move(candidate));
  }
  std::vector<CsvCandidate> take() { return std::move(candidates_); }

 private:
  bool is_possible(const CsvFit& fit, const CsvShapes& shapes) const {
    const std::size_t given = options_.all_columns.size();
    const bool has_given_width =
        given == 0 || fit.column_count == given ||
        (fit.column_count == given + 1 && !shapes.rows.empty() && shapes.rows[0].has_empty_tail);
    const bool is_consistent = fit.is_consistent || (given > 0 && options_.ignores_errors);
    const bool may_begin_later = !options_.skipped_lines || fit.first_row == 0 ||
                                 options_.pads_rows || options_.ignores_errors ||
                                 fit.comment_lines > 0;
    return has_given_width && is_consistent && fit.comments_are_likely && may_begin_later &&
           (options_.pads_rows || fit.padded_rows == 0);
  }

  bool is_better(const CsvFit& fit, const CsvCandidate& candidate) const {
    const bool has_more =
        (fit.row_count > best_.row_count && fit.column_count >= best_.column_count) ||
        (fit.row_count == best_.row_count && fit.column_count > best_.column_count);
    const bool was_one_column =
        best_.column_count < 2 && fit.column_count > best_.column_count * candidates_.size();
    return was_one_column || (has_more && fit.padded_rows <= best_.padded_rows) ||
           (fit.column_count > 1 && fit.padded_rows < best_.padded_rows) ||
           (candidate.is_quoted && fit.comment_lines == 0);
  }

  bool is_as_good(const CsvFit& fit, const CsvCandidate& candidate) const {
    return fit.row_count > 1 && fit.column_count > 1 && fit.is_consistent &&
           fit.column_count == best_.column_count && fit.padded_rows <= best_.padded_rows &&
           !candidates_.empty() && candidate.offset <= candidates_[0].offset;
  }

  void replace(const CsvFit& fit, CsvCandidate candidate) {
    if (!candidates_.empty() && is_kept(fit, candidate)) return;
    const bool was_quoted = !candidates_.empty() && candidates_[0].is_quoted;
    if (was_quoted && fit.row_count == best_.row_count && fit.column_count >= best_.column_count) {
      best_.column_count = fit.column_count;
      candidates_.push_back(std::move(candidate));
      return;
    }
    if (is_worse(fit, candidate)) return;
    best_ = fit;
    candidates_.assign(1, std::move(candidate));
  }

  // Whether the candidates so far are preferred for their quotes.
  bool is_kept(const CsvFit& fit, const CsvCandidate& candidate) const {
    const CsvCandidate& front = candidates_[0];
    const std::size_t given = options_.all_columns.size();
    if (given > 0 && best_.column_count == given && fit.row_count <= best_.row_count &&
        (front.is_quoted || !candidate.is_quoted))
      return true;
    return front.is_quoted && (!candidate.is_quoted || (front.is_escaped && !candidate.is_escaped));
  }

  bool is_worse(const CsvFit& fit, const CsvCandidate& candidate) const {
    if (fit.column_count == best_.column_count && fit.ignored_rows > best_.ignored_rows)
      return true;
    if (best_.column_count > 1 && fit.column_count > best_.column_count &&
        fit.row_count < best_.row_count / 2 && (options_.pads_rows || options_.ignores_errors))
      return true;
    return candidate.is_quoted && fit.column_count < best_.column_count &&
           std::ranges::any_of(
               candidates_,
               [&](const CsvCandidate& other) {
                 return other.is_quoted && (other.is_escaped || !candidate.is_escaped);
               });
  }

  const CsvOptions& options_;
  CsvFit best_{.column_count = 0, .ignored_rows = static_cast<std::size_t>(-1)};
  std::vector<CsvCandidate> candidates_;
};

// Whether the rows of the sample that were not judged fit, too; notes quotes and escapes in them.
bool fits_whole_sample(const CsvSample& sample, const CsvOptions& options,
                       CsvCandidate& candidate) {
  const std::string_view text = sample.text();
  const auto shapes =
      csv_shapes(text, sample.is_whole, candidate.dialect,
                 options.sample_rows.value_or(text.size() + 1), options.max_line_bytes);
  if (shapes.is_wrong) return false;
  candidate.is_quoted = shapes.is_quoted;
  candidate.is_escaped = shapes.is_escaped;
  if (options.pads_rows || options.ignores_errors) return true;
  for (std::size_t i = csv_judged_rows; i < shapes.rows.size(); i++) {
    const CsvRowShape& shape = shapes.rows[i];
    const std::size_t extra = shape.field_count - candidate.column_count;
    if (!shape.is_comment && extra != 0 && !(extra == 1 && shape.has_empty_tail)) return false;
  }
  return true;
}

// Among candidates that fit the whole sample, candidates that needed their quotes go first.
std::vector<CsvCandidate> refined(std::vector<CsvCandidate> candidates, const CsvSample& sample,
                                  const CsvOptions& options) {
  std::erase_if(candidates, [&](CsvCandidate& candidate) {
    return !fits_whole_sample(sample, options, candidate);
  });
  for (const bool is_escaped : {true, false})
    for (const CsvCandidate& candidate : candidates)
      if (candidate.is_quoted && candidate.is_escaped == is_escaped &&
          (is_escaped || candidate.dialect.quote == candidate.dialect.escape))
        return {candidate};
  for (const CsvCandidate& candidate : candidates)
    if (candidate.is_quoted) return {candidate};
  for (const CsvCandidate& candidate : candidates)
    if (candidate.dialect.quote == '"' && candidate.dialect.escape == '"') return {candidate};
  if (!candidates.empty()) candidates.resize(1);
  return candidates;
}

Status no_dialect(const CsvSample& sample, const CsvOptions& options) {
  CsvShapes likeliest;
  for (const CsvDialect& dialect : hypotheses(sample, options)) {
    const auto shapes = csv_shapes(sample.text(), sample.is_whole, dialect, csv_judged_rows,
                                   options.max_line_bytes);
    const bool has_more =
        !shapes.rows.empty() &&
        (likeliest.rows.empty() || shapes.rows[0].field_count > likeliest.rows[0].field_count);
    if (has_more || (likeliest.rows.empty() && shapes.is_wrong)) likeliest = shapes;
  }
  std::size_t offset = likeliest.wrong_offset;
  std::string what(wrong_row(likeliest.wrong_kind));
  for (std::size_t i = 1; i < likeliest.rows.size() && !likeliest.is_wrong; i++) {
    const CsvRowShape& first = likeliest.rows[0];
    if (likeliest.rows[i].field_count == first.field_count) continue;
    offset = likeliest.rows[i].offset;
    what = "the row has " + std::to_string(likeliest.rows[i].field_count) +
           " fields, and the first row " + std::to_string(first.field_count);
    break;
  }
  const std::uint64_t line = sample.first_line + count_line_ends(sample.text().substr(0, offset));
  return {Code::corrupt,
          "no delimiter and quote make the text a table. Line " + std::to_string(line) + ": " +
              what +
              " (read_csv() takes delim, quote, escape, comment, skip = n for lines before the "
              "table, null_padding = true to fill short rows, ignore_errors = true to pass over "
              "rows of another width)"};
}

}  // namespace

Result<std::vector<CsvCandidate>> csv_candidates(const CsvSample& sample,
                                                 const CsvOptions& options) {
  const std::string_view text = sample.text();
  DialectSearch search(options);
  bool has_more_rows = false;
  for (const CsvDialect& dialect : hypotheses(sample, options)) {
    const CsvShapes shapes =
        csv_shapes(text, sample.is_whole, dialect, csv_judged_rows, options.max_line_bytes);
    has_more_rows |= shapes.rows.size() == csv_judged_rows;
    search.consider(dialect, shapes);
  }
  auto candidates = search.take();
  if (candidates.size() > 1 && has_more_rows)
    candidates = refined(std::move(candidates), sample, options);
  if (candidates.empty()) return no_dialect(sample, options);
  return candidates;
}

}  // namespace penstock::io
