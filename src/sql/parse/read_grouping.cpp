// Reads GROUP BY with GROUPING SETS, ROLLUP and CUBE: the terms, and the sets of them.
#include "sql/parse/read_select.hpp"

namespace penstock::sql {
namespace {

using Set = std::vector<std::uint32_t>;  // terms by number
constexpr std::size_t max_sets = 4096, max_keys_of_sets = std::size_t{1} << 20;

class GroupingReader {
 public:
  GroupingReader(ExpressionReader& expressions, Select& select)
      : expressions_(expressions), select_(select) {}

  Status read(Tree terms) {
    std::vector<Set> sets(1);
    bool has_sets = false;
    for (std::size_t i = 0; i < terms.size(); i++) {
      has_sets = has_sets || terms.at(i).kind() == "GroupingSet";
      PENSTOCK_ASSIGN(const std::vector<Set> choices, choices_of(terms.at(i), 0));
      PENSTOCK_ASSIGN(sets, product(std::move(sets), choices));
    }
    if (has_sets) select_.grouping_sets = std::move(sets);
    return {};
  }

 private:
  Status too_many() const {
    return error_at(expressions_.lexed().statement, expressions_.offset_of("group"), Code::capacity,
                    "GROUP BY has more than " + std::to_string(max_sets) + " sets");
  }

  // Returns each set of the left with each of the right.
  Result<std::vector<Set>> product(std::vector<Set> left, const std::vector<Set>& right) const {
    const std::size_t count = left.size() * right.size();
    const bool is_long = count > 1 && count * select_.group_by.size() > max_keys_of_sets;
    if (count > max_sets || is_long) return too_many();
    if (right.size() == 1) {
      for (Set& set : left) set.insert(set.end(), right[0].begin(), right[0].end());
      return left;
    }
    std::vector<Set> sets;
    for (const Set& first : left)
      for (const Set& second : right) {
        sets.push_back(first);
        sets.back().insert(sets.back().end(), second.begin(), second.end());
      }
    return sets;
  }

  // Returns the sets that a term of GROUP BY stands for.
  Result<std::vector<Set>> choices_of(Tree term, int depth) {
    constexpr int max_depth = 100;
    if (depth == max_depth) return too_many();
    const Tree set = term.as("GroupingSet");
    const std::string_view kind = set["kind"].text();
    if (!set) {
      PENSTOCK_ASSIGN(Set keys, keys_of(term, depth > 0));
      return std::vector<Set>{std::move(keys)};
    }
    if (kind == "GROUPING_SET_ROLLUP") return rollup(set["content"]);
    if (kind == "GROUPING_SET_CUBE") return cube(set["content"]);
    if (kind == "GROUPING_SET_EMPTY") return std::vector<Set>(1);
    std::vector<Set> sets;
    for (std::size_t i = 0; i < set["content"].size(); i++) {
      PENSTOCK_ASSIGN(const std::vector<Set> more, choices_of(set["content"].at(i), depth + 1));
      sets.insert(sets.end(), more.begin(), more.end());
      if (sets.size() > max_sets) return too_many();
    }
    return sets;
  }

  // Reads one key, or a list of keys in parentheses.
  Result<Set> keys_of(Tree term, bool is_of_set) {
    const Tree row = is_of_set ? term.as("RowExpr") : Tree();
    Set keys;
    for (std::size_t i = 0; i < (row ? row["args"].size() : 1); i++) {
      PENSTOCK_ASSIGN(SyntaxPtr key, expressions_.read(row ? row["args"].at(i) : term));
      keys.push_back(static_cast<std::uint32_t>(select_.group_by.size()));
      select_.group_by.push_back(std::move(key));
    }
    return keys;
  }

  Result<std::vector<Set>> parts_of_set(Tree content) {
    std::vector<Set> parts;
    for (std::size_t i = 0; i < content.size(); i++) {
      PENSTOCK_ASSIGN(Set keys, keys_of(content.at(i), true));
      parts.push_back(std::move(keys));
    }
    return parts;
  }

  // All parts, then without the last, down to none.
  Result<std::vector<Set>> rollup(Tree content) {
    PENSTOCK_ASSIGN(const std::vector<Set> parts, parts_of_set(content));
    const std::size_t keys = parts.size() * select_.group_by.size();
    if (parts.size() >= max_sets || keys > max_keys_of_sets) return too_many();
    std::vector<Set> sets;
    for (std::size_t count = parts.size() + 1; count-- > 0;) {
      Set& set = sets.emplace_back();
      for (std::size_t i = 0; i < count; i++)
        set.insert(set.end(), parts[i].begin(), parts[i].end());
    }
    return sets;
  }

  // Every choice of the parts.
  Result<std::vector<Set>> cube(Tree content) {
    PENSTOCK_ASSIGN(const std::vector<Set> parts, parts_of_set(content));
    std::vector<Set> sets(1);
    for (const Set& part : parts) { PENSTOCK_ASSIGN(sets, product(std::move(sets), {part, {}})); }
    return sets;
  }

  ExpressionReader& expressions_;
  Select& select_;
};

}  // namespace

Status read_grouping(ExpressionReader& expressions, Tree terms, Select& select) {
  return GroupingReader(expressions, select).read(terms);
}

}  // namespace penstock::sql
