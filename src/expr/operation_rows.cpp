// The table of operations.
#include <cmath>

#include "expr/calendar.hpp"
#include "expr/integers.hpp"
#include "expr/operation_row.hpp"

namespace penstock {
namespace expr {
namespace {

EvaluatedScalar and_of_bits(Type type, Int128 a, Int128 b) { return {Scalar::of(type, a & b)}; }
EvaluatedScalar or_of_bits(Type type, Int128 a, Int128 b) { return {Scalar::of(type, a | b)}; }
EvaluatedScalar xor_of_bits(Type type, Int128 a, Int128 b) { return {Scalar::of(type, a ^ b)}; }

Int128 quotient(Int128 count, Int128 unit) { return count / unit; }
Int128 floor_of_quotient(Int128 count, Int128 unit) {
  return count / unit - (count % unit < 0 ? 1 : 0);
}
Int128 ceiling_of_quotient(Int128 count, Int128 unit) {
  return count / unit + (count % unit > 0 ? 1 : 0);
}

consteval OperationRow integers(OperationRow row, std::string_view word,
                                EvaluatedScalar (*host)(Type type, Int128 a, Int128 b)) {
  row.of_integers = host;
  row.integer_word = word;
  return row;
}
consteval OperationRow floats(OperationRow row, std::string_view word, auto host) {
  row.of_floats = {host, host};
  row.float_word = word;
  return row;
}
consteval OperationRow sign(OperationRow row, std::string_view word, std::string_view float_word,
                            auto host) {
  row.of_float = {host, host};
  row.integer_word = word;
  row.float_word = float_word;
  return row;
}
consteval OperationRow function(Op op, std::string_view name, std::string_view verb,
                                std::string_view word, auto host) {
  return {.op = op,
          .name = name,
          .verb = verb,
          .kind = OperationKind::function,
          .of_float = {host, host},
          .float_word = word};
}
consteval OperationRow approximate(OperationRow row) {
  row.is_approximate = true;
  return row;
}
consteval OperationRow rounding(Op op, std::string_view name, std::string_view verb,
                                std::string_view word, auto host, std::string_view decimal_word,
                                Int128 (*of_decimal)(Int128 count, Int128 unit)) {
  OperationRow row = function(op, name, verb, word, host);
  row.kind = OperationKind::rounding;
  row.of_decimal = of_decimal;
  row.integer_word = decimal_word;
  return row;
}
consteval OperationRow date_part(Op op, std::string_view name, std::string_view verb,
                                 std::string_view expression,
                                 std::int64_t (*host)(std::int64_t days, std::int64_t time)) {
  return {.op = op,
          .name = name,
          .verb = verb,
          .kind = OperationKind::date_part,
          .of_date = host,
          .integer_word = expression};
}

consteval OperationRow start_of(Op op, std::string_view name, std::string_view expression,
                                std::int64_t (*host)(std::int64_t days, std::int64_t time)) {
  return {.op = op,
          .name = name,
          .verb = "truncate",
          .kind = OperationKind::date_start,
          .of_date = host,
          .integer_word = expression};
}
consteval OperationRow start_within_day(Op op, std::string_view name, std::int64_t step) {
  return {.op = op,
          .name = name,
          .verb = "truncate",
          .kind = OperationKind::date_start,
          .step_microseconds = step};
}

std::int64_t year_of(std::int64_t days) { return civil_of_days(days).year; }
std::int64_t first_day(std::int64_t year) { return days_of_civil(year, 1, 1); }
// A week of ISO 8601 belongs to the year of its Thursday.
std::int64_t thursday_of(std::int64_t days) { return days - floor_modulo(days + 3, 7) + 3; }
std::int64_t iso_year_of(std::int64_t days) { return year_of(thursday_of(days)); }
std::int64_t week_of(std::int64_t days) {
  const std::int64_t thursday = thursday_of(days);
  return (thursday - first_day(year_of(thursday))) / 7 + 1;
}
// Centuries and millennia have no number 0.
std::int64_t period_of(std::int64_t year, std::int64_t years) {
  return year > 0 ? (year - 1) / years + 1 : year / years - 1;
}

// A row per operation, in the order of Op, which has no other meaning.
constexpr OperationRow rows[] = {
    {Op::column, "column", "", "", OperationKind::leaf},
    {Op::parameter, "parameter", "", "", OperationKind::leaf},
    floats(integers({Op::add, "add", "+", "add", OperationKind::arithmetic}, "add", add_integers),
           "+", [](auto x, auto y) { return x + y; }),
    floats(integers({Op::subtract, "subtract", "-", "subtract", OperationKind::arithmetic},
                    "subtract", subtract_integers),
           "-", [](auto x, auto y) { return x - y; }),
    floats(integers({Op::multiply, "multiply", "*", "multiply", OperationKind::arithmetic},
                    "multiply", multiply_integers),
           "*", [](auto x, auto y) { return x * y; }),
    floats({Op::divide, "divide", "/", "divide", OperationKind::arithmetic}, "/",
           [](auto x, auto y) { return x / y; }),
    integers({Op::integer_divide, "integer_divide", "//", "divide", OperationKind::arithmetic},
             "quotient", divide_integers),
    floats(integers({Op::modulo, "modulo", "%", "take the modulo of", OperationKind::arithmetic},
                    "remainder", modulo_of_integers),
           "FMOD", [](auto x, auto y) { return std::fmod(x, y); }),
    sign({Op::negate, "negate", "", "negate", OperationKind::sign}, "negate", "",
         [](auto x) { return -x; }),
    sign({Op::absolute, "abs", "", "take the absolute value of", OperationKind::sign}, "absolute",
         "FABS", [](auto x) { return std::fabs(x); }),
    integers({Op::bit_and, "bit_and", "&", "combine the bits of", OperationKind::bits}, "&",
             and_of_bits),
    integers({Op::bit_or, "bit_or", "|", "combine the bits of", OperationKind::bits}, "|",
             or_of_bits),
    integers({Op::bit_xor, "xor", "", "combine the bits of", OperationKind::bits}, "^",
             xor_of_bits),
    {Op::bit_not, "bit_not", "", "invert the bits of", OperationKind::complement},
    integers({Op::shift_left, "shift_left", "<<", "shift", OperationKind::shift}, "shift_left",
             shift_left),
    integers({Op::shift_right, "shift_right", ">>", "shift", OperationKind::shift}, "shift_right",
             shift_right),
    {Op::equal, "equal", "=", "compare", OperationKind::comparison},
    {Op::not_equal, "not_equal", "<>", "compare", OperationKind::comparison},
    {Op::less, "less", "<", "compare", OperationKind::comparison},
    {Op::less_equal, "less_equal", "<=", "compare", OperationKind::comparison},
    {Op::greater, "greater", ">", "compare", OperationKind::comparison},
    {Op::greater_equal, "greater_equal", ">=", "compare", OperationKind::comparison},
    {Op::and_, "and", "AND", "AND", OperationKind::connective},
    {Op::or_, "or", "OR", "OR", OperationKind::connective},
    {Op::not_, "not", "", "negate (NOT)", OperationKind::negation},
    {Op::is_null, "is_null", "", "test for NULL", OperationKind::null_test},
    {Op::select, "select", "", "select between", OperationKind::selection},
    {Op::coalesce, "coalesce", "", "coalesce", OperationKind::list},
    {Op::least, "least", "", "take the least of", OperationKind::list},
    {Op::greatest, "greatest", "", "take the greatest of", OperationKind::list},
    {Op::cast, "cast", "", "cast", OperationKind::cast},
    function(Op::square_root, "sqrt", "take the square root of", "SQRT",
             [](auto x) { return std::sqrt(x); }),
    rounding(
        Op::floor, "floor", "take the floor of", "FLOOR", [](auto x) { return std::floor(x); },
        "floor_decimal", floor_of_quotient),
    rounding(
        Op::ceiling, "ceil", "take the ceiling of", "CEIL", [](auto x) { return std::ceil(x); },
        "ceiling_decimal", ceiling_of_quotient),
    rounding(
        Op::round, "round", "round", "ROUND", [](auto x) { return std::round(x); }, "round_decimal",
        divide_half_away),
    rounding(
        Op::truncate, "trunc", "truncate", "TRUNC", [](auto x) { return std::trunc(x); }, "",
        quotient),
    approximate(function(Op::exponential, "exp", "take the exponential of", "EXP",
                         [](auto x) { return std::exp(x); })),
    approximate(function(Op::logarithm, "ln", "take the logarithm of", "LOG",
                         [](auto x) { return std::log(x); })),
    approximate(function(Op::logarithm10, "log10", "take the logarithm of", "LOG10",
                         [](auto x) { return std::log10(x); })),
    approximate(
        function(Op::sine, "sin", "take the sine of", "SIN", [](auto x) { return std::sin(x); })),
    approximate(function(Op::cosine, "cos", "take the cosine of", "COS",
                         [](auto x) { return std::cos(x); })),
    approximate(function(Op::tangent, "tan", "take the tangent of", "TAN",
                         [](auto x) { return std::tan(x); })),
    approximate(floats({Op::power, "pow", "", "raise to a power", OperationKind::power}, "POW",
                       [](auto x, auto y) { return std::pow(x, y); })),
    date_part(Op::year, "year", "take the year of", "year_of_days(DAYS)",
              [](auto days, auto) -> std::int64_t { return civil_of_days(days).year; }),
    date_part(
        Op::quarter, "quarter", "take the quarter of", "quarter_of_days(DAYS)",
        [](auto days, auto) -> std::int64_t { return (civil_of_days(days).month - 1) / 3 + 1; }),
    date_part(Op::month, "month", "take the month of", "month_of_days(DAYS)",
              [](auto days, auto) -> std::int64_t { return civil_of_days(days).month; }),
    date_part(Op::day, "day", "take the day of", "day_of_days(DAYS)",
              [](auto days, auto) -> std::int64_t { return civil_of_days(days).day; }),
    date_part(Op::day_of_week, "dayofweek", "take the day of the week of",
              "weekday_of_days(DAYS, 4)",
              [](auto days, auto) -> std::int64_t { return floor_modulo(days + 4, 7); }),
    date_part(Op::iso_day_of_week, "isodow", "take the day of the week of",
              "weekday_of_days(DAYS, 3) + 1",
              [](auto days, auto) -> std::int64_t { return floor_modulo(days + 3, 7) + 1; }),
    date_part(
        Op::day_of_year, "dayofyear", "take the day of the year of", "day_of_year_of_days(DAYS)",
        [](auto days, auto) -> std::int64_t {
          return days - days_of_civil(civil_of_days(days).year, 1, 1) + 1;
        }),
    date_part(Op::week, "week", "take the week of", "week_of_days(DAYS)",
              [](auto days, auto) -> std::int64_t { return week_of(days); }),
    date_part(Op::iso_year, "isoyear", "take the year of", "iso_year_of_days(DAYS)",
              [](auto days, auto) -> std::int64_t { return iso_year_of(days); }),
    date_part(Op::year_week, "yearweek", "take the week of", "year_week_of_days(DAYS)",
              [](auto days, auto) -> std::int64_t {
                const std::int64_t year = iso_year_of(days), week = week_of(days);
                return year * 100 + (year > 0 ? week : -week);
              }),
    date_part(Op::decade, "decade", "take the decade of", "year_of_days(DAYS) / 10",
              [](auto days, auto) -> std::int64_t { return year_of(days) / 10; }),
    date_part(Op::century, "century", "take the century of", "period_of_days(DAYS, 100)",
              [](auto days, auto) -> std::int64_t { return period_of(year_of(days), 100); }),
    date_part(Op::millennium, "millennium", "take the millennium of", "period_of_days(DAYS, 1000)",
              [](auto days, auto) -> std::int64_t { return period_of(year_of(days), 1000); }),
    date_part(Op::era, "era", "take the era of", "(i64)(year_of_days(DAYS) > 0)",
              [](auto days, auto) -> std::int64_t { return year_of(days) > 0 ? 1 : 0; }),
    date_part(Op::hour, "hour", "take the hour of", "TIME / (i64)3600000000",
              [](auto, auto time) -> std::int64_t { return time / 3600000000; }),
    date_part(Op::minute, "minute", "take the minute of", "TIME / (i64)60000000 % 60",
              [](auto, auto time) -> std::int64_t { return time / 60000000 % 60; }),
    date_part(Op::second, "second", "take the second of", "TIME / (i64)1000000 % 60",
              [](auto, auto time) -> std::int64_t { return time / 1000000 % 60; }),
    date_part(Op::millisecond, "millisecond", "take the milliseconds of",
              "TIME / (i64)1000 % 60000",
              [](auto, auto time) -> std::int64_t { return time / 1000 % 60000; }),
    date_part(Op::microsecond, "microsecond", "take the microseconds of", "TIME % (i64)60000000",
              [](auto, auto time) -> std::int64_t { return time % 60000000; }),
    start_of(Op::start_of_millennium, "start_of_millennium", "period_start_of_days(DAYS, 1000)",
             [](auto days, auto) { return first_day(year_of(days) / 1000 * 1000); }),
    start_of(Op::start_of_century, "start_of_century", "period_start_of_days(DAYS, 100)",
             [](auto days, auto) { return first_day(year_of(days) / 100 * 100); }),
    start_of(Op::start_of_decade, "start_of_decade", "period_start_of_days(DAYS, 10)",
             [](auto days, auto) { return first_day(year_of(days) / 10 * 10); }),
    start_of(Op::start_of_year, "start_of_year", "year_start_of_days(DAYS)",
             [](auto days, auto) { return first_day(year_of(days)); }),
    start_of(Op::start_of_iso_year, "start_of_iso_year", "iso_year_start_of_days(DAYS)",
             [](auto days, auto) { return thursday_of(days) - 3 - (week_of(days) - 1) * 7; }),
    start_of(Op::start_of_quarter, "start_of_quarter", "quarter_start_of_days(DAYS)",
             [](auto days, auto) {
               const Civil civil = civil_of_days(days);
               return days_of_civil(civil.year, (civil.month - 1) / 3 * 3 + 1, 1);
             }),
    start_of(Op::start_of_month, "start_of_month", "month_start_of_days(DAYS)",
             [](auto days, auto) { return days - civil_of_days(days).day + 1; }),
    start_of(Op::start_of_week, "start_of_week", "week_start_of_days(DAYS)",
             [](auto days, auto) { return thursday_of(days) - 3; }),
    start_within_day(Op::start_of_day, "start_of_day", 86400000000),
    start_within_day(Op::start_of_hour, "start_of_hour", 3600000000),
    start_within_day(Op::start_of_minute, "start_of_minute", 60000000),
    start_within_day(Op::start_of_second, "start_of_second", 1000000),
    start_within_day(Op::start_of_millisecond, "start_of_millisecond", 1000),
    {Op::epoch_microseconds, "epoch_us", "", "take the epoch of", OperationKind::epoch},
    {Op::require, "require", "", "require", OperationKind::requirement},
    {Op::high_half, "high_half", "", "take the high half of", OperationKind::half},
    {Op::low_half, "low_half", "", "take the low half of", OperationKind::half},
    {Op::from_halves, "from_halves", "", "join the halves", OperationKind::half},
    {Op::custom, "custom", "", "call a function with", OperationKind::custom},
};
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(rows); i++)
        if (rows[i].op != static_cast<Op>(i)) return false;
      return std::size(rows) == static_cast<std::size_t>(Op::custom) + 1;
    }(),
    "a row per operation, in the order of Op");

}  // namespace

const OperationRow& row_of(Op op) { return rows[static_cast<std::size_t>(op)]; }

}  // namespace expr

std::string_view name_of(Op op) { return expr::row_of(op).name; }

}  // namespace penstock
