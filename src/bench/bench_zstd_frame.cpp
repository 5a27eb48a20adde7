// One Zstandard frame of all data, as in zstd's files: level 3, compressed on all cores where
// libzstd can, without a content checksum, which the host computes while the device decodes.
#include <zstd.h>

#include <thread>

#include "base/clock.hpp"
#include "bench/bench_batch.hpp"
#include "bench/bench_streams.hpp"
#include "codec/zstd/device/device_frame.hpp"

namespace penstock::bench {
namespace {

// Returns nothing where libzstd fails.
Bytes compressed_frame(const Bytes& original) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  Bytes frame(ZSTD_compressBound(original.size()));
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZSTD_CLEVEL_DEFAULT);
  ZSTD_CCtx_setParameter(
      context, ZSTD_c_nbWorkers,
      static_cast<int>(std::thread::hardware_concurrency()));  // refused: one thread
  const std::size_t bytes =
      ZSTD_compress2(context, frame.data(), frame.size(), original.data(), original.size());
  ZSTD_freeCCtx(context);
  frame.resize(ZSTD_isError(bytes) != 0 ? 0 : bytes);
  return frame;
}

class ZstdFrameBench final : public StreamBench {
 public:
  Status open(std::shared_ptr<Device> device, Bytes original) {
    device_ = std::move(device), original_ = std::move(original);
    frame_ = compressed_frame(original_);
    stored_bytes_ = frame_.size();
    PENSTOCK_ASSIGN(header_, zstd::read_frame_header(std::as_bytes(std::span(frame_))));
    if (!zstd::DeviceFrame::fits(header_, device_->traits()))
      return Status(Code::internal, "libzstd's frame does not fit the device");
    PENSTOCK_ASSIGN(queue_, device_->queue());
    PENSTOCK_ASSIGN(decoder_, zstd::DeviceFrame::build(device_));
    PENSTOCK_ASSIGN(input_, device_->allocate((frame_.size() + 32) / 16 * 16));
    PENSTOCK_ASSIGN(output_, device_->allocate((original_.size() + 32) / 16 * 16));
    PENSTOCK_TRY(queue_->upload(*input_, frame_.data(), frame_.size()));
    return queue_->finish();
  }

  Status run(Queue& queue) override {
    const std::span<const zstd::Byte> input(reinterpret_cast<const zstd::Byte*>(frame_.data()),
                                            frame_.size());
    PENSTOCK_ASSIGN(
        const auto decoded,
        decoder_->decode(queue, header_, {input, 0, input_, output_, 0, original_.size()}));
    return decoded.output_bytes == original_.size()
               ? Status()
               : Status(Code::internal, "the frame's text has another length");
  }
  Status clear() override { return clear_output(*queue_, *output_); }
  Result<Bytes> made() override { return downloaded(*output_); }
  Queue& queue() override { return *queue_; }
  std::string method() const override { return "zstd_frame"; }
  std::string parts() const override { return "one frame"; }
  std::string peer() const override { return "libzstd, one core"; }
  Result<double> peer_seconds() override {
    host_output_.resize(original_.size());
    const double begun = now_seconds();
    const std::size_t bytes =
        ZSTD_decompress(host_output_.data(), host_output_.size(), frame_.data(), frame_.size());
    const double seconds = now_seconds() - begun;
    return bytes == original_.size() ? Result<double>(seconds)
                                     : Status(Code::internal, "libzstd refuses its frame");
  }

 private:
  std::shared_ptr<Device> device_;
  Bytes frame_, host_output_;
  zstd::FrameHeader header_;
  std::shared_ptr<Buffer> input_, output_;
  std::unique_ptr<zstd::DeviceFrame> decoder_;
  std::unique_ptr<Queue> queue_;  // the last: it waits for what uses the others
};

}  // namespace

bool fits_zstd_frame(const Traits& traits) {
  return zstd::DeviceFrame::fits(zstd::FrameHeader(), traits);
}
Result<std::unique_ptr<StreamBench>> open_zstd_frame(std::shared_ptr<Device> device, Bytes original,
                                                     const StreamsOptions&) {
  auto bench = std::make_unique<ZstdFrameBench>();
  PENSTOCK_TRY(bench->open(std::move(device), std::move(original)));
  return std::unique_ptr<StreamBench>(std::move(bench));
}

}  // namespace penstock::bench
