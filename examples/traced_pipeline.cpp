// A pipeline over vectors, written as lambdas: filter, map and sum become one kernel, compiled for
// the device when it runs.
//
//     traced_pipeline [DEVICE]      such as cuda:0 or cpu; the first usable device otherwise
#include <cstdio>
#include <cstdlib>

#include "penstock/query.hpp"

using namespace penstock;

template <class T> T take(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "traced_pipeline: %s\n", result.status().text().c_str());
  std::exit(1);
}

int main(int argument_count, char** arguments) {
  const RunOptions options{.device = argument_count > 1 ? arguments[1] : ""};
  std::vector<float> prices;
  std::vector<std::optional<std::int32_t>> quantities;  // one in seven is missing
  for (int i = 0; i < 1'000'000; i++) {
    prices.push_back(static_cast<float>(i % 1000) / 4);
    quantities.push_back(i % 7 == 0 ? std::nullopt : std::optional(i % 20));
  }

  const float floor = 100;  // an argument of the kernel: another value compiles nothing
  const auto discounted =
      from(prices, quantities)
          .filter([=](auto price, auto quantity) { return price * 2 > floor && quantity > 3; })
          .map([](auto price, auto quantity) {
            return select(quantity > 10, price * 0.75f, price);
          });
  const auto total = discounted.sum();
  std::printf("%s\n", take(total.explain()).c_str());

  RunReport report;
  const double answer = take(total.run(options, &report));
  const std::vector<float> first = take(discounted.limit(3).values(options));
  std::printf("total %.2f on %s (%s); the first three: %g %g %g\n", answer,
              report.device_id.c_str(), report.device_name.c_str(), first[0], first[1], first[2]);

  double expected = 0;
  for (std::size_t i = 0; i < prices.size(); i++)
    if (prices[i] * 2 > floor && quantities[i] && *quantities[i] > 3)
      expected += *quantities[i] > 10 ? prices[i] * 0.75f : prices[i];
  if (answer == expected) return 0;  // quarters of small numbers: exact in any order
  std::fprintf(stderr, "traced_pipeline: a loop says %.2f\n", expected);
  return 1;
}
