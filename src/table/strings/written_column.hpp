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

// `validity` is null if every value is present. Values that need no conversion stay in place.
Column column_of_written(Type type, std::uint64_t row_count,
                         const std::shared_ptr<HostBuffer>& values,
                         const std::shared_ptr<HostBuffer>& validity, const TextOfCode& text_of);

}  // namespace penstock::plan
