#include "cli/commands/csv_flags.hpp"

namespace penstock::cli {
namespace {

std::string check_type(const std::string& value) {
  const std::size_t sign = value.rfind('=');
  return sign == std::string::npos || sign == 0 || sign + 1 == value.size()
             ? "'" + value + "' is not COLUMN=TYPE"
             : "";
}

std::string check_sample(const std::string& value) {
  const bool is_number = value == "-1" || (!value.empty() && value.size() <= 18 &&
                                           value.find_first_not_of("0123456789") == value.npos);
  return is_number ? "" : "'" + value + "' is no number of rows; -1 is all of them";
}

}  // namespace

void declare_csv_flags(terminal::Arguments& arguments, CsvFlags& flags) {
  arguments.value("--delim", "CHARACTER", flags.delimiter,
                  "of CSV files that a statement names: what is between fields");
  arguments.value("--quote", "CHARACTER", flags.quote, "of CSV files: what is around a field");
  arguments.value("--escape", "CHARACTER", flags.escape,
                  "of CSV files: what is before a quote in a quoted field");
  arguments.flag("--header", flags.has_header, "of CSV files: the first row has names");
  arguments.flag("--no-header", flags.has_no_header, "of CSV files: the first row has values");
  arguments.values("--nullstr", "TEXT", flags.null_texts, "of CSV files: a text that is NULL");
  arguments.value("--dateformat", "FORMAT", flags.date_format,
                  "of CSV files: how dates are written, such as %d.%m.%Y");
  arguments.values("--types", "COLUMN=TYPE", flags.types,
                   "of CSV files: the type of a column, such as zip=VARCHAR", check_type);
  arguments.flag("--ignore-errors", flags.ignores_errors,
                 "of CSV files: leave out rows that do not fit");
  arguments.value("--sample-size", "ROWS", flags.sample_rows,
                  "of CSV files: how many rows types are found by; -1 is all", check_sample);
}

std::vector<TableOption> csv_options_of(const CsvFlags& flags) {
  std::vector<TableOption> options;
  const auto add_text = [&](const char* name, const std::string& text) {
    if (!text.empty()) options.push_back({name, text});
  };
  add_text("delim", flags.delimiter);
  add_text("quote", flags.quote);
  add_text("escape", flags.escape);
  add_text("dateformat", flags.date_format);
  if (flags.has_header || flags.has_no_header) options.push_back({"header", flags.has_header});
  if (!flags.null_texts.empty()) options.push_back({"nullstr", OptionList(flags.null_texts)});
  OptionMap types;
  for (const std::string& type : flags.types) {
    const std::size_t sign = type.rfind('=');
    types.emplace_back(type.substr(0, sign), type.substr(sign + 1));
  }
  if (!types.empty()) options.push_back({"types", std::move(types)});
  if (flags.ignores_errors) options.push_back({"ignore_errors", true});
  if (!flags.sample_rows.empty())
    options.push_back({"sample_size", std::int64_t{std::stoll(flags.sample_rows)}});
  return options;
}

}  // namespace penstock::cli
