// penstock bench codecs: batches of chunks, compressed by the formats' own libraries and decoded on
// the device by every variant that fits; and data compressed on the device
// (bench_chunk_encoding.hpp).
//
// Rates are of decompressed bytes; the share of copy is of compressed and decompressed bytes. Every
// chunk is compared with the original before it is timed. The format's library, on all cores, is
// timed too. Each line has the decompressed bytes per sequence of the format.
//
// The data is generated (bench_corpora.hpp) or read from --files. With --write-outputs, baselines
// find the same chunks in a folder, one file per case (bench_chunks.hpp); bench/peers/nvcomp.py
// decodes them with nvCOMP.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/machine_memory.hpp"
#include "bench/bench_batch.hpp"
#include "bench/bench_chunk_encoding.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_corpora.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "terminal/phase_times.hpp"

namespace penstock::bench {
namespace {

struct CodecsOptions : BenchOptions {
  std::uint64_t chunk_bytes = 65536;
  std::string files;        // instead of generated data; separated by commas
  bool has_phases = false;  // a line for each kernel too
};

constexpr const char* corpus_of_files = "files";

std::string case_name(const ChunkLibrary& library, const std::string& corpus) {
  return std::string(library.name) + ", " + corpus;
}

std::string encoding_name(const ChunkLibrary& library, const std::string& corpus) {
  return std::string(library.name) + " compress, " + corpus;
}

std::vector<Corpus> selected_corpora(const CodecsOptions& options) {
  if (options.files.empty()) return {corpora().begin(), corpora().end()};
  const auto read = [paths = split_at(options.files, ',')](std::uint64_t bytes) {
    return read_corpus(paths, bytes);
  };
  return {Corpus{corpus_of_files, read}};
}

class CodecBench {
 public:
  CodecBench(const ChunkLibrary& library, BenchChunks chunks)
      : library_(library), chunks_(std::move(chunks)) {}

  Status open(const std::shared_ptr<Device>& device) {
    return batch_.open(
        device, {chunks_.input, chunks_.input_offsets, chunks_.input_sizes, chunks_.output_offsets,
                 chunks_.output_sizes, chunks_.output.size() + 16,
                 *std::max_element(chunks_.output_sizes.begin(), chunks_.output_sizes.end())});
  }

  Status use(const std::shared_ptr<Device>& device, const std::string& variant) {
    PENSTOCK_ASSIGN(decoder_, batch::Decoder::build(device, library_.format, variant));
    return batch_.prepare(*decoder_);
  }

  Result<double> run_seconds() { return batch_.run_seconds(*decoder_); }
  // Returns the median of `repeats` runs of one chunk by itself.
  Result<double> alone_seconds(std::uint64_t repeats) {
    PENSTOCK_ASSIGN(const Figure alone,
                    time_runs("", "", 0, repeats, [&] { return batch_.alone_seconds(*decoder_); }));
    return alone.median_seconds;
  }

  // Returns a figure for each kernel that a run launches, the median of `repeats` runs.
  Result<Figures> phases(const std::string& work, const std::string& name, std::uint64_t repeats) {
    TimedQueue timed(batch_.queue());
    std::vector<std::vector<double>> seconds;  // by launch
    std::vector<PhaseTime> times;
    for (std::uint64_t i = 0; i < repeats; i++) {
      PENSTOCK_TRY(batch_.enqueue(*decoder_, timed));
      PENSTOCK_ASSIGN(times, timed.take_times());
      seconds.resize(times.size());
      for (std::size_t phase = 0; phase < times.size(); phase++)
        seconds[phase].push_back(times[phase].seconds);
    }
    Figures figures;
    for (std::size_t phase = 0; phase < times.size(); phase++)
      figures.push_back(with_bytes(
          figure_of(work, name + ": " + times[phase].kernel, 0, std::move(seconds[phase]))));
    return figures;
  }

  Status verify() {
    PENSTOCK_TRY(batch_.clear_output());
    PENSTOCK_TRY(run_seconds());
    PENSTOCK_ASSIGN(const BenchBatch::Output decoded, batch_.output(library_.format));
    for (std::uint64_t i = 0; i < chunks_.count(); i++)
      if (std::memcmp(decoded.bytes.data() + chunks_.output_offsets[i],
                      chunks_.output.data() + chunks_.output_offsets[i],
                      chunks_.output_sizes[i]) != 0)
        return Status(Code::internal, "chunk " + std::to_string(i) + " is wrong");
    return {};
  }

