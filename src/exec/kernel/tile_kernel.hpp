// A tile program compiled for one device: its variant, its policy, its source, and its launches on
// chunks of rows.
//
// The variant's strategy (tile_strategy.hpp) makes a chunk's memory and launches its kernels;
// ChunkBuffers holds the strategy with that memory. enqueue() never waits: a size that the device
// computes stays on the device until the host reads it (collector.hpp).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "exec/kernel/chunk_buffers.hpp"
#include "exec/kernel/kept_programs.hpp"
#include "fuse/program/program_strings.hpp"
#include "fuse/variants/dense_ranges.hpp"
#include "fuse/variants/variants.hpp"

namespace penstock::plan {

// The buffers of a chunk's columns in the order of input_buffers().
struct ChunkInput {
  std::vector<BufferPointer> buffers;
  std::vector<BufferPointer> lookups;  // as lookup_buffers(): the same for every chunk
  std::uint64_t row_count = 0;
  std::uint64_t page_bytes = 0;  // of columns that are pages, in device memory
};

class TileKernel {
 public:
  struct Options {
    bool fast_math = false;
    std::string variant;
    std::function<void(std::string_view)> on_source;
    // As in RunOptions: dense tables of groups keep to an eighth of it.
    std::uint64_t memory_limit_bytes = 0;
    bool runs_alone = false;  // each launch is a whole run, and begins without groups
    // Has kernels of earlier runs of the plan, and gets this one; null: neither.
    std::shared_ptr<KeptPrograms> kept = {};
    // The identity of the source of its rows, by which `kept` knows what fits their groups; "":
    // nothing does.
    std::string rows = {};
    // Its records tell which program the keys of groups will need next; may be null.
    const TableSource* source = nullptr;
  };
  // Emits the source and has a thread compile it, unless an earlier run left the kernel. Call
  // wait() before any other call on the kernel.
  static Result<std::unique_ptr<TileKernel>> begin(std::shared_ptr<Device> device,
                                                   const TileProgram& program,
                                                   const Options& options);
  Status wait();
  // Emits and compiles.
  static Result<std::unique_ptr<TileKernel>> build(std::shared_ptr<Device> device,
                                                   const TileProgram& program,
                                                   const Options& options);

  // Call before the first chunk is prepared. Finds from a sample of the chunk the properties of its
  // rows that the kernel needs, and waits for the queue; or takes the findings of an earlier run.
  Status fit(Queue& queue, const ChunkInput& input, const ProgramStrings& strings);
  // Makes buffers large enough for chunks of this many rows.
  Status prepare(ChunkBuffers& buffers, std::uint64_t row_count) const;
  Status enqueue(Queue& queue, const ChunkInput& input, ChunkBuffers& buffers,
                 const ProgramStrings& strings) const;
  // Group-bys: call after a launch that reported `overflowed`. Takes larger tables for the chunk's
  // keys, or the next variant, which it compiles. An error at the limit.
  Status try_again(Queue& queue, const ChunkInput& input, const ProgramStrings& strings,
                   std::uint32_t overflowed);
  std::uint32_t attempts() const { return attempts_; }
  // Returns whether launches leave sums on the device, of which no entries are made yet.
  bool keeps_sums() const { return !kept_->sums.empty(); }
  // Returns these sums. An exchange with other devices changes them.
  std::vector<KeptSums>& kept_sums() const { return kept_->sums; }
  // Returns how many tables launches left on the device, and one of them; call these after the last
  // launch. Entries of kept sums are made once. `queue` may be null if each launch is a whole run.
  std::size_t kept_count() const;
  Result<GroupByResults> kept_groups(std::size_t number, Queue* queue) const;
  // Computes from row counts how many bytes the kernels of one chunk move.
  std::uint64_t bytes_moved(std::uint64_t rows_read, std::uint64_t rows_kept) const;

