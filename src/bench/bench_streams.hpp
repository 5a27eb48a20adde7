// What a compressed file has inside, decoded on a device as one: a kind of `penstock bench
// streams`, made of a text by the format's own library, compared with it before it is timed, and
// decoded by that library beside.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "bench/bench_chunks.hpp"
#include "bench/bench_table.hpp"

namespace penstock::cli {

struct StreamsOptions : BenchOptions {
  std::string files;  // in place of made texts; separated by commas
  bool has_phases = false;
  std::uint64_t level = 6, stride_bytes = 8 << 10;  // of Deflate
  std::uint64_t block_bytes = 4 << 20;              // of LZ4
};

// In a device's memory, with room for its text.
class StreamBench {
 public:
  virtual ~StreamBench() = default;
  virtual Status run(Queue& queue) = 0;  // all of it; may wait for what it has to know
  virtual Status clear() = 0;  // so that the text of an earlier case is not taken for this one's
  virtual Result<Bytes>
  made() = 0;  // the text that the last run left; an error where a verdict is one
  virtual Queue& queue() = 0;
  virtual std::string method() const = 0;     // "deflate_pieces"
  virtual std::string parts() const = 0;      // "1200 pieces": what is decoded side by side
  virtual std::string peer() const = 0;       // "libdeflate, one core"
  virtual Result<double> peer_seconds() = 0;  // into memory that is used again

  // From the first kernel's begin to the last one's end, with what the host does between them.
  Result<double> run_seconds();
  Status verify();
  // A figure for each kernel, of all its launches in a run.
  Result<Figures> phases(const std::string& work, std::uint64_t repeats);
  Figure with_bytes(Figure figure) const;

 protected:
  // As much of a buffer as the text has.
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

// A row each; the files of these names have them.
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

}  // namespace penstock::cli
