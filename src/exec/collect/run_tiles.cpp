#include "exec/collect/run_tiles.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.hpp"
#include "device/direct_file.hpp"
#include "device/memory_budget.hpp"
#include "exec/collect/chunk_rows.hpp"
#include "exec/collect/lookups_of_pass.hpp"
#include "fuse/codegen/code_functions.hpp"
#include "fuse/program/light_loads.hpp"
#include "fuse/program/string_ranks.hpp"
#include "penstock/session_device.hpp"

namespace penstock::plan {
namespace {

class Runner {
 public:
  Runner(const RunContext& run, std::unique_ptr<TileKernel> kernel, const TileProgram& program,
         const TileInput& input, const TileResults& results, BegunReading begun)
      : run_(run),
        program_(program),
        input_(input),
        results_(results),
        begun_(std::move(begun)),
        kernel_(std::move(kernel)),
        lookups_(run, program, input),
        strings_(begun_.pages.strings ? *begun_.pages.strings
                                      : ProgramStrings(*run.strings, program,
                                                       cache_of(*run.options), base().identity())) {
  }

  // Waits: work that an error left in the queue still uses the chunks' memory.
  ~Runner() {
    stream_.reset();
    if (queue_) static_cast<void>(queue_->finish());
  }

  Result<CollectedRows> run() {
    PENSTOCK_TRY(open());
    PENSTOCK_TRY(run_chunks());
    const std::size_t passes = input_.partitions ? input_.partitions->count() : 1;
    for (std::size_t pass = 1; pass < passes && !enough(); pass++) {
      PENSTOCK_TRY(begin_pass(pass));
      PENSTOCK_TRY(run_chunks());
    }
    PENSTOCK_TRY(collector_->take_rest(*kernel_));
    finish_report();
    const HostSpan span(run_.recording, "finish results");
    if (auto there = collector_->rows_that_stay()) return std::move(*there);
    if (results_.takes_parts)
      if (auto parts = collector_->take_parts(); !parts.empty())
        return CollectedRows(std::move(parts));
    PENSTOCK_ASSIGN(Table table, collector_->finish());
    return CollectedRows(std::move(table));
  }

 private:
  // Runs all chunks of the source.
  Status run_chunks() {
    rows_ = 0;
    for (std::size_t turn = next_ = 0; !enough(); turn++) {
      Chunk& chunk = chunks_[turn % chunks_in_flight];
      if (chunk.done) PENSTOCK_TRY(complete(chunk));
      if (enough()) break;
      PENSTOCK_ASSIGN(const bool more, next_batch(chunk));
      if (!more) break;
      if (chunk.memory.input.row_count > 0) PENSTOCK_TRY(enqueue(chunk));
      PENSTOCK_TRY(report_progress(chunk.memory.input.row_count));
      next_ = turn + 1;
    }
    for (std::size_t i = 0; i < chunks_in_flight; i++)
      if (Chunk& chunk = chunks_[(next_ + i) % chunks_in_flight]; chunk.done)
        PENSTOCK_TRY(complete(chunk));
    report_stream();
    return {};
  }

  bool enough() const {
    if (program_.top_k) return program_.top_k->count == 0;
    if (yields_every_row(program_))
      return rows_ >= input_.row_limit;  // those that were read will be there
    return program_.epilogue == Epilogue::compact && collector_->row_count() >= input_.row_limit;
  }

  // Opens the scan, which begins to decode, and waits for the compiler.
  Status open() {
    PENSTOCK_ASSIGN(queue_, run_.device->queue());
    PENSTOCK_TRY(begin_rows(0));
    PENSTOCK_TRY(number_ranked_strings());
    PENSTOCK_TRY(open_stream());
    PENSTOCK_TRY(lookups_.begin(0));
    const bool is_compaction = program_.epilogue == Epilogue::compact;
    const std::uint64_t group_bytes = results_.stay ? results_.stay->limit_bytes : 0;
    collector_ =
        results_.stay && is_compaction
            ? make_device_rows_collector(program_, strings_, run_.sides, *results_.stay, *queue_,
                                         input_.rows.row_count().value_or(0))
            : make_collector(
                  program_, strings_, run_.sides,
                  {results_.merges, run_.device, queue_.get(), run_.options->memory_limit_bytes,
                   run_.options->fast_math, results_.leaves_partials, results_.share,
                   run_.options->kept_programs, results_.wanted_groups, group_bytes},
                  results_.first_groups);
    const HostSpan span(run_.recording, "wait for the compiler", Track::wait);
    return kernel_->wait();
  }

  // Makes the pairs of a pass, which may be scanned then.
  Status begin_rows(std::size_t pass) {
    return input_.pairs && input_.pairs->partitions() ? input_.pairs->begin_partition(pass)
                                                      : Status();
  }

  // The source is read from its beginning on, for the next partition.
  Status begin_pass(std::size_t pass) {
    for (Chunk& chunk : chunks_) chunk.memory = {};
    stream_.reset();
    is_first_pass_ = false;
    PENSTOCK_TRY(begin_rows(pass));
    PENSTOCK_TRY(open_stream());  // reads while the next table is made
    return lookups_.begin(pass);
  }

