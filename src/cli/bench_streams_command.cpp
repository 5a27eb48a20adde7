// penstock bench streams: one Deflate stream of a whole text, as gzip's and pigz's files are, decoded on the device.
//
// A run finds the stream's pieces, measures them and makes all text and its CRC-32: all that happens between compressed bytes and text in
// the device's memory, with the host's part and the waits for it. The stream is zlib's, made by all cores as pigz does it: parts that begin
// with the window of the one before, behind one another. Its text is compared before it is timed.
#include <zlib.h>

#include <cstring>

#include "base/parallel.hpp"
#include "cli/bench_corpora.hpp"
#include "cli/bench_table.hpp"
#include "cli/commands.hpp"
#include "cli/phase_times.hpp"
#include "codec/deflate/device_text.hpp"

namespace penstock::cli {
namespace {

using Bytes = std::vector<char>;
constexpr std::uint64_t row_bytes = 65536, part_bytes = 16 << 20, window_bytes = 32768;

struct StreamsOptions : BenchOptions {
  std::string files;      // in place of made texts; separated by commas
  bool has_phases = false;
  std::uint64_t level = 6, stride_bytes = 32 << 10;
};

constexpr const char* corpus_of_files = "files";
std::string case_name(const std::string& corpus) { return "Deflate stream, " + corpus; }

std::vector<Corpus> chosen_corpora(const StreamsOptions& options) {
  if (options.files.empty()) return {corpora().begin(), corpora().end()};
  return {Corpus{corpus_of_files,
                 [paths = words_between_commas(options.files)](std::uint64_t bytes) { return read_corpus(paths, bytes); }}};
}

// A part of a stream; empty where zlib has no memory.
Bytes compressed_part(const Bytes& text, std::uint64_t begin, std::uint64_t end, int level) {
  constexpr int raw_window = -15, memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, raw_window, memory, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  const auto* const bytes = reinterpret_cast<const Bytef*>(text.data());
  const std::uint64_t before = std::min(begin, window_bytes);
  if (before != 0) deflateSetDictionary(&stream, bytes + begin - before, static_cast<uInt>(before));
  Bytes part(deflateBound(&stream, end - begin) + 64);
  stream.next_in = const_cast<Bytef*>(bytes + begin), stream.avail_in = static_cast<uInt>(end - begin);
  stream.next_out = reinterpret_cast<Bytef*>(part.data()), stream.avail_out = static_cast<uInt>(part.size());
  ::deflate(&stream, end == text.size() ? Z_FINISH : Z_SYNC_FLUSH);
  part.resize(stream.total_out);
  deflateEnd(&stream);
  return part;
}

Bytes compressed_stream(const Bytes& text, int level) {
  const std::uint64_t count = (text.size() + part_bytes - 1) / part_bytes;
  std::vector<Bytes> parts(count);
  in_parallel(count, 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++)
      parts[i] = compressed_part(text, i * part_bytes, std::min<std::uint64_t>(text.size(), (i + 1) * part_bytes), level);
  });
  Bytes stream;
  for (const Bytes& part : parts) stream.insert(stream.end(), part.begin(), part.end());
  return stream;
}

class StreamBench {
 public:
  Status open(std::shared_ptr<Device> device, Bytes text, const StreamsOptions& options) {
    device_ = std::move(device), text_ = std::move(text);
    Bytes stream = compressed_stream(text_, static_cast<int>(options.level));
    stream_bytes_ = stream.size();
    stream.resize((stream.size() + 16) / 16 * 16);
    PENSTOCK_ASSIGN(queue_, device_->queue());
    PENSTOCK_ASSIGN(pieces_, deflate::StreamPieces::build(device_, static_cast<std::uint32_t>(options.stride_bytes)));
    PENSTOCK_ASSIGN(texts_, deflate::PieceTexts::build(device_));
    PENSTOCK_ASSIGN(input_, device_->allocate(stream.size()));
    PENSTOCK_ASSIGN(output_, device_->allocate(text_.size() + 16));
    PENSTOCK_TRY(queue_->upload(*input_, stream.data(), stream.size()));
    return queue_->finish();
  }

  Status run(Queue& queue) {
    PENSTOCK_TRY(pieces_->open(queue, input_, stream_bytes_));
    PENSTOCK_ASSIGN(const deflate::MeasuredStream stream, pieces_->follow(queue, 0));
    PENSTOCK_TRY(sound(stream.fault));
    if (stream.text_bytes != text_.size()) return Status(Code::internal, "the stream is measured wrongly");
    piece_count_ = stream.pieces.size();
    std::uint64_t at = 0;
    for (std::size_t first = 0; first < stream.pieces.size();) {
      PENSTOCK_ASSIGN(const deflate::TextBatch batch, texts_->decode(queue, *pieces_, stream, first, output_, at));
      PENSTOCK_TRY(sound(batch.fault));
      first += batch.piece_count, at += batch.text_bytes;
    }
    return {};
  }
  Result<double> run_seconds() {
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_TRY(run(*queue_));
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  }
  Status verify() {
    PENSTOCK_TRY(run(*queue_));
    Bytes made(text_.size());
    PENSTOCK_TRY(queue_->download(made.data(), *output_, made.size()));
    PENSTOCK_TRY(queue_->finish());
    return made == text_ ? Status() : Status(Code::internal, "the stream's text is wrong");
  }

