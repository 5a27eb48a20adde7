// A batch of chunks on a device that a decoder or an encoder runs on repeatedly, for `penstock
// bench codecs`.
#pragma once
#include <atomic>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "bench/bench_chunks.hpp"
#include "bench/bench_table.hpp"

namespace penstock::bench {

// Fills memory with a byte that no result has.
inline Status clear_output(Queue& queue, const Buffer& output) {
  return queue.fill(output, 0xeeeeeeee, output.bytes() / 4 * 4);
}

class BenchBatch {
 public:
  // The bytes to upload, and the offsets and capacities of the results, in bytes.
  struct Layout {
    const Bytes& input;
    const std::vector<std::uint64_t>&input_offsets, &input_sizes, &output_offsets,
        &output_capacities;
    std::uint64_t output_bytes;
    std::uint64_t max_output_bytes = 0;  // as Batch has it
  };
  // Opens a batch of one chunk or more. Code::no_memory and the like if it does not fit.
  Status open(std::shared_ptr<Device> device, const Layout& layout);
  // Makes the chunks dependent blocks of one stream; `streams` as in batch.hpp.
  Status link(const std::vector<std::uint32_t>& streams, std::uint64_t output_bytes);
  // Allocates the scratch memory of the decoder or encoder that runs next.
  template <class Codec> Status prepare(const Codec& codec) {
    PENSTOCK_ASSIGN(scratch_, device_->allocate(codec.scratch_bytes(batch_.chunk_count,
                                                                    batch_.max_output_bytes)));
    return {};
  }
  template <class Codec> Status enqueue(Codec& codec, Queue& queue) {
    return codec.enqueue(queue, batch_, *scratch_);
  }
  // Returns the device's time from the begin of the first kernel to the end of the last.
  template <class Codec> Result<double> run_seconds(Codec& codec) {
    return seconds_of(codec, batch_);
  }
  // Returns the time of the first chunk by itself.
  template <class Codec> Result<double> alone_seconds(Codec& codec) {
    batch::Batch alone = batch_;
    alone.chunk_count = 1;
    return seconds_of(codec, alone);
  }

  // Returns the output buffer and the size of each result, or the error of a chunk.
  struct Output {
    Bytes bytes;
    std::vector<std::uint64_t> sizes;
  };
  Result<Output> output(batch::Format format);
  // Fills the output, so that results of an earlier run are not taken for results of the next.
  Status clear_output() { return bench::clear_output(*queue_, *batch_.output); }
  Queue& queue() { return *queue_; }

 private:
  template <class Codec> Result<double> seconds_of(Codec& codec, const batch::Batch& batch) {
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_TRY(codec.enqueue(*queue_, batch, *scratch_));
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  }
  template <class T> Result<std::shared_ptr<Buffer>> upload(const std::vector<T>& values);

  std::shared_ptr<Device> device_;
  batch::Batch batch_;
  std::shared_ptr<Buffer> scratch_;
  std::unique_ptr<Queue> queue_;
};

// Returns the seconds that all cores take for each(i) of `count` chunks. If a call returns false:
// Code::internal with `failure` and the chunk's number.
template <class Each>
Result<double> seconds_on_all_cores(std::uint64_t count, const std::string& failure,
                                    const Each& each) {
  std::atomic<std::uint64_t> failed = count;
  const double begun = now_seconds();
  in_parallel(count, 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++)
      if (!each(i)) failed = i;
  });
  if (failed != count) return Status(Code::internal, failure + std::to_string(failed));
  return now_seconds() - begun;
}

// Sets the bytes that a case of chunks moves: decompressed and compressed.
inline Figure of_chunks(Figure figure, std::uint64_t output_bytes, std::uint64_t stored_bytes) {
  figure.output_bytes = static_cast<double>(output_bytes);
  figure.stored_bytes = static_cast<double>(stored_bytes);
  figure.bytes = figure.output_bytes + figure.stored_bytes;
  return figure;
}

}  // namespace penstock::bench
