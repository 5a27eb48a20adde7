// penstock bench parquet: columns of Parquet files as Arrow arrays in the device's memory, for
// every type, encoding and compression; from pages that lie in the device's memory as they are
// stored, and from files in the page cache.
//
// A case is verified before it is timed: its values are those that Arrow reads. Arrow itself, with
// a thread for each core, stands beside the cases from the page cache.
#include <numeric>

#include "base/clock.hpp"
#include "base/machine_memory.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_parquet_files.hpp"
#include "bench/bench_table.hpp"
#include "bench/temporary_folder.hpp"
#include "codec/pages/device/page_arrays.hpp"
#include "codec/pages/page_stream.hpp"
#include "penstock/io.hpp"

namespace penstock::bench {
namespace {

constexpr std::string_view resident = ", resident", page_cache = ", page cache";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const ParquetForm& form : parquet_forms())
    for (const std::string_view source : {resident, page_cache})
      names.push_back(form.name() + std::string(source));
  return names;
}

std::uint64_t bytes_of(const DeviceArray& array) {
  return array.value_bytes + (array.validity ? (array.row_count + 7) / 8 : 0) +
         (array.row_count + 1) * array.offset_bytes;
}

// Calls take(arrays) for all arrays of a file.
template <class Take>
Status read_file(const std::shared_ptr<Device>& device, const std::string& path, const Take& take) {
  PENSTOCK_ASSIGN(const auto table, open_table(path));
  PENSTOCK_ASSIGN(const auto reader, DeviceArrayReader::open(device, table, {0}));
  for (;;) {
    PENSTOCK_ASSIGN(const auto arrays, reader->next());
    if (!arrays) return {};
    PENSTOCK_TRY(take(*arrays));
  }
}

Result<double> page_cache_seconds(const std::shared_ptr<Device>& device, const std::string& path) {
  const double start = now_seconds();
  PENSTOCK_TRY(read_file(device, path, [](const DeviceArrays&) { return Status(); }));
  return now_seconds() - start;
}

Result<double> arrow_seconds(const std::string& path) {
  const double start = now_seconds();
  PENSTOCK_TRY(ArrowColumn::read(path).status());
  return now_seconds() - start;
}

// A file's pages, which are in device memory when the time begins.
class ResidentPagesBench {
 public:
  Status open(const std::shared_ptr<Device>& device, const std::string& path) {
    PENSTOCK_ASSIGN(const auto source, open_table(path));
    table_ = source->pages();
    std::vector<std::uint32_t> groups(table_->first_rows().size() - 1);
    std::iota(groups.begin(), groups.end(), 0u);
    auto batches = pages::plan_batches(*table_, columns_, groups, {.stored_bytes = ~0ull});
    PENSTOCK_ASSIGN(const auto stream,
                    pages::PageStream::open(table_, columns_, std::move(batches), {}));
    for (;;) {
      PENSTOCK_ASSIGN(auto batch, stream->next());
      if (!batch) break;
      batches_.push_back(std::move(*batch));
    }
    PENSTOCK_ASSIGN(queue_, device->queue());
    PENSTOCK_ASSIGN(decoder_, pages::PageDecoder::create(device));
    PENSTOCK_ASSIGN(arrays_, pages::PageArrays::create(device));
    return {};
  }

  Result<double> run_seconds() {
    double seconds = 0;
    for (const pages::PageBatch& batch : batches_) {
      PENSTOCK_ASSIGN(const double of_batch, batch_seconds(batch));
      seconds += of_batch;
    }
    return seconds;
  }

  std::uint64_t stored_bytes() const {
    std::uint64_t bytes = 0;
    for (const pages::PageBatch& batch : batches_) bytes += batch.groups.stored_bytes;
    return bytes;
  }

