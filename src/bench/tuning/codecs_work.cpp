// FSST strings and chunks of LZ4, decoded in the device's memory.
#include <algorithm>
#include <cstring>

#include "bench/bench_batch.hpp"
#include "bench/bench_corpora.hpp"
#include "bench/tuning/tuned_work.hpp"
#include "penstock/fsst/decoder.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::bench {
namespace {

Status wrong_output() { return {Code::internal, "a decoder's output is wrong"}; }

class FsstWork final : public TunedWork {
 public:
  Status open(const std::shared_ptr<Device>& device) {
    device_ = device;
    const std::uint64_t rows = device->traits().shares_host_cores() ? 200'000 : 2'000'000;
    column_ = codec::generate_urls(rows, 1);
    PENSTOCK_ASSIGN(encoded_, fsst::encode(column_));
    PENSTOCK_ASSIGN(queue_, device->queue());
    PENSTOCK_ASSIGN(strings_, fsst::DeviceStrings::upload(*device, *queue_, encoded_));
    PENSTOCK_ASSIGN(output_, fsst::DeviceOutput::allocate(*device, strings_));
    return queue_->finish();
  }
  Status build() override {
    PENSTOCK_ASSIGN(decoder_, fsst::Decoder::build(device_, strings_));
    return {};
  }
  Result<double> run_seconds() override {
    return seconds_on(*queue_, [&] { return decoder_->enqueue(*queue_, strings_, output_); });
  }
  Status verify() override {
    PENSTOCK_TRY(queue_->fill(*output_.bytes, 0, output_.bytes->bytes() / 4 * 4));
    PENSTOCK_TRY(run_seconds());
    PENSTOCK_TRY(decoder_->check(*queue_));
    std::vector<char> bytes(strings_.string_bytes);
    PENSTOCK_TRY(queue_->download(bytes.data(), *output_.bytes, bytes.size()));
    PENSTOCK_TRY(queue_->finish());
    return std::memcmp(bytes.data(), column_.values.as<char>(), bytes.size()) == 0 ? Status()
                                                                                   : wrong_output();
  }

 private:
  std::shared_ptr<Device> device_;
  Column column_;
  fsst::EncodedStrings encoded_;
  fsst::DeviceStrings strings_;
  fsst::DeviceOutput output_;
  std::unique_ptr<fsst::Decoder> decoder_;
  std::unique_ptr<Queue> queue_;
};

class ChunksWork final : public TunedWork {
 public:
  Status open(const std::shared_ptr<Device>& device) {
    constexpr std::uint64_t chunk_bytes = 64 << 10;
    device_ = device;
    const std::uint64_t chunks = device->traits().shares_host_cores() ? 512 : 8192;
    const auto library =
        std::ranges::find(chunk_libraries(), batch::Format::lz4, &ChunkLibrary::format);
    PENSTOCK_ASSIGN(Bytes output, corpora().front().make(chunks * chunk_bytes));
    PENSTOCK_ASSIGN(chunks_, compressed(*library, std::move(output), chunk_bytes));
    return batch_.open(
        device,
        {chunks_.input, chunks_.input_offsets, chunks_.input_sizes, chunks_.output_offsets,
         chunks_.output_sizes, chunks_.output.size() + 16, std::ranges::max(chunks_.output_sizes)});
  }
  Status build() override {
    PENSTOCK_ASSIGN(decoder_, batch::Decoder::build(device_, batch::Format::lz4));
    return batch_.prepare(*decoder_);
  }
  Result<double> run_seconds() override { return batch_.run_seconds(*decoder_); }
  Status verify() override {
    PENSTOCK_TRY(batch_.clear_output());
    PENSTOCK_TRY(run_seconds());
    PENSTOCK_ASSIGN(const BenchBatch::Output decoded, batch_.output(batch::Format::lz4));
    for (std::uint64_t i = 0; i < chunks_.count(); i++)
      if (std::memcmp(decoded.bytes.data() + chunks_.output_offsets[i],
                      chunks_.output.data() + chunks_.output_offsets[i],
                      chunks_.output_sizes[i]) != 0)
        return wrong_output();
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  BenchChunks chunks_;
  BenchBatch batch_;
  std::unique_ptr<batch::Decoder> decoder_;
};

}  // namespace

Result<std::unique_ptr<TunedWork>> open_fsst(const std::shared_ptr<Device>& device) {
  auto work = std::make_unique<FsstWork>();
  PENSTOCK_TRY(work->open(device));
  return std::unique_ptr<TunedWork>(std::move(work));
}
Result<std::unique_ptr<TunedWork>> open_lz4(const std::shared_ptr<Device>& device) {
  auto work = std::make_unique<ChunksWork>();
  PENSTOCK_TRY(work->open(device));
  return std::unique_ptr<TunedWork>(std::move(work));
}

}  // namespace penstock::bench
