// The row of every lambda here; included before each file, as a precompiled header.
#include "penstock/query.hpp"

using namespace penstock;

struct Row {
  Col<"price", float> price;
  Col<"quantity", opt<std::int32_t>> quantity;
  Col<"url", str> url;
  Col<"paid", bool> paid;
  Col<"shipped", date> shipped;
  Col<"id", std::uint64_t> id;
  Col<"discount", decimal<15, 2>> discount;
};
