// PENSTOCK_VARIANT, and the choice among the rows that fit.
#include <algorithm>
#include <cstdlib>

#include "kernel/variant_table.hpp"

namespace penstock::kernel {
namespace {

constexpr const char* forcing_variable = "PENSTOCK_VARIANT";

// An entry of the variable: "family=row", or a row alone.
struct Forced {
  std::string family, row;
};

std::vector<Forced> forced_entries(std::string_view text) {
  std::vector<Forced> entries;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    const std::size_t equals = entry.find('=');
    if (entry.empty()) continue;
    if (equals == std::string_view::npos)
      entries.push_back({"", std::string(entry)});
    else
      entries.push_back(
          {std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1))});
  }
  return entries;
}

std::string with_comma(std::string list, const std::string& name) {
  return (list.empty() ? "" : std::move(list) + ", ") + name;
}

// The families that have a row of this name, and the names of all rows of a family.
std::vector<std::string> families_with(const std::vector<VariantCase>& cases,
                                       std::string_view row) {
  std::vector<std::string> families;
  for (const VariantCase& each : cases)
    if (std::ranges::any_of(each.rows, [&](const VariantRow& r) { return r.name == row; }) &&
        std::ranges::find(families, each.family) == families.end())
      families.push_back(each.family);
  return families;
}
std::vector<std::string> rows_of_family(const std::vector<VariantCase>& cases,
                                        std::string_view family) {
  std::vector<std::string> rows;
  for (const VariantCase& each : cases)
    for (const VariantRow& row : each.rows)
      if (each.family == family && std::ranges::find(rows, row.name) == rows.end())
        rows.push_back(row.name);
  return rows;
}
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text = with_comma(std::move(text), name);
  return text;
}

Status wrong_entry(const std::string& message) {
  return {Code::invalid, std::string(forcing_variable) + ": " + message};
}

Status unknown_family(const std::vector<VariantCase>& cases, const std::string& family) {
  std::string known, last;
  for (const VariantCase& each : cases)
    if (each.family != last) known = with_comma(std::move(known), last = each.family);
  return wrong_entry("there is no family '" + family + "'; there are " + known);
}

Status unknown_row(const std::vector<VariantCase>& cases, const Forced& entry) {
  if (!entry.family.empty())
    return wrong_entry("there is no variant '" + entry.row + "' of " + entry.family +
                       "; there are " + list_of(rows_of_family(cases, entry.family)));
  return wrong_entry("there is no variant '" + entry.row +
                     "'; `penstock devices --variants` lists all. There are " + list_of([&] {
                       std::vector<std::string> all;
                       for (const VariantCase& each : cases)
                         for (const std::string& row : rows_of_family(cases, each.family))
                           if (std::ranges::find(all, row) == all.end()) all.push_back(row);
                       return all;
                     }()));
}

std::vector<Forced> entries_of_environment() {
  const char* const text = std::getenv(forcing_variable);
  return text == nullptr ? std::vector<Forced>() : forced_entries(text);
}

Status check_entry(const std::vector<VariantCase>& cases, const Forced& entry) {
  const std::vector<std::string> families = families_with(cases, entry.row);
  if (!entry.family.empty() && rows_of_family(cases, entry.family).empty())
    return unknown_family(cases, entry.family);
  if (families.empty() ||
      (!entry.family.empty() && std::ranges::find(families, entry.family) == families.end()))
    return unknown_row(cases, entry);
  if (entry.family.empty() && families.size() > 1)
    return wrong_entry("'" + entry.row + "' is a variant of several families; name one of them: " +
                       list_of(families));
  return {};
}

}  // namespace

Result<std::string> forced_row(std::string_view family) {
  const std::vector<Forced> entries = entries_of_environment();
  if (entries.empty()) return std::string();
  const std::vector<VariantCase> cases = variant_cases(typical_traits(Target::cuda));
  const std::vector<std::string> rows = rows_of_family(cases, family);
  std::string row;
  for (const Forced& entry : entries) {
    const bool is_asked = entry.family.empty() ? std::ranges::find(rows, entry.row) != rows.end()
                                               : entry.family == family;
    if (!is_asked) continue;  // it may be of a table that is not linked
    PENSTOCK_TRY(check_entry(cases, entry));
    row = entry.row;
  }
  return row;
}

Status check_forced_rows() {
  const std::vector<Forced> entries = entries_of_environment();
  if (entries.empty()) return {};
  const std::vector<VariantCase> cases = variant_cases(typical_traits(Target::cuda));
  for (const Forced& entry : entries) PENSTOCK_TRY(check_entry(cases, entry));
  return {};
}

Result<ChosenRow> choose_row(std::string_view family, std::span<const std::string> fitting,
                             std::string_view asked, const Traits& traits) {
  std::string name(asked);
  if (asked.empty()) { PENSTOCK_ASSIGN(name, forced_row(family)); }
  const bool is_forced = asked.empty() && !name.empty();
  if (name.empty() && !fitting.empty()) return ChosenRow{};
  const auto found = std::ranges::find(fitting, name);
  if (found != fitting.end())
    return ChosenRow{static_cast<std::size_t>(found - fitting.begin()), is_forced};
  return Status(Code::invalid,
                (is_forced ? std::string(forcing_variable) + ": " : "") + "no variant '" + name +
                    "' of " + std::string(family) + " fits " + traits.id +
                    " here; those that do: " +
                    (fitting.empty() ? "none" : list_of({fitting.begin(), fitting.end()})));
}

}  // namespace penstock::kernel
