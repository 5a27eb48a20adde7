// Variances, covariances and what is made of them. Each group's means are joined to its rows, and
// products of the distances from them are added up. A mean is rounded: the sum of the distances
// tells by how much, and corrects the other sums (Chan, Golub and LeVeque, 1983).
#include <algorithm>

#include "relation/statistics/statistics.hpp"

namespace penstock::relation {
namespace {

constexpr Type real_type{Kind::float64};

// Arithmetic on DOUBLE, and the first error that it met.
class Formula {
 public:
  explicit Formula(Builder& rows) : rows_(rows) {}
  NodeId column(std::uint32_t number) { return taken(rows_.cast(rows_.column(number), real_type)); }
  NodeId number(double value) { return rows_.literal(Scalar::of(value)); }
  NodeId operator()(Op op, NodeId a, NodeId b) { return taken(rows_.binary(op, a, b)); }
  NodeId operator()(Op op, NodeId a) { return taken(rows_.unary(op, a)); }
  NodeId times(NodeId a, NodeId b) { return (*this)(Op::multiply, a, b); }
  NodeId over(NodeId a, NodeId b) { return (*this)(Op::divide, a, b); }
  NodeId minus(NodeId a, NodeId b) { return (*this)(Op::subtract, a, b); }
  NodeId plus(NodeId a, NodeId b) { return (*this)(Op::add, a, b); }
  NodeId root(NodeId a) { return (*this)(Op::square_root, a); }
  // NULL of fewer values.
  NodeId of_at_least(double count, NodeId counted, NodeId value) {
    const NodeId is_enough = (*this)(Op::greater_equal, counted, number(count));
    return taken(rows_.select(is_enough, value, rows_.literal(Scalar::null_of(real_type))));
  }
  NodeId choose(NodeId condition, NodeId then, NodeId otherwise) {
    return taken(rows_.select(condition, then, otherwise));
  }
  NodeId nothing() { return rows_.literal(Scalar::null_of(real_type)); }
  Result<NodeId> result(NodeId value) const {
    return status_.ok() ? Result<NodeId>(value) : status_;
  }

 private:
  NodeId taken(const Result<NodeId>& node) {
    if (!node.ok() && status_.ok()) status_ = node.status();
    return node.ok() ? *node : 0;
  }
  Builder& rows_;
  Status status_;
};

// Central moments of a group, from means of powers of the distances from a rounded mean.
struct CentralMoments {
  NodeId second, third, fourth;
};
CentralMoments central_moments(Formula& f, NodeId n, std::uint32_t first) {
  const NodeId shift = f.over(f.column(first), n), squares = f.over(f.column(first + 1), n),
               cubes = f.over(f.column(first + 2), n), fourths = f.over(f.column(first + 3), n),
               shift2 = f.times(shift, shift);
  const auto times = [&](double factor, NodeId a, NodeId b) {
    return f.times(f.number(factor), f.times(a, b));
  };
  return {f.minus(squares, shift2),
          f.plus(f.minus(cubes, times(3, shift, squares)), times(2, shift, shift2)),
          f.minus(f.plus(f.minus(fourths, times(4, shift, cubes)), times(6, shift2, squares)),
                  times(3, shift2, shift2))};
}

// The calls of one argument, in their order: the count, sums of the first to fourth powers.
Result<NodeId> moment_of(Statistic function, Builder& rows, std::uint32_t first) {
  Formula f(rows);
  const NodeId n = f.column(first), one = f.number(1), below = f.minus(n, one);
  const CentralMoments moments = central_moments(f, n, first + 1);
  const NodeId of_population = moments.second,
               of_sample = f.of_at_least(2, n, f.over(f.times(of_population, n), below));
  switch (function) {
    case Statistic::population_variance: return f.result(f.of_at_least(1, n, of_population));
    case Statistic::sample_variance: return f.result(of_sample);
    case Statistic::population_deviation:
      return f.result(f.of_at_least(1, n, f.root(of_population)));
    case Statistic::sample_deviation: return f.result(f.root(of_sample));
    case Statistic::standard_error:
      return f.result(f.of_at_least(1, n, f.over(f.root(of_population), f.root(n))));
    default: break;
  }
  const NodeId two = f.number(2), three = f.number(3);
  if (function == Statistic::skewness) {
    const NodeId scale = f.over(f.root(f.times(n, below)), f.minus(n, two)),
                 spread = f.times(of_population, f.root(of_population)),
                 value = f.over(f.times(scale, moments.third), spread);
    const NodeId varies = f(Op::greater, of_population, f.number(0));
    return f.result(f.choose(varies, f.of_at_least(3, n, value), f.nothing()));
  }
  const NodeId excess = f.over(moments.fourth, f.times(of_population, of_population));
  const NodeId is_spread = f(Op::greater, of_population, f.number(0));
  if (function == Statistic::population_kurtosis)
    return f.result(f.choose(is_spread, f.of_at_least(2, n, f.minus(excess, three)), f.nothing()));
  const NodeId factor = f.over(below, f.times(f.minus(n, two), f.minus(n, three))),
               inner = f.minus(f.times(f.plus(n, one), excess), f.times(three, below)),
               value = f.times(factor, inner);
  return f.result(f.choose(is_spread, f.of_at_least(4, n, value), f.nothing()));
}

// The calls of two arguments, in their order: the count of pairs, sums of the distances of y and x,
// of their squares and their products, and the means of y and x.
Result<NodeId> pair_of(Statistic function, Builder& rows, std::uint32_t first) {
  Formula f(rows);
  const NodeId n = f.column(first), y = f.column(first + 1), x = f.column(first + 2),
               mean_y = f.column(first + 6), mean_x = f.column(first + 7), zero = f.number(0);
  const auto corrected = [&](std::uint32_t column, NodeId a, NodeId b) {
    return f.minus(f.column(column), f.over(f.times(a, b), n));
  };
  const NodeId yy = corrected(first + 3, y, y), xx = corrected(first + 4, x, x),
               xy = corrected(first + 5, x, y);
  const NodeId x_varies = f(Op::greater, xx, zero), y_varies = f(Op::greater, yy, zero);
  const NodeId slope = f.choose(x_varies, f.over(xy, xx), f.nothing());
  switch (function) {
    case Statistic::population_covariance: return f.result(f.of_at_least(1, n, f.over(xy, n)));
    case Statistic::sample_covariance:
      return f.result(f.of_at_least(2, n, f.over(xy, f.minus(n, f.number(1)))));
    case Statistic::correlation: return f.result(f.over(xy, f.times(f.root(xx), f.root(yy))));
    case Statistic::slope: return f.result(f.over(xy, xx));
    case Statistic::intercept: return f.result(f.minus(mean_y, f.times(slope, mean_x)));
    case Statistic::determination: {
      const NodeId value = f.over(f.times(xy, xy), f.times(xx, yy));
      return f.result(f.choose(x_varies, f.choose(y_varies, value, f.number(1)), f.nothing()));
    }
    case Statistic::squares_of_x: return f.result(xx);
    case Statistic::squares_of_y: return f.result(yy);
    case Statistic::products: return f.result(xy);
    case Statistic::mean_of_x: return f.result(mean_x);
    case Statistic::mean_of_y: return f.result(mean_y);
    default: return f.result(n);
  }
}

}  // namespace

Result<std::uint32_t> Statistics::real_of(const Counted& counted, std::uint32_t column) {
  PENSTOCK_ASSIGN(const std::uint32_t value, computed([&](Builder& rows) {
                    return rows.cast(rows.column(column), real_type);
                  }));
  return picked(counted, value);
}

void Statistics::sum_of_products(std::vector<std::uint32_t> factors) {
  products_.push_back({calls_.size(), std::move(factors)});
  call(Aggregate::sum, 0);  // with_means() says of which column
}

Status Statistics::add_moment(const StatisticCall& call) {
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {call.arguments[0]}));
  PENSTOCK_ASSIGN(const std::uint32_t x, real_of(counted, call.arguments[0]));
  const std::size_t first_call = calls_.size();
  this->call(Aggregate::count, x);
  for (const std::size_t power : {1u, 2u, 3u, 4u})
    sum_of_products(std::vector<std::uint32_t>(power, x));
  finish(first_call, [function = call.function](Builder& groups, std::uint32_t first) {
    return moment_of(function, groups, first);
  });
  return {};
}

