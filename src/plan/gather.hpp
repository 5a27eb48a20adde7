// Rows of host columns picked by number.
#pragma once
#include <cstdint>
#include <span>

#include "penstock/column.hpp"

namespace penstock::plan {

// Row i of the result is row rows[i] of `column`. A dictionary stays as it is.
Column gather(const Column& column, std::span<const std::uint64_t> rows);
Table gather(const Table& table, std::span<const std::uint64_t> rows);

}  // namespace penstock::plan