  const std::shared_ptr<Device>& device() const { return device_; }
  const TileProgram& program() const { return program_; }
  const Variant& variant() const { return *variant_; }
  const Policy& policy() const { return policy_; }
  // Adds notes on the choice of variant: PENSTOCK_VARIANT made it, another variant took over since,
  // or the file of tuned policies is not used.
  void add_notes(std::vector<std::string>& notes) const;
  const Program& compiled() const { return *compiled_; }
  const std::string& source() const { return pipeline_->text; }
  std::shared_ptr<const std::string> shared_source() const {  // texts have some 100 KB
    return {pipeline_, &pipeline_->text};
  }
  bool is_kept() const { return is_kept_; }  // an earlier run left it
  BuildReport build_report() const;
  // Returns the error of a fault number that was read from ChunkBuffers::fault.
  Status fault_status(std::uint32_t fault) const;

 private:
  TileKernel(std::shared_ptr<Device> device, const TileProgram& program)
      : device_(std::move(device)), program_(program) {}
  static Result<std::unique_ptr<TileKernel>> make(std::shared_ptr<Device> device,
                                                  const TileProgram& program,
                                                  const Options& options);
  KeptPrograms::KernelKey key() const { return {device_, variant_, policy_, options_.fast_math}; }
  Status take_or_emit();
  using Source = std::shared_ptr<const PipelineSource>;
  Result<Source> emit(const Variant& variant, const Policy& policy) const;
  Task<Result<std::shared_ptr<Program>>> start_to_build(const Variant& variant,
                                                        const Policy& policy,
                                                        const Source& source) const;
  ProgramSource program_source(const Variant& variant, const Policy& policy,
                               const Source& source) const;
  void set_compiled(std::shared_ptr<Program> compiled);
  Status begin_next();
  Status compile();
  Status take_begun();
  TileContext context() const {
    return {*device_,
            program_,
            policy_,
            size_,
            variant_->algorithm,
            dense_,
            *kept_,
            options_.runs_alone,
            memory_bytes()};
  }
  Status prepare_scalars(PackedScalars& scalars) const;
  Status upload_scalars(Queue& queue, PackedScalars& scalars, const ProgramStrings& strings) const;
  std::vector<Argument> source_arguments(const ChunkInput& input, const PackedScalars& scalars,
                                         const ProgramStrings& strings) const;

  // fit_groups.cpp
  Status choose_again(Queue& queue, const ChunkInput& input, const ProgramStrings& strings,
                      std::uint32_t overflowed);
  Status find_ranges(Queue& queue, const ChunkInput& input, const ProgramStrings& strings,
                     std::uint64_t stride);
  void expect_keys(std::span<const std::uint32_t> sketches, std::uint64_t row_count,
                   std::uint64_t stride);
  std::optional<KeptPrograms::RowsKey> rows_key(std::uint64_t chunk_rows) const;
  Status take_fitted(const KeptPrograms::FittedGroups& known);
  void keep_fitted();
  std::uint64_t memory_bytes() const;
  Traits limited_traits() const;
  Status choose_layout(Queue& queue, std::uint64_t row_count);
  Status upload_layout(Queue& queue);
  Status take_next(std::uint64_t row_count, std::uint32_t overflowed);

  std::shared_ptr<Device> device_;
  TileProgram program_;
  Options options_;
  const Variant* variant_ = nullptr;
  const Variant* forced_variant_ = nullptr;  // of PENSTOCK_VARIANT, at the beginning
  Policy policy_;
  TableSize size_;  // of tables that hash keys
  Source pipeline_;
  std::shared_ptr<Program> compiled_;
  bool is_kept_ = false;
  std::uint32_t attempts_ = 0;                 // sources emitted, and layouts and sizes chosen
  bool is_fitted_ = false;                     // fit() was called
  std::optional<KeptPrograms::RowsKey> rows_;  // the key under which findings on the rows are kept
  std::optional<FoundRanges> ranges_;          // of the keys of dense slots, from fit() on
  std::optional<std::uint64_t> keys_;          // expected in a chunk, from then on
  DenseLayout dense_;                          // the layout that they give
  const std::unique_ptr<KeptTables> kept_ = std::make_unique<KeptTables>();
  Task<Result<std::shared_ptr<Program>>> building_;  // valid from begin() to wait()
  // A program that is compiled beside the first one, as the keys of groups will probably need it.
  struct Next {
    const Variant* variant = nullptr;
    Policy policy;
    Source source;
    Task<Result<std::shared_ptr<Program>>> building;
  };
  std::optional<Next> next_;
};

constexpr std::uint32_t no_fault = 0xffffffffu;

}  // namespace penstock::plan