Status Statistics::add_pair(const StatisticCall& call) {
  PENSTOCK_ASSIGN(const Counted counted,
                  this->counted(call, {call.arguments[0], call.arguments[1]}));
  PENSTOCK_ASSIGN(const std::uint32_t y, real_of(counted, call.arguments[0]));
  PENSTOCK_ASSIGN(const std::uint32_t x, real_of(counted, call.arguments[1]));
  const std::size_t first_call = calls_.size();
  this->call(Aggregate::count, x);
  sum_of_products({y});
  sum_of_products({x});
  sum_of_products({y, y});
  sum_of_products({x, x});
  sum_of_products({x, y});
  this->call(Aggregate::average, y);
  this->call(Aggregate::average, x);
  finish(first_call, [function = call.function](Builder& groups, std::uint32_t first) {
    return pair_of(function, groups, first);
  });
  return {};
}

// Adds the products of the distances from the means of the groups behind the columns.
Result<RelationId> Statistics::with_means() {
  Builder columns(schema());
  RelationAggregate means;
  means.graph = columns.graph();
  RelationJoin join;
  for (const std::uint32_t key : keys_) {
    join.keys.push_back({key, static_cast<std::uint32_t>(means.keys.size()), true});
    means.keys.push_back({schema()[key].name, columns.column(key)});
  }
  ColumnList factors;
  for (const Products& products : products_)
    for (const std::uint32_t factor : products.factors)
      if (std::ranges::find(factors, factor) == factors.end()) factors.push_back(factor);
  for (const std::uint32_t factor : factors)
    means.aggregates.push_back({Aggregate::average, columns.column(factor), "mean", {}});
  PENSTOCK_ASSIGN(const RelationId groups, relations_.aggregate(rows_, std::move(means)));
  const std::uint32_t first_mean = width() + static_cast<std::uint32_t>(keys_.size());
  PENSTOCK_ASSIGN(const RelationId joined, relations_.join(rows_, groups, std::move(join)));
  Builder rows(relations_.at(joined).schema);
  std::vector<Projection> projections;
  for (std::uint32_t i = 0; i < width(); i++)
    projections.push_back({schema()[i].name, rows.column(i)});
  for (const Products& products : products_) {
    std::optional<NodeId> product;
    for (const std::uint32_t factor : products.factors) {
      const auto place = std::ranges::find(factors, factor) - factors.begin();
      const NodeId mean = rows.column(first_mean + static_cast<std::uint32_t>(place));
      PENSTOCK_ASSIGN(NodeId distance, rows.binary(Op::subtract, rows.column(factor), mean));
      if (product) { PENSTOCK_ASSIGN(distance, rows.binary(Op::multiply, *product, distance)); }
      product = distance;
    }
    calls_[products.call].argument = static_cast<NodeId>(projections.size());
    projections.push_back({"product", *product});
  }
  return relations_.project(joined, rows.graph(), std::move(projections));
}

}  // namespace penstock::relation
