// What all ranks must have alike, so that the shares of one are shares of the same answer.
#pragma once
#include <vector>

#include "exec/devices/cuts.hpp"
#include "penstock/ranks.hpp"

namespace penstock::ranks {

// Of a bound plan: its tables as the rank sees them; its steps with their literals; its cuts and
// the row groups below them; the options that answers depend on.
MessageBytes bytes_to_agree_on(const Plan& plan, const std::vector<plan::Cut>& cuts,
                               const RunOptions& options);
// Says what a rank has otherwise than rank 0; ok where the bytes are equal.
Status compare_with_first(const MessageBytes& of_rank, const MessageBytes& of_first);

}  // namespace penstock::ranks
