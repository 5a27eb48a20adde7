// Keeps results of a plan's runs for its later runs: the tile programs of its chains, and the
// kernels made of them. A later run then fuses and emits nothing, and looks no kernel up by its
// text. The choices for groups are kept too, so that no row is read to find the ranges of keys. So
// are the batches of row groups of a file with resident pages, and the rows of right sides that
// each of several devices reads.
//
// A session has one beside each bound statement (src/session/bound_statements.hpp), and drops both
// together. Thread-safe: runs may overlap. Kept results never change.
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
  // Cache key of a chain's programs, beside the plan.
  struct ChainKey {
    StepId base = no_step, last = no_step;
    Columns wanted;
    std::optional<TopK> top_k;
    bool is_slice = false;  // `wanted` is the Slice of one program
    bool ranks_strings = false;
    bool operator==(const ChainKey&) const = default;
  };
  // Returns programs that the caller may change.
  std::optional<std::vector<TileProgram>> find_chain(const ChainKey& key);
  void keep_chain(const ChainKey& key, const std::vector<TileProgram>& programs);

  // Cache key of a kernel, beside its program.
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

  // Cache key of the tables of groups, beside the program.
  struct RowsKey {
    KernelKey kernel;              // of the run's beginning
    std::string rows;              // their source's identity
    std::uint64_t chunk_rows = 0;  // of the first chunk
    std::uint64_t memory_limit_bytes = 0;
    bool operator==(const RowsKey&) const = default;
  };
  // The choices that a run made for the keys of its rows.
  struct FittedGroups {
    const Variant* variant = nullptr;
    Policy policy;
    TableSize size;
    std::vector<std::uint64_t> ranges;  // FoundRanges::words(); none if it did not look
    DenseLayout layout;
  };
  // find_chain() must have returned `program`.
  std::optional<FittedGroups> find_groups(const RowsKey& key, const TileProgram& program);
  void keep_groups(const RowsKey& key, const TileProgram& program, FittedGroups groups);

  // Cache key of the batches of a file's row groups.
  struct BatchesKey {
    std::string rows;  // their source's identity
    std::vector<std::uint32_t> columns;
    pages::BatchLimits limits;
    bool operator==(const BatchesKey&) const = default;
  };
  using Batches = std::shared_ptr<const std::vector<pages::RowGroupBatch>>;
  Batches find_batches(const BatchesKey& key);  // null if not kept, as if there are very many
  void keep_batches(const BatchesKey& key, Batches batches);

  // Cache key of the rows of right sides that each share reads. A statement may have several cuts
  // that read the same files.
  struct SidesKey {
    std::vector<StepId> steps;      // the cut's base; each join, and its sources
    std::vector<RowRange> shares;   // of the base's rows
    std::vector<std::string> rows;  // the identity of the base, and of sources of right sides
    bool operator==(const SidesKey&) const = default;
  };
  struct SplitSides {
    std::map<StepId, std::vector<RowRange>> rows;  // of sources, by share
    std::set<StepId> joins, by_key;                // for RightSideExchange
  };
  std::shared_ptr<const SplitSides> find_sides(const SidesKey& key);  // null if none are kept
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
  // Returns the wanted entry and marks it as most recently used; null if it is absent.
  template <class Entry> const Entry* use(const std::list<Entry>& entries, const auto& is_wanted);
  template <class Entry>
  std::list<Entry> keep(std::list<Entry>& entries, std::list<Entry> one, std::size_t most,
                        const auto& are_counted);

  struct KeptSides : Used {
    SidesKey key;
    std::shared_ptr<const SplitSides> sides;
  };
  // The shares of a statement look for their programs at once. A thread that sleeps until another
  // one has copied its own is woken some 50 us later.
  std::shared_mutex mutex_;
  std::atomic<std::uint64_t> uses_ = 0;
  std::list<KeptChain> chains_;
  std::list<KeptKernel> kernels_;
  std::list<KeptGroups> groups_;
  std::list<KeptBatches> batches_;
  std::list<KeptSides> sides_;
};

// Fuses a chain, or a slice of one, unless it is kept; keeps it then. `kept`: null to keep nothing.
// Sets `was_fused`.
Result<std::vector<TileProgram>> programs_of_chain(const Plan& plan,
                                                   const KeptPrograms::ChainKey& key,
                                                   KeptPrograms* kept, bool& was_fused);

}  // namespace penstock::plan
