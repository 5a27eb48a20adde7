// What runs of one plan leave for its later runs: the tile programs that its chains became, and the
// kernels made of them. Then a run fuses and emits nothing, and looks no kernel up by its text.
//
// A session has one beside each bound statement (src/session/bound_statements.hpp), which it drops
// with it. Thread-safe: runs may overlap. What is kept is never changed.
#pragma once
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "plan/codegen/emit_pipeline.hpp"
#include "plan/fusion/columns_read.hpp"
#include "plan/variants/variants.hpp"

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

 private:
  struct KeptChain {
    ChainKey key;
    std::vector<TileProgram> programs;
  };
  struct KeptKernel {
    KernelKey key;
    TileProgram program;
    Kernel kernel;
  };
  std::mutex mutex_;
  std::list<KeptChain> chains_;    // the most recently used first
  std::list<KeptKernel> kernels_;  // the same
};

// Fuses a chain, or the slice of one, unless it is kept; keeps it then. `kept`: null where nothing
// is. Sets `was_fused`.
Result<std::vector<TileProgram>> programs_of_chain(const Plan& plan,
                                                   const KeptPrograms::ChainKey& key,
                                                   KeptPrograms* kept, bool& was_fused);

}  // namespace penstock::plan
