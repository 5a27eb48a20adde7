#include "io/json/json_types.hpp"

#include <algorithm>
#include <bit>

#include "column/keywords.hpp"
#include "io/csv/csv_numbers.hpp"
#include "io/csv/csv_times.hpp"

namespace penstock::io {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

CsvTimeFormat known_format(std::string_view format) { return CsvTimeFormat::parse(format).value(); }

// DuckDB tries its list from the end.
std::vector<CsvTimeFormat> date_formats() {
  return {known_format("%y-%m-%d"), known_format("%Y-%m-%d"), known_format("%d-%m-%y"),
          known_format("%d-%m-%Y"), known_format("%m-%d-%y"), known_format("%m-%d-%Y")};
}

std::vector<CsvTimeFormat> timestamp_formats() {
  return {known_format("%Y-%m-%dT%H:%M:%S"),    known_format("%y-%m-%d %H:%M:%S"),
          known_format("%Y-%m-%d %H:%M:%S"),    known_format("%d-%m-%y %H:%M:%S"),
          known_format("%d-%m-%Y %H:%M:%S"),    known_format("%m-%d-%y %I:%M:%S %p"),
          known_format("%m-%d-%Y %I:%M:%S %p"), known_format("%Y-%m-%d %H:%M:%S.%f")};
}

// 1:2:3 is a time, and so is 01:02; 1:2 is not.
bool is_json_time(std::string_view text) {
  text = trimmed(text);
  const bool has_seconds = std::ranges::count(text, ':') == 2;
  return (has_seconds || text.size() == 5) && read_time(text).has_value();
}

// Takes Z, +01, +0130, +01:30 or +01:30:15 from a text's end.
bool take_offset(std::string_view& text) {
  if (text.ends_with('Z')) return text.remove_suffix(1), true;
  const std::size_t sign = text.find_last_of("+-");
  if (sign == std::string_view::npos) return false;
  std::string_view offset = text.substr(sign + 1);
  std::size_t parts = 0;
  for (; offset.size() >= 2 && is_decimal(offset[0]) && is_decimal(offset[1]); parts++) {
    offset.remove_prefix(2);
    if (offset.size() > 2 && offset[0] == ':') offset.remove_prefix(1);
  }
  text = text.substr(0, sign);
  return parts >= 1 && parts <= 3 && offset.empty();
}

bool is_zoned(std::string_view text) {
  text = trimmed(text);
  if (!take_offset(text) || text.find(':') == std::string_view::npos || !is_decimal(text.back()))
    return false;
  const auto read = read_timestamp(text);
  return read && read->zone == ZoneKind::none;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); i++) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char lower = static_cast<char>(text[i] | ' ');
    if (is_dash ? text[i] != '-' : !is_decimal(text[i]) && !(lower >= 'a' && lower <= 'f'))
      return false;
  }
  return true;
}

template <class Read>
std::uint32_t formats_that_fit(const std::vector<CsvTimeFormat>& formats, std::uint32_t asked,
                               const Read& read) {
  std::uint32_t fit = 0;
  for (std::size_t i = 0; i < formats.size(); i++)
    if (asked >> i & 1u && read(formats[i])) fit |= 1u << i;
  return fit;
}

std::uint32_t all_of(const std::vector<CsvTimeFormat>& formats) {
  return (1u << formats.size()) - 1;
}

Type logical(Kind kind, LogicalType type) { return {.kind = kind, .logical = type}; }

}  // namespace

JsonType JsonType::plain(Type type) { return {type, Reading::plain, penstock::name_of(type)}; }
JsonType JsonType::time(Type type, const CsvTimeFormat& format) {
  JsonType out = plain(type);
  out.format = format;
  return out;
}
JsonType JsonType::not_read(std::string name) {
  JsonType type{{Kind::string}, Reading::plain, name};
  type.unsupported = std::move(name);
  return type;
}

