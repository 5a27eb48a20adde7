// The fuse pass: which chain yields a step, and its tile programs.
#include "exec/physical/execution.hpp"
#include "fuse/program/stages.hpp"

namespace penstock::plan {

// Returns the chain that yields a step; or, for an ORDER BY, the first of the step's rows.
Result<Chain*> Execution::chain_of(StepId id, const Columns& wanted, StepId order,
                                   const std::optional<TopK>& top_k) {
  const auto [at, inserted] = chains_.try_emplace({id, order});
  Chain& chain = at->second;
  if (!inserted && chain.wanted == wanted) return &chain;
  chain.last = id;
  chain.wanted = wanted;
  chain.top_k = top_k;
  PENSTOCK_TRY(fuse(chain, chain_base(plan_, id, consumers_)));
  return &chain;
}

Status Execution::fuse(Chain& chain, StepId base) {
  chain.base = base;
  chain.kernels.clear();
  chain.selected.reset();
  chain.paged.reset();
  chain.reads_ahead = false;
  chain.scanned.reset();
  chain.begun = {};
  chain.pairs.reset();
  bool was_fused = false;
  PENSTOCK_ASSIGN(chain.programs,
                  programs_of_chain(plan_, {chain.base, chain.last, chain.wanted, chain.top_k},
                                    options_.kept_programs.get(), was_fused));
  report_.chains_fused += was_fused;
  const std::optional<Traits> traits = expected_traits();
  const bool is_sorted = is_ordered(plan_, chain.last) && !options_.validate;
  chain.stays = traits && chain.programs.size() == 1 &&
                (is_right_side(plan_, chain.last) || paired_.contains(chain.last) || is_sorted ||
                 are_joined(chain.last)) &&
                may_stay(chain.last) && write_rows_on_device(chain.programs[0], *traits);
  return {};
}

}  // namespace penstock::plan
