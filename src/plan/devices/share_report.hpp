// The report of a run as one, of those of its shares.
#pragma once
#include "penstock/plan.hpp"

namespace penstock::plan {

// Adds up counts; of times the longest counts. Kernels are moved, and a note is taken once.
void add_report(RunReport& all, RunReport& share);

}  // namespace penstock::plan