  Result<double> host_seconds(const HostDecoder& decoder) {
    host_output_.resize(chunks_.output.size());
    const auto decompress = [&](std::uint64_t i) {
      return decoder.decompress(
          chunks_.input.data() + chunks_.input_offsets[i], chunks_.input_sizes[i],
          host_output_.data() + chunks_.output_offsets[i], chunks_.output_sizes[i]);
    };
    return seconds_on_all_cores(
        chunks_.count(),
        std::string(decoder.name) + " cannot decompress " + library_.library + "'s chunk ",
        decompress);
  }

  const BenchChunks& chunks() const { return chunks_; }
  Figure with_bytes(Figure figure) const {
    figure = of_chunks(std::move(figure), chunks_.output.size(), chunks_.input.size());
    if (chunks_.sequence_count != 0)
      figure.output_bytes_per_sequence =
          figure.output_bytes / static_cast<double>(chunks_.sequence_count);
    return figure;
  }

 private:
  const ChunkLibrary& library_;
  BenchChunks chunks_;
  BenchBatch batch_;
  std::unique_ptr<batch::Decoder> decoder_;
  Bytes host_output_;
};

Status write_case(const BenchChunks& chunks, const std::string& name, const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code ignored;  // creating the file reports the error
  std::filesystem::create_directories(folder, ignored);
  return write_chunks(chunks, (std::filesystem::path(folder) / (name + ".chunks")).string());
}

// A variant's index among the figures, and how many figures of phases follow it.
struct MeasuredVariant {
  std::size_t figure = 0, phases = 0;
};

// Sets how much faster one chunk alone is than by a single thread that decodes it token by token,
// where such a variant was measured.
void compare_with_one_thread(Figures& figures, const std::vector<MeasuredVariant>& variants) {
  const auto is_by_one_thread = [&](MeasuredVariant variant) {
    return variant.phases == 1 && figures[variant.figure].name.ends_with("_decode_thread");
  };
  const auto one_thread = std::ranges::find_if(variants, is_by_one_thread);
  if (one_thread == variants.end()) return;
  const double one_thread_seconds = figures[one_thread->figure].alone_seconds;
  for (const MeasuredVariant& variant : variants)
    if (variant.figure != one_thread->figure)
      figures[variant.figure].restructuring =
          one_thread_seconds / figures[variant.figure].alone_seconds;
}

// Makes data, and keeps the last for the next format.
class CorpusMaker {
 public:
  Result<Bytes> make(const Corpus& corpus, std::uint64_t bytes) {
    if (name_ != corpus.name || bytes_ != bytes) {
      last_ = Bytes();
      PENSTOCK_ASSIGN(last_, corpus.make(bytes));
      name_ = corpus.name, bytes_ = bytes;
    }
    return last_;
  }

