// The fuse pass: which chain yields a step, and its tile programs.
#include "plan/execution/execution.hpp"
#include "plan/fusion/stages.hpp"

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

// Fuses the chain's steps, unless an earlier run of the plan has.
Result<std::vector<TileProgram>> Execution::programs_of(const Chain& chain) {
  const KeptPrograms::ChainKey key{chain.base, chain.last, chain.wanted, chain.top_k};
  if (kept_)
    if (auto known = kept_->find_chain(key)) return *std::move(known);
  PENSTOCK_ASSIGN(std::vector<TileProgram> programs,
                  fuse_chain(plan_, chain.base, chain.last, chain.wanted, chain.top_k));
  report_.chains_fused++;
  if (kept_) kept_->keep_chain(key, programs);
  return programs;
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
  PENSTOCK_ASSIGN(chain.programs, programs_of(chain));
  const std::optional<Traits> traits = expected_traits();
  const bool is_sorted = is_ordered(plan_, chain.last) && !options_.validate;
  chain.stays = traits && chain.programs.size() == 1 &&
                (is_right_side(plan_, chain.last) || paired_.contains(chain.last) || is_sorted ||
                 are_joined(chain.last)) &&
                may_stay(chain.last) && write_rows_on_device(chain.programs[0], *traits);
  return {};
}

}  // namespace penstock::plan
