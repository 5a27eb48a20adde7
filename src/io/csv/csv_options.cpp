#include "io/csv/csv_options.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/suggest_name.hpp"
#include "io/text/compression_option.hpp"

namespace penstock::io {
namespace {

using Set = Status (*)(CsvOptions& options, const OptionValue& value);

Status wrong_value(const std::string& wanted) { return {Code::invalid, "it takes " + wanted}; }

Status set_flag(bool& out, const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return out = *flag, Status();
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number != nullptr && (*number == 0 || *number == 1)) return out = *number == 1, Status();
  return wrong_value("true or false");
}

// Some options have one value that changes nothing, and no other is read.
Status accept_flag(const OptionValue& value, bool only, const char* instead) {
  bool flag = only;
  PENSTOCK_TRY(set_flag(flag, value));
  return flag == only ? Status() : Status(Code::unsupported, instead);
}

Status set_byte(std::optional<char>& out, const OptionValue& value, bool may_be_none) {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && *text == "\\t") return out = '\t', Status();
  if (text != nullptr && text->size() == 1 && *text != "\n" && *text != "\r")
    return out = (*text)[0], Status();
  if (text != nullptr && text->empty() && may_be_none) return out = '\0', Status();
  if (text != nullptr && text->size() > 1)
    return {Code::unsupported, "several characters are not supported; it takes one byte"};
  return wrong_value(may_be_none ? "one byte, or '' for none" : "one byte");
}

Status set_text(std::string& out, const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return wrong_value("a string");
  out = *text;
  return {};
}

Status set_list(OptionList& out, const OptionValue& value) {
  const auto* list = std::get_if<OptionList>(&value);
  if (list == nullptr) return wrong_value("a list of strings, such as ['a', 'b']");
  out = *list;
  return {};
}

Status set_count(std::uint64_t& out, const OptionValue& value, std::int64_t low) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < low)
    return wrong_value("a number from " + std::to_string(low));
  out = static_cast<std::uint64_t>(*number);
  return {};
}

Status set_format(std::optional<CsvTimeFormat>& out, const OptionValue& value) {
  std::string text;
  PENSTOCK_TRY(set_text(text, value));
  PENSTOCK_ASSIGN(out, CsvTimeFormat::parse(text));
  return {};
}

Status set_map(std::vector<std::pair<std::string, CsvType>>& out, const OptionValue& value) {
  const auto* map = std::get_if<OptionMap>(&value);
  if (map == nullptr) return wrong_value("names and types, such as {'a': 'VARCHAR'}");
  out.clear();
  for (const auto& [name, type_name] : *map) {
    PENSTOCK_ASSIGN(auto type, type_by_name(type_name));
    out.emplace_back(name, std::move(type));
  }
  return {};
}

Status set_types(CsvOptions& options, const OptionValue& value) {
  const auto* list = std::get_if<OptionList>(&value);
  if (list == nullptr) return set_map(options.named_types, value);
  options.first_types.clear();
  for (const std::string& name : *list) {
    PENSTOCK_ASSIGN(options.first_types.emplace_back(), type_by_name(name));
  }
  return {};
}

Status set_null_texts(CsvOptions& options, const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return options.null_texts = {*text}, Status();
  return set_list(options.null_texts, value);
}

Status set_decimal_separator(CsvOptions& options, const OptionValue& value) {
  std::string text;
  PENSTOCK_TRY(set_text(text, value));
  if (text != "." && text != ",") return wrong_value("'.' or ','");
  options.decimal_separator = text[0];
  return {};
}

Status set_sample(CsvOptions& options, const OptionValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number == 0 || *number < -1)
    return wrong_value("a number of rows from 1, or -1 for all");
  constexpr std::uint64_t step_rows = 2048;  // as in DuckDB, a smaller sample is rounded up
  options.sample_rows =
      (static_cast<std::uint64_t>(*number) + step_rows - 1) / step_rows * step_rows;
  if (*number == -1) options.sample_rows = std::nullopt;
  return {};
}

Status set_max_line(CsvOptions& options, const OptionValue& value) {
  constexpr std::uint64_t max_bytes = 1 << 30;
  PENSTOCK_TRY(set_count(options.max_line_bytes, value, 1));
  return options.max_line_bytes <= max_bytes ? Status() : wrong_value("at most 1073741824 bytes");
}

Status check_encoding(const OptionValue& value) {
  std::string text;
  PENSTOCK_TRY(set_text(text, value));
  for (const char* name : {"utf-8", "UTF-8", "utf8", "UTF8"})
    if (text == name) return {};
  return {Code::unsupported,
          "only utf-8 is read; to convert a file: iconv -f " + text + " -t UTF-8 FILE > NEW"};
}

Status check_new_line(const OptionValue& value) {
  std::string text;
  PENSTOCK_TRY(set_text(text, value));
  for (const char* name : {"\\n", "\\r", "\\r\\n", "\n", "\r", "\r\n"})
    if (text == name) return {};  // each of them ends a row anyway
  return wrong_value("'\\n', '\\r' or '\\r\\n'");
}

struct NamedOption {
  const char* name;
  Set set;
};