namespace {

JsonType nested(std::string name, std::vector<JsonType> parts, const auto& type_of_parts) {
  const bool is_read = std::ranges::all_of(parts, [](const JsonType& part) {
    return part.unsupported.empty() && part.reading != JsonType::Reading::null;
  });
  if (!is_read) return JsonType::not_read(std::move(name));
  JsonType type{type_of_parts(parts), JsonType::Reading::plain, std::move(name)};
  type.parts = std::move(parts);
  return type;
}

}  // namespace

JsonType JsonType::list(JsonType element) {
  return nested(element.name + "[]", {element},
                [](const auto& parts) { return list_of(parts[0].type); });
}

JsonType JsonType::structure(std::vector<std::string> names, std::vector<JsonType> parts) {
  std::string members;
  for (std::size_t i = 0; i < parts.size(); i++)
    members += (i == 0 ? "" : ", ") + column::quoted_name(names[i]) + " " + parts[i].name;
  return nested("STRUCT(" + members + ")", std::move(parts), [&](const auto& of) {
    std::vector<Type> types;
    for (const JsonType& part : of) types.push_back(part.type);
    return struct_of(std::move(names), std::move(types));
  });
}

JsonType JsonType::map(JsonType value) {
  return nested("MAP(VARCHAR, " + value.name + ")", {value},
                [](const auto& parts) { return map_of({Kind::string}, parts[0].type); });
}

JsonTimeFormats JsonTimeFormats::with(const std::optional<CsvTimeFormat>& date,
                                      const std::optional<CsvTimeFormat>& timestamp) {
  return {date ? std::vector{*date} : date_formats(),
          timestamp ? std::vector{*timestamp} : timestamp_formats()};
}

// Asks only what an earlier string of the chunk left open.
void StringTypes::add(std::string_view text, const JsonTimeFormats& formats) {
  if (is_chunk_empty_) fits_ = {1, all_of(formats.dates), all_of(formats.timestamps), 1, 1};
  is_chunk_empty_ = false;
  const auto ask = [&](Candidate candidate, const auto& test) {
    if (candidate >= candidate_ && fits(candidate) != 0) fits(candidate) = test(fits(candidate));
  };
  ask(Candidate::time, [&](std::uint32_t) { return is_json_time(text) ? 1u : 0u; });
  ask(Candidate::date, [&](std::uint32_t asked) {
    return formats_that_fit(formats.dates, asked,
                            [&](const auto& format) { return format.read_date(text); });
  });
  ask(Candidate::timestamp, [&](std::uint32_t asked) {
    return formats_that_fit(formats.timestamps, asked,
                            [&](const auto& format) { return format.read_timestamp(text); });
  });
  ask(Candidate::zoned, [&](std::uint32_t) { return is_zoned(text) ? 1u : 0u; });
  ask(Candidate::uuid, [&](std::uint32_t) { return is_uuid(text) ? 1u : 0u; });
}

// Without a common format the last chunk's are kept, and reading the others is an error.
bool StringTypes::survives(Candidate candidate) {
  const std::uint32_t fit = fits(candidate);
  common_formats_ = (common_formats_ & fit) != 0 ? common_formats_ & fit : fit;
  return fit != 0;
}

void StringTypes::end_chunk() {
  if (is_chunk_empty_) return;
  is_chunk_empty_ = true;
  while (candidate_ != Candidate::string && !survives(candidate_)) {
    candidate_ = static_cast<Candidate>(static_cast<unsigned>(candidate_) + 1);
    common_formats_ = 0;
  }
}

JsonType StringTypes::type(const JsonTimeFormats& formats) const {
  const auto first = static_cast<std::size_t>(std::countr_zero(common_formats_));
  switch (candidate_) {
    case Candidate::time: return JsonType::plain(logical(Kind::timestamp, LogicalType::time));
    case Candidate::date: return JsonType::time({Kind::date32}, formats.dates[first]);
    case Candidate::timestamp: return JsonType::time({Kind::timestamp}, formats.timestamps[first]);
    case Candidate::zoned:
      return JsonType::plain(logical(Kind::timestamp, LogicalType::timestamp_tz));
    case Candidate::uuid: return JsonType::plain(logical(Kind::string, LogicalType::uuid));
    default: return JsonType::plain({Kind::string});
  }
}

}  // namespace penstock::io
