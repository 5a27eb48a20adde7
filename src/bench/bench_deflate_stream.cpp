// One Deflate stream of all data, as in files of gzip and pigz: finds and measures its segments,
// writes all output and computes its CRC-32. zlib compresses it on all cores as pigz does: parts
// that start with the window of the part before, one after the other.
#include <libdeflate.h>
#include <zlib.h>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "bench/bench_batch.hpp"
#include "bench/bench_streams.hpp"
#include "codec/deflate/device/device_inflate.hpp"

namespace penstock::bench {
namespace {

constexpr std::uint64_t part_bytes = 16 << 20, deflate_window_bytes = 32768;

// Compresses a part of a stream; returns nothing where zlib has no memory.
Bytes compressed_part(const Bytes& original, std::uint64_t begin, std::uint64_t end, int level) {
  constexpr int raw_window = -15, memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, raw_window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  const auto* const bytes = reinterpret_cast<const Bytef*>(original.data());
  const std::uint64_t before = std::min(begin, deflate_window_bytes);
  if (before != 0) deflateSetDictionary(&stream, bytes + begin - before, static_cast<uInt>(before));
  Bytes part(deflateBound(&stream, end - begin) + 64);
  stream.next_in = const_cast<Bytef*>(bytes + begin),
  stream.avail_in = static_cast<uInt>(end - begin);
  stream.next_out = reinterpret_cast<Bytef*>(part.data()),
  stream.avail_out = static_cast<uInt>(part.size());
  ::deflate(&stream, end == original.size() ? Z_FINISH : Z_SYNC_FLUSH);
  part.resize(stream.total_out);
  deflateEnd(&stream);
  return part;
}

Bytes compressed_stream(const Bytes& original, int level) {
  const std::uint64_t count = (original.size() + part_bytes - 1) / part_bytes;
  std::vector<Bytes> parts(count);
  in_parallel(count, 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++)
      parts[i] =
          compressed_part(original, i * part_bytes,
                          std::min<std::uint64_t>(original.size(), (i + 1) * part_bytes), level);
  });
  Bytes stream;
  for (const Bytes& part : parts) stream.insert(stream.end(), part.begin(), part.end());
  return stream;
}

class DeflateStreamBench final : public StreamBench {
 public:
  Status open(std::shared_ptr<Device> device, Bytes original, const StreamsOptions& options) {
    device_ = std::move(device), original_ = std::move(original);
    stream_ = compressed_stream(original_, static_cast<int>(options.level));
    stored_bytes_ = stream_.size();
    stream_.resize((stream_.size() + 16) / 16 * 16);
    PENSTOCK_ASSIGN(queue_, device_->queue());
    PENSTOCK_ASSIGN(finder_, deflate::SegmentFinder::build(
                                 device_, static_cast<std::uint32_t>(options.stride_bytes)));
    PENSTOCK_ASSIGN(decoder_, deflate::SegmentDecoder::build(device_));
    PENSTOCK_ASSIGN(input_, device_->allocate(stream_.size()));
    PENSTOCK_ASSIGN(output_, device_->allocate(original_.size() + 16));
    PENSTOCK_TRY(queue_->upload(*input_, stream_.data(), stream_.size()));
    return queue_->finish();
  }

  Status run(Queue& queue) override {
    PENSTOCK_TRY(finder_->open(queue, input_, stored_bytes_));
    PENSTOCK_ASSIGN(const deflate::MeasuredStream stream, finder_->follow(queue, 0));
    PENSTOCK_TRY(valid(stream.error));
    if (stream.output_bytes != original_.size())
      return Status(Code::internal, "the stream's measured size is wrong");
    segment_count_ = stream.segments.size();
    std::uint64_t at = 0;
    for (std::size_t first = 0; first < stream.segments.size();) {
      PENSTOCK_ASSIGN(const deflate::OutputBatch batch,
                      decoder_->decode(queue, *finder_, stream, first, output_, at));
      PENSTOCK_TRY(valid(batch.error));
      first += batch.segment_count, at += batch.output_bytes;
    }
    return {};
  }
  Status clear() override { return clear_output(*queue_, *output_); }
  Result<Bytes> made() override { return downloaded(*output_); }
  Queue& queue() override { return *queue_; }
  std::string method() const override { return "deflate_segments"; }
  std::string parts() const override { return std::to_string(segment_count_) + " segments"; }
  std::string peer() const override { return "libdeflate, one core"; }
  Result<double> peer_seconds() override {
    host_output_.resize(original_.size());
    libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
    const double begun = now_seconds();
    const libdeflate_result outcome =
        libdeflate_deflate_decompress(decompressor, stream_.data(), stored_bytes_,
                                      host_output_.data(), host_output_.size(), nullptr);
    const double seconds = now_seconds() - begun;
    libdeflate_free_decompressor(decompressor);
    return outcome == LIBDEFLATE_SUCCESS
               ? Result<double>(seconds)
               : Status(Code::internal, "libdeflate cannot decompress zlib's stream");
  }

 private:
  static Status valid(const deflate::StreamError& error) {
    if (error.error == batch::ErrorCode::none) return {};
    return Status(Code::internal, "byte " + std::to_string(error.byte) + ": " +
                                      std::string(batch::message(error.error)));
  }

  std::shared_ptr<Device> device_;
  Bytes stream_, host_output_;
  std::size_t segment_count_ = 0;
  std::shared_ptr<Buffer> input_, output_;
  std::unique_ptr<deflate::SegmentFinder> finder_;
  std::unique_ptr<deflate::SegmentDecoder> decoder_;
  std::unique_ptr<Queue> queue_;  // last, so that its destructor waits before the buffers go
};

}  // namespace

bool fits_deflate_stream(const Traits& traits) { return deflate::SegmentFinder::fits(traits); }
Result<std::unique_ptr<StreamBench>> open_deflate_stream(std::shared_ptr<Device> device,
                                                         Bytes original,
                                                         const StreamsOptions& options) {
  auto bench = std::make_unique<DeflateStreamBench>();
  PENSTOCK_TRY(bench->open(std::move(device), std::move(original), options));
  return std::unique_ptr<StreamBench>(std::move(bench));
}

}  // namespace penstock::bench
