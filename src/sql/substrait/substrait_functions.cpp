#include "sql/substrait/substrait_functions.hpp"

#include <algorithm>
#include <span>

namespace penstock::sql {
namespace {

constexpr std::size_t any = ~std::size_t{0};

constexpr SubstraitFunction operation(std::string_view name, std::string_view ours,
                                      std::size_t inputs = 2) {
  return {name, SyntaxKind::operation, ours, inputs, inputs};
}
constexpr SubstraitFunction condition(std::string_view name, std::string_view ours,
                                      std::size_t inputs = 2) {
  return {name, SyntaxKind::operation, ours, inputs, inputs, true};
}
constexpr SubstraitFunction function(std::string_view name, std::string_view ours,
                                     std::size_t least, std::size_t most = 0) {
  return {name, SyntaxKind::function, ours, least, std::max(least, most)};
}

constexpr SubstraitFunction functions[] = {
    operation("add", "+"),
    operation("subtract", "-"),
    operation("multiply", "*"),
    operation("divide", "/"),
    operation("modulus", "%"),
    operation("modulo", "%"),
    operation("negate", "neg", 1),
    operation("negative", "neg", 1),
    operation("bitwise_and", "&"),
    operation("bitwise_or", "|"),
    operation("bitwise_shift_left", "<<"),
    operation("bitwise_shift_right", ">>"),
    operation("shift_left", "<<"),
    operation("shift_right", ">>"),
    operation("bitwise_not", "~", 1),
    condition("equal", "="),
    condition("not_equal", "!="),
    condition("lt", "<"),
    condition("gt", ">"),
    condition("lte", "<="),
    condition("gte", ">="),
    condition("is_distinct_from", "is distinct from"),
    condition("is_not_distinct_from", "is not distinct from"),
    condition("between", "between", 3),
    condition("not", "not", 1),
    condition("is_null", "is null", 1),
    condition("is_not_null", "is not null", 1),
    condition("is_true", "is true", 1),
    condition("is_false", "is false", 1),
    condition("is_unknown", "is null", 1),
    condition("is_not_true", "is not true", 1),
    condition("is_not_false", "is not false", 1),
    condition("is_not_unknown", "is not null", 1),
    {"and", SyntaxKind::operation, "and", 1, any, true},
    {"or", SyntaxKind::operation, "or", 1, any, true},
    {"like", SyntaxKind::operation, "~~", 2, 3, true},
    {"ilike", SyntaxKind::operation, "~~*", 2, 3, true},
    {"like_i", SyntaxKind::operation, "~~*", 2, 3, true},
    {"concat", SyntaxKind::operation, "||", 2, any},
    function("bitwise_xor", "xor", 2),
    function("abs", "abs", 1),
    function("sqrt", "sqrt", 1),
    function("ceil", "ceil", 1),
    function("floor", "floor", 1),
    function("round", "round", 1, 2),
    function("trunc", "trunc", 1),
    function("sign", "sign", 1),
    function("signum", "sign", 1),
    function("exp", "exp", 1),
    function("ln", "ln", 1),
    function("log10", "log10", 1),
    function("power", "power", 2),
    function("sin", "sin", 1),
    function("cos", "cos", 1),
    function("tan", "tan", 1),
    function("coalesce", "coalesce", 1, any),
    function("nvl", "coalesce", 2),
    function("nullif", "nullif", 2),
    function("greatest", "greatest", 1, any),
    function("least", "least", 1, any),
    function("lower", "lower", 1),
    function("upper", "upper", 1),
    function("substring", "substring", 2, 3),
    function("substr", "substring", 2, 3),
    function("left", "left", 2),
    function("right", "right", 2),
    function("btrim", "trim", 1, 2),
    function("trim", "trim", 1, 2),
    function("ltrim", "ltrim", 1, 2),
    function("rtrim", "rtrim", 1, 2),
    function("lpad", "lpad", 3),
    function("rpad", "rpad", 3),
    function("repeat", "repeat", 2),
    function("replace", "replace", 3),
    function("reverse", "reverse", 1),
    function("split_part", "split_part", 3),
    function("strpos", "strpos", 2),
    function("contains", "contains", 2),
    function("starts_with", "starts_with", 2),
    function("ends_with", "ends_with", 2),
    function("char_length", "length", 1),
    function("character_length", "length", 1),
    function("octet_length", "strlen", 1),
    function("bit_length", "bit_length", 1),
    function("ascii", "ascii", 1),
    function("chr", "chr", 1),
    function("regexp_replace", "regexp_replace", 3, 4),
    function("regexp_like", "regexp_matches", 2, 3),
    function("date_part", "date_part", 2),
    function("extract", "date_part", 2),
    function("date_trunc", "date_trunc", 2),
};

// DataFusion's own meanings of names. Its concat() leaves NULLs out.
constexpr SubstraitFunction functions_of_datafusion[] = {
    function("concat", "concat", 1, any),
    operation("str_concat", "||"),
    function("regex_match", "regexp_matches", 2),
};

const SubstraitFunction* named(std::span<const SubstraitFunction> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &SubstraitFunction::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::string_view without_signature(std::string_view name) { return name.substr(0, name.find(':')); }

const SubstraitFunction* substrait_function(std::string_view name, bool is_datafusion) {
  name = without_signature(name);
  const SubstraitFunction* const own =
      is_datafusion ? named(functions_of_datafusion, name) : nullptr;
  return own ? own : named(functions, name);
}

}  // namespace penstock::sql
