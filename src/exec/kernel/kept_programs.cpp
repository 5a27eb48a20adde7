#include "exec/kernel/kept_programs.hpp"

#include <algorithm>

#include "fuse/program/fuse_chain.hpp"

namespace penstock::plan {
namespace {

// A statement has a few of each, and of its kernels some for each combination of options that it
// was run with. A text has some 100 KB.
constexpr std::size_t max_chains = 32, max_kernels_of_device = 32, max_groups_of_device = 16;

// Each of several devices has batches of its own row groups, for each scan of a statement. A batch
// takes some 100 bytes, and 4 for each row group.
constexpr std::size_t max_batch_lists = 128, max_batches_of_list = 1024;

// One for each list of devices and each cut of a statement.
constexpr std::size_t max_split_sides = 16;

// A run changes a bound's parameters, which are in the graph, from chunk to chunk.
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

bool is_in(const auto& entries, const auto& is_wanted) {
  return std::ranges::any_of(entries, is_wanted);
}

// Takes the least recently used of a list's counted entries if there are more than `most`.
template <class Entry>
std::list<Entry> dropped_of(std::list<Entry>& entries, std::size_t most, const auto& are_counted) {
  std::list<Entry> dropped;
  auto oldest = entries.end();
  std::size_t count = 0;
  for (auto at = entries.begin(); at != entries.end(); at++) {
    if (!are_counted(*at)) continue;
    count++;
    if (oldest == entries.end() || at->used < oldest->used) oldest = at;
  }
  if (count > most) dropped.splice(dropped.end(), entries, oldest);
  return dropped;
}

}  // namespace

template <class Entry>
const Entry* KeptPrograms::use(const std::list<Entry>& entries, const auto& is_wanted) {
  const auto known = std::ranges::find_if(entries, is_wanted);
  if (known == entries.end()) return nullptr;
  known->used = ++uses_;
  return &*known;
}

// Entries that are dropped are freed after the lock: a driver may wait for running kernels.
template <class Entry>
std::list<Entry> KeptPrograms::keep(std::list<Entry>& entries, std::list<Entry> one,
                                    std::size_t most, const auto& are_counted) {
  one.front().used = ++uses_;
  entries.splice(entries.begin(), one);
  return dropped_of(entries, most, are_counted);
}

std::optional<std::vector<TileProgram>> KeptPrograms::find_chain(const ChainKey& key) {
  const std::shared_lock lock(mutex_);
  const auto* known = use(chains_, [&](const KeptChain& chain) { return chain.key == key; });
  return known ? std::optional(with_own_bounds(known->programs)) : std::nullopt;
}

void KeptPrograms::keep_chain(const ChainKey& key, const std::vector<TileProgram>& programs) {
  std::list<KeptChain> one(1), dropped;
  one.front().key = key;
  one.front().programs = with_own_bounds(programs);
  const std::lock_guard lock(mutex_);
  if (is_in(chains_, [&](const KeptChain& known) { return known.key == key; })) return;
  dropped = keep(chains_, std::move(one), max_chains, [](const KeptChain&) { return true; });
}

std::optional<KeptPrograms::Kernel> KeptPrograms::find_kernel(const KernelKey& key,
                                                              const TileProgram& program) {
  const std::shared_lock lock(mutex_);
  const auto* known = use(kernels_, [&](const KeptKernel& kept) {
    return kept.key == key && same_kernel(kept.program, program);
  });
  return known ? std::optional(known->kernel) : std::nullopt;
}

void KeptPrograms::keep_kernel(const KernelKey& key, const TileProgram& program, Kernel kernel) {
  std::list<KeptKernel> one(1), dropped;
  one.front().key = key;
  one.front().program = with_own_bound(program);
  one.front().kernel = std::move(kernel);
  const std::lock_guard lock(mutex_);
  if (is_in(kernels_, [&](const KeptKernel& known) {
        return known.key == key && same_kernel(known.program, program);
      }))
    return;
  dropped = keep(kernels_, std::move(one), max_kernels_of_device,
                 [&](const KeptKernel& known) { return known.key.device == key.device; });
}

std::optional<KeptPrograms::FittedGroups> KeptPrograms::find_groups(const RowsKey& key,
                                                                    const TileProgram& program) {
  const std::shared_lock lock(mutex_);
  const auto* known = use(
      groups_, [&](const KeptGroups& kept) { return kept.key == key && kept.program == program; });
  return known ? std::optional(known->groups) : std::nullopt;
}

void KeptPrograms::keep_groups(const RowsKey& key, const TileProgram& program,
                               FittedGroups groups) {
  std::list<KeptGroups> one(1), before, dropped;
  one.front().key = key;
  one.front().program = program;
  one.front().groups = std::move(groups);
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(
      groups_, [&](const KeptGroups& kept) { return kept.key == key && kept.program == program; });
  if (known != groups_.end()) before.splice(before.end(), groups_, known);
  dropped = keep(groups_, std::move(one), max_groups_of_device, [&](const KeptGroups& kept) {
    return kept.key.kernel.device == key.kernel.device;
  });
}

KeptPrograms::Batches KeptPrograms::find_batches(const BatchesKey& key) {
  const std::shared_lock lock(mutex_);
  const auto* known = use(batches_, [&](const KeptBatches& kept) { return kept.key == key; });
  return known ? known->batches : nullptr;
}

void KeptPrograms::keep_batches(const BatchesKey& key, Batches batches) {
  if (batches->size() > max_batches_of_list) return;
  std::list<KeptBatches> one(1), dropped;
  one.front().key = key;
  one.front().batches = std::move(batches);
  const std::lock_guard lock(mutex_);
  if (is_in(batches_, [&](const KeptBatches& known) { return known.key == key; })) return;
  dropped =
      keep(batches_, std::move(one), max_batch_lists, [](const KeptBatches&) { return true; });
}

std::shared_ptr<const KeptPrograms::SplitSides> KeptPrograms::find_sides(const SidesKey& key) {
  const std::shared_lock lock(mutex_);
  const auto* known = use(sides_, [&](const KeptSides& kept) { return kept.key == key; });
  return known ? known->sides : nullptr;
}

void KeptPrograms::keep_sides(const SidesKey& key, std::shared_ptr<const SplitSides> sides) {
  std::list<KeptSides> one(1), before, dropped;
  one.front().key = key;
  one.front().sides = std::move(sides);
  const std::lock_guard lock(mutex_);
  const auto known =
      std::ranges::find_if(sides_, [&](const KeptSides& kept) { return kept.key == key; });
  if (known != sides_.end()) before.splice(before.end(), sides_, known);
  dropped = keep(sides_, std::move(one), max_split_sides, [](const KeptSides&) { return true; });
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
    PENSTOCK_ASSIGN(programs,
                    fuse_chain(plan, key.base, key.last, key.wanted, key.top_k, key.ranks_strings));
  }
  if (!kept) return programs;
  kept->keep_chain(key, programs);
  // Another share may have been first. The findings on groups are kept under its graph.
  known = kept->find_chain(key);
  return known ? *std::move(known) : std::move(programs);
}

}  // namespace penstock::plan
