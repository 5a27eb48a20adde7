// The rows of functions that ask about a string or shape it.
#include "expr/construction.hpp"
#include "expr/string_changes.hpp"
#include "expr/string_operations.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::truth, string_rows::number, string_rows::string, string_rows::integer;

}  // namespace

std::vector<StringFunction> basic_string_rows() {
  return {
      {.name = "like",
       .sql_names = {"~~", "like_escape"},
       .inputs = {string_type, string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether % (any characters) and _ (one) make a pattern fit; the third is the escape "
              "character",
       .host =
           [](Inputs in) {
             return truth(matches_like(in[0].text, in[1].text, in.size() > 2 ? in[2].text : ""));
           }},
      {.name = "ilike",
       .sql_names = {"~~*"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "LIKE of both in lower case",
       .host =
           [](Inputs in) {
             return truth(matches_like(to_lower(in[0].text), to_lower(in[1].text)));
           }},
      {.name = "starts_with",
       .sql_names = {"starts_with", "prefix", "^@"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether it begins with the second",
       .host = [](Inputs in) { return truth(in[0].text.starts_with(in[1].text)); }},
      {.name = "ends_with",
       .sql_names = {"ends_with", "suffix"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether it ends with the second",
       .host = [](Inputs in) { return truth(in[0].text.ends_with(in[1].text)); }},
      {.name = "contains",
       .sql_names = {"contains"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether the second occurs in it",
       .host = [](Inputs in) { return truth(in[0].text.find(in[1].text) != std::string::npos); }},
      {.name = "length",
       .sql_names = {"length", "len", "char_length", "character_length"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = int64_type,
       .doc = "the number of characters",
       .host = [](Inputs in) { return number(character_count(in[0].text)); }},
      {.name = "strlen",
       .sql_names = {"strlen"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = int64_type,
       .doc = "the number of bytes",
       .host = [](Inputs in) { return number(static_cast<std::int64_t>(in[0].text.size())); }},
      {.name = "position",
       .sql_names = {"position", "strpos", "instr"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = int64_type,
       .doc = "where the second occurs first, counted from 1; 0: nowhere",
       .host = [](Inputs in) { return number(position_of(in[0].text, in[1].text)); }},
      {.name = "lower",
       .sql_names = {"lower", "lcase"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "in lower case",
       .host = [](Inputs in) { return string(to_lower(in[0].text)); }},
      {.name = "upper",
       .sql_names = {"upper", "ucase"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "in upper case",
       .host = [](Inputs in) { return string(to_upper(in[0].text)); }},
      {.name = "trim",
       .sql_names = {"trim", "btrim"},
       .inputs = {string_type, string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "without spaces, or the characters of the second, at both ends",
       .host =
           [](Inputs in) {
             return string(in.size() > 1 ? trim_left(trim_right(in[0].text, in[1].text), in[1].text)
                                         : trim_left(trim_right(in[0].text)));
           }},
      {.name = "ltrim",
       .sql_names = {"ltrim"},
       .inputs = {string_type, string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "without spaces, or the characters of the second, at the start",
       .host =
           [](Inputs in) {
             return string(in.size() > 1 ? trim_left(in[0].text, in[1].text)
                                         : trim_left(in[0].text));
           }},
      {.name = "rtrim",
       .sql_names = {"rtrim"},
       .inputs = {string_type, string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "without spaces, or the characters of the second, at the end",
       .host =
           [](Inputs in) {
             return string(in.size() > 1 ? trim_right(in[0].text, in[1].text)
                                         : trim_right(in[0].text));
           }},
      {.name = "substring",
       .sql_names = {"substring", "substr"},
       .inputs = {string_type, int64_type, int64_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "characters from a position on, at most so many",
       .host =
           [](Inputs in) {
             return string(
                 substring(in[0].text, integer(in[1]), in.size() > 2 ? integer(in[2]) : INT64_MAX));
           }},
      {.name = "left",
       .sql_names = {"left"},
       .inputs = {string_type, int64_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "the first characters; of a negative count: all but the last ones",
       .host = [](Inputs in) { return string(left(in[0].text, integer(in[1]))); }},
      {.name = "right",
       .sql_names = {"right"},
       .inputs = {string_type, int64_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "the last characters; of a negative count: all but the first ones",
       .host = [](Inputs in) { return string(right(in[0].text, integer(in[1]))); }},
      {.name = "replace",
       .sql_names = {"replace"},
       .inputs = {string_type, string_type, string_type},
       .required_inputs = 3,
       .result = string_type,
       .doc = "with the third for every occurrence of the second",
       .host = [](Inputs in) { return string(replaced(in[0].text, in[1].text, in[2].text)); }},
      {.name = "concat",
       .sql_names = {"||"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "one after the other",
       .host = [](Inputs in) { return string(in[0].text + in[1].text); }},
      {.name = "less",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text < in[1].text); }},
      {.name = "less_equal",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text <= in[1].text); }},
      {.name = "greater",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text > in[1].text); }},
      {.name = "greater_equal",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text >= in[1].text); }},
  };
}

}  // namespace penstock::expr
