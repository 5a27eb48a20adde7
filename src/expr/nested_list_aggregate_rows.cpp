// Aggregates of a list's elements: list_aggregate(list, 'sum'), as which DuckDB plans list_sum().
#include <algorithm>
#include <cmath>
#include <map>

#include "base/ascii.hpp"
#include "expr/integers.hpp"
#include "expr/nested_rows.hpp"
#include "expr/operation.hpp"
#include "expr/value.hpp"

namespace penstock::expr {
namespace {

using namespace nested_rows;

// The elements that are not NULL. `separator` is of texts.
struct Elements {
  Scalars all, present;
  std::string separator = ",";
};

double real_of(const Scalar& value) { return cast_value(value, Type{Kind::float64}).value.real; }

// Sums of whole numbers and decimals are exact; nothing if one does not fit.
std::optional<Scalar> sum_of(const Elements& list, Type result) {
  if (list.present.empty()) return std::nullopt;
  if (is_float(result)) {
    double sum = 0;
    for (const Scalar& value : list.present) sum += real_of(value);
    return Scalar::of(result, sum);
  }
  Int128 sum = 0;
  for (const Scalar& value : list.present) sum = bounded_sum(sum, value.integer);
  const Range range = range_of(result);
  if (sum < range.minimum || sum > range.maximum) return std::nullopt;
  return Scalar::of(result, sum);
}

std::optional<Scalar> average_of(const Elements& list, Type result) {
  if (list.present.empty() || !is_float(result)) return std::nullopt;
  const Type type = list.present[0].type;
  const bool is_exact = !is_float(type);
  const Type sum_type = type.kind == Kind::decimal ? Type::decimal(38, type.scale)
                        : is_exact                 ? Type{Kind::int128}
                                                   : Type{Kind::float64};
  const auto sum = sum_of(list, sum_type);
  if (!sum) return std::nullopt;
  return Scalar::of(result, real_of(*sum) / static_cast<double>(list.present.size()));
}

template <bool is_greatest> std::optional<Scalar> extreme_of(const Elements& list, Type) {
  const Scalar* best = nullptr;
  std::string best_bytes;
  for (const Scalar& value : list.present) {
    std::string bytes = sort_bytes(value);
    if (best && (is_greatest ? bytes <= best_bytes : bytes >= best_bytes)) continue;
    best = &value;
    best_bytes = std::move(bytes);
  }
  return best ? std::optional(*best) : std::nullopt;
}

std::optional<Scalar> count_of(const Elements& list, Type result) {
  return size_of(result, list.present.size());
}

std::optional<Scalar> first_of(const Elements& list, Type) {
  return list.all.empty() ? std::nullopt : std::optional(list.all.front());
}
std::optional<Scalar> last_of(const Elements& list, Type) {
  return list.all.empty() ? std::nullopt : std::optional(list.all.back());
}
std::optional<Scalar> any_of(const Elements& list, Type) {
  return list.present.empty() ? std::nullopt : std::optional(list.present.front());
}

std::optional<Scalar> texts_of(const Elements& list, Type) {
  if (list.present.empty()) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < list.present.size(); i++)
    text += (i == 0 ? "" : list.separator) + text_of(list.present[i]);
  return Scalar::of(std::move(text));
}

std::optional<Scalar> product_of(const Elements& list, Type result) {
  if (list.present.empty()) return std::nullopt;
  double product = 1;
  for (const Scalar& value : list.present) product *= real_of(value);
  return Scalar::of(result, product);
}

template <char operation> std::optional<Scalar> bits_of(const Elements& list, Type result) {
  if (list.present.empty()) return std::nullopt;
  Int128 bits = list.present[0].integer;
  for (std::size_t i = 1; i < list.present.size(); i++) {
    const Int128 next = list.present[i].integer;
    bits = operation == '&' ? bits & next : operation == '|' ? bits | next : bits ^ next;
  }
  return Scalar::of(result, bits);
}

std::map<std::string, std::pair<Scalar, std::size_t>> counts_of(const Elements& list) {
  std::map<std::string, std::pair<Scalar, std::size_t>> counts;
  for (const Scalar& value : list.present) {
    auto& known = counts.try_emplace(sort_bytes(value), value, 0).first->second;
    known.second++;
  }
  return counts;
}

std::optional<Scalar> histogram_of(const Elements& list, Type result) {
  Scalars keys, counts;
  for (const auto& [bytes, known] : counts_of(list)) {
    keys.push_back(known.first);
    counts.push_back(size_of(result.nested->types[1], known.second));
  }
  return keys.empty() ? std::nullopt : map_of_parts(result, keys, counts);
}

// The first of several most frequent elements.
std::optional<Scalar> mode_of(const Elements& list, Type) {
  const auto counts = counts_of(list);
  const Scalar* best = nullptr;
  std::size_t most = 0;
  for (const Scalar& value : list.present) {
    const std::size_t count = counts.at(sort_bytes(value)).second;
    if (count <= most) continue;
    most = count;
    best = &value;
  }
  return best ? std::optional(*best) : std::nullopt;
}

std::optional<Scalar> median_of(const Elements& list, Type result) {
  if (list.present.empty() || !is_float(result)) return std::nullopt;
  std::vector<double> values;
  for (const Scalar& value : list.present) values.push_back(real_of(value));
  std::ranges::sort(values, [](double a, double b) { return order_of_floats(a, b) < 0; });
  const double low = values[(values.size() - 1) / 2], high = values[values.size() / 2];
  return Scalar::of(result, low == high ? low : low + (high - low) / 2);
}

double squares_of(const Elements& list) {
  double mean = 0, squares = 0, count = 0;
  for (const Scalar& value : list.present) {
    const double real = real_of(value), before = real - mean;
    mean += before / ++count;
    squares += before * (real - mean);
  }
  return squares;
}

template <bool is_sample, bool is_root>
std::optional<Scalar> spread_of(const Elements& list, Type result) {
  const std::size_t count = list.present.size();
  if (count < (is_sample ? 2 : 1)) return std::nullopt;
  const double spread = squares_of(list) / static_cast<double>(count - (is_sample ? 1 : 0));
  return Scalar::of(result, is_root ? std::sqrt(spread) : spread);
}

struct ListAggregate {
  std::string_view name;
  std::optional<Scalar> (*of)(const Elements& list, Type result);
  // The type of the result where no planner states it: of the elements if nothing.
  std::optional<Type> result = {};
};
constexpr Type whole_type{Kind::int64}, real_type{Kind::float64};
constexpr ListAggregate aggregates[] = {{"sum", sum_of},
                                        {"avg", average_of, real_type},
                                        {"mean", average_of, real_type},
                                        {"min", extreme_of<false>},
                                        {"max", extreme_of<true>},
                                        {"count", count_of, whole_type},
                                        {"first", first_of},
                                        {"last", last_of},
                                        {"any_value", any_of},
                                        {"arbitrary", first_of},
                                        {"string_agg", texts_of, text_type},
                                        {"group_concat", texts_of, text_type},
                                        {"listagg", texts_of, text_type},
                                        {"product", product_of, real_type},
                                        {"bool_and", extreme_of<false>},
                                        {"bool_or", extreme_of<true>},
                                        {"bit_and", bits_of<'&'>},
                                        {"bit_or", bits_of<'|'>},
                                        {"bit_xor", bits_of<'^'>},
                                        {"histogram", histogram_of},
                                        {"mode", mode_of},
                                        {"median", median_of, real_type},
                                        {"var_pop", spread_of<false, false>, real_type},
                                        {"var_samp", spread_of<true, false>, real_type},
                                        {"variance", spread_of<true, false>, real_type},
                                        {"stddev_pop", spread_of<false, true>, real_type},
                                        {"stddev_samp", spread_of<true, true>, real_type},
                                        {"stddev", spread_of<true, true>, real_type}};

const ListAggregate* find_aggregate(const Scalar* name) {
  if (!name || name->is_null) return nullptr;
  const auto found = std::ranges::find(aggregates, lower(name->text), &ListAggregate::name);
  return found == std::end(aggregates) ? nullptr : &*found;
}

Type type_of_sum(Type element) {
  if (is_float(element)) return real_type;
  return element.kind == Kind::decimal ? Type::decimal(38, element.scale) : Type{Kind::int128};
}

bool takes_elements(std::string_view name, Type element) {
  const bool is_of_numbers = name == "sum" || name == "avg" || name == "mean" ||
                             name == "product" || name == "median" || name.starts_with("var") ||
                             name.starts_with("stddev");
  if (is_of_numbers) return is_numeric(element);
  if (name.starts_with("bit")) return is_integer(element);
  if (name.starts_with("bool")) return element.kind == Kind::boolean;
  return true;
}

Signature aggregate_of_list(const NestedCall& call) {
  const std::size_t count = call.types.size();
  if (count < 2 || count > 3 || !has_lists(call, 1)) return std::nullopt;
  const ListAggregate* const row = find_aggregate(call.constants[1]);
  const Type type = element(call.types[0]);
  if (!row || !takes_elements(row->name, type)) return std::nullopt;
  if (count == 3 && row->of != texts_of) return std::nullopt;
  Type result = row->result.value_or(row->name == "sum" ? type_of_sum(type) : type);
  if (row->of == histogram_of) result = map_of(type, Type{Kind::uint64});
  if (call.stated && row->of != texts_of) result = *call.stated;
  if (row->result == real_type && !is_float(result)) return std::nullopt;
  return NestedSignature{std::vector<Type>(count, text_type), result};
}

Signature aggregate_signature(const NestedCall& call) {
  Signature signature = aggregate_of_list(call);
  if (signature) signature->inputs[0] = call.types[0];
  return signature;
}

Scalar list_aggregate(Inputs in, Type result) {
  Elements list{elements_of(in[0]), {}};
  for (const Scalar& value : list.all)
    if (!value.is_null) list.present.push_back(value);
  if (in.size() == 3) list.separator = in[2].text;
  return find_aggregate(&in[1])->of(list, result).value_or(Scalar::null_of(result));
}

}  // namespace

std::vector<NestedFunction> list_aggregate_rows() {
  return {
      {.sql_names = {"list_aggregate", "list_aggr", "array_aggregate", "array_aggr", "aggregate"},
       .signature = aggregate_signature,
       .host = list_aggregate,
       .yields_null = true}};
}

}  // namespace penstock::expr
