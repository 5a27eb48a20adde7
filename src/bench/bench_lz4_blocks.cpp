// LZ4 blocks of all data, as in .lz4 files, decoded in one batch: independent blocks (`lz4 -1 -B7`)
// and dependent blocks (`-BD`), which reach into the 64 KiB before them. Dependent blocks that do
// not shrink are stored.
#include <lz4.h>

#include "base/clock.hpp"
#include "bench/bench_batch.hpp"
#include "bench/bench_streams.hpp"

namespace penstock::bench {
namespace {

constexpr std::uint64_t lz4_window_bytes = 64 << 10;
bool fits(const Traits& traits, bool is_linked) {
  return !batch::Decoder::variants(batch::Format::lz4, traits, {.has_dependent_blocks = is_linked})
              .empty();
}
const ChunkLibrary& liblz4() {
  return *std::find_if(
      chunk_libraries().begin(), chunk_libraries().end(),
      [](const ChunkLibrary& library) { return library.format == batch::Format::lz4; });
}

// Compresses dependent blocks, each with the data before it as its window. `streams` as in
// batch.hpp.
BenchChunks linked_blocks(Bytes output, std::uint64_t block_bytes,
                          std::vector<std::uint32_t>& streams) {
  BenchChunks blocks;
  blocks.output = std::move(output);
  Bytes capacity(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(block_bytes))));
  LZ4_stream_t* const stream = LZ4_createStream();
  for (std::uint64_t at = 0; at < blocks.output.size(); at += block_bytes) {
    const std::uint64_t bytes = std::min<std::uint64_t>(block_bytes, blocks.output.size() - at);
    const char* from = blocks.output.data() + at;
    auto made = static_cast<std::uint64_t>(
        LZ4_compress_fast_continue(stream, from, capacity.data(), static_cast<int>(bytes),
                                   static_cast<int>(capacity.size()), 1));
    const bool is_stored = made >= bytes;
    if (is_stored)
      made = bytes;
    else
      from = capacity.data();
    streams.push_back(is_stored ? batch::BlockDependencies::is_stored : 0);
    blocks.input_offsets.push_back(blocks.input.size()), blocks.input_sizes.push_back(made);
    blocks.output_offsets.push_back(at), blocks.output_sizes.push_back(bytes);
    blocks.input.insert(blocks.input.end(), from, from + made);
  }
  LZ4_freeStream(stream);
  return blocks;
}

class Lz4BlocksBench final : public StreamBench {
 public:
  explicit Lz4BlocksBench(bool is_linked) : is_linked_(is_linked) {}
  Status open(const std::shared_ptr<Device>& device, Bytes output, std::uint64_t block_bytes) {
    if (is_linked_)
      blocks_ = linked_blocks(std::move(output), block_bytes, streams_);
    else { PENSTOCK_ASSIGN(blocks_, compressed(liblz4(), std::move(output), block_bytes)); }
    original_ = std::move(blocks_.output), stored_bytes_ = blocks_.input.size();
    PENSTOCK_ASSIGN(
        decoder_, batch::Decoder::build(device, batch::Format::lz4, {}, {block_bytes, is_linked_}));
    PENSTOCK_TRY(batch_.open(
        device, {blocks_.input, blocks_.input_offsets, blocks_.input_sizes, blocks_.output_offsets,
                 blocks_.output_sizes, original_.size() + 16, block_bytes}));
    if (is_linked_) PENSTOCK_TRY(batch_.link(streams_, original_.size()));
    return batch_.prepare(*decoder_);
  }

  Status run(Queue& queue) override { return batch_.enqueue(*decoder_, queue); }
  Status clear() override { return batch_.clear_output(); }
  Result<Bytes> made() override {
    PENSTOCK_ASSIGN(BenchBatch::Output output, batch_.output(batch::Format::lz4));
    return std::move(output.bytes);
  }
  Queue& queue() override { return batch_.queue(); }
  std::string method() const override { return std::string(decoder_->variant()); }
  std::string parts() const override { return std::to_string(blocks_.count()) + " blocks"; }
  std::string peer() const override {
    return is_linked_ ? "liblz4, one core" : "liblz4, all cores";
  }
  Result<double> peer_seconds() override {
    host_output_.resize(original_.size());
    if (!is_linked_)
      return seconds_on_all_cores(blocks_.count(), "liblz4 cannot decompress its block ",
                                  [&](std::uint64_t i) { return is_decoded(i); });
    const double begun = now_seconds();
    for (std::uint64_t i = 0; i < blocks_.count(); i++)
      if (!is_decoded(i))
        return Status(Code::internal, "liblz4 cannot decompress its block " + std::to_string(i));
    return now_seconds() - begun;
  }

 private:
  // Decodes a block by the library; a dependent block follows the output of the blocks before it.
  bool is_decoded(std::uint64_t i) {
    const char* const from = blocks_.input.data() + blocks_.input_offsets[i];
    char* const to = host_output_.data() + blocks_.output_offsets[i];
    const auto bytes = static_cast<int>(blocks_.input_sizes[i]),
               capacity = static_cast<int>(blocks_.output_sizes[i]);
    if (is_linked_ && streams_[i] == batch::BlockDependencies::is_stored)
      return std::memcpy(to, from, blocks_.input_sizes[i]), true;
    const auto before =
        is_linked_
            ? static_cast<int>(std::min<std::uint64_t>(blocks_.output_offsets[i], lz4_window_bytes))
            : 0;
    return LZ4_decompress_safe_usingDict(from, to, bytes, capacity, to - before, before) ==
           capacity;
  }

  const bool is_linked_;
  BenchChunks blocks_;
  std::vector<std::uint32_t> streams_;
  Bytes host_output_;
  std::unique_ptr<batch::Decoder> decoder_;
  BenchBatch batch_;  // last: its queue uses the others
};

Result<std::unique_ptr<StreamBench>> open_blocks(const std::shared_ptr<Device>& device,
                                                 Bytes output, std::uint64_t block_bytes,
                                                 bool is_linked) {
  auto bench = std::make_unique<Lz4BlocksBench>(is_linked);
  PENSTOCK_TRY(bench->open(device, std::move(output), block_bytes));
  return std::unique_ptr<StreamBench>(std::move(bench));
}

}  // namespace

bool fits_lz4_blocks(const Traits& traits) { return fits(traits, false); }
bool fits_lz4_linked(const Traits& traits) { return fits(traits, true); }
Result<std::unique_ptr<StreamBench>> open_lz4_blocks(std::shared_ptr<Device> device, Bytes output,
                                                     const StreamsOptions& options) {
  return open_blocks(device, std::move(output), options.block_bytes, false);
}
Result<std::unique_ptr<StreamBench>> open_lz4_linked(std::shared_ptr<Device> device, Bytes output,
                                                     const StreamsOptions& options) {
  return open_blocks(device, std::move(output), options.block_bytes, true);
}

}  // namespace penstock::bench
