// A tile program made ready on one device: its variant, its compiled text, and how it is launched
// on a chunk of rows.
//
// A Slot holds the device memory of one chunk in flight; slots are reused, so that a stream of
// chunks allocates nothing after its first few. enqueue() only enqueues: sizes known on the device
// stay there until the host reads `kept_count`.
#pragma once
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "plan/codegen/emit_pipeline.hpp"
#include "plan/strings/string_pool.hpp"
#include "plan/variants/dense_ranges.hpp"
#include "plan/variants/variants.hpp"

namespace penstock::plan {

// The buffers of a chunk's columns in the order of input_buffers().
struct ChunkInput {
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::vector<std::shared_ptr<Buffer>>
      lookups;  // in the order of lookup_buffers(): the same for every chunk
  std::uint64_t row_count = 0;
};

struct Slot {
  std::uint64_t capacity_rows = 0;
  std::vector<std::shared_ptr<Buffer>> outputs;  // compact: in the order of output_buffers()
  std::vector<std::shared_ptr<Buffer>>
      segments;  // tile_private: the same, before the gaps are closed
  std::shared_ptr<Buffer> tile_counts, tile_starts, kept_count;  // compact
  std::shared_ptr<Buffer> scalars;                               // where they are packed
  std::vector<std::uint64_t> scalar_words;
  std::shared_ptr<Buffer> scratch, partials;                  // reduce: words of items, of groups
  std::shared_ptr<Buffer> places, keys, results, used_slots;  // group (with scratch as its tables)
  std::shared_ptr<Buffer> heads, records, partitions;         // group in partitions
  std::shared_ptr<Buffer> fault;  // u32: the smallest fault number, ~0 when there is none
  bool fault_is_clear = false;    // a run ends at its first fault, so that once is enough
  bool results_are_set = false;   // group: tables are read with what is between, where no key came
  std::shared_ptr<Buffer>
      overflowed;  // group: u32, not 0 where a table was full, or could not hold a value
  std::uint32_t groups = 0, slots = 0, attempt = 0;  // of the last launch
  bool is_by_slots =
      false;  // the last launch left all groups' first slots, then their second ones...
};

class TileKernel {
 public:
  struct Options {
    bool fast_math = false;
    std::string variant;
    std::function<void(std::string_view)> on_source;
    std::uint64_t memory_limit_bytes =
        0;  // as in RunOptions: dense tables of groups keep to an eighth of it
  };
  // Emits the text and has it compiled in a thread; before anything else of the kernel is used
  // comes wait().
  static Result<std::unique_ptr<TileKernel>> begin(std::shared_ptr<Device> device,
                                                   const TileProgram& program,
                                                   const Options& options);
  Status wait();
  static Result<std::unique_ptr<TileKernel>> build(std::shared_ptr<Device> device,
                                                   const TileProgram& program,
                                                   const Options& options);

  // Before the first chunk is prepared: takes from a sample of it what the kernel must know of its
  // rows. Waits for the queue.
  Status fit(Queue& queue, const ChunkInput& input, StringPool& strings);
  // Makes a slot fit for chunks of this many rows.
  Status prepare(Slot& slot, std::uint64_t row_count) const;
  Status enqueue(Queue& queue, const ChunkInput& input, Slot& slot, StringPool& strings) const;
  // group: after a launch that reported `overflowed`, gives work groups room for more of a chunk's
  // keys, or takes the next variant, and compiles again; an error at the limit.
  Status try_again(Queue& queue, const ChunkInput& input, StringPool& strings,
                   std::uint32_t overflowed);
  std::uint32_t attempts() const { return attempts_; }
  // What the kernels of one chunk move, from row counts.
  std::uint64_t bytes_moved(std::uint64_t rows_read, std::uint64_t rows_kept) const;

  const TileProgram& program() const { return program_; }
  const Variant& variant() const { return *variant_; }
  const Policy& policy() const { return policy_; }
  const Program& compiled() const { return *compiled_; }
  const std::string& source() const { return text_.text; }
  Status fault_status(
      std::uint32_t fault) const;  // what a fault number read from Slot::fault means

 private:
  TileKernel(std::shared_ptr<Device> device, const TileProgram& program)
      : device_(std::move(device)), program_(program) {}
  static Result<std::unique_ptr<TileKernel>> make(std::shared_ptr<Device> device,
                                                  const TileProgram& program,
                                                  const Options& options);
  Result<ProgramSource> emit();
  Status compile();
  std::uint32_t group_count(std::uint64_t row_count) const;
  std::uint32_t tile_count(std::uint64_t row_count) const;
  Status upload_scalars(Queue& queue, Slot& slot, StringPool& strings) const;
  std::vector<Argument> source_arguments(const ChunkInput& input, const Slot& slot,
                                         StringPool& strings) const;
  Status prepare_outputs(std::vector<std::shared_ptr<Buffer>>& buffers,
                         std::uint64_t row_count) const;
  Status prepare_compact(Slot& slot, std::uint64_t row_count) const;
  Status prepare_reduce(Slot& slot, std::uint64_t row_count) const;
  Status prepare_group(Slot& slot, std::uint64_t row_count) const;
  Status prepare_table(Slot& slot) const;
  Status prepare_dense(Slot& slot, std::uint64_t row_count) const;
  Status prepare_partitions(Slot& slot, std::uint64_t row_count) const;
  Status find_ranges(Queue& queue, const ChunkInput& input, StringPool& strings,
                     std::uint64_t stride);
  Status lay_out(Queue& queue, std::uint64_t row_count);
  Status take_next(std::uint64_t row_count, std::uint32_t overflowed);
  Status replace(std::shared_ptr<Buffer>& buffer, std::uint64_t bytes) const;
  Status enqueue_compact(Queue& queue, std::vector<Argument> arguments, std::uint64_t row_count,
                         Slot& slot) const;
  Status enqueue_reduce(Queue& queue, std::vector<Argument> arguments, std::uint64_t row_count,
                        Slot& slot) const;
  Status enqueue_table(Queue& queue, std::vector<Argument> arguments, std::uint64_t row_count,
                       Slot& slot) const;
  Status enqueue_dense(Queue& queue, std::vector<Argument> arguments, std::uint64_t row_count,
                       Slot& slot) const;
  Status enqueue_partitions(Queue& queue, std::vector<Argument> source, std::uint64_t row_count,
                            Slot& slot) const;
  Status enqueue_group(Queue& queue, std::vector<Argument> arguments, std::uint64_t row_count,
                       Slot& slot) const;

  std::shared_ptr<Device> device_;
  TileProgram program_;
  Options options_;
  const Variant* variant_ = nullptr;
  Policy policy_;
  PipelineText text_;
  std::shared_ptr<Program> compiled_;
  std::uint32_t attempts_ = 0;  // texts emitted and layouts taken
  std::optional<FoundRanges>
      ranges_;  // of dense slots, from fit() on; what they give, and its words there
  DenseTable dense_;
  std::shared_ptr<Buffer> dense_words_;
  std::future<Result<std::shared_ptr<Program>>> building_;  // valid from begin() to wait()
};

constexpr std::uint32_t no_fault = 0xffffffffu;
// Tables of groups up to this size are read back in one piece, with what is between: a copy costs
// as much as 100 KB.
constexpr std::uint64_t one_piece_bytes = std::uint64_t{1} << 20;

}  // namespace penstock::plan
