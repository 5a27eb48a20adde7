#include "plan/execution/kept_programs.hpp"

#include <algorithm>
#include <ranges>

#include "plan/fusion/kernel_steps.hpp"

namespace penstock::plan {
namespace {

// A statement has a few of each, and of its kernels some for each combination of options that it
// was run with. A text has some 100 KB.
constexpr std::size_t max_chains = 32, max_kernels_of_device = 32, max_groups_of_device = 16;

// A run changes a bound's parameters, which stand in the graph, from chunk to chunk.
TileProgram with_own_bound(TileProgram program) {
  if (program.bound) program.graph = std::make_shared<Graph>(*program.graph);
  return program;
}

std::vector<TileProgram> with_own_bounds(const std::vector<TileProgram>& programs) {
  std::vector<TileProgram> own;
  own.reserve(programs.size());
  for (const TileProgram& program : programs) own.push_back(with_own_bound(program));
  return own;
}

// Returns what is wanted, as the most recently used from now on; null where it is not there.
template <class Entry, class IsWanted>
const Entry* use(std::list<Entry>& entries, const IsWanted& is_wanted) {
  const auto known = std::ranges::find_if(entries, is_wanted);
  if (known == entries.end()) return nullptr;
  entries.splice(entries.begin(), entries, known);
  return &entries.front();
}

// Takes the least recently used entry of a device out of a list where it has more than `most`.
template <class Entry>
std::list<Entry> dropped_of(std::list<Entry>& entries, std::size_t most, const auto& is_of_device) {
  std::list<Entry> dropped;
  if (static_cast<std::size_t>(std::ranges::count_if(entries, is_of_device)) <= most)
    return dropped;
  const auto last = std::ranges::find_if(entries | std::views::reverse, is_of_device);
  dropped.splice(dropped.end(), entries, std::prev(last.base()));
  return dropped;
}

}  // namespace

std::optional<std::vector<TileProgram>> KeptPrograms::find_chain(const ChainKey& key) {
  const std::lock_guard lock(mutex_);
  const auto* known = use(chains_, [&](const KeptChain& chain) { return chain.key == key; });
  return known ? std::optional(with_own_bounds(known->programs)) : std::nullopt;
}

void KeptPrograms::keep_chain(const ChainKey& key, const std::vector<TileProgram>& programs) {
  KeptChain chain{key, with_own_bounds(programs)};
  std::list<KeptChain> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  if (use(chains_, [&](const KeptChain& known) { return known.key == key; })) return;
  chains_.push_front(std::move(chain));
  if (chains_.size() > max_chains) dropped.splice(dropped.end(), chains_, --chains_.end());
}

std::optional<KeptPrograms::Kernel> KeptPrograms::find_kernel(const KernelKey& key,
                                                              const TileProgram& program) {
  const std::lock_guard lock(mutex_);
  const auto* known = use(kernels_, [&](const KeptKernel& kept) {
    return kept.key == key && same_kernel(kept.program, program);
  });
  return known ? std::optional(known->kernel) : std::nullopt;
}

void KeptPrograms::keep_kernel(const KernelKey& key, const TileProgram& program, Kernel kernel) {
  KeptKernel kept{key, with_own_bound(program), std::move(kernel)};
  std::list<KeptKernel> dropped;  // freed after the lock: a driver may wait for running kernels
  const std::lock_guard lock(mutex_);
  if (use(kernels_, [&](const KeptKernel& known) {
        return known.key == key && same_kernel(known.program, program);
      }))
    return;
  kernels_.push_front(std::move(kept));
  dropped = dropped_of(kernels_, max_kernels_of_device,
                       [&](const KeptKernel& one) { return one.key.device == key.device; });
}

std::optional<KeptPrograms::FittedGroups> KeptPrograms::find_groups(const RowsKey& key,
                                                                    const TileProgram& program) {
  const std::lock_guard lock(mutex_);
  const auto* known = use(
      groups_, [&](const KeptGroups& kept) { return kept.key == key && kept.program == program; });
  return known ? std::optional(known->groups) : std::nullopt;
}

void KeptPrograms::keep_groups(const RowsKey& key, const TileProgram& program,
                               FittedGroups groups) {
  std::list<KeptGroups> kept, dropped;  // freed after the lock, as kernels are
  kept.push_back({key, program, std::move(groups)});
  const std::lock_guard lock(mutex_);
  const auto before = std::ranges::find_if(groups_, [&](const KeptGroups& known) {
    return known.key == key && known.program == program;
  });
  if (before != groups_.end()) dropped.splice(dropped.end(), groups_, before);
  groups_.splice(groups_.begin(), kept);
  dropped.splice(dropped.end(), dropped_of(groups_, max_groups_of_device, [&](const auto& one) {
                   return one.key.kernel.device == key.kernel.device;
                 }));
}

Result<std::vector<TileProgram>> programs_of_chain(const Plan& plan,
                                                   const KeptPrograms::ChainKey& key,
                                                   KeptPrograms* kept, bool& was_fused) {
  std::optional<std::vector<TileProgram>> known;
  if (kept) known = kept->find_chain(key);
  was_fused = !known;
  if (known) return *std::move(known);
  std::vector<TileProgram> programs;
  if (key.is_slice) {
    PENSTOCK_ASSIGN(programs.emplace_back(), fuse(plan, key.base, key.last, key.wanted));
  } else {
    PENSTOCK_ASSIGN(programs, fuse_chain(plan, key.base, key.last, key.wanted, key.top_k));
  }
  if (kept) kept->keep_chain(key, programs);
  return programs;
}

}  // namespace penstock::plan
