// prepare(): launches one tile kernel again and again over a table that lives on a device.
#include "base/exception_boundary.hpp"
#include "exec/collect/collector.hpp"
#include "exec/physical/device_opener.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/program/light_loads.hpp"
#include "fuse/program/stages.hpp"
#include "plan/recursion.hpp"

namespace penstock {
namespace plan {
namespace {

class PreparedTiles : public Prepared {
 public:
  static Result<std::unique_ptr<Prepared>> open(const Plan& plan, StepId base, StepId last,
                                                const RunOptions& options) {
    std::unique_ptr<PreparedTiles> prepared(new PreparedTiles());
    PENSTOCK_ASSIGN(std::vector<TileProgram> programs, fuse_slices(plan, base, last));
    if (programs.size() != 1)
      return Status(Code::unsupported, "only what one kernel computes can be prepared");
    prepared->program_ = std::move(programs[0]);
    for (Field& field : prepared->program_.source_schema)
      field.is_encoded = false;  // what is launched again is the kernel alone
    if (options.page_decoding == PageDecoding::device)
      read_light_columns(prepared->program_, *plan.step(base).source);
    if (!prepared->program_.lookups.empty())
      return Status(Code::unsupported, "a join cannot be prepared");
    PENSTOCK_ASSIGN(prepared->device_, device_of(options));
    PENSTOCK_ASSIGN(prepared->kernel_, TileKernel::build(prepared->device_, prepared->program_,
                                                         {options.fast_math, options.variant,
                                                          options.on_source, 0, true}));
    PENSTOCK_ASSIGN(prepared->queue_, prepared->device_->queue());
    PENSTOCK_TRY(prepared->load(*plan.step(base).source));
    return std::unique_ptr<Prepared>(std::move(prepared));
  }
  ~PreparedTiles() override {
    if (queue_) static_cast<void>(queue_->finish());
  }

  Result<double> run_seconds() override {
    return catch_exceptions([this] { return launch(); });
  }
  Result<QueryResult> fetch() override {
    return catch_exceptions([this] { return downloaded(); });
  }

 private:
  Result<double> launch() {
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_TRY(kernel_->enqueue(*queue_, chunk_.memory.input, chunk_.buffers, strings_));
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  }

  Result<QueryResult> downloaded() {
    const auto collector = make_collector(program_, strings_);
    PENSTOCK_ASSIGN(chunk_.done, queue_->record());
    PENSTOCK_TRY(queue_->flush());
    PENSTOCK_TRY(read_chunk(device_, *kernel_, *collector, chunk_));
    for (;;) {
      PENSTOCK_ASSIGN(const bool fits, wait_for_chunk(*kernel_, chunk_));
      if (fits) break;
      PENSTOCK_TRY(
          kernel_->try_again(*queue_, chunk_.memory.input, strings_, chunk_.overflowed[0]));
      PENSTOCK_TRY(kernel_->prepare(chunk_.buffers, chunk_.memory.input.row_count));
      PENSTOCK_TRY(launch().status());
      PENSTOCK_ASSIGN(chunk_.done, queue_->record());
      PENSTOCK_TRY(read_chunk(device_, *kernel_, *collector, chunk_));
    }
    PENSTOCK_TRY(collector->take(*kernel_, chunk_));
    PENSTOCK_TRY(collector->take_rest(*kernel_));
    QueryResult outcome;
    PENSTOCK_ASSIGN(outcome.table, collector->finish());
    outcome.report.device_id = device_->traits().id;
    outcome.report.device_name = device_->traits().name;
    outcome.report.rows_read = chunk_.memory.input.row_count;
    outcome.report.rows_out = outcome.table.row_count;
    kernel_->add_notes(outcome.report.notes);
    KernelReport kernel;
    kernel.name = kernel.variant = std::string(kernel_->variant().name);
    kernel.source = kernel_->shared_source();
    kernel.build = kernel_->compiled().report();
    kernel.bytes_moved = kernel_->bytes_moved(outcome.report.rows_read, outcome.table.row_count) +
                         chunk_.memory.input.page_bytes;
    outcome.report.kernels.push_back(std::move(kernel));
    return outcome;
  }

  Status load(const TableSource& source) {
    const std::uint64_t rows = source.row_count().value_or(0);
    PENSTOCK_ASSIGN(stream_, ChunkStream::open(device_, program_, source,
                                               std::max<std::uint64_t>(rows + 64, 64), strings_));
    PENSTOCK_ASSIGN(const bool some, stream_->next(chunk_.memory, *queue_));
    if (!some || chunk_.memory.input.row_count != rows)
      return Status(Code::unsupported,
                    "prepare needs a source that yields all its rows as one batch");
    PENSTOCK_TRY(kernel_->fit(*queue_, chunk_.memory.input, strings_));
    return kernel_->prepare(chunk_.buffers, rows);
  }

  TileProgram program_;
  StringPool pool_;
  const ProgramStrings strings_{pool_};
  std::shared_ptr<Device> device_;
  std::unique_ptr<TileKernel> kernel_;
  Chunk chunk_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<ChunkStream> stream_;
};

}  // namespace
}  // namespace plan

static Result<std::unique_ptr<Prepared>> prepare_chain(const Plan& plan, StepId result,
                                                       const RunOptions& options) {
  PENSTOCK_TRY(plan::check_result(plan, result));
  const StepId base = plan::chain_base(plan, result, plan::count_consumers(plan, {result}));
  const bool is_of_rows = plan.step(base).source && plan::recursion_of(plan.step(base)) == nullptr;
  if (!is_of_rows || plan::finishes_on_host(plan, result))
    return Status(
        Code::unsupported,
        "only a chain of filters and maps, and the aggregate at its end, can be prepared");
  return plan::PreparedTiles::open(plan, base, result, options);
}

Result<std::unique_ptr<Prepared>> prepare(const Plan& plan, StepId result,
                                          const RunOptions& options) {
  return catch_exceptions([&] { return prepare_chain(plan, result, options); });
}

}  // namespace penstock