constexpr std::array named_options{
    NamedOption{"delim", [](auto& o, auto& v) { return set_byte(o.delimiter, v, false); }},
    NamedOption{"sep", [](auto& o, auto& v) { return set_byte(o.delimiter, v, false); }},
    NamedOption{"delimiter", [](auto& o, auto& v) { return set_byte(o.delimiter, v, false); }},
    NamedOption{"quote", [](auto& o, auto& v) { return set_byte(o.quote, v, true); }},
    NamedOption{"escape", [](auto& o, auto& v) { return set_byte(o.escape, v, true); }},
    NamedOption{"comment", [](auto& o, auto& v) { return set_byte(o.comment, v, true); }},
    NamedOption{"header", [](auto& o, auto& v) { return set_flag(o.has_header.emplace(), v); }},
    NamedOption{"skip",
                [](auto& o, auto& v) { return set_count(o.skipped_lines.emplace(), v, 0); }},
    NamedOption{"names", [](auto& o, auto& v) { return set_list(o.names, v); }},
    NamedOption{"column_names", [](auto& o, auto& v) { return set_list(o.names, v); }},
    NamedOption{"types", set_types},
    NamedOption{"dtypes", set_types},
    NamedOption{"column_types", set_types},
    NamedOption{"columns", [](auto& o, auto& v) { return set_map(o.all_columns, v); }},
    NamedOption{"nullstr", set_null_texts},
    NamedOption{"null", set_null_texts},
    NamedOption{"dateformat", [](auto& o, auto& v) { return set_format(o.date_format, v); }},
    NamedOption{"date_format", [](auto& o, auto& v) { return set_format(o.date_format, v); }},
    NamedOption{"timestampformat",
                [](auto& o, auto& v) { return set_format(o.timestamp_format, v); }},
    NamedOption{"timestamp_format",
                [](auto& o, auto& v) { return set_format(o.timestamp_format, v); }},
    NamedOption{"ignore_errors", [](auto& o, auto& v) { return set_flag(o.ignores_errors, v); }},
    NamedOption{"null_padding", [](auto& o, auto& v) { return set_flag(o.pads_rows, v); }},
    NamedOption{"all_varchar", [](auto& o, auto& v) { return set_flag(o.all_strings, v); }},
    NamedOption{"allow_quoted_nulls",
                [](auto& o, auto& v) { return set_flag(o.quoted_may_be_null, v); }},
    NamedOption{"decimal_separator", set_decimal_separator},
    NamedOption{"sample_size", set_sample},
    NamedOption{"max_line_size", set_max_line},
    NamedOption{"maximum_line_size", set_max_line},
    NamedOption{"compression", [](auto&, auto& v) { return check_compression(v); }},
    NamedOption{"encoding", [](auto&, auto& v) { return check_encoding(v); }},
    NamedOption{"new_line", [](auto&, auto& v) { return check_new_line(v); }},
    NamedOption{"auto_detect",
                [](auto&, auto& v) {
                  return accept_flag(v, true,
                                     "what is not given is found out from the file; give "
                                     "delim, quote, header and columns instead");
                }},
    NamedOption{"strict_mode",
                [](auto&, auto& v) {
                  return accept_flag(v, true,
                                     "files are read by the strict rules alone; quote = '' "
                                     "keeps quotes as they are");
                }},
    NamedOption{"normalize_names",
                [](auto&, auto& v) {
                  return accept_flag(v, false, "names = ['a', 'b'] gives the columns names");
                }},
    NamedOption{"thousands",
                [](auto&, auto& v) {
                  std::string text;
                  PENSTOCK_TRY(set_text(text, v));
                  return text.empty() ? Status()
                                      : Status(Code::unsupported,
                                               "types = {'a': 'VARCHAR'} reads such numbers as "
                                               "text");
                }},
    NamedOption{"parallel",
                [](auto&, auto& v) {
                  return accept_flag(
                      v, true, "parallel = false is not supported: files are read in parallel");
                }},
};

Status unknown_option(const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  for (const NamedOption& option : named_options) {
    known.emplace_back(option.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const std::string near = nearest_name(name, known);
  return {Code::invalid, "read_csv() has no option '" + name + "'" +
                             (near.empty() ? "" : "; did you mean '" + near + "'?") +
                             " (there are " + list + ")"};
}

// Two bytes that mean different things cannot be one.
Status check_bytes(const CsvOptions& options) {
  const std::array<std::pair<const char*, std::optional<char>>, 3> bytes{
      {{"delim", options.delimiter}, {"quote", options.quote}, {"comment", options.comment}}};
  for (std::size_t i = 0; i < bytes.size(); i++)
    for (std::size_t j = i + 1; j < bytes.size(); j++)
      if (bytes[i].second && bytes[i].second == bytes[j].second && bytes[i].second != '\0')
        return {Code::invalid,
                std::string(bytes[i].first) + " and " + bytes[j].first + " are the same byte"};
  if (options.escape && options.escape != '\0' && options.escape == options.delimiter)
    return {Code::invalid, "delim and escape are the same byte"};
  if (options.decimal_separator == options.delimiter)
    return {Code::invalid, "delim and decimal_separator are the same byte"};
  return {};
}

}  // namespace

bool CsvOptions::is_null_text(std::string_view text, bool is_quoted) const {
  if (is_quoted && !quoted_may_be_null) return false;
  return std::ranges::find(null_texts, text) != null_texts.end();
}

Result<CsvOptions> csv_options(std::span<const TableOption> options) {
  CsvOptions out;
  for (const TableOption& option : options) {
    const auto found = std::ranges::find_if(
        named_options, [&](const NamedOption& named) { return option.name == named.name; });
    if (found == named_options.end()) return unknown_option(option.name);
    PENSTOCK_TRY(found->set(out, option.value).with("in the option '" + option.name + "'"));
  }
  PENSTOCK_TRY(check_bytes(out));
  return out;
}

}  // namespace penstock::io
