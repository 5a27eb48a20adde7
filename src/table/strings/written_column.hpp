// Columns of elements that kernels write: a byte for a boolean and for a row's validity, a code of
// the pool for a string.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "penstock/device.hpp"
#include "table/strings/string_pool.hpp"

namespace penstock::plan {

using TextOfCode = std::function<std::string_view(std::uint32_t code)>;

// Returns a column of strings, by threads. `column` has their type, number and validity. It gets a
// dictionary of the codes that occur, unless the codes are many more than its rows.
Column column_of_codes(Column column, const std::uint32_t* codes, const TextOfCode& text_of);
// `validity` is null if every value is present. Values that need no conversion stay in place.
Column column_of_written(Type type, std::uint64_t row_count,
                         const std::shared_ptr<HostBuffer>& values,
                         const std::shared_ptr<HostBuffer>& validity, const TextOfCode& text_of);

}  // namespace penstock::plan