  // A figure for each kernel, of all its launches in a run.
  Result<Figures> phases(const std::string& work, std::uint64_t repeats) {
    std::vector<std::string> names;
    std::vector<std::vector<double>> seconds;
    for (std::uint64_t i = 0; i < repeats; i++) {
      TimedQueue timed(*queue_);
      PENSTOCK_TRY(run(timed));
      PENSTOCK_ASSIGN(const std::vector<PhaseTime> times, timed.take_times());
      for (const PhaseTime& time : times) {
        const auto row = static_cast<std::size_t>(std::find(names.begin(), names.end(), time.kernel) - names.begin());
        if (row == names.size()) names.push_back(time.kernel), seconds.emplace_back();
        if (seconds[row].size() <= i) seconds[row].resize(i + 1);
        seconds[row][i] += time.seconds;
      }
    }
    Figures figures;
    for (std::size_t row = 0; row < names.size(); row++)
      figures.push_back(with_bytes(figure_of(work, "deflate_pieces: " + names[row], 0, std::move(seconds[row]))));
    return figures;
  }

  std::size_t piece_count() const { return piece_count_; }
  Figure with_bytes(Figure figure) const {
    figure.text_bytes = static_cast<double>(text_.size()), figure.stored_bytes = static_cast<double>(stream_bytes_);
    figure.bytes = figure.text_bytes + figure.stored_bytes;
    return figure;
  }

 private:
  static Status sound(const deflate::StreamFault& fault) {
    if (fault.fault == chunks::Fault::none) return {};
    return Status(Code::internal, "byte " + std::to_string(fault.byte) + ": " + std::string(chunks::words_of(fault.fault)));
  }

  std::shared_ptr<Device> device_;
  Bytes text_;
  std::uint64_t stream_bytes_ = 0;
  std::size_t piece_count_ = 0;
  std::shared_ptr<Buffer> input_, output_;
  std::unique_ptr<deflate::StreamPieces> pieces_;
  std::unique_ptr<deflate::PieceTexts> texts_;
  std::unique_ptr<Queue> queue_;
};

Status measure_case(const std::shared_ptr<Device>& device, const Corpus& corpus, const StreamsOptions& options, Figures& figures) {
  PENSTOCK_ASSIGN(Bytes text, corpus.make(options.rows * row_bytes));
  StreamBench bench;
  const std::string name = case_name(corpus.name);
  PENSTOCK_TRY(bench.open(device, std::move(text), options));
  PENSTOCK_TRY(bench.verify().with(name));
  const std::string ours = "penstock deflate_pieces (" + std::to_string(bench.piece_count()) + " pieces)";
  PENSTOCK_ASSIGN(Figure figure, time_runs(name, ours, 0, options.repeats, [&] { return bench.run_seconds(); }));
  figures.push_back(bench.with_bytes(std::move(figure)));
  if (!options.has_phases) return {};
  PENSTOCK_ASSIGN(const Figures phases, bench.phases(name, options.repeats));
  figures.insert(figures.end(), phases.begin(), phases.end());
  return {};
}

}  // namespace

Action declare_bench_streams(Arguments& arguments) {
  auto options = std::make_shared<StreamsOptions>();
  options->rows = 16384;
  std::vector<std::string> names;
  for (const Corpus& corpus : corpora()) names.push_back(case_name(corpus.name));
  names.push_back(case_name(corpus_of_files));
  declare_bench_options(arguments, *options, {"times 64 KiB of text", physical_memory_bytes() / 4 / row_bytes, names});
  arguments.value("--level", "N", options->level, "of zlib", 0, 9);
  arguments.value("--stride", "BYTES", options->stride_bytes, "of compressed bytes, in each of which a piece may begin", 64, 1 << 28);
  arguments.flag("--phases", options->has_phases, "a line for each kernel, too: its time with its launch");
  arguments.value("--files", "PATHS", options->files, "text of these files, separated by commas; over and over where they are short");
  return [options] {
    return run_bench(*options, "times 64 KiB", [&](const std::shared_ptr<Device>& device, const BenchOptions& now) -> Result<Figures> {
      StreamsOptions all = *options;
      static_cast<BenchOptions&>(all) = now;
      Figures figures;
      for (const Corpus& corpus : chosen_corpora(all))
        if (is_chosen(all, case_name(corpus.name))) PENSTOCK_TRY(measure_case(device, corpus, all, figures));
      return figures;
    });
  };
}

}  // namespace penstock::cli
