// The kinds of `penstock bench streams`: one stream, frame or list of blocks as compressed files
// contain it. The format's own library compresses the data. The device's output is compared with it
// before it is timed, and the library is timed too.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "bench/bench_chunks.hpp"
#include "bench/bench_table.hpp"

namespace penstock::bench {

struct StreamsOptions : BenchOptions {
  std::string files;  // instead of generated data; separated by commas
  bool has_phases = false;
  std::uint64_t level = 6, stride_bytes = 8 << 10;  // of Deflate
  std::uint64_t block_bytes = 4 << 20;              // of LZ4
};

// A stream in a device's memory, with a buffer for its output.
class StreamBench {
 public:
  virtual ~StreamBench() = default;
  virtual Status run(Queue& queue) = 0;  // decodes everything; may wait for sizes
  virtual Status clear() = 0;            // overwrites the output of an earlier run
  virtual Result<Bytes> made() = 0;      // the last run's output, or the error of a chunk
  virtual Queue& queue() = 0;
  virtual std::string method() const = 0;     // "deflate_segments"
  virtual std::string parts() const = 0;      // "1200 pieces": what is decoded in parallel
  virtual std::string peer() const = 0;       // "libdeflate, one core"
  virtual Result<double> peer_seconds() = 0;  // into memory that is kept

  // Returns the time from the begin of the first kernel to the end of the last, host work included.
  Result<double> run_seconds();
  Status verify();
  // Returns a figure for each kernel, over all its launches in a run.
  Result<Figures> phases(const std::string& work, std::uint64_t repeats);
  Figure with_bytes(Figure figure) const;

 protected:
  // Downloads as many bytes of a buffer as the original has.
  Result<Bytes> downloaded(const Buffer& output);

  Bytes original_;
  std::uint64_t stored_bytes_ = 0;
};

struct StreamKind {
  const char* name;  // "Zstandard frame"
  bool (*fits)(const Traits& traits);
  Result<std::unique_ptr<StreamBench>> (*open)(std::shared_ptr<Device> device, Bytes output,
                                               const StreamsOptions& options);
};
std::span<const StreamKind> stream_kinds();

// The functions of each row, from the file of the same name.
bool fits_deflate_stream(const Traits& traits);
Result<std::unique_ptr<StreamBench>> open_deflate_stream(std::shared_ptr<Device> device,
                                                         Bytes output,
                                                         const StreamsOptions& options);
bool fits_zstd_frame(const Traits& traits);
Result<std::unique_ptr<StreamBench>> open_zstd_frame(std::shared_ptr<Device> device, Bytes output,
                                                     const StreamsOptions& options);
bool fits_lz4_blocks(const Traits& traits);
Result<std::unique_ptr<StreamBench>> open_lz4_blocks(std::shared_ptr<Device> device, Bytes output,
                                                     const StreamsOptions& options);
bool fits_lz4_linked(const Traits& traits);
Result<std::unique_ptr<StreamBench>> open_lz4_linked(std::shared_ptr<Device> device, Bytes output,
                                                     const StreamsOptions& options);

}  // namespace penstock::bench
