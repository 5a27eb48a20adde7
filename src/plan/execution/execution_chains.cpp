// Chains of an execution: fused, with their kernels begun, and the right sides of the joins in
// them.
#include "plan/execution/execution.hpp"
#include "plan/fusion/stages.hpp"
#include "plan/join/join_on_host.hpp"

namespace penstock::plan {

// What yields a step, begun or not; or, for an order, the first of its rows.
Result<Chain*> Execution::chain_of(StepId id, const Columns& wanted, StepId order,
                                   const std::optional<TopK>& top_k) {
  const auto [at, inserted] = chains_.try_emplace({id, order});
  Chain& chain = at->second;
  if (!inserted && chain.wanted == wanted) return &chain;
  chain.last = id;
  chain.wanted = wanted;
  chain.top_k = top_k;
  PENSTOCK_TRY(fuse_from(chain, chain_base(plan_, id, consumers_)));
  return &chain;
}

Status Execution::fuse_from(Chain& chain, StepId base) {
  chain.base = base;
  chain.kernels.clear();
  PENSTOCK_ASSIGN(chain.programs, chain.wanted.empty()
                                      ? fuse_slices(plan_, base, chain.last, chain.top_k)
                                      : fuse_slices(plan_, base, chain.last, chain.wanted));
  return {};
}

Status Execution::begin_kernels(Chain& chain) {
  const TileKernel::Options options{options_.fast_math, options_.variant, options_.on_source,
                                    options_.memory_limit_bytes};
  for (std::size_t i = chain.kernels.size(); i < chain.programs.size(); i++) {
    PENSTOCK_ASSIGN(auto kernel, TileKernel::begin(device_.get(), chain.programs[i], options));
    chain.kernels.push_back(std::move(kernel));
  }
  return {};
}

// Has the kernels of all chains below a step compiled, in as many threads: a chain whose rows come
// from another need not wait for the other's end with its compiler.
Status Execution::begin_chains(StepId id, std::uint64_t row_limit, const Columns& wanted) {
  if (!begun_.insert(id).second) return {};
  if (consumers_[id] > 1) row_limit = ~std::uint64_t{0};
  if (needs_no_scan(id)) return {};
  const Step& step = plan_.step(id);
  if (step.kind == StepKind::order_by)
    if (const std::optional<TopK> top_k = top_k_of(plan_, id, row_limit, consumers_)) {
      PENSTOCK_ASSIGN(Chain* const chain, chain_of(step.inputs[0], {}, id, top_k));
      return begin_chain(*chain);
    }
  if (has_no_kernel(plan_, id)) {
    for (const StepId input : step.inputs)
      PENSTOCK_TRY(begin_chains(input, rows_needed(step, row_limit)));
    return {};
  }
  if (is_multiple(id))
    return begin_chains(step.inputs[0], ~std::uint64_t{0}, columns_of_left(step, wanted));
  if (const auto running = chains_.find({id, no_step}); running != chains_.end())
    return begin_chain(running->second);
  PENSTOCK_ASSIGN(Chain* const chain, chain_of(id, columns_asked_for(id, wanted)));
  return begin_chain(*chain);
}

Status Execution::begin_chain(Chain& chain) {
  if (!plan_.step(chain.base).source)
    PENSTOCK_TRY(begin_chains(chain.base, ~std::uint64_t{0}, columns_scanned(chain.programs)));
  for (std::size_t i = 0; i < chain.programs[0].lookups.size(); i++) {
    const Step& join = plan_.step(chain.programs[0].lookups[i].step);
    if (!plan_.step(join.inputs[1]).source)
      PENSTOCK_TRY(begin_chains(join.inputs[1], ~std::uint64_t{0},
                                columns_looked_up(join, chain.programs, i)));
  }
  return begin_kernels(chain);
}

// Makes the tables that programs look up in, the last join's first; the join where the keys are not
// unique, if there is one.
Result<StepId> Execution::build_sides(const Chain& chain) {
  const std::vector<Lookup>& lookups = chain.programs[0].lookups;
  for (std::size_t i = lookups.size(); i-- > 0;) {
    const Step& join = plan_.step(lookups[i].step);
    PENSTOCK_TRY(build_side(lookups[i].step, columns_looked_up(join, chain.programs, i)));
    if (is_multiple(lookups[i].step)) return lookups[i].step;
  }
  return StepId{no_step};
}

Status Execution::build_side(StepId join, const Columns& columns) {
  if (sides_.contains(join)) return {};
  const Step& step = plan_.step(join);
  BuildSide side;
  PENSTOCK_ASSIGN(side.rows, materialise(step.inputs[1], ~std::uint64_t{0}, columns));
  const HostSpan span(recording_.get(), "table of a join");
  std::vector<Column> keys;
  for (const JoinKey& key : step.join_keys) keys.push_back(side.rows.columns[key.right]);
  PENSTOCK_ASSIGN(side.table,
                  JoinTable::build(keys, strings_, yields_right_columns(step.join_kind)));
  sides_[join] = std::make_shared<const BuildSide>(std::move(side));
  return {};
}

// Whether a join is known to be one that a kernel's lookup is not.
bool Execution::is_multiple(StepId join) const {
  const auto side = sides_.find(join);
  return side != sides_.end() && yields_right_columns(plan_.step(join).join_kind) &&
         !side->second->table.is_unique();
}

Result<Table> Execution::join_rows(StepId id, Columns wanted) {
  const Step& step = plan_.step(id);
  const Columns columns = columns_of_left(step, wanted);
  PENSTOCK_ASSIGN(const Table left, materialise(step.inputs[0], ~std::uint64_t{0}, columns));
  const HostSpan span(recording_.get(), "join on the host");
  return join_on_host(step, left, *sides_.at(id), strings_, wanted);
}

}  // namespace penstock::plan
