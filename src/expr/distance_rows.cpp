// The rows of functions that compare two strings by their characters: edit distances and
// similarities.
#include <algorithm>
#include <map>
#include <set>

#include "expr/construction.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::number, string_rows::real;

constexpr double winkler_threshold = 0.7, winkler_weight = 0.1;
constexpr std::size_t winkler_prefix = 4;

using Characters = std::vector<std::string_view>;

Characters characters_of(std::string_view text) {
  Characters all;
  for (std::size_t at = 0; at < text.size(); at += all.back().size())
    all.push_back(text.substr(at, character_bytes(text, at)));
  return all;
}

template <auto function> Scalar number_of_pair(Inputs in) {
  return number(function(characters_of(in[0].text), characters_of(in[1].text)));
}
template <auto function> Scalar real_of_pair(Inputs in) {
  return real(function(characters_of(in[0].text), characters_of(in[1].text)));
}

// Wagner and Fischer's table, two rows of it.
std::int64_t edit_distance(const Characters& a, const Characters& b) {
  std::vector<std::int64_t> last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++) last[j] = static_cast<std::int64_t>(j);
  for (std::size_t i = 1; i <= a.size(); i++) {
    row[0] = static_cast<std::int64_t>(i);
    for (std::size_t j = 1; j <= b.size(); j++) {
      const bool is_same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
    }
    last.swap(row);
  }
  return last[b.size()];
}

// Damerau's distance without the limit that a part is edited once: the last places where a
// character of each row was seen in the other string are candidates of a swap.
std::int64_t swap_distance(const Characters& a, const Characters& b) {
  const std::size_t width = b.size() + 2;
  const auto most = static_cast<std::int64_t>(a.size() + b.size());
  std::vector<std::int64_t> table((a.size() + 2) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::int64_t& {
    return table[i * width + j];
  };
  at(0, 0) = most;
  for (std::size_t i = 0; i <= a.size(); i++) {
    at(i + 1, 0) = most;
    at(i + 1, 1) = static_cast<std::int64_t>(i);
  }
  for (std::size_t j = 0; j <= b.size(); j++) {
    at(0, j + 1) = most;
    at(1, j + 1) = static_cast<std::int64_t>(j);
  }
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::size_t seen_in_row = 0;
    for (std::size_t j = 1; j <= b.size(); j++) {
      const std::size_t row = seen[b[j - 1]], column = seen_in_row;
      const bool is_same = a[i - 1] == b[j - 1];
      if (is_same) seen_in_row = j;
      const auto between = static_cast<std::int64_t>((i - row - 1) + (j - column - 1) + 1);
      at(i + 1, j + 1) = std::min({at(i, j) + (is_same ? 0 : 1), at(i + 1, j) + 1, at(i, j + 1) + 1,
                                   at(row, column) + between});
    }
    seen[a[i - 1]] = i;
  }
  return at(a.size() + 1, b.size() + 1);
}

std::int64_t mismatches(const Characters& a, const Characters& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); i++) count += a[i] != b[i];
  return count;
}

// The share of characters that both strings have, among those that one has.
double jaccard(const Characters& a, const Characters& b) {
  const std::set<std::string_view> in_a(a.begin(), a.end()), in_b(b.begin(), b.end());
  const auto both = std::ranges::count_if(in_a, [&](auto c) { return in_b.contains(c); });
  const auto either = static_cast<std::ptrdiff_t>(in_a.size() + in_b.size()) - both;
  return either > 0 ? static_cast<double>(both) / static_cast<double>(either) : 0;
}

// Jaro's similarity: characters match that are equal and no further apart than half the longer
// string.
double jaro(const Characters& a, const Characters& b) {
  if (a.empty() && b.empty()) return 1;
  if (a.empty() || b.empty()) return 0;
  const std::size_t longer = std::max(a.size(), b.size()),
                    reach = longer / 2 > 0 ? longer / 2 - 1 : 0;
  std::vector<bool> of_a(a.size()), of_b(b.size());
  std::size_t matches = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    const std::size_t first = i > reach ? i - reach : 0, end = std::min(b.size(), i + reach + 1);
    for (std::size_t j = first; j < end; j++) {
      if (of_b[j] || a[i] != b[j]) continue;
      of_a[i] = of_b[j] = true;
      matches++;
      break;
    }
  }
  if (matches == 0) return 0;
  std::size_t moved = 0;
  for (std::size_t i = 0, j = 0; i < a.size(); i++) {
    if (!of_a[i]) continue;
    while (!of_b[j]) j++;
    moved += a[i] != b[j++];
  }
  const auto count = static_cast<double>(matches);
  return (count / static_cast<double>(a.size()) + count / static_cast<double>(b.size()) +
          (count - static_cast<double>(moved / 2)) / count) /
         3;
}

double jaro_winkler(const Characters& a, const Characters& b) {
  const double similarity = jaro(a, b);
  if (similarity <= winkler_threshold) return similarity;
  std::size_t prefix = 0;
  while (prefix < std::min({winkler_prefix, a.size(), b.size()}) && a[prefix] == b[prefix])
    prefix++;
  return similarity + static_cast<double>(prefix) * winkler_weight * (1 - similarity);
}

StringFunction pair_row(std::string_view name, std::vector<std::string_view> sql_names, Type result,
                        std::string_view doc, Scalar (*host)(Inputs),
                        bool (*fits)(Inputs) = nullptr, std::string_view fault = {}) {
  return {.name = name,
          .sql_names = std::move(sql_names),
          .inputs = {string_type, string_type},
          .required_inputs = 2,
          .result = result,
          .doc = doc,
          .host = host,
          .fits = fits,
          .fault = fault};
}

}  // namespace

std::vector<StringFunction> distance_rows() {
  return {
      pair_row("levenshtein", {"levenshtein", "editdist3"}, int64_type,
               "the least number of characters to insert, remove and replace",
               number_of_pair<edit_distance>),
      pair_row("damerau_levenshtein", {"damerau_levenshtein"}, int64_type,
               "the least number of edits, among them swaps of neighbours",
               number_of_pair<swap_distance>),
      pair_row(
          "hamming", {"hamming", "mismatches"}, int64_type, "how many characters differ",
          number_of_pair<mismatches>,
          [](Inputs in) {
            return character_count(in[0].text) == character_count(in[1].text) &&
                   !in[0].text.empty();
          },
          "hamming takes two strings of equal length"),
      pair_row(
          "jaccard", {"jaccard"}, float64_type, "the share of characters that both have",
          real_of_pair<jaccard>,
          [](Inputs in) { return !in[0].text.empty() && !in[1].text.empty(); },
          "jaccard takes strings that are not empty"),
      pair_row("jaro_similarity", {"jaro_similarity"}, float64_type, "Jaro's similarity",
               real_of_pair<jaro>),
      pair_row("jaro_winkler_similarity", {"jaro_winkler_similarity"}, float64_type,
               "Jaro's similarity, which common first characters raise",
               real_of_pair<jaro_winkler>),
  };
}

}  // namespace penstock::expr
