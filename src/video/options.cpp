#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/suggest_name.hpp"
#include "video/feature.hpp"

namespace penstock::video {
namespace {

std::string shortest(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

Result<double> flag_of(const std::string& text) {
  if (text == "true" || text == "1") return 1.0;
  if (text == "false" || text == "0") return 0.0;
  return Status(Code::invalid, "is true or false");
}

Result<double> number_of(const OptionRow& row, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = row.kind == OptionKind::number || number == std::trunc(number);
  const bool fits = number == row.initial || (number >= row.min && number <= row.max);
  if (error == std::errc() && end == text.data() + text.size() && fits && is_whole) return number;
  return Status(Code::invalid, std::string("is ") +
                                   (row.kind == OptionKind::integer ? "an integer" : "a number") +
                                   " from " + shortest(row.min) + " to " + shortest(row.max));
}

// The part of a key that names the option.
std::string key_part(const OptionRow& row, const std::string& value) {
  const std::string name = "_" + std::string(row.alias.empty() ? row.name : row.alias);
  return row.kind == OptionKind::flag ? name : name + "_" + value;
}

Status unknown_option(std::string_view feature, std::string_view name,
                      std::span<const OptionRow> rows) {
  std::vector<std::string> names;
  for (const OptionRow& row : rows) names.emplace_back(row.name);
  const std::string near = nearest_name(name, names);
  std::string message =
      "feature '" + std::string(feature) + "' has no option '" + std::string(name) + "'";
  if (!near.empty()) message += "; did you mean '" + near + "'?";
  return {Code::invalid, message};
}

}  // namespace

Result<OptionValues> OptionValues::parse(std::string_view feature, std::span<const OptionRow> rows,
                                         const std::map<std::string, std::string>& given) {
  OptionValues options;
  for (const OptionRow& row : rows)
    options.values_[std::string(row.name)] = {row.initial, std::string(row.initial_text), {}};
  for (const auto& [name, text] : given) {
    const auto row = std::ranges::find_if(rows, [&, &wanted = name](const OptionRow& r) {
      return r.name == wanted || r.alias == wanted;
    });
    if (row == rows.end()) return unknown_option(feature, name, rows);
    Value& value = options.values_.find(row->name)->second;
    value.text = text;
    if (row->kind == OptionKind::text) {
      if (row->in_key && text != row->initial_text) value.in_key = key_part(*row, text);
      continue;
    }
    const Result<double> number =
        row->kind == OptionKind::flag ? flag_of(text) : number_of(*row, text);
    if (!number.ok())
      return Status(Code::invalid, "option '" + name + "' of feature '" + std::string(feature) +
                                       "' " + number.status().message() + ", not '" + text + "'");
    value.number = number.value();
    if (row->in_key && value.number != row->initial)
      value.in_key = key_part(*row, shortest(value.number));
  }
  return options;
}

std::string OptionValues::key(std::string_view name) const {
  std::string key(name);
  for (const auto& [option, value] : values_) key += value.in_key;
  return key;
}

Result<FeatureRequest> parse_feature_request(std::string_view text) {
  const std::size_t name_end = std::min(text.find('='), text.size());
  FeatureRequest request{std::string(text.substr(0, name_end)), {}};
  if (request.name.empty()) return Status(Code::invalid, "a feature has no name");
  text.remove_prefix(std::min(name_end + 1, text.size()));
  while (!text.empty()) {
    const std::string_view option = text.substr(0, text.find(':'));
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return Status(Code::invalid, "'" + std::string(option) + "' of feature '" + request.name +
                                       "' is not of the form option=value");
    request.options[std::string(option.substr(0, equals))] = option.substr(equals + 1);
    text.remove_prefix(std::min(option.size() + 1, text.size()));
  }
  return request;
}

}  // namespace penstock::video
