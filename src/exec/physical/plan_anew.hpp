// The loop of runs: a run that finds out that its plan does not hold ends with an error, and begins
// anew by another plan.
//
// reason                                            keeps what was computed   how often
// another device than the expected one has opened   yes                       once
// keys of a right side repeat                       yes                       once a join
// kernels cannot read a page                        no                        once
// a column has NULLs where its file counts none     no                        once a column
// keys repeat that a preferred plan needs unique    no                        once
// memory is short, and a session keeps some         no                        once a set of NULLs
//
// So a statement of j joins over c columns is planned at most 2 (j + 2) times for each of at most
// 2 (c + 2) beginnings. A list of devices has its own rule for devices that fail
// (exec/devices/share_run.hpp).
#pragma once
#include "penstock/status.hpp"

namespace penstock::plan {

// Calls `attempt` until it succeeds, or `plan_anew` returns false for its error.
template <class Attempt, class PlanAnew>
auto run_until_planned(const Attempt& attempt, const PlanAnew& plan_anew) -> decltype(attempt()) {
  for (;;) {
    auto outcome = attempt();
    if (outcome.ok()) return outcome;
    PENSTOCK_ASSIGN(const bool goes_on, plan_anew(outcome.status()));
    if (!goes_on) return outcome;
  }
}

}  // namespace penstock::plan
