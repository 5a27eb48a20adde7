// Checks of both drivers before they enqueue: a driver's own answer to a wrong range is a lost
// device at best.
#pragma once
#include "penstock/device.hpp"

namespace penstock::device {

Status check_range(std::string_view call, const Buffer& buffer, std::uint64_t bytes,
                   std::uint64_t offset);
Status check_copy(const Buffer& to, const Buffer& from, std::uint64_t bytes);
Status check_fill(const Buffer& to, std::uint64_t bytes);
Status check_argument_count(std::string_view kernel, std::size_t wanted, std::size_t given);
// Call on failure only: a launch that succeeds must not pay for strings.
Status with_argument(const Status& status, std::size_t index, std::string_view kernel);

}  // namespace penstock::device
