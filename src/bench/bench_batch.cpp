#include "bench/bench_batch.hpp"

namespace penstock::bench {

template <class T>
Result<std::shared_ptr<Buffer>> BenchBatch::upload(const std::vector<T>& values) {
  constexpr std::uint64_t margin = 16;  // so that the last chunk, too, can be read in words
  PENSTOCK_ASSIGN(auto buffer, device_->allocate(values.size() * sizeof(T) + margin));
  PENSTOCK_TRY(queue_->upload(*buffer, values.data(), values.size() * sizeof(T)));
  return buffer;
}

Status BenchBatch::open(std::shared_ptr<Device> device, const Layout& layout) {
  device_ = std::move(device);
  const std::uint64_t count = layout.input_sizes.size();
  PENSTOCK_ASSIGN(queue_, device_->queue());
  batch_.chunk_count = static_cast<std::uint32_t>(count);
  batch_.max_output_bytes = layout.max_output_bytes;
  PENSTOCK_ASSIGN(batch_.input, upload(layout.input));
  PENSTOCK_ASSIGN(batch_.input_offsets, upload(layout.input_offsets));
  PENSTOCK_ASSIGN(batch_.input_sizes, upload(layout.input_sizes));
  PENSTOCK_ASSIGN(batch_.output, device_->allocate(layout.output_bytes));
  PENSTOCK_ASSIGN(batch_.output_offsets, upload(layout.output_offsets));
  PENSTOCK_ASSIGN(batch_.output_capacities, upload(layout.output_capacities));
  PENSTOCK_ASSIGN(batch_.output_sizes, device_->allocate(count * 8));
  PENSTOCK_ASSIGN(batch_.statuses, device_->allocate(count * sizeof(batch::ChunkStatus)));
  return queue_->finish();  // what was uploaded is the caller's
}

Status BenchBatch::link(const std::vector<std::uint32_t>& streams, std::uint64_t output_bytes) {
  PENSTOCK_ASSIGN(batch_.dependencies.streams, upload(streams));
  batch_.dependencies.stream_count = 1, batch_.dependencies.max_stream_bytes = output_bytes;
  return queue_->finish();
}

Result<BenchBatch::Output> BenchBatch::output(batch::Format format) {
  Output output;
  std::vector<batch::ChunkStatus> statuses(batch_.chunk_count);
  output.sizes.resize(batch_.chunk_count);
  output.bytes.resize(batch_.output->bytes());
  PENSTOCK_TRY(queue_->download(statuses.data(), *batch_.statuses,
                                statuses.size() * sizeof(batch::ChunkStatus)));
  PENSTOCK_TRY(
      queue_->download(output.sizes.data(), *batch_.output_sizes, output.sizes.size() * 8));
  PENSTOCK_TRY(queue_->download(output.bytes.data(), *batch_.output, output.bytes.size()));
  PENSTOCK_TRY(queue_->finish());
  for (std::uint64_t i = 0; i < statuses.size(); i++)
    PENSTOCK_TRY(batch::status_of(format, i, statuses[i]));
  return output;
}

}  // namespace penstock::bench
