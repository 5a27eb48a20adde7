// Which device a rank takes, and how many rows it is given.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/ranks.hpp"

namespace penstock::ranks {

// Returns an id for open_device(): the `local_rank`-th device of a list, or of a kind, counted
// round. An id is itself.
Result<std::string> device_of_rank(const std::string& selector, std::uint32_t local_rank);

// Returns a weight for each rank, the same on all: equal ones where all have one kind of device,
// otherwise measured copy bandwidths. Ranks of a host that have one device share its bandwidth.
// All ranks call it; a device that did not open is an error of all.
Result<std::vector<double>> weights_of_ranks(Communicator& communicator,
                                             const Result<std::shared_ptr<Device>>& device);

}  // namespace penstock::ranks
