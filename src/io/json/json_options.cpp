#include "io/json/json_options.hpp"

#include <algorithm>
#include <array>

#include "base/suggest_name.hpp"
#include "io/text/compression_option.hpp"

namespace penstock::io {
namespace {

using SetJsonOption = Status (*)(JsonOptions& options, const OptionValue& value);

Status takes(const char* wanted) { return {Code::invalid, "it takes " + std::string(wanted)}; }

Status set_format_name(JsonOptions& options, const OptionValue& value) {
  constexpr std::array<std::pair<const char*, JsonFormat>, 5> formats{
      {{"auto", JsonFormat::automatic},
       {"newline_delimited", JsonFormat::newline_delimited},
       {"nd", JsonFormat::newline_delimited},
       {"array", JsonFormat::array},
       {"unstructured", JsonFormat::unstructured}}};
  const auto* text = std::get_if<std::string>(&value);
  for (const auto& [name, format] : formats)
    if (text != nullptr && *text == name) return options.format = format, Status();
  return takes("'auto', 'newline_delimited', 'array' or 'unstructured'");
}

std::optional<bool> flag_of(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && (*text == "true" || *text == "false")) return *text == "true";
  return std::nullopt;
}

Status set_records(JsonOptions& options, const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  options.are_records = flag_of(value);
  const bool is_automatic = text != nullptr && *text == "auto";
  return options.are_records || is_automatic ? Status() : takes("true, false or 'auto'");
}

Status set_ignore_errors(JsonOptions& options, const OptionValue& value) {
  const auto flag = flag_of(value);
  options.ignores_errors = flag.value_or(false);
  return flag ? Status() : takes("true or false");
}

Status set_columns(JsonOptions& options, const OptionValue& value) {
  const auto* map = std::get_if<OptionMap>(&value);
  if (map == nullptr || map->empty()) return takes("names and types, such as {'a': 'VARCHAR'}");
  options.columns.clear();
  for (const auto& [name, type_name] : *map) {
    PENSTOCK_ASSIGN(auto type, type_by_name(type_name));
    options.columns.emplace_back(name, std::move(type));
  }
  return {};
}

Status set_time_format(std::optional<CsvTimeFormat>& format, const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return takes("a format such as '%d/%m/%Y'");
  format.reset();
  if (*text == "iso") return {};  // DuckDB's name for the default format
  PENSTOCK_ASSIGN(format, CsvTimeFormat::parse(*text));
  return {};
}

Status set_sample_size(JsonOptions& options, const OptionValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number == 0 || *number < -1)
    return takes("a number of records from 1, or -1 for all");
  options.sample_records = std::nullopt;
  if (*number > 0) options.sample_records = static_cast<std::uint64_t>(*number);
  return {};
}

Status set_max_record(JsonOptions& options, const OptionValue& value) {
  constexpr std::int64_t max_bytes = 1 << 30;
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < 1 || *number > max_bytes)
    return takes("a number of bytes from 1 to 1073741824");
  options.max_record_bytes = static_cast<std::uint64_t>(*number);
  return {};
}

Status set_max_depth(JsonOptions& options, const OptionValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return takes("a number of levels, or -1 for all");
  options.max_depth = std::nullopt;
  if (*number >= 0) options.max_depth = static_cast<std::uint64_t>(*number);
  return {};
}

Status accept_detection(JsonOptions&, const OptionValue& value) {
  if (flag_of(value) == true) return {};
  return {Code::unsupported, "what is not given is found out from the file; give columns instead"};
}

struct NamedJsonOption {
  const char* name;
  SetJsonOption set;
};

constexpr std::array json_option_rows{
    NamedJsonOption{"format", set_format_name},
    NamedJsonOption{"records", set_records},
    NamedJsonOption{"columns", set_columns},
    NamedJsonOption{"dateformat",
                    [](auto& o, auto& v) { return set_time_format(o.date_format, v); }},
    NamedJsonOption{"date_format",
                    [](auto& o, auto& v) { return set_time_format(o.date_format, v); }},
    NamedJsonOption{"timestampformat",
                    [](auto& o, auto& v) { return set_time_format(o.timestamp_format, v); }},
    NamedJsonOption{"timestamp_format",
                    [](auto& o, auto& v) { return set_time_format(o.timestamp_format, v); }},
    NamedJsonOption{"sample_size", set_sample_size},
    NamedJsonOption{"maximum_object_size", set_max_record},
    NamedJsonOption{"maximum_depth", set_max_depth},
    NamedJsonOption{"compression", [](auto&, auto& v) { return check_compression(v); }},
    NamedJsonOption{"ignore_errors", set_ignore_errors},
    NamedJsonOption{"auto_detect", accept_detection},
};

Status unknown_json_option(const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  for (const NamedJsonOption& row : json_option_rows) {
    known.emplace_back(row.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const std::string near = nearest_name(name, known);
  return {Code::invalid, "read_json() has no option '" + name + "'" +
                             (near.empty() ? "" : "; did you mean '" + near + "'?") +
                             " (there are " + list + ")"};
}

}  // namespace

Result<JsonOptions> json_options(std::span<const TableOption> options) {
  JsonOptions out;
  for (const TableOption& option : options) {
    const auto row = std::ranges::find_if(
        json_option_rows, [&](const NamedJsonOption& known) { return option.name == known.name; });
    if (row == json_option_rows.end()) return unknown_json_option(option.name);
    PENSTOCK_TRY(row->set(out, option.value).with("in the option '" + option.name + "'"));
  }
  return out;
}

}  // namespace penstock::io
