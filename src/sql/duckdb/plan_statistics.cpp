#include "sql/duckdb/plan_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "expr/operation.hpp"

namespace penstock::sql {
namespace {

using relation::Statistic;

constexpr int max_share_digits = 9;
constexpr NamedStatistic statistics[] = {{"median", Statistic::quantile},
                                         {"quantile_cont", Statistic::quantile},
                                         {"quantile_disc", Statistic::discrete_quantile},
                                         {"quantile", Statistic::discrete_quantile},
                                         {"approx_quantile", Statistic::discrete_quantile},
                                         {"mode", Statistic::mode},
                                         {"mad", Statistic::absolute_deviation},
                                         {"entropy", Statistic::entropy},
                                         {"first", Statistic::first, 1, false, true},
                                         {"last", Statistic::first, 1, true, true},
                                         {"any_value", Statistic::first},
                                         {"arbitrary", Statistic::first},
                                         {"arg_min", Statistic::first, 2},
                                         {"argmin", Statistic::first, 2},
                                         {"min_by", Statistic::first, 2},
                                         {"arg_min_null", Statistic::first, 2, false, true},
                                         {"arg_max", Statistic::first, 2, true},
                                         {"argmax", Statistic::first, 2, true},
                                         {"max_by", Statistic::first, 2, true},
                                         {"arg_max_null", Statistic::first, 2, true, true},
                                         {"string_agg", Statistic::concatenation},
                                         {"group_concat", Statistic::concatenation},
                                         {"listagg", Statistic::concatenation},
                                         {"list", Statistic::list},
                                         {"array_agg", Statistic::list},
                                         {"var_pop", Statistic::population_variance},
                                         {"var_samp", Statistic::sample_variance},
                                         {"variance", Statistic::sample_variance},
                                         {"stddev_pop", Statistic::population_deviation},
                                         {"stddev_samp", Statistic::sample_deviation},
                                         {"stddev", Statistic::sample_deviation},
                                         {"sem", Statistic::standard_error},
                                         {"skewness", Statistic::skewness},
                                         {"kurtosis", Statistic::kurtosis},
                                         {"kurtosis_pop", Statistic::population_kurtosis},
                                         {"covar_pop", Statistic::population_covariance, 2},
                                         {"covar_samp", Statistic::sample_covariance, 2},
                                         {"corr", Statistic::correlation, 2},
                                         {"regr_slope", Statistic::slope, 2},
                                         {"regr_intercept", Statistic::intercept, 2},
                                         {"regr_r2", Statistic::determination, 2},
                                         {"regr_sxx", Statistic::squares_of_x, 2},
                                         {"regr_syy", Statistic::squares_of_y, 2},
                                         {"regr_sxy", Statistic::products, 2},
                                         {"regr_avgx", Statistic::mean_of_x, 2},
                                         {"regr_avgy", Statistic::mean_of_y, 2},
                                         {"regr_count", Statistic::pair_count, 2}};

struct Reduction {
  std::string_view name, body;
  Scalar (*host)(const Scalar& a, const Scalar& b);
  bool ignores_repeated = true;
};
Scalar integer_of(const Scalar& like, Int128 value) { return Scalar::of(like.type, value); }
constexpr Reduction reductions[] = {
    {"bit_and", "return a & b;",
     [](const Scalar& a, const Scalar& b) { return integer_of(a, a.integer & b.integer); }},
    {"bit_or", "return a | b;",
     [](const Scalar& a, const Scalar& b) { return integer_of(a, a.integer | b.integer); }},
    {"bit_xor", "return a ^ b;",
     [](const Scalar& a, const Scalar& b) { return integer_of(a, a.integer ^ b.integer); }, false},
    {"product", "return a * b;",
     [](const Scalar& a, const Scalar& b) { return Scalar::of(a.type, a.real * b.real); }, false}};

const Reduction* find_reduction(std::string_view name) {
  const auto found = std::ranges::find(reductions, name, &Reduction::name);
  return found == std::end(reductions) ? nullptr : &*found;
}

Scalar neutral_of(std::string_view name, Type type) {
  if (name == "product") return Scalar::of(type, 1.0);
  if (name != "bit_and") return Scalar::of(type, Int128{0});
  return Scalar::of(type, is_signed(type) ? Int128{-1} : expr::range_of(type).maximum);
}

}  // namespace

const NamedStatistic* statistic_named(std::string_view name) {
  const auto found = std::ranges::find(statistics, name, &NamedStatistic::name);
  return found == std::end(statistics) ? nullptr : &*found;
}

std::optional<relation::Share> share_of(const Tree& call) {
  const Tree quantiles = call["function_data"]["quantiles"];
  const std::vector<Tree> inputs = inputs_of(call);
  if (quantiles.size() > 1 || (quantiles.size() == 0 && inputs.size() < 2)) return std::nullopt;
  const Tree value = quantiles.size() == 1 ? quantiles.at(0) : inputs[1]["value"];
  if (!value["type"]) return relation::Share{0, 0, std::clamp(value.real(), 0.0, 1.0)};
  const std::optional<Scalar> scalar = value_of_json(value);
  if (!scalar || scalar->is_null) return std::nullopt;
  relation::Share share;
  if (scalar->type.kind != Kind::decimal) {
    share = {
        0, 0,
        std::fabs(is_float(scalar->type) ? scalar->real : static_cast<double>(scalar->integer))};
    return share.real <= 1 ? std::optional(share) : std::nullopt;
  }
  const int digits = scalar->type.scale;
  share.real = std::fabs(static_cast<double>(scalar->integer)) / std::pow(10.0, digits);
  share.scale = 0;
  if (share.real <= 1 && digits <= max_share_digits) {
    share.numerator =
        static_cast<std::int64_t>(scalar->integer < 0 ? -scalar->integer : scalar->integer);
    share.scale = static_cast<std::int64_t>(std::pow(10.0, digits));
  }
  return share.real <= 1 ? std::optional(share) : std::nullopt;
}

std::shared_ptr<const CustomReduction> reduction_named(std::string_view name, Type type) {
  const Reduction* const row = find_reduction(name);
  const bool takes_type = name == "product" ? type.kind == Kind::float64 : is_integer(type);
  if (!row || !takes_type) return nullptr;
  return std::make_shared<const CustomReduction>(
      CustomReduction{std::string(name), type, neutral_of(name, type), std::string(row->body),
                      row->host, true, true});
}

bool is_reduction(std::string_view name) { return find_reduction(name) != nullptr; }

bool ignores_repeated(std::string_view name) {
  const Reduction* const row = find_reduction(name);
  return row && row->ignores_repeated;
}

}  // namespace penstock::sql
