// Functions of lists that compare elements: sorted, distinct and common ones.
#include <algorithm>
#include <numeric>
#include <set>

#include "base/ascii.hpp"
#include "expr/nested_rows.hpp"

namespace penstock::expr {
namespace {

using namespace nested_rows;

struct ListOrder {
  bool is_descending = false, has_nulls_first = false;
};

// Words say the order, in any case. They were checked.
ListOrder order_of(Inputs in, bool is_descending) {
  ListOrder order{is_descending, false};
  for (const Scalar& word : in.subspan(1)) {
    const std::string text = lower(word.text);
    if (text.starts_with("desc")) order.is_descending = !is_descending;
    if (text.starts_with("nulls")) order.has_nulls_first = text == "nulls first";
  }
  return order;
}

bool is_word_of_order(const Scalar* word, bool of_nulls) {
  if (!word || word->is_null) return false;
  const std::string text = lower(word->text);
  if (of_nulls) return text == "nulls first" || text == "nulls last";
  return text == "asc" || text == "desc" || text == "ascending" || text == "descending";
}

// A list; then ASC or DESC unless the function says it, and NULLS FIRST or LAST.
Signature list_and_order(const NestedCall& call, bool says_order, Type result) {
  const std::size_t count = call.types.size(), words = says_order ? 1 : 2;
  if (count < 1 || count > 1 + words || !has_lists(call, 1)) return std::nullopt;
  std::vector<Type> inputs{call.types[0]};
  for (std::size_t i = 1; i < count; i++) {
    if (!is_text(call.types[i]) || !is_word_of_order(call.constants[i], says_order || i == 2))
      return std::nullopt;
    inputs.push_back(text_type);
  }
  return NestedSignature{std::move(inputs), result};
}
Signature sorted_list(const NestedCall& call) {
  return call.types.empty() ? std::nullopt : list_and_order(call, false, call.types[0]);
}
Signature reverse_sorted_list(const NestedCall& call) {
  return call.types.empty() ? std::nullopt : list_and_order(call, true, call.types[0]);
}
Signature places_of_sorted_list(const NestedCall& call) {
  return list_and_order(call, false, list_of(integer_type));
}

std::vector<std::size_t> sorted_places(const Scalars& elements, ListOrder order) {
  std::vector<std::string> keys;
  for (const Scalar& element : elements) keys.push_back(sort_bytes(element));
  std::vector<std::size_t> places(elements.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    if (elements[a].is_null || elements[b].is_null)
      return elements[a].is_null != elements[b].is_null &&
             elements[a].is_null == order.has_nulls_first;
    return order.is_descending ? keys[b] < keys[a] : keys[a] < keys[b];
  });
  return places;
}

Scalar in_order(Inputs in, Type result, bool is_descending) {
  const Scalars elements = elements_of(in[0]);
  Scalars ordered;
  for (const std::size_t place : sorted_places(elements, order_of(in, is_descending)))
    ordered.push_back(elements[place]);
  return list_of_parts(result, ordered);
}
Scalar list_sort(Inputs in, Type result) { return in_order(in, result, false); }
Scalar list_reverse_sort(Inputs in, Type result) { return in_order(in, result, true); }

Scalar list_grade_up(Inputs in, Type result) {
  Scalars places;
  for (const std::size_t place : sorted_places(elements_of(in[0]), order_of(in, false)))
    places.push_back(size_of(integer_type, place + 1));
  return list_of_parts(result, places);
}

Signature distinct_list(const NestedCall& call) {
  if (call.types.size() != 1 || !has_lists(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0]}, call.types[0]};
}
Signature distinct_count(const NestedCall& call) {
  if (call.types.size() != 1 || !has_lists(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0]}, Type{Kind::uint64}};
}

// The first of equal elements, without NULLs.
Scalars distinct_elements(const Scalar& list) {
  std::set<std::string> known;
  Scalars distinct;
  for (Scalar& element : elements_of(list))
    if (!element.is_null && known.insert(sort_bytes(element)).second)
      distinct.push_back(std::move(element));
  return distinct;
}

Scalar list_distinct(Inputs in, Type result) {
  return list_of_parts(result, distinct_elements(in[0]));
}
Scalar list_unique(Inputs in, Type result) {
  return size_of(result, distinct_elements(in[0]).size());
}

Signature two_lists(const NestedCall& call, std::optional<Type> result) {
  const auto common = call.types.size() == 2 ? common_list(call, 2) : std::nullopt;
  if (!common) return std::nullopt;
  return NestedSignature{{*common, *common}, result.value_or(*common)};
}
Signature truth_of_two_lists(const NestedCall& call) { return two_lists(call, truth_type); }
Signature list_of_two_lists(const NestedCall& call) { return two_lists(call, std::nullopt); }

std::set<std::string> values_of(const Scalar& list) {
  std::set<std::string> values;
  for (const Scalar& element : elements_of(list))
    if (!element.is_null) values.insert(sort_bytes(element));
  return values;
}

Scalar list_has_any(Inputs in, Type) {
  const std::set<std::string> values = values_of(in[0]);
  const std::set<std::string> wanted = values_of(in[1]);
  return truth(std::ranges::any_of(wanted, [&](const auto& one) { return values.contains(one); }));
}
Scalar list_has_all(Inputs in, Type) {
  return truth(std::ranges::includes(values_of(in[0]), values_of(in[1])));
}
Scalar list_is_in(Inputs in, Type result) { return list_has_all(Scalars{in[1], in[0]}, result); }

Scalar list_intersect(Inputs in, Type result) {
  const std::set<std::string> values = values_of(in[1]);
  Scalars common;
  for (Scalar& element : distinct_elements(in[0]))
    if (values.contains(sort_bytes(element))) common.push_back(std::move(element));
  return list_of_parts(result, common);
}

}  // namespace

std::vector<NestedFunction> list_order_rows() {
  return {
      {.sql_names = {"list_sort", "array_sort"}, .signature = sorted_list, .host = list_sort},
      {.sql_names = {"list_reverse_sort", "array_reverse_sort"},
       .signature = reverse_sorted_list,
       .host = list_reverse_sort},
      {.sql_names = {"list_grade_up", "array_grade_up", "grade_up"},
       .signature = places_of_sorted_list,
       .host = list_grade_up},
      {.sql_names = {"list_distinct", "array_distinct"},
       .signature = distinct_list,
       .host = list_distinct},
      {.sql_names = {"list_unique", "array_unique"},
       .signature = distinct_count,
       .host = list_unique},
      {.sql_names = {"list_has_any", "array_has_any", "&&"},
       .signature = truth_of_two_lists,
       .host = list_has_any},
      {.sql_names = {"list_has_all", "array_has_all", "@>"},
       .signature = truth_of_two_lists,
       .host = list_has_all},
      {.sql_names = {"<@"}, .signature = truth_of_two_lists, .host = list_is_in},
      {.sql_names = {"list_intersect", "array_intersect"},
       .signature = list_of_two_lists,
       .host = list_intersect},
  };
}

}  // namespace penstock::expr
