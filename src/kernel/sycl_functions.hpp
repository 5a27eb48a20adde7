// Functions by which a SYCL program launches the kernels of a text that it includes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::kernel {

// Returns what goes before a SYCL text that is to be included: how it is used, and GROUP_SIZE.
std::string sycl_header_begin(std::uint32_t group_size);

// Returns, for each KERNEL of an assembled SYCL text, `kernelc::launch_<name>(queue, groups, ...)`
// with typed USM pointers and values, and a comment of what each is.
std::string sycl_functions(std::string_view text);

}  // namespace penstock::kernel
