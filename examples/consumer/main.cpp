#include <cstdio>

#include <penstock/penstock.hpp>

int main() {
  const auto sum =
      penstock::from(std::vector<float>{1, 2, 3}).filter([](auto x) { return x > 1; }).sum();
  const penstock::Result<double> answer = sum.run();
  if (!answer.ok()) {
    std::fprintf(stderr, "%s\n", answer.status().text().c_str());
    return 1;
  }
  std::printf("%g\n", *answer);
  return *answer == 5 ? 0 : 1;
}
