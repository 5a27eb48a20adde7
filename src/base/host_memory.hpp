// Tells the host's memory that ran out from a device's: both are Code::no_memory.
#pragma once
#include "penstock/status.hpp"

namespace penstock {

// Returns whether a status is status_of_exception() of an allocation of the C++ library.
bool is_of_host_memory(const Status& status);

}  // namespace penstock
