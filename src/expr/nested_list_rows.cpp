// Functions of a list's elements by their places, and of lists put together.
#include <algorithm>

#include "expr/nested_rows.hpp"

namespace penstock::expr {
namespace {

using namespace nested_rows;

// Ends of a slice that are left out.
constexpr std::int64_t open_begin = INT64_MIN, open_end = INT64_MAX;

Signature element_at_place(const NestedCall& call) {
  if (call.types.size() != 2 || !has_lists(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0], integer_type}, element(call.types[0])};
}

Scalar list_extract(Inputs in, Type result) {
  Scalars elements = elements_of(in[0]);
  const auto count = static_cast<std::int64_t>(elements.size());
  std::int64_t place = integer(in[1]);
  if (place < 0) place += count + 1;
  if (place < 1 || place > count) return Scalar::null_of(result);
  return std::move(elements[static_cast<std::size_t>(place - 1)]);
}

Signature part_of_list(const NestedCall& call) {
  const std::size_t count = call.types.size();
  if (count < 3 || count > 4 || !has_lists(call, 1)) return std::nullopt;
  std::vector<Type> inputs(count, integer_type);
  inputs[0] = call.types[0];
  return NestedSignature{std::move(inputs), call.types[0]};
}

// A place from the end counts back from -1. Places beyond an end mean the end.
std::int64_t place_in(std::int64_t place, std::int64_t count) {
  if (place < 0) place = place < -count ? 0 : place + count + 1;
  return std::clamp<std::int64_t>(place, 0, count + 1);
}

// With a step below 0 the slice runs from its first place back to its last one.
Scalar list_slice(Inputs in, Type result) {
  const Scalars elements = elements_of(in[0]);
  const auto count = static_cast<std::int64_t>(elements.size());
  const std::int64_t step = in.size() == 4 ? integer(in[3]) : 1;
  std::int64_t begin = integer(in[1]), end = integer(in[2]);
  if (step == 0) return Scalar::null_of(result);
  if (step < 0 && begin == open_begin) begin = count;
  if (step < 0 && end == open_end) end = 1;
  begin = place_in(begin, count);
  end = place_in(end, count);
  if (step > 0) begin = std::max<std::int64_t>(begin, 1);
  Scalars kept;
  const auto is_within = [&](std::int64_t at) { return step > 0 ? at <= end : at >= end; };
  for (std::int64_t at = begin; at >= 1 && at <= count && is_within(at); at += step) {
    kept.push_back(elements[static_cast<std::size_t>(at - 1)]);
    if (step > count || step < -count) break;
  }
  return list_of_parts(result, kept);
}

Signature one_list(const NestedCall& call, Type result) {
  if (call.types.size() != 1 || !has_lists(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0]}, result};
}

Signature length_of_list(const NestedCall& call) {
  const bool has_dimension = call.types.size() == 2 && has_lists(call, 1) && call.constants[1] &&
                             call.constants[1]->integer == 1;
  if (has_dimension) return NestedSignature{{call.types[0], integer_type}, integer_type};
  return one_list(call, integer_type);
}

Scalar list_length(Inputs in, Type result) { return size_of(result, elements_of(in[0]).size()); }

Signature list_and_value(const NestedCall& call, Type result) {
  if (call.types.size() != 2 || !has_lists(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0], element(call.types[0])}, result};
}

Signature truth_of_value(const NestedCall& call) { return list_and_value(call, truth_type); }
Signature truth_of_constant(const NestedCall& call) {
  const bool is_known = call.types.size() == 2 && call.constants[1] && !call.constants[1]->is_null;
  return is_known ? truth_of_value(call) : std::nullopt;
}
Signature place_of_value(const NestedCall& call) { return list_and_value(call, Type{Kind::int32}); }

std::optional<std::size_t> find_value(const Scalar& list, const Scalar& value) {
  const Scalars elements = elements_of(list);
  const std::string wanted = sort_bytes(value);
  const auto found = std::ranges::find_if(
      elements, [&](const Scalar& element) { return sort_bytes(element) == wanted; });
  if (found == elements.end()) return std::nullopt;
  return static_cast<std::size_t>(found - elements.begin());
}

Scalar list_contains(Inputs in, Type) { return truth(find_value(in[0], in[1]).has_value()); }

// It is not known whether a list has NULL, unless it has no elements.
Scalar list_contains_or_null(Inputs in, Type result) {
  if (in[0].is_null) return Scalar::null_of(result);
  if (in[1].is_null && !elements_of(in[0]).empty()) return Scalar::null_of(result);
  return list_contains(in, result);
}

