// The kernels of kernels/window.kc, over rows in an order that a device found.
#pragma once
#include "penstock/column.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// `bits`: of a sort's words.
RowKernels kernels_of_words(std::shared_ptr<Device> device, std::uint32_t bits);
RowKernels kernels_of_values(std::shared_ptr<Device> device, Type type);  // of an added column

}  // namespace penstock::plan
