// says: cast: there is no conversion between these types
#include "row.hpp"

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return cast<int>(r.url); });
}