Scalar list_position(Inputs in, Type result) {
  const auto place = in[0].is_null ? std::nullopt : find_value(in[0], in[1]);
  return place ? size_of(result, *place + 1) : Scalar::null_of(result);
}

Signature lists_of_one_type(const NestedCall& call) {
  std::optional<Type> type =
      call.stated && is_list(*call.stated) ? call.stated : common_list(call, call.types.size());
  if (!type || !has_lists(call, call.types.size())) return std::nullopt;
  return NestedSignature{std::vector<Type>(call.types.size(), *type), *type};
}

// A list that is NULL is passed over.
Scalar list_concat(Inputs in, Type result) {
  Scalars all;
  for (const Scalar& list : in) {
    if (list.is_null) continue;
    Scalars elements = elements_of(list);
    std::ranges::move(elements, std::back_inserter(all));
  }
  return list_of_parts(result, all);
}

Signature list_then_value(const NestedCall& call) {
  if (call.types.size() != 2 || !has_lists(call, 1)) return std::nullopt;
  const Type list = call.stated.value_or(call.types[0]);
  if (!is_list(list)) return std::nullopt;
  return NestedSignature{{list, element(list)}, list};
}
Signature value_then_list(const NestedCall& call) {
  if (call.types.size() != 2 || !is_list(call.types[1])) return std::nullopt;
  const Type list = call.stated.value_or(call.types[1]);
  if (!is_list(list)) return std::nullopt;
  return NestedSignature{{element(list), list}, list};
}

Scalar list_append(Inputs in, Type result) {
  Scalars elements = in[0].is_null ? Scalars() : elements_of(in[0]);
  elements.push_back(in[1]);
  return list_of_parts(result, elements);
}
Scalar list_prepend(Inputs in, Type result) {
  Scalars elements = in[1].is_null ? Scalars() : elements_of(in[1]);
  elements.insert(elements.begin(), in[0]);
  return list_of_parts(result, elements);
}

Signature same_list(const NestedCall& call) {
  if (call.types.empty()) return std::nullopt;
  return one_list(call, call.types[0]);
}

Scalar list_reverse(Inputs in, Type result) {
  Scalars elements = elements_of(in[0]);
  std::ranges::reverse(elements);
  return list_of_parts(result, elements);
}

Signature resized_list(const NestedCall& call) {
  const std::size_t count = call.types.size();
  if (count < 2 || count > 3 || !has_lists(call, 1)) return std::nullopt;
  std::vector<Type> inputs{call.types[0], integer_type};
  if (count == 3) inputs.push_back(element(call.types[0]));
  return NestedSignature{std::move(inputs), call.types[0]};
}

constexpr std::int64_t max_elements = std::int64_t{1} << 27;

Scalar list_resize(Inputs in, Type result) {
  if (in[0].is_null) return in[0];
  Scalars elements = elements_of(in[0]);
  const Scalar filler = in.size() == 3 ? in[2] : Scalar::null_of(element(result));
  const std::int64_t size = in[1].is_null ? 0 : integer(in[1]);
  elements.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, max_elements)),
                  filler);
  return list_of_parts(result, elements);
}

Signature list_and_choice(const NestedCall& call, Type choice) {
  if (call.types.size() != 2 || !has_lists(call, 2)) return std::nullopt;
  return NestedSignature{{call.types[0], list_of(choice)}, call.types[0]};
}
Signature list_and_truths(const NestedCall& call) { return list_and_choice(call, truth_type); }
Signature list_and_places(const NestedCall& call) { return list_and_choice(call, integer_type); }

Scalar list_where(Inputs in, Type result) {
  const Scalars elements = elements_of(in[0]), chosen = elements_of(in[1]);
  Scalars kept;
  for (std::size_t i = 0; i < chosen.size(); i++) {
    if (chosen[i].is_null) return Scalar::null_of(result);
    if (chosen[i].integer == 0) continue;
    kept.push_back(i < elements.size() ? elements[i] : Scalar::null_of(element(result)));
  }
  return list_of_parts(result, kept);
}

Scalar list_select(Inputs in, Type result) {
  Scalars kept;
  for (const Scalar& place : elements_of(in[1])) {
    if (place.is_null) return Scalar::null_of(result);
    kept.push_back(list_extract(Scalars{in[0], place}, element(result)));
  }
  return list_of_parts(result, kept);
}

