// Functions by which a SYCL program launches the kernels of a text that it includes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/signature.hpp"

namespace penstock::kernel {

// Returns an assembled SYCL text as a header that a program may include, with others of its kind
// and more than once. It leaves no macro behind, but for its guard; numbers that a text defines as
// PIPELINE_<...> are constants then. Its namespace, kernelc_<hash of the text>, has a function for
// each KERNEL: `launch_<name>(queue, groups, ...)` with typed USM pointers and values, and comments
// of what each is.
std::string sycl_header(std::string_view text, std::uint32_t group_size,
                        const DescribeParameter& describe = {});

}  // namespace penstock::kernel
