// Samples the program counters of kernels with CUPTI's PC sampling, during one run.
#pragma once
#include <memory>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cupti.hpp"

namespace penstock::cuda {

Result<std::unique_ptr<StallSampler>> begin_pc_sampling(ContextPointer context,
                                                        std::shared_ptr<SampledPrograms> programs);
// The same with a CUPTI that is open.
Result<std::unique_ptr<StallSampler>> begin_pc_sampling(Cupti cupti, ContextPointer context,
                                                        std::shared_ptr<SampledPrograms> programs);

}  // namespace penstock::cuda
