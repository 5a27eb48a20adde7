// A step of your own: a scalar function and a reduction, each given as Kernel C for the device and
// as C++ for what it means.
//
//     custom_step [DEVICE]
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "penstock/query.hpp"

using namespace penstock;

template <class T> T take(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "custom_step: %s\n", result.status().text().c_str());
  std::exit(1);
}

int main(int argument_count, char** arguments) {
  const RunOptions options{.device = argument_count > 1 ? arguments[1] : ""};
  const auto squared_norm =
      custom_function<double(double, double)>("squared_norm", {"x", "y"}, "return x * x + y * y;",
                                              [](double x, double y) { return x * x + y * y; });
  const auto farthest = custom_reduction<double>("farthest", 0.0, "return a > b ? a : b;",
                                                 [](double a, double b) { return a > b ? a : b; },
                                                 {.associative = true, .commutative = true});

  std::vector<double> x, y;
  for (int i = 0; i < 100'000; i++) {
    x.push_back(i % 301 - 150);
    y.push_back(i % 211 - 105);
  }
  const auto distances = from(x, y).map([&](auto a, auto b) { return squared_norm(a, b); });
  RunReport report;
  const double answer = take(distances.reduce(farthest).run(options, &report));
  const double mean = take(distances.avg().run(options)).value_or(0);
  std::printf("farthest point: %g from the origin; mean squared distance %g; on %s (%s)\n",
              std::sqrt(answer), mean, report.device_id.c_str(), report.device_name.c_str());

  double expected = 0;
  for (std::size_t i = 0; i < x.size(); i++)
    expected = std::max(expected, x[i] * x[i] + y[i] * y[i]);
  if (answer == expected) return 0;
  std::fprintf(stderr, "custom_step: a loop says %g\n", expected);
  return 1;
}
