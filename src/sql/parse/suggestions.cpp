#include "sql/parse/suggestions.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/suggest_name.hpp"
#include "plan/aggregates.hpp"

namespace penstock::sql {
namespace {

constexpr std::string_view strings =
    "of strings there are LIKE, ILIKE, ||, comparisons, length, lower, upper, substring, left, "
    "right, trim, replace, contains, "
    "starts_with, ends_with, position, regexp_matches, regexp_extract, regexp_replace and others";
constexpr std::string_view numbered =
    "number the rows of both tables by row_number() OVER (), and join by the number";
constexpr std::string_view inner = "EXISTS, IN, ANY, ALL and a SELECT of one value are";
constexpr std::string_view correlated =
    "inside a subquery a column from outside stands in WHERE, compared with a column of the "
    "subquery, which has no GROUP BY, HAVING, DISTINCT and LIMIT";
constexpr std::string_view on = "write ON";
constexpr std::string_view dates =
    "of dates there are date_trunc(), date_part(), year(), quarter(), month(), week(), day(), "
    "dayofweek(), dayofyear(), hour(), minute(), second(), epoch(), dayname(), monthname(), "
    "date + days and date - date";
constexpr std::string_view constant_date = "write it as a constant: DATE '2026-01-31'";
constexpr std::string_view constant_time =
    "write it as a constant: TIMESTAMPTZ '2026-01-31 12:00:00+00'";
constexpr std::string_view constant_local =
    "write it as a constant: TIMESTAMP '2026-01-31 12:00:00'";
constexpr std::string_view first_rows = "LIMIT gives the first rows, which are no sample";

// Refused features, by the beginning of their names.
struct Row {
  std::string_view begins, instead;
};
constexpr Row refused_forms[] = {
    {"ILIKE", strings},
    {"SIMILAR TO", strings},
    {"the operator ~", strings},
    {"USING with", on},
    {"NATURAL JOIN with", on},
    {"a subquery with a condition on outer", correlated},
    {"a subquery that reads", correlated},
    {"a subquery with outer", correlated},
    {"a value of a subquery", correlated},
    {"a NOT IN whose", "where no value compared is NULL, NOT EXISTS is the same"},
    {"a subquery as a value in LIMIT", "write a number"},
    {"a subquery as a value in OFFSET", "write a number"},
    {"a subquery", inner},
    {"LIMIT by an expression", "write a number, or filter by row_number() in a SELECT of FROM"},
    {"a comparison with ANY", "min or max of a subquery as a value are"},
    {"UNION BY NAME", "list the columns in one order and write UNION"},
    {"more than one statement", "ask each SELECT by itself"},
    {"QUALIFY", "filter a SELECT in FROM by its window functions"},
    {"current_date", constant_date},
    {"current_timestamp", constant_time},
    {"localtimestamp", constant_local},
    {"avg of DATE", "write avg(CAST(... AS TIMESTAMP))"},
    {"the date part", dates},
    {"combining", "write the number without quotes"},
    {"TABLESAMPLE", first_rows},
    {"USING SAMPLE", first_rows},
    {"USING KEY", "write UNION, and group its rows by the key"},
    {"LIMIT with a percentage", "write a number of rows"},
    {"PIVOT", "write sum(x) FILTER (WHERE name = 'a') AS a, ... GROUP BY key"},
    {"UNPIVOT", "write a SELECT for each column, and UNION ALL between them"},
    {"POSITIONAL JOIN", numbered},
    {"SEMI JOIN", "write WHERE EXISTS (SELECT ...), or x IN (SELECT ...)"},
    {"ANTI JOIN", "write WHERE NOT EXISTS (SELECT ...)"},
    {"INTERVAL of an expression", "add whole days: date + days"},
    {"COLUMNS", "list the columns, or write * EXCLUDE (a, b)"},
    {"an array", "write list_value(1, 2)"},
    {"age() from", "write age(TIMESTAMP '2026-01-31', ts)"},
    {"the type TIME WITH", "TIME is"},
    {"a function of a list", "write each value by itself"},
    {"an ON that reads columns from outside",
     "such a column stands in the subquery's WHERE, beside ="},
    {"a cast of VARCHAR", "strings of a column are cast to decimals of up to 18 digits"},
    {"a row value", "select or compare each part: a = 1 AND b = 2"},
    {"a parameter", "write the value"},
    {"a subscript or field access", "list_extract(l, 1) is, and struct_extract(s, 'name')"},
};

constexpr std::string_view string_functions[] = {"regexp_split_to_array", "string_split_regex",
                                                 "str_split_regex", "regexp_extract_all",
                                                 "initcap"};
constexpr std::string_view date_functions[] = {"to_char", "to_date"};
constexpr std::string_view clock_functions[] = {"now", "today", "get_current_timestamp",
                                                "transaction_timestamp"};
// Aggregates of other databases. Names that are there by now are found first.
constexpr std::string_view aggregate_functions[] = {"stddev",
                                                    "stddev_samp",
                                                    "stddev_pop",
                                                    "variance",
                                                    "var_samp",
                                                    "var_pop",
                                                    "median",
                                                    "quantile",
                                                    "quantile_cont",
                                                    "quantile_disc",
                                                    "mode",
                                                    "corr",
                                                    "covar_pop",
                                                    "covar_samp",
                                                    "regr_slope",
                                                    "string_agg",
                                                    "group_concat",
                                                    "listagg",
                                                    "list",
                                                    "array_agg",
                                                    "first",
                                                    "last",
                                                    "any_value",
                                                    "arg_max",
                                                    "arg_min",
                                                    "max_by",
                                                    "min_by",
                                                    "bool_or",
                                                    "bool_and",
                                                    "bit_and",
                                                    "bit_or",
                                                    "bit_xor",
                                                    "product",
                                                    "histogram",
                                                    "approx_count_distinct",
                                                    "approx_quantile",
                                                    "percentile_cont",
                                                    "percentile_disc",
                                                    "count_if",
                                                    "fsum",
                                                    "kurtosis",
                                                    "skewness",
                                                    "entropy"};

constexpr std::string_view window_functions[] = {"nth_value", "ntile", "percent_rank", "cume_dist"};

std::string aggregates() {
  const std::vector<std::string_view> names = plan::aggregate_names();
  std::string text = "the aggregates are " + std::string(names[0]);
  for (std::size_t i = 1; i < names.size(); i++)
    text += (i + 1 < names.size() ? ", " : " and ") + std::string(names[i]);
  return text;
}

bool holds(std::string_view name, auto const& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string refused(std::string_view what, std::string_view instead) {
  return std::string(what) + " is not supported" + (instead.empty() ? "" : "; ") +
         std::string(instead);
}

}  // namespace

std::string not_supported(std::string_view what) {
  if (what == "a list") return refused(what, "write list_value(1, 2)");
  for (const Row& row : refused_forms)
    if (what.starts_with(row.begins)) return refused(what, row.instead);
  return refused(what, "");
}

std::string function_not_supported(std::string_view name, std::span<const std::string> known) {
  const std::string_view shown =
      name == "btrim" ? "trim" : name;  // as PostgreSQL's parser calls it
  if (name == "columns") return not_supported("COLUMNS");
  if (holds(name, string_functions))
    return refused("the string function " + std::string(shown), strings);
  const std::string what = "the function " + std::string(shown);
  if (holds(name, date_functions)) return refused(what, dates);
  if (holds(name, clock_functions))
    return refused(what, name == "today" ? constant_date : constant_time);
  if (holds(name, aggregate_functions)) return refused(what, aggregates());
  if (known.empty() || holds(name, window_functions)) return refused(what, "");
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return refused(what, "did you mean " + near + "?");
  return refused(what, "");
}

std::string with_article(std::string_view type) {
  const bool is_vowel = std::string_view("AEIO").find(type.substr(0, 1)) != std::string_view::npos;
  return (is_vowel && !type.empty() ? "an " : "a ") + std::string(type);
}

std::string keyword_near(std::string_view word) {
  static const std::vector<std::string> keywords = {"SELECT", "FROM",   "WHERE",  "GROUP",
                                                    "ORDER",  "HAVING", "LIMIT",  "JOIN",
                                                    "USING",  "WINDOW", "OFFSET", "DISTINCT"};
  std::string upper(word);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  if (word.size() < 3 || std::find(keywords.begin(), keywords.end(), upper) != keywords.end())
    return "";
  for (const std::string& keyword : keywords) {
    if (edit_distance(upper, keyword) == 1) return keyword;
    for (std::size_t i = 0; i + 1 < upper.size(); i++) {  // FORM: two letters swapped
      std::string swapped = upper;
      std::swap(swapped[i], swapped[i + 1]);
      if (swapped == keyword) return keyword;
    }
  }
  return "";
}

bool is_unsupported_aggregate(std::string_view name) {
  return holds(name, aggregate_functions) && !plan::aggregate_named(name);
}

bool is_unsupported_function(std::string_view name) {
  return name == "columns" || holds(name, string_functions) || holds(name, date_functions) ||
         holds(name, clock_functions) || is_unsupported_aggregate(name) ||
         holds(name, window_functions);
}

}  // namespace penstock::sql
