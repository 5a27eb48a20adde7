// The rows of functions with regular expressions, which are constants.
#include "expr/construction.hpp"
#include "expr/regular_expressions.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::string, string_rows::truth;

Pattern pattern_of(Inputs in, std::size_t options) {
  return {in[1].text, options < in.size() ? std::string_view(in[options].text) : ""};
}

// Checks the pattern, and the options where they are given.
Status check(Inputs in, std::size_t options, bool replaces = false) {
  if (options < in.size() && in[options].is_null)
    return {Code::invalid, "the options of a regular expression are NULL"};
  return in[1].is_null ? Status() : check_pattern(pattern_of(in, options), replaces);
}

Status check_match(Inputs in) { return check(in, 2); }

Status check_extract(Inputs in) {
  PENSTOCK_TRY(check(in, 3));
  if (in.size() < 3 || in[2].is_null || (in[2].integer >= 0 && in[2].integer <= 9)) return {};
  return {Code::invalid, "the group of a regular expression is 0 to 9"};
}

Status check_replace(Inputs in) {
  PENSTOCK_TRY(check(in, 3, true));
  if (in[1].is_null || in[2].is_null) return {};
  return check_replacement(pattern_of(in, 3), in[2].text);
}

}  // namespace

std::vector<StringFunction> pattern_rows() {
  return {
      {.name = "regexp_matches",
       .sql_names = {"regexp_matches"},
       .inputs = {string_type, string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether a part of it matches a regular expression",
       .host = [](Inputs in) { return truth(matches_part(in[0].text, pattern_of(in, 2))); },
       .check = check_match},
      {.name = "regexp_full_match",
       .sql_names = {"regexp_full_match"},
       .inputs = {string_type, string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether all of it matches a regular expression",
       .host = [](Inputs in) { return truth(matches_whole(in[0].text, pattern_of(in, 2))); },
       .check = check_match},
      {.name = "regexp_extract",
       .sql_names = {"regexp_extract"},
       .inputs = {string_type, string_type, int64_type, string_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "a group of the first match of a regular expression; 0: the match",
       .host =
           [](Inputs in) {
             const std::int64_t group = in.size() > 2 ? integer(in[2]) : 0;
             return string(extracted(in[0].text, pattern_of(in, 3), static_cast<int>(group)));
           },
       .check = check_extract},
      {.name = "regexp_replace",
       .sql_names = {"regexp_replace"},
       .inputs = {string_type, string_type, string_type, string_type},
       .required_inputs = 3,
       .result = string_type,
       .doc = "with the third for the first match of a regular expression; \\1 is a group",
       .host =
           [](Inputs in) {
             return string(replaced_matches(in[0].text, pattern_of(in, 3), in[2].text));
           },
       .check = check_replace},
  };
}

}  // namespace penstock::expr