 private:
  std::string name_;
  std::uint64_t bytes_ = 0;
  Bytes last_;
};

Status measure_case(const std::shared_ptr<Device>& device, const ChunkLibrary& library,
                    const Corpus& corpus, CorpusMaker& maker, const CodecsOptions& options,
                    Figures& figures) {
  const std::string name = case_name(library, corpus.name);
  show_progress(name, "making data, compressing and checking");
  PENSTOCK_ASSIGN(Bytes output, maker.make(corpus, options.rows * options.chunk_bytes));
  PENSTOCK_ASSIGN(BenchChunks chunks, compressed(library, std::move(output), options.chunk_bytes));
  CodecBench bench(library, std::move(chunks));
  PENSTOCK_TRY(bench.open(device));
  PENSTOCK_TRY(write_case(bench.chunks(), name, options.outputs_folder));
  std::vector<MeasuredVariant> measured;  // with --phases
  for (const std::string& variant :
       selected_variants(options, batch::Decoder::variants(library.format, device->traits()))) {
    const Status used = bench.use(device, variant);
    // Lists of sequences take several times the decompressed size: a device without memory for them
    // is measured by the other variants.
    const bool has_no_memory = used.code() == Code::capacity || used.code() == Code::no_memory;
    if (has_no_memory && options.variant.empty()) continue;
    PENSTOCK_TRY(used);
    PENSTOCK_TRY(bench.verify().with(name + " by " + variant));
    PENSTOCK_ASSIGN(Figure figure, time_runs(name, "penstock " + variant, 0, options.repeats,
                                             [&] { return bench.run_seconds(); }));
    figure.share_of_studies = library.share_of_studies;
    if (options.has_phases) {
      PENSTOCK_ASSIGN(figure.alone_seconds, bench.alone_seconds(options.repeats));
      figure.parallelism = figure.alone_seconds * static_cast<double>(bench.chunks().count()) /
                           figure.median_seconds;
    }
    figures.push_back(bench.with_bytes(std::move(figure)));
    if (!options.has_phases) continue;
    PENSTOCK_ASSIGN(const Figures phases, bench.phases(name, variant, options.repeats));
    measured.push_back({figures.size() - 1, phases.size()});
    figures.insert(figures.end(), phases.begin(), phases.end());
  }
  compare_with_one_thread(figures, measured);
  if (!options.has_figures_of_host) return {};
  std::vector<HostDecoder> decoders = {{library.library, library.decompress}};
  decoders.insert(decoders.end(), library.decoders.begin(), library.decoders.end());
  for (const HostDecoder& decoder : decoders) {
    PENSTOCK_ASSIGN(Figure host, time_runs(name, std::string(decoder.name) + ", all cores", 0,
                                           std::min<std::uint64_t>(options.repeats, 5),
                                           [&] { return bench.host_seconds(decoder); }));
    figures.push_back(bench.with_bytes(std::move(host)));
  }
  return {};
}

Result<Figures> measure_cases(const std::shared_ptr<Device>& device, const CodecsOptions& options) {
  Figures figures;
  CorpusMaker maker;
  for (const ChunkLibrary& library : chunk_libraries())
    for (const Corpus& corpus : selected_corpora(options)) {
      if (is_selected(options, case_name(library, corpus.name)))
        PENSTOCK_TRY(measure_case(device, library, corpus, maker, options, figures));
      const std::string encoding = encoding_name(library, corpus.name);
      if (!is_selected(options, encoding) || !is_encoded(library, device->traits())) continue;
      PENSTOCK_ASSIGN(const Bytes output, maker.make(corpus, options.rows * options.chunk_bytes));
      PENSTOCK_TRY(measure_chunk_encoding(device, library, encoding, output, options.chunk_bytes,
                                          options, figures));
    }
  return figures;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const ChunkLibrary& library : chunk_libraries()) {
    for (const Corpus& corpus : corpora()) names.push_back(case_name(library, corpus.name));
    names.push_back(case_name(library, corpus_of_files));
    if (library.encoders.empty()) continue;
    for (const Corpus& corpus : corpora()) names.push_back(encoding_name(library, corpus.name));
    names.push_back(encoding_name(library, corpus_of_files));
  }
  return names;
}

}  // namespace

Result<Figures> measure_codecs(const std::shared_ptr<Device>& device, const BenchOptions& options) {
  CodecsOptions all;
  static_cast<BenchOptions&>(all) = options;
  return measure_cases(device, all);
}

Action declare_bench_codecs(Arguments& arguments) {
  auto options = std::make_shared<CodecsOptions>();
  options->rows = 16384;
  declare_bench_options(
      arguments, *options,
      {"chunks to decode or to encode", machine_memory_bytes() / 4 / 65536, case_names()});
  arguments.value("--chunk", "BYTES", options->chunk_bytes, "decompressed bytes of a chunk", 1,
                  std::uint64_t{1} << 30);
  arguments.value("--variant", "NAME", options->variant, "measure this variant only");
  arguments.flag("--phases", options->has_phases,
                 "a line for each kernel too, timed with its launch, and the time of one chunk");
  arguments.value("--files", "PATHS", options->files,
                  "compress these files, separated by commas and repeated as needed");
  arguments.value("--write-outputs", "FOLDER", options->outputs_folder,
                  "write each case's data to a file that baselines read");
  return [options] {
    return run_bench(*options, "chunks",
                     [&](const std::shared_ptr<Device>& device, const BenchOptions& now) {
                       CodecsOptions all = *options;
                       static_cast<BenchOptions&>(all) = now;
                       return measure_cases(device, all);
                     });
  };
}

}  // namespace penstock::bench