  // Ranks are known once all strings of a column are numbered. A session then keeps the numbers.
  Status number_ranked_strings() {
    for (const std::uint32_t column : ranked_columns(program_)) {
      const auto strings = strings_.of_column(column);
      const std::string identity = base().identity();
      if (!strings->is_complete(identity)) {
        const HostSpan span(run_.recording, "number strings");
        PENSTOCK_TRY(number_all(column));
        strings->set_complete(identity);
      }
      static_cast<void>(strings_.order_of_column(column));  // before threads ask for it
    }
    return {};
  }

  // Reads a column of all rows of the source, as the program will.
  Status number_all(std::uint32_t column) {
    const TileProgram column_alone = program_of_strings(program_, column);
    const RunOptions& options = *run_.options;
    std::unique_ptr<ChunkSource> stream;
    if (!program_.paged.empty()) {
      PENSTOCK_ASSIGN(
          stream, PagedScan::open(run_.device, run_.decoder, column_alone, base(),
                                  paged_limits(options, column_alone, ~std::uint64_t{0}, nullptr),
                                  strings_));
    } else {
      PENSTOCK_ASSIGN(stream, ChunkStream::open(run_.device, column_alone, base(), rows_of_chunk(),
                                                strings_, {}, cache_of(options)));
    }
    ChunkMemory memory;
    for (;;) {
      PENSTOCK_ASSIGN(const bool more, stream->next(memory, *queue_));
      if (!more) return {};
      PENSTOCK_TRY(queue_->finish());
      PENSTOCK_TRY(stream->check(memory));
    }
  }

  std::uint64_t rows_of_chunk() const {
    return chunk_rows(*run_.options, run_.device->traits(), program_, input_.row_limit);
  }

  // All rows of the source.
  const TableSource& base() const {
    return input_.paged_source ? *input_.paged_source : input_.rows;
  }

  Status open_stream() {
    const RunOptions& options = *run_.options;
    if (input_.pairs) {
      PENSTOCK_ASSIGN(stream_,
                      PairScan::open(*input_.pairs, program_, *run_.strings,
                                     pairs_per_chunk(options, run_.device->traits(), program_)));
      return {};
    }
    if (input_.resident) {
      PENSTOCK_ASSIGN(stream_, ResidentScan::open(*input_.resident, program_, *run_.strings));
      return {};
    }
    if (!program_.paged.empty()) {
      begun_.columns.batches.reset();
      PENSTOCK_ASSIGN(stream_, PagedScan::open(run_.device, run_.decoder, program_, base(),
                                               paged_limits(options, program_, input_.row_limit,
                                                            input_.selected),
                                               strings_, std::exchange(begun_.pages, {})));
      return {};
    }
    begun_.pages = {};
    if (options.direct_reads == DirectReads::on) {
      PENSTOCK_TRY(device::check_direct_files(*run_.device));
      if (input_.paged_source && input_.paged_source->pages())
        return Status(Code::unsupported, "the host decodes the pages of '" +
                                             input_.rows.describe() +
                                             "', which a device does not read for it");
    }
    PENSTOCK_ASSIGN(stream_,
                    ChunkStream::open(run_.device, program_, input_.rows, rows_of_chunk(), strings_,
                                      std::exchange(begun_.columns, {}), cache_of(options)));
    return {};
  }

  // Corruption is no refusal: the host would reject the page, too.
  void note_refusal(const Status& status) {
    const bool is_limit = status.code() == Code::unsupported || status.code() == Code::capacity;
    if (is_limit && !program_.paged.empty() && run_.refusal) *run_.refusal = status;
  }

  Result<bool> next_batch(Chunk& chunk) {
    const double begun = run_.recording ? now_seconds() : 0, read_before = stream_->read_seconds();
    const Result<bool> more = stream_->next(chunk.memory, *queue_);
    if (!more.ok()) note_refusal(more.status());
    if (!more.ok() || !run_.recording) return more;
    const double read = begun + stream_->read_seconds() - read_before;
    run_.recording->add(Track::read, "wait for the source", begun, read);
    run_.recording->add(Track::host, "upload columns", read, now_seconds());
    return more;
  }

  Status enqueue(Chunk& chunk) {
    chunk.memory.input.lookups = lookups_.buffers();
    PENSTOCK_TRY(kernel_->fit(*queue_, chunk.memory.input, strings_));
    PENSTOCK_TRY(collector_->place(*kernel_, chunk));
    PENSTOCK_TRY(kernel_->prepare(chunk.buffers, chunk.memory.input.row_count));
    PENSTOCK_ASSIGN(chunk.begun, queue_->record());
    PENSTOCK_TRY(kernel_->enqueue(*queue_, chunk.memory.input, chunk.buffers, strings_));
    PENSTOCK_ASSIGN(chunk.done, queue_->record());
    launches_++;
    bytes_moved_ +=
        kernel_->bytes_moved(chunk.memory.input.row_count, 0) + chunk.memory.input.page_bytes;
    PENSTOCK_TRY(queue_->flush());
    return read_chunk(run_.device, *kernel_, *collector_, chunk);
  }

