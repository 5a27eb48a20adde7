#include "base/suggest_name.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace penstock {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::size_t max_name_bytes = 200;  // the distance takes time of the product of lengths

bool begins(std::string_view word, std::string_view start) {
  constexpr std::size_t min_prefix_bytes = 2;  // one letter begins too many names
  return start.size() >= min_prefix_bytes && start.size() <= word.size() &&
         edit_distance(word.substr(0, start.size()), start) == 0;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      const std::size_t substitute = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

std::string nearest_name(std::string_view word, std::span<const std::string> known) {
  const std::vector<std::string> nearest = nearest_names(word, known);
  return nearest.empty() ? "" : nearest.front();
}

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t max_suggestions = 3;
  if (word.size() > max_name_bytes) return {};
  const std::size_t max_edits = std::max<std::size_t>(1, (word.size() + 1) / 3);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : known) {
    if (name.size() > max_name_bytes) continue;
    std::size_t edits = begins(name, word) ? 0 : edit_distance(word, name);
    if (begins(word, name)) edits = std::min(edits, max_edits);  // a typing error may be nearer
    if (edits <= max_edits && edits < name.size()) ranked.emplace_back(edits, name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (const auto& [edits, name] : ranked)
    if (nearest.size() < max_suggestions) nearest.push_back(name);
  return nearest;
}

}  // namespace penstock