 private:
  Result<double> batch_seconds(const pages::PageBatch& batch) {
    const pages::PagedColumn* const column = table_->columns().data();
    pages::ColumnOfPages of_pages{column, {}};
    for (const pages::ChunkPages& chunk : batch.columns[0]) of_pages.chunks.push_back(&chunk);
    PENSTOCK_ASSIGN(const auto pending, decoder_->begin(*queue_, std::span(&of_pages, 1)));
    PENSTOCK_ASSIGN(const auto decoded, pending->finish());
    PENSTOCK_TRY(arrays_->write(*queue_, std::span(&column, 1), decoded).status());
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*pending->uploaded());
  }

  const std::vector<std::uint32_t> columns_ = {0};
  std::shared_ptr<const pages::PagedTable> table_;
  std::vector<pages::PageBatch> batches_;
  std::shared_ptr<pages::PageDecoder> decoder_;
  std::unique_ptr<pages::PageArrays> arrays_;
  std::unique_ptr<Queue> queue_;
};

// Returns the bytes of the arrays.
Result<std::uint64_t> verify(const std::shared_ptr<Device>& device, const std::string& path,
                             std::uint64_t rows) {
  PENSTOCK_ASSIGN(const ArrowColumn wanted, ArrowColumn::read(path));
  std::uint64_t row = 0, bytes = 0;
  const Status read = read_file(device, path, [&](const DeviceArrays& arrays) -> Status {
    PENSTOCK_TRY(wanted.compare(*device, arrays.columns[0], row));
    row += arrays.row_count;
    bytes += bytes_of(arrays.columns[0]);
    return {};
  });
  PENSTOCK_TRY(read);
  if (row != rows || wanted.row_count() != rows)
    return Status(Code::internal, std::to_string(row) + " rows were read");
  return bytes;
}

Status measure_form(const std::shared_ptr<Device>& device, const ParquetForm& form,
                    const std::string& path, const BenchOptions& options, Figures& figures) {
  const std::string name = form.name();
  const std::string of_pages = name + std::string(resident);
  const std::string of_file = name + std::string(page_cache);
  if (!is_selected(options, of_pages) && !is_selected(options, of_file)) return {};
  show_progress(name, "making the file and checking");
  PENSTOCK_TRY(write_parquet_form(form, options.rows, path));
  PENSTOCK_ASSIGN(const std::uint64_t output_bytes, verify(device, path, options.rows));
  ResidentPagesBench bench;
  PENSTOCK_TRY(bench.open(device, path));
  const auto add = [&](const std::string& work, const std::string& who,
                       const std::function<Result<double>()>& run_seconds) -> Status {
    if (!is_selected(options, work)) return {};
    const auto moved = static_cast<double>(bench.stored_bytes() + output_bytes);
    PENSTOCK_ASSIGN(Figure figure, time_runs(work, who, moved, options.repeats, run_seconds));
    figure.output_bytes = static_cast<double>(output_bytes);
    figure.stored_bytes = static_cast<double>(bench.stored_bytes());
    figures.push_back(std::move(figure));
    return {};
  };
  PENSTOCK_TRY(add(of_pages, "penstock", [&] { return bench.run_seconds(); }));
  PENSTOCK_TRY(add(of_file, "penstock", [&] { return page_cache_seconds(device, path); }));
  if (!options.has_figures_of_host) return {};
  return add(of_file, arrow_reader_name(), [&] { return arrow_seconds(path); });
}

}  // namespace

Result<Figures> measure_parquet(const std::shared_ptr<Device>& device,
                                const BenchOptions& options) {
  const TemporaryFolder folder("parquet");
  PENSTOCK_TRY(folder.status());
  Figures figures;
  Status refused;
  for (const ParquetForm& form : parquet_forms()) {
    const Status measured =
        measure_form(device, form, (folder.path() / "column.parquet").string(), options, figures);
    if (measured.code() == Code::unsupported) {
      show_progress(form.name() + " is left out", measured.message());
      refused = measured;
    } else if (!measured.ok()) {
      return measured.with(form.name());
    }
  }
  if (figures.empty() && !refused.ok()) return refused;
  return figures;
}

Action declare_bench_parquet(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  options->repeats = 10;
  const std::uint64_t max_rows = std::min<std::uint64_t>(INT32_MAX, machine_memory_bytes() / 256);
  declare_bench_options(arguments, *options, {"rows of a file", max_rows, case_names()});
  return [options] { return run_bench(*options, "rows", measure_parquet); };
}

}  // namespace penstock::bench