  // Waits for a chunk, and takes its results: the host reads its counts next.
  Status complete(Chunk& chunk) {
    const double start = now_seconds();
    for (;;) {
      PENSTOCK_ASSIGN(const bool fits, wait_for_chunk(*kernel_, chunk));
      if (fits) break;
      // Chunks in flight together overflow together: the first tries again for all.
      if (chunk.buffers.attempt == kernel_->attempts())
        PENSTOCK_TRY(
            kernel_->try_again(*queue_, chunk.memory.input, strings_, chunk.overflowed[0]));
      PENSTOCK_TRY(enqueue(chunk));
    }
    PENSTOCK_TRY(
        stream_->check(chunk.memory).with("while reading '" + input_.rows.describe() + "'"));
    PENSTOCK_ASSIGN(const double seconds, chunk.done->seconds_since(*chunk.begun));
    device_seconds_ += seconds;
    const HostSpan span(run_.recording, "merge results");
    PENSTOCK_TRY(collector_->take(*kernel_, chunk));
    chunk.done.reset();
    run_.report->wait_seconds += now_seconds() - start;
    return {};
  }

  Status report_progress(std::uint64_t row_count) {
    rows_ += row_count;
    run_.report->chunks++;
    run_.report->paged_chunks += !program_.paged.empty();
    if (run_.options->progress && !run_.options->progress({rows_, input_.rows.row_count()}))
      return Status(Code::cancelled, "the run was cancelled");
    return {};
  }

  // Waits for what still compiles, and uploads. Later passes read the same rows again, but other
  // pairs.
  void report_stream() {
    RunReport& report = *run_.report;
    for (KernelReport& on_codes : stream_->take_code_reports())
      code_kernels_.push_back(std::move(on_codes));
    report.bytes_read_directly += stream_->bytes_read_directly();
    report.bytes_uploaded += stream_->bytes_uploaded();
    report.columns_from_cache += stream_->columns_from_cache();
    report.read_seconds += stream_->read_seconds();
    const bool has_other_rows = input_.pairs && input_.pairs->partitions();
    if (is_first_pass_ || has_other_rows) report.rows_read += rows_;
    if (!is_first_pass_) return;
    if (std::string note = stream_->note(); !note.empty()) report.notes.push_back(std::move(note));
    report.skipped.rows_skipped -= stream_->rows_besides();
  }

  void finish_report() {
    RunReport& report = *run_.report;
    if (const std::size_t columns = light_columns(program_).size(); columns > 0 && launches_ > 0)
      report.notes.push_back("kernels read light encodings: columns " + std::to_string(columns) +
                             ", chunks " + std::to_string(launches_));
    report.bytes_uploaded += lookups_.bytes_uploaded();
    report.bytes_downloaded += collector_->bytes_downloaded;
    kernel_->add_notes(report.notes);
    KernelReport entry;
    entry.name = entry.variant = std::string(kernel_->variant().name);
    entry.source = kernel_->shared_source();
    entry.build = kernel_->build_report();
    entry.is_kept = kernel_->is_kept();
    entry.device_seconds = device_seconds_ + collector_->rest_seconds;
    entry.launches = launches_;
    entry.bytes_moved = bytes_moved_ + kernel_->bytes_moved(0, collector_->row_count());
    report.kernels.push_back(std::move(entry));
    for (KernelReport& on_codes : code_kernels_) report.kernels.push_back(std::move(on_codes));
    collector_->add_to(report);
  }

  const RunContext& run_;
  const TileProgram& program_;
  const TileInput& input_;
  const TileResults& results_;
  BegunReading begun_;
  std::unique_ptr<TileKernel> kernel_;
  std::unique_ptr<Collector> collector_;
  LookupsOfPass lookups_;
  const ProgramStrings strings_;
  std::array<Chunk, chunks_in_flight> chunks_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<ChunkSource> stream_;
  std::size_t next_ = 0;
  std::uint64_t rows_ = 0, launches_ = 0, bytes_moved_ = 0;
  double device_seconds_ = 0;
  std::vector<KernelReport> code_kernels_;
  bool is_first_pass_ = true;
};

}  // namespace

Result<CollectedRows> run_tiles(const RunContext& run, std::unique_ptr<TileKernel> kernel,
                                const TileProgram& program, const TileInput& input,
                                const TileResults& results, BegunReading begun) {
  return Runner(run, std::move(kernel), program, input, results, std::move(begun)).run();
}

Result<Table> run_tiles(const RunContext& run, const TileProgram& program,
                        const TableSource& source, const TileResults& results) {
  TileKernel::Options options{run.options->fast_math, run.options->variant, run.options->on_source,
                              run.options->memory_limit_bytes};
  options.source = &source;
  PENSTOCK_ASSIGN(auto kernel, TileKernel::begin(run.device, program, options));
  PENSTOCK_ASSIGN(CollectedRows rows,
                  run_tiles(run, std::move(kernel), program, {source}, results));
  return std::get<Table>(std::move(rows));
}

}  // namespace penstock::plan
