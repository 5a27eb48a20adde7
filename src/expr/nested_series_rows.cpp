// Functions that make lists: of a text's parts, of numbers or of times.
#include "expr/constant.hpp"
#include "expr/nested_rows.hpp"
#include "expr/string_operations.hpp"

namespace penstock::expr {
namespace {

using namespace nested_rows;

constexpr std::size_t max_series_elements = std::size_t{1} << 27;
constexpr Type moment_type{Kind::timestamp},
    span_type{.kind = Kind::string, .logical = LogicalType::interval};

Signature two_texts(const NestedCall& call) {
  if (call.types.size() != 2 || !is_text(call.types[0])) return std::nullopt;
  return NestedSignature{{text_type, text_type}, list_of(text_type)};
}

Scalars one_by_one(std::string_view text) {
  Scalars characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_bytes(text, at);
    characters.push_back(Scalar::of(std::string(text.substr(at, length))));
    at += length;
  }
  return characters;
}

// An empty separator stands between all characters; a separator that is NULL stands nowhere.
Scalar string_split(Inputs in, Type result) {
  if (in[0].is_null) return Scalar::null_of(result);
  if (in[1].is_null) return list_of_parts(result, in.first(1));
  const std::string_view text = in[0].text, separator = in[1].text;
  if (separator.empty() && !text.empty()) return list_of_parts(result, one_by_one(text));
  Scalars parts;
  std::size_t begin = 0;
  for (std::size_t at = text.find(separator); !separator.empty() && at != text.npos;
       at = text.find(separator, begin)) {
    parts.push_back(Scalar::of(std::string(text.substr(begin, at - begin))));
    begin = at + separator.size();
  }
  parts.push_back(Scalar::of(std::string(text.substr(begin))));
  return list_of_parts(result, parts);
}

Signature series_of_numbers(const NestedCall& call) {
  if (call.types.empty() || call.types.size() > 3) return std::nullopt;
  for (const Type type : call.types)
    if (!is_integer(type)) return std::nullopt;
  return NestedSignature{std::vector<Type>(call.types.size(), integer_type), list_of(integer_type)};
}

// A list's bytes are written at once: its values by themselves would take ten times the memory.
Scalar numbers_between(Inputs in, Type result, bool has_last) {
  const Int128 first = in.size() == 1 ? Int128{0} : in[0].integer,
               last = in[in.size() == 1 ? 0 : 1].integer, step = in.size() == 3 ? in[2].integer : 1;
  if (step == 0) return list_of_parts(result, {});
  const Int128 end = has_last ? last + (step > 0 ? 1 : -1) : last;
  const Int128 distance = step > 0 ? end - first : first - end, stride = step > 0 ? step : -step;
  const Int128 count = distance > 0 ? (distance + stride - 1) / stride : Int128{0};
  if (count > Int128{max_series_elements}) return Scalar::null_of(result);
  std::string bytes;
  for (Int128 i = 0; i < count; i++) {
    column::put_mark(bytes, column::PackedMark::value);
    column::put_integer(bytes, integer_type, first + i * step);
  }
  column::put_mark(bytes, column::PackedMark::end);
  return Scalar::of(result, std::move(bytes));
}
Scalar range_of_numbers(Inputs in, Type result) { return numbers_between(in, result, false); }
Scalar series_with_last(Inputs in, Type result) { return numbers_between(in, result, true); }

Signature series_of_times(const NestedCall& call) {
  if (call.types.size() != 3 || !(call.types[2] == span_type)) return std::nullopt;
  if (!is_date_or_timestamp(call.types[0]) || !is_date_or_timestamp(call.types[1]))
    return std::nullopt;
  return NestedSignature{{moment_type, moment_type, span_type}, list_of(moment_type)};
}

Interval interval_of(const Scalar& value) {
  const column::PackedInterval packed = column::PackedReader(value.text).interval();
  return {packed.months, packed.days, packed.microseconds};
}

Scalar times_between(Inputs in, Type result, bool has_last) {
  const Interval step = interval_of(in[2]);
  const bool is_negative = step.months < 0 || step.days < 0 || step.microseconds < 0;
  const bool is_positive = step.months > 0 || step.days > 0 || step.microseconds > 0;
  if (is_negative == is_positive)
    return is_positive ? Scalar::null_of(result) : list_of_parts(result, {});
  const std::int64_t end = integer(in[1]);
  Scalars times;
  std::optional<std::int64_t> at = integer(in[0]);
  while (at && (is_negative ? *at > end : *at < end)) {
    if (times.size() == max_series_elements) return Scalar::null_of(result);
    times.push_back(Scalar::of(moment_type, Int128{*at}));
    at = add(*at, step, 1);
  }
  if (has_last && at == end) times.push_back(Scalar::of(moment_type, Int128{end}));
  return list_of_parts(result, times);
}
Scalar range_of_times(Inputs in, Type result) { return times_between(in, result, false); }
Scalar times_with_last(Inputs in, Type result) { return times_between(in, result, true); }

constexpr std::string_view bad_series =
    "a series of more than 134,217,728 elements, or with a step of both signs";

}  // namespace

std::vector<NestedFunction> series_rows() {
  return {
      {.sql_names = {"string_split", "str_split", "string_to_array", "split"},
       .signature = two_texts,
       .host = string_split,
       .takes_nulls = true,
       .yields_null = true},
      {.sql_names = {"range"},
       .signature = series_of_numbers,
       .host = range_of_numbers,
       .fault = bad_series},
      {.sql_names = {"generate_series"},
       .signature = series_of_numbers,
       .host = series_with_last,
       .fault = bad_series},
      {.sql_names = {"range"},
       .signature = series_of_times,
       .host = range_of_times,
       .fault = bad_series},
      {.sql_names = {"generate_series"},
       .signature = series_of_times,
       .host = times_with_last,
       .fault = bad_series},
  };
}

}  // namespace penstock::expr
