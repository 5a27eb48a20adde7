// Stages of a plan: which steps fuse into one kernel, and which are computed on the host.
#pragma once
#include <optional>
#include <vector>

#include "fuse/program/tile_program.hpp"

namespace penstock::plan {

Status check_result(const Plan& plan, StepId result);
// Returns for each step how many steps or results read it.
std::vector<std::uint32_t> count_consumers(const Plan& plan, const std::vector<StepId>& results);
// Returns whether a step is computed by the interpreter. That is so for filters and maps over the
// rows of an aggregate, sort or limit: there are few. Groups that a kernel reads in a later step
// are left to kernels. It is also so for aggregates with keys or arguments of 128 bits, for
// functions of strings row by row, which kernels do not compute, and for filters and maps of their
// rows.
bool finishes_on_host(const Plan& plan, StepId id);
// Returns whether a step's rows are columns of groups, or of a window's rows, that a kernel reads
// in a later step.
bool passes_columns(const Plan& plan, StepId id);
// Returns whether no kernel yields a step: steps on the host, limits, orders and windows.
bool has_no_kernel(const Plan& plan, StepId id);
// Returns how many rows a step yields, if its source states its number of rows and no step on the
// way drops or adds any.
std::optional<std::uint64_t> known_row_count(const Plan& plan, StepId id);
// Returns how many first rows of its input a step on the host needs for `row_limit` of its own.
std::uint64_t rows_needed(const Step& step, std::uint64_t row_limit);
// Returns the top-k that a kernel's rows are cut down to while they stream, if an ORDER BY needs
// few first rows of a kernel's output.
std::optional<TopK> top_k_of(const Plan& plan, StepId order, std::uint64_t row_limit,
                             const std::vector<std::uint32_t>& consumers);
// A group-by with an order that needs only its first groups, by columns of the group-by.
struct OrderedGroups {
  StepId groups = no_step;
  TopK first;
};
// Returns nothing if the order is not of groups, or if another step reads them too. A map on the
// host may be between, if it computes no key.
std::optional<OrderedGroups> ordered_groups(const Plan& plan, StepId order, std::uint64_t row_limit,
                                            const std::vector<std::uint32_t>& consumers);
// Returns the step that the kernel of `last` reads: a source, a step with several consumers, or a
// small result. The chain passes through joins by their left sides. These are lookups, as long as
// no key repeats on the right.
StepId chain_base(const Plan& plan, StepId last, const std::vector<std::uint32_t>& consumers);

}  // namespace penstock::plan
