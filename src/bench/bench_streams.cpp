#include "bench/bench_streams.hpp"

#include <algorithm>

#include "bench/bench_batch.hpp"
#include "terminal/phase_times.hpp"

namespace penstock::bench {
namespace {

constexpr StreamKind kinds[] = {
    {"Deflate stream", fits_deflate_stream, open_deflate_stream},
    {"Zstandard frame", fits_zstd_frame, open_zstd_frame},
    {"LZ4 blocks", fits_lz4_blocks, open_lz4_blocks},
    {"LZ4 linked blocks", fits_lz4_linked, open_lz4_linked},
};

}  // namespace

std::span<const StreamKind> stream_kinds() { return kinds; }

Result<double> StreamBench::run_seconds() {
  PENSTOCK_ASSIGN(const auto begun, queue().record());
  PENSTOCK_TRY(run(queue()));
  PENSTOCK_ASSIGN(const auto done, queue().record());
  PENSTOCK_TRY(done->wait());
  return done->seconds_since(*begun);
}

Result<Bytes> StreamBench::downloaded(const Buffer& output) {
  Bytes made(original_.size());
  PENSTOCK_TRY(queue().download(made.data(), output, made.size()));
  PENSTOCK_TRY(queue().finish());
  return made;
}

Status StreamBench::verify() {
  PENSTOCK_TRY(clear());
  PENSTOCK_TRY(run(queue()));
  PENSTOCK_ASSIGN(const Bytes output, made());
  const bool is_right = output.size() >= original_.size() &&
                        std::equal(original_.begin(), original_.end(), output.begin());
  return is_right ? Status() : Status(Code::internal, "the output is wrong");
}

Result<Figures> StreamBench::phases(const std::string& work, std::uint64_t repeats) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> seconds;
  for (std::uint64_t i = 0; i < repeats; i++) {
    TimedQueue timed(queue());
    PENSTOCK_TRY(run(timed));
    PENSTOCK_ASSIGN(const std::vector<PhaseTime> times, timed.take_times());
    for (const PhaseTime& time : times) {
      const auto row = static_cast<std::size_t>(std::find(names.begin(), names.end(), time.kernel) -
                                                names.begin());
      if (row == names.size()) names.push_back(time.kernel), seconds.emplace_back();
      if (seconds[row].size() <= i) seconds[row].resize(i + 1);
      seconds[row][i] += time.seconds;
    }
  }
  Figures figures;
  for (std::size_t row = 0; row < names.size(); row++)
    figures.push_back(
        with_bytes(figure_of(work, method() + ": " + names[row], 0, std::move(seconds[row]))));
  return figures;
}

Figure StreamBench::with_bytes(Figure figure) const {
  return of_chunks(std::move(figure), original_.size(), stored_bytes_);
}

}  // namespace penstock::bench
