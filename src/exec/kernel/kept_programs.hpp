// What runs of one plan leave for its later runs: the tile programs that its chains became, and the
// kernels made of them. Then a run fuses and emits nothing, and looks no kernel up by its text.
// Also what fitted their groups, so that it looks at no row to find the ranges of keys. And how the
// row groups of a file whose pages are resident were put together, and which rows of right sides
// several devices read.
//
// A session has one beside each bound statement (src/session/bound_statements.hpp), which it drops
// with it. Thread-safe: runs may overlap. What is kept is never changed.
#pragma once
#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "codec/pages/page_batches.hpp"
#include "exec/kernel/tile_strategy.hpp"
#include "fuse/codegen/emit_pipeline.hpp"
#include "fuse/program/columns_read.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

class KeptPrograms {
 public:
  // All that fusing depends on, beside the plan.
  struct ChainKey {
    StepId base = no_step, last = no_step;
    Columns wanted;
    std::optional<TopK> top_k;
    bool is_slice = false;  // `wanted` is the Slice of one program
    bool operator==(const ChainKey&) const = default;
  };
  // Returns programs that the caller may change.
  std::optional<std::vector<TileProgram>> find_chain(const ChainKey& key);
  void keep_chain(const ChainKey& key, const std::vector<TileProgram>& programs);

  // All that a kernel depends on, beside its program.
  struct KernelKey {
    std::shared_ptr<Device> device;
    const Variant* variant = nullptr;
    Policy policy;
    bool fast_math = false;
    bool operator==(const KernelKey&) const = default;
  };
  struct Kernel {
    std::shared_ptr<const PipelineSource> source;
    std::shared_ptr<Program> compiled;
  };
  std::optional<Kernel> find_kernel(const KernelKey& key, const TileProgram& program);
  void keep_kernel(const KernelKey& key, const TileProgram& program, Kernel kernel);

  // All that the tables of groups depend on, beside the program.
  struct RowsKey {
    KernelKey kernel;              // that a run begins with
    std::string rows;              // their source's identity
    std::uint64_t chunk_rows = 0;  // of the first chunk
    std::uint64_t memory_limit_bytes = 0;
    bool operator==(const RowsKey&) const = default;
  };
  // What a run took for the keys of its rows.
  struct FittedGroups {
    const Variant* variant = nullptr;
    Policy policy;
    TableSize size;
    std::vector<std::uint64_t> ranges;  // FoundRanges::words(); none where it looked for none
    DenseLayout layout;
  };
  // `program` is one that find_chain() returned.
  std::optional<FittedGroups> find_groups(const RowsKey& key, const TileProgram& program);
  void keep_groups(const RowsKey& key, const TileProgram& program, FittedGroups groups);

  // All that the batches of a file's row groups depend on.
  struct BatchesKey {
    std::string rows;  // their source's identity
    std::vector<std::uint32_t> columns;
    pages::BatchLimits limits;
    bool operator==(const BatchesKey&) const = default;
  };
  using Batches = std::shared_ptr<const std::vector<pages::RowGroupBatch>>;
  Batches find_batches(const BatchesKey& key);  // null where they are not kept, as very many
  void keep_batches(const BatchesKey& key, Batches batches);

  // All that the rows depend on which shares read of right sides. A statement may have several cuts
  // that read the same files.
  struct SidesKey {
    std::vector<StepId> steps;      // the cut's base; each join, and its sources
    std::vector<RowRange> shares;   // of the base's rows
    std::vector<std::string> rows;  // the identity of the base, and of sources of right sides
    bool operator==(const SidesKey&) const = default;
  };
  struct SplitSides {
    std::map<StepId, std::vector<RowRange>> rows;  // of sources, by share
    std::set<StepId> joins, by_key;                // as RightSideExchange takes them
  };
  std::shared_ptr<const SplitSides> find_sides(const SidesKey& key);  // null where none are kept
  void keep_sides(const SidesKey& key, std::shared_ptr<const SplitSides> sides);

 private:
  struct Used {  // when, as a number that grows
    mutable std::atomic<std::uint64_t> used = 0;
  };
  struct KeptChain : Used {
    ChainKey key;
    std::vector<TileProgram> programs;
  };
  struct KeptKernel : Used {
    KernelKey key;
    TileProgram program;
    Kernel kernel;
  };
  struct KeptGroups : Used {
    RowsKey key;
    TileProgram program;
    FittedGroups groups;
  };
  struct KeptBatches : Used {
    BatchesKey key;
    Batches batches;
  };
  // Returns what is wanted, as the most recently used from now on; null where it is not there.
  template <class Entry> const Entry* use(const std::list<Entry>& entries, const auto& is_wanted);
  template <class Entry>
  std::list<Entry> keep(std::list<Entry>& entries, std::list<Entry> one, std::size_t most,
                        const auto& are_counted);

  struct KeptSides : Used {
    SidesKey key;
    std::shared_ptr<const SplitSides> sides;
  };
  // The shares of a statement look for their programs at once. One that sleeps until another has
  // copied its own is woken some 50 us later.
  std::shared_mutex mutex_;
  std::atomic<std::uint64_t> uses_ = 0;
  std::list<KeptChain> chains_;
  std::list<KeptKernel> kernels_;
  std::list<KeptGroups> groups_;
  std::list<KeptBatches> batches_;
  std::list<KeptSides> sides_;
};

// Fuses a chain, or the slice of one, unless it is kept; keeps it then. `kept`: null where nothing
// is. Sets `was_fused`.
Result<std::vector<TileProgram>> programs_of_chain(const Plan& plan,
                                                   const KeptPrograms::ChainKey& key,
                                                   KeptPrograms* kept, bool& was_fused);

}  // namespace penstock::plan
