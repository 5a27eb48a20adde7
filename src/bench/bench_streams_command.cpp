// penstock bench streams: decodes what ordinary files contain, on the device and by the format's
// library (bench_streams.hpp).
//
// A run is everything between compressed and decompressed bytes in the device's memory, including
// the host's part and the waits for it.
#include <algorithm>

#include "base/machine_memory.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_corpora.hpp"
#include "bench/bench_streams.hpp"

namespace penstock::bench {
namespace {

constexpr std::uint64_t row_bytes = 65536;
constexpr const char* corpus_of_files = "files";
std::string case_name(const StreamKind& kind, const std::string& corpus) {
  return std::string(kind.name) + ", " + corpus;
}

std::vector<Corpus> selected_corpora(const StreamsOptions& options) {
  if (options.files.empty()) return {corpora().begin(), corpora().end()};
  return {Corpus{corpus_of_files, [paths = split_at(options.files, ',')](std::uint64_t bytes) {
                   return read_corpus(paths, bytes);
                 }}};
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const StreamKind& kind : stream_kinds()) {
    for (const Corpus& corpus : corpora()) names.push_back(case_name(kind, corpus.name));
    names.push_back(case_name(kind, corpus_of_files));
  }
  return names;
}

Status measure_case(const std::shared_ptr<Device>& device, const StreamKind& kind,
                    const Corpus& corpus, const StreamsOptions& options, Figures& figures) {
  constexpr std::uint64_t max_peer_repeats = 5;
  const std::string name = case_name(kind, corpus.name);
  show_progress(name, "making data, compressing and checking");
  PENSTOCK_ASSIGN(Bytes output, corpus.make(options.rows * row_bytes));
  PENSTOCK_ASSIGN(const auto bench, kind.open(device, std::move(output), options));
  PENSTOCK_TRY(bench->verify().with(name));
  const std::string ours = "penstock " + bench->method() + " (" + bench->parts() + ")";
  PENSTOCK_ASSIGN(Figure figure,
                  time_runs(name, ours, 0, options.repeats, [&] { return bench->run_seconds(); }));
  figures.push_back(bench->with_bytes(std::move(figure)));
  if (options.has_phases) {
    PENSTOCK_ASSIGN(const Figures phases, bench->phases(name, options.repeats));
    figures.insert(figures.end(), phases.begin(), phases.end());
  }
  PENSTOCK_ASSIGN(Figure peer,
                  time_runs(name, bench->peer(), 0, std::min(options.repeats, max_peer_repeats),
                            [&] { return bench->peer_seconds(); }));
  figures.push_back(bench->with_bytes(std::move(peer)));
  return {};
}

}  // namespace

Action declare_bench_streams(Arguments& arguments) {
  auto options = std::make_shared<StreamsOptions>();
  options->rows = 16384;
  declare_bench_options(arguments, *options,
                        {"size of the data in units of 64 KiB",
                         machine_memory_bytes() / 4 / row_bytes, case_names()});
  arguments.value("--level", "N", options->level, "level of zlib", 0, 9);
  arguments.value("--stride", "BYTES", options->stride_bytes,
                  "a segment of a Deflate stream may begin in each so many compressed bytes", 64,
                  1 << 28);
  arguments.value("--block", "BYTES", options->block_bytes, "decompressed bytes of an LZ4 block",
                  65536, 4 << 20);
  arguments.flag("--phases", options->has_phases,
                 "a line for each kernel too, timed with its launch");
  arguments.value("--files", "PATHS", options->files,
                  "compress these files, separated by commas and repeated as needed");
  return [options] {
    return run_bench(
        *options, "times 64 KiB",
        [&](const std::shared_ptr<Device>& device, const BenchOptions& now) -> Result<Figures> {
          StreamsOptions all = *options;
          static_cast<BenchOptions&>(all) = now;
          Figures figures;
          for (const StreamKind& kind : stream_kinds())
            for (const Corpus& corpus : selected_corpora(all))
              if (kind.fits(device->traits()) && is_selected(all, case_name(kind, corpus.name)))
                PENSTOCK_TRY(measure_case(device, kind, corpus, all, figures));
          return figures;
        });
  };
}

}  // namespace penstock::bench
