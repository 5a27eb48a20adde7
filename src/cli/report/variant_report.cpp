#include "cli/report/variant_report.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "kernel/tuned_policies.hpp"
#include "terminal/format.hpp"

namespace penstock::cli {
namespace {

using kernel::VariantCase;
using kernel::VariantRow;

// A case, and the row that is taken: the first that fits, or the forced row.
struct ShownCase {
  VariantCase of;
  const VariantRow* taken = nullptr;
  bool is_forced = false;
  const VariantRow* misfit = nullptr;  // the forced row, if it does not fit
};

Result<std::vector<ShownCase>> shown_cases(const Traits& traits) {
  std::vector<ShownCase> all;
  for (VariantCase& each : kernel::variant_cases(traits)) {
    ShownCase shown{std::move(each)};
    PENSTOCK_ASSIGN(const std::string forced, kernel::forced_row(shown.of.family));
    all.push_back(std::move(shown));
    ShownCase& last = all.back();
    const auto row = std::ranges::find(last.of.rows, forced, &VariantRow::name);
    const bool has_row = row != last.of.rows.end();
    last.is_forced = has_row && bool(row->fit);
    last.misfit = has_row && !row->fit ? &*row : nullptr;
    last.taken = last.is_forced ? &*row : last.of.taken();
  }
  return all;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ') + "  ";
}

std::string table_of(const Traits& traits, const std::vector<ShownCase>& cases) {
  std::size_t family = 0, use = 0, name = 0;
  for (const ShownCase& each : cases) {
    family = std::max(family, each.of.family.size());
    use = std::max(use, each.of.use.size());
    if (each.taken) name = std::max(name, each.taken->name.size());
  }
  std::string text = traits.id + (traits.name.empty() ? " (typical)" : "  " + traits.name) + "\n";
  for (const ShownCase& each : cases) {
    text += "  " + padded(each.of.family, family) + padded(each.of.use, use);
    text += each.taken ? padded(each.taken->name, name) + text_of(each.taken->policy) : "none fits";
    while (text.back() == ' ') text.pop_back();
    text += each.is_forced ? "  forced by PENSTOCK_VARIANT\n" : "\n";
    if (each.misfit)
      text += "      " + each.misfit->name +
              " is forced by PENSTOCK_VARIANT and does not fit: what needs it ends with an error\n";
    for (const VariantRow& row : each.of.rows) {
      if (&row == each.taken) break;
      text +=
          "      not " + row.name + ": " + (row.fit ? "another is forced" : row.fit.why_not) + "\n";
    }
  }
  return text;
}

std::string csv_of(const Traits& traits, const std::vector<ShownCase>& cases) {
  std::string text;
  for (const ShownCase& each : cases)
    for (const VariantRow& row : each.of.rows) {
      std::string line;
      for (const std::string& cell : {traits.id, each.of.family, each.of.use, row.name,
                                      std::string(row.fit ? "true" : "false"),
                                      std::string(&row == each.taken ? "true" : "false"),
                                      text_of(row.policy), row.fit.why_not})
        line += (line.empty() ? "" : ",") + terminal::csv_field(cell);
      text += line + "\n";
    }
  return text;
}

std::string json_of_row(const VariantRow& row, bool is_taken) {
  std::string text = "{\"variant\": " + json_string(row.name) +
                     ", \"fits\": " + (row.fit ? "true" : "false") +
                     ", \"taken\": " + (is_taken ? "true" : "false");
  if (!row.fit) return text + ", \"why_not\": " + json_string(row.fit.why_not) + "}";
  text += ", \"policy\": {";
  for (const kernel::PolicyNumber& number : row.policy)
    text += (&number == &row.policy.front() ? "" : ", ") + json_string(number.name) + ": " +
            std::to_string(number.value);
  return text + "}}";
}

std::string json_of(const Traits& traits, const std::vector<ShownCase>& cases) {
  std::string text = "{\"device\": " + json_string(traits.id) +
                     ", \"name\": " + json_string(traits.name) + ", \"families\": [";
  for (const ShownCase& each : cases) {
    text += (&each == &cases.front() ? "\n  " : ",\n  ");
    text += "{\"family\": " + json_string(each.of.family) +
            ", \"use\": " + json_string(each.of.use) +
            ", \"is_forced\": " + (each.is_forced ? "true" : "false") + ", \"variants\": [";
    for (const VariantRow& row : each.of.rows)
      text += (&row == &each.of.rows.front() ? "" : ", ") + json_of_row(row, &row == each.taken);
    text += "]}";
  }
  return text + "]}";
}

// Lists a device's tuned policies, or says why a file of them is not used.
std::string tuned_line(const Traits& traits) {
  if (traits.name.empty()) return "";
  const kernel::TunedFile file = kernel::tuned_file(traits);
  if (!file.note.empty()) return "  note: " + file.note + "\n";
  if (file.policies.empty()) return "";
  std::string text = "  tuned policies in " + file.path + ":\n";
  for (const kernel::TunedPolicy& tuned : file.policies)
    text += "      " + tuned.family + " " + tuned.row + ": " + text_of(tuned.best) + "\n";
  return text;
}

}  // namespace

Result<std::string> variant_report(const std::vector<Traits>& devices, const std::string& format) {
  std::string text;
  for (const Traits& traits : devices) {
    PENSTOCK_ASSIGN(const std::vector<ShownCase> cases, shown_cases(traits));
    if (format == "csv")
      text += csv_of(traits, cases);
    else if (format == "json")
      text += (text.empty() ? "" : ",\n ") + json_of(traits, cases);
    else
      text += table_of(traits, cases) + tuned_line(traits);
  }
  if (format == "csv") return "device,family,use,variant,fits,taken,policy,why_not\n" + text;
  return format == "json" ? "{\"devices\": [\n " + text + "]}\n" : text;
}

}  // namespace penstock::cli
