// Makes one report of a run from the reports of its shares.
#pragma once
#include "penstock/run.hpp"

namespace penstock::plan {

// Adds up counts; for times the longest counts. Kernels are moved, and a note is taken once.
void add_report(RunReport& all, RunReport& share);
// `begin_seconds`: since the run began. Takes the profile, and copies the rest.
DeviceShareReport report_of_share(RunReport& report, double begin_seconds);
// `before`: the kernels of other shares that come before its own in the report of the run.
void number_kernels(DeviceShareReport& share, std::size_t before);

}  // namespace penstock::plan
