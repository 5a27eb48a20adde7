#include "cli/report/score_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "video/feature.hpp"

namespace penstock::cli {
namespace {

using video::OptionKind;
using video::OptionRow;

constexpr std::size_t column_count = 5;
using Row = std::array<std::string, column_count>;

// The first column is aligned left, numbers right.
std::string aligned(const std::vector<Row>& rows) {
  std::array<std::size_t, column_count> widths = {};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < column_count; i++) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    text += row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (std::size_t i = 1; i < column_count; i++)
      text += std::string(2 + widths[i] - row[i].size(), ' ') + row[i];
    text += '\n';
  }
  return text;
}

// Six decimals, where libvmaf's files have more for small fractions.
std::string decimals(double value) {
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), "%.6f", value);
  return text.data();
}

std::string number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

std::string default_of(const OptionRow& row) {
  if (row.kind == OptionKind::flag) return row.initial != 0 ? "true" : "false";
  if (row.kind == OptionKind::text) return std::string(row.initial_text);
  return number(row.initial);
}

std::string range_of(const OptionRow& row) {
  if (row.kind == OptionKind::flag || row.kind == OptionKind::text) return "";
  if (row.max == std::numeric_limits<double>::max()) return ", from " + number(row.min);
  return ", " + number(row.min) + " to " + number(row.max);
}

std::string option_line(const OptionRow& row) {
  std::string line = "    " + std::string(row.name);
  if (!row.alias.empty()) line += ", " + std::string(row.alias);
  line += " (" + default_of(row) + range_of(row) + ")";
  if (!row.help.empty()) line += ": " + std::string(row.help);
  return line + "\n";
}

}  // namespace

std::string pooled_table(const video::Scores& scores, std::uint64_t subsample) {
  std::vector<Row> rows = {{"key", "min", "max", "mean", "harmonic mean"}};
  for (const std::string& key : scores.keys()) {
    const video::Pooled pooled = scores.pooled(key, subsample);
    rows.push_back({key, decimals(pooled.min), decimals(pooled.max), decimals(pooled.mean),
                    decimals(pooled.harmonic_mean)});
  }
  std::string text = aligned(rows);
  for (const auto& [key, score] : scores.aggregates())
    text += key + " of all frames: " + decimals(score) + "\n";
  return text;
}

std::string feature_list() {
  std::string text;
  for (const video::FeatureRow* row : video::feature_rows()) {
    text += std::string(row->name) + ": " + std::string(row->summary) + "\n";
    for (const OptionRow& option : row->options) text += option_line(option);
  }
  return text;
}

}  // namespace penstock::cli
