// Properties that all ranks must have alike, so that their shares belong to the same answer.
#pragma once
#include <vector>

#include "exec/devices/cuts.hpp"
#include "penstock/ranks.hpp"

namespace penstock::ranks {

// Writes down a bound plan: its tables as the rank sees them, its steps with their literals, its
// cuts and the row groups below them, and the options that answers depend on.
MessageBytes bytes_to_agree_on(const Plan& plan, const std::vector<plan::Cut>& cuts,
                               const RunOptions& options);
// Says how a rank differs from rank 0; ok if the bytes are equal.
Status compare_with_first(const MessageBytes& of_rank, const MessageBytes& of_first);

}  // namespace penstock::ranks