Signature list_of_lists(const NestedCall& call) {
  if (call.types.size() != 1 || !has_lists(call, 1) || !is_list(element(call.types[0])))
    return std::nullopt;
  return NestedSignature{{call.types[0]}, element(call.types[0])};
}

Scalar flatten(Inputs in, Type result) { return list_concat(elements_of(in[0]), result); }

// A last input of BOOLEAN asks for as many rows as the shortest list has.
Signature zipped_lists(const NestedCall& call) {
  std::size_t count = call.types.size();
  if (count > 1 && call.types[count - 1] == truth_type) count--;
  if (count == 0 || !has_lists(call, count)) return std::nullopt;
  std::vector<Type> types;
  for (std::size_t i = 0; i < count; i++) types.push_back(element(call.types[i]));
  return NestedSignature{{call.types.begin(), call.types.end()},
                         list_of(struct_of(std::vector<std::string>(count), types))};
}

Scalar list_zip(Inputs in, Type result) {
  const bool has_choice = in.back().type == truth_type;
  const bool is_shortest = has_choice && !in.back().is_null && in.back().integer != 0;
  const Type row = element(result);
  std::vector<Scalars> lists;
  for (const Scalar& list : in.first(in.size() - (has_choice ? 1 : 0)))
    lists.push_back(list.is_null ? Scalars() : elements_of(list));
  std::size_t count = lists[0].size();
  for (const Scalars& list : lists)
    count = is_shortest ? std::min(count, list.size()) : std::max(count, list.size());
  Scalars rows;
  for (std::size_t i = 0; i < count; i++) {
    Scalars fields;
    for (std::size_t k = 0; k < lists.size(); k++)
      fields.push_back(i < lists[k].size() ? lists[k][i] : Scalar::null_of(row.nested->types[k]));
    rows.push_back(struct_of_parts(row, fields));
  }
  return list_of_parts(result, rows);
}

constexpr std::string_view nulls_that_choose = "a list that chooses elements has a NULL";

}  // namespace

std::vector<NestedFunction> list_rows() {
  return {
      {.sql_names = {"list_extract", "list_element", "array_extract"},
       .signature = element_at_place,
       .host = list_extract,
       .yields_null = true},
      {.sql_names = {"list_slice", "array_slice"},
       .signature = part_of_list,
       .host = list_slice,
       .fault = "the step of a slice is zero"},
      {.sql_names = {"len", "length", "array_length"},
       .signature = length_of_list,
       .host = list_length},
      {.sql_names = {"list_contains", "array_contains", "list_has", "array_has", "contains"},
       .signature = truth_of_constant,
       .host = list_contains},
      {.sql_names = {"list_contains", "array_contains", "list_has", "array_has", "contains"},
       .signature = truth_of_value,
       .host = list_contains_or_null,
       .takes_nulls = true,
       .yields_null = true},
      {.sql_names = {"list_position", "list_indexof", "array_position", "array_indexof"},
       .signature = place_of_value,
       .host = list_position,
       .takes_nulls = true,
       .yields_null = true},
      {.sql_names = {"list_concat", "list_cat", "array_concat", "array_cat"},
       .signature = lists_of_one_type,
       .host = list_concat,
       .takes_nulls = true},
      {.sql_names = {"||"}, .signature = lists_of_one_type, .host = list_concat},
      {.sql_names = {"list_append", "array_append", "array_push_back"},
       .signature = list_then_value,
       .host = list_append,
       .takes_nulls = true},
      {.sql_names = {"list_prepend", "array_prepend"},
       .signature = value_then_list,
       .host = list_prepend,
       .takes_nulls = true},
      {.sql_names = {"list_reverse", "array_reverse"},
       .signature = same_list,
       .host = list_reverse},
      {.sql_names = {"list_resize", "array_resize"},
       .signature = resized_list,
       .host = list_resize,
       .takes_nulls = true,
       .yields_null = true},
      {.sql_names = {"list_where", "array_where"},
       .signature = list_and_truths,
       .host = list_where,
       .fault = nulls_that_choose},
      {.sql_names = {"list_select", "array_select"},
       .signature = list_and_places,
       .host = list_select,
       .fault = nulls_that_choose},
      {.sql_names = {"flatten"}, .signature = list_of_lists, .host = flatten},
      {.sql_names = {"list_zip", "array_zip"},
       .signature = zipped_lists,
       .host = list_zip,
       .takes_nulls = true},
  };
}

}  // namespace penstock::expr
