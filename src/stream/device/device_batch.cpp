#include "stream/device/device_batch.hpp"

#include <algorithm>
#include <cstring>

#include "stream/input/first_error.hpp"

namespace penstock::stream {
namespace {

// Outputs of dependent chunks have no gaps between them. Neither do small chunks, so that chunks
// that fill their capacities come to the host in one download. Kernels have a little more to do
// then, but thousands of downloads cost more.
constexpr std::uint64_t min_aligned_bytes = 4096;
std::uint64_t output_offset_from(const Chunk& chunk, std::uint64_t offset) {
  const bool is_aligned = !chunk.is_dependent && chunk.output_bytes >= min_aligned_bytes;
  return is_aligned ? aligned_to_chunk(offset) : offset;
}

template <class T>
Status upload_all(Device& device, Queue& queue, const std::vector<T>& values,
                  std::shared_ptr<Buffer>& buffer) {
  PENSTOCK_TRY(reserve(device, values.size() * sizeof(T), buffer));
  return queue.upload(*buffer, values.data(), values.size() * sizeof(T));
}

}  // namespace

void ChunkTables::clear() {
  for (auto* const values : {&input_offsets_, &input_sizes_, &output_offsets_, &capacities_})
    values->clear();
  streams_.clear();
  max_output_bytes_ = stream_bytes_ = max_stream_bytes_ = stream_count_ = 0;
  has_dependent_chunks_ = false;
}

void ChunkTables::add(std::uint64_t input_offset, std::uint64_t input_bytes,
                      std::uint64_t output_offset, std::uint64_t capacity) {
  input_offsets_.push_back(input_offset), input_sizes_.push_back(input_bytes);
  output_offsets_.push_back(output_offset), capacities_.push_back(capacity);
  streams_.push_back(stream_count_++);
  stream_bytes_ = capacity;
  max_output_bytes_ = std::max(max_output_bytes_, capacity),
  max_stream_bytes_ = std::max(max_stream_bytes_, capacity);
}

void ChunkTables::add(const Chunk& chunk, std::uint64_t input_offset, std::uint64_t output_offset) {
  const bool continues_stream = chunk.is_dependent && !chunk.begins_stream && stream_count_ > 0;
  const std::uint64_t before = continues_stream ? stream_bytes_ : 0;
  add(input_offset, chunk.whole().size(), output_offset, chunk.output_bytes);
  has_dependent_chunks_ |= chunk.is_dependent;
  if (continues_stream) streams_.back() = --stream_count_ - 1;
  if (chunk.is_stored) streams_.back() |= batch::BlockDependencies::is_stored;
  stream_bytes_ += before, max_stream_bytes_ = std::max(max_stream_bytes_, stream_bytes_);
}

Status ChunkTables::upload(Device& device, Queue& queue, batch::Batch& batch) {
  batch.chunk_count = count(), batch.max_output_bytes = max_output_bytes_;
  PENSTOCK_TRY(upload_all(device, queue, input_offsets_, batch.input_offsets));
  PENSTOCK_TRY(upload_all(device, queue, input_sizes_, batch.input_sizes));
  PENSTOCK_TRY(upload_all(device, queue, output_offsets_, batch.output_offsets));
  PENSTOCK_TRY(upload_all(device, queue, capacities_, batch.output_capacities));
  PENSTOCK_TRY(reserve(device, std::uint64_t{count()} * 8, batch.output_sizes));
  if (!has_dependent_chunks_) batch.dependencies = {};
  if (has_dependent_chunks_)
    PENSTOCK_TRY(upload_all(device, queue, streams_, batch.dependencies.streams));
  batch.dependencies.stream_count = stream_count_,
  batch.dependencies.max_stream_bytes = max_stream_bytes_;
  return reserve(device, std::uint64_t{count()} * sizeof(batch::ChunkStatus), batch.statuses);
}

Status ChunkTables::download(Queue& queue, const batch::Batch& batch) {
  sizes_.resize(count()), statuses_.resize(count());
  PENSTOCK_TRY(queue.download(sizes_.data(), *batch.output_sizes, sizes_.size() * 8));
  return queue.download(statuses_.data(), *batch.statuses,
                        statuses_.size() * sizeof(batch::ChunkStatus));
}

Status DeviceBatch::decode(const ChunkStages& stages, DecodeJob& job,
                           std::span<const std::byte> window) {
  if (queue_ == nullptr) { PENSTOCK_ASSIGN(queue_, session_->device()->queue()); }
  decoded_.clear(), events_.clear();
  if (job.chunks.front().begins_stream) window = {};
  fill_tables(job, window.size());
  PENSTOCK_TRY(reserve(*session_->device(), input_bytes_, input_));
  PENSTOCK_TRY(reserve(*session_->device(), output_bytes_, output_));
  if (tables_.count() > 0) PENSTOCK_TRY(enqueue(stages, job, window));
  const Status input_error = check_inputs(stages, job);  // beside the device
  PENSTOCK_TRY(queue_->finish());
  const Status chunk_error = first_error({check_statuses(stages, job), input_error});
  PENSTOCK_TRY(fetch_outputs(job));
  if (tables_.count() > 0) PENSTOCK_TRY(note_times());
  PENSTOCK_TRY(check_outputs(stages, job));
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < decoded_.size(); i++)
    bytes += job.chunks[i].output_bytes = decoded_[i].bytes;
  job.external_output = {output_->data(), bytes};
  return chunk_error.ok() ? Status() : job.end_before(decoded_.size(), chunk_error);
}

// Capacities follow one another after the window. Chunks that stay on the host have none.
void DeviceBatch::fill_tables(const DecodeJob& job, std::uint64_t window_bytes) {
  tables_.clear();
  first_output_offset_ = aligned_to_chunk(window_bytes);
  std::uint64_t input_offset = 0, output_offset = first_output_offset_, output_bytes = 0;
  for (const Chunk& chunk : job.chunks) {
    output_bytes += chunk.is_stored ? chunk.bytes.size() : chunk.output_bytes;
    if (!chunk.is_for_devices()) continue;
    output_offset = output_offset_from(chunk, output_offset);
    tables_.add(chunk, input_offset, output_offset);
    input_offset += aligned_to_chunk(chunk.whole().size());
    output_offset += chunk.output_bytes;
  }
  input_bytes_ = input_offset + chunk_alignment;
  output_bytes_ = std::max(output_bytes, output_offset) + chunk_alignment;
}

Status DeviceBatch::enqueue(const ChunkStages& stages, const DecodeJob& job,
                            std::span<const std::byte> window) {
  Device& device = *session_->device();
  PENSTOCK_ASSIGN(batch::Decoder* const decoder,
                  session_->decoder(stages.chunk_format(), tables_.needs()));
  std::uint64_t offset = 0;
  times_ = {};
  for (const Chunk& chunk : job.chunks) {
    if (!chunk.is_for_devices()) continue;
    const auto bytes = chunk.whole();
    std::memcpy(input_->data() + offset, bytes.data(), bytes.size());
    offset += aligned_to_chunk(bytes.size());
    times_.bytes_in += bytes.size();
  }
  PENSTOCK_TRY(reserve(device, input_bytes_, batch_.input));
  PENSTOCK_TRY(reserve(device, output_bytes_, batch_.output));
  PENSTOCK_TRY(reserve(
      device, decoder->scratch_bytes(tables_.count(), tables_.needs().max_output_bytes), scratch_));
  PENSTOCK_TRY(record_event());
  PENSTOCK_TRY(queue_->upload(*batch_.input, input_->data(), offset));
  PENSTOCK_TRY(tables_.upload(device, *queue_, batch_));
  batch_.dependencies.window_bytes = static_cast<std::uint32_t>(window.size());
  if (!window.empty())
    PENSTOCK_TRY(queue_->upload(*batch_.output, window.data(), window.size(),
                                first_output_offset_ - window.size()));
  PENSTOCK_TRY(record_event());
  PENSTOCK_TRY(decoder->enqueue(*queue_, batch_, *scratch_));
  PENSTOCK_TRY(record_event());
  PENSTOCK_TRY(tables_.download(*queue_, batch_));
  return queue_->flush();
}

// Adds chunks to decoded_ up to the first that fails check_input().
Status DeviceBatch::check_inputs(const ChunkStages& stages, const DecodeJob& job) {
  for (const Chunk& chunk : job.chunks) {
    PENSTOCK_TRY(stages.check_input(chunk));
    decoded_.emplace_back();
  }
  return {};
}

// Cuts decoded_ before the first chunk that the device refused.
Status DeviceBatch::check_statuses(const ChunkStages& stages, const DecodeJob& job) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < decoded_.size(); i++) {
    const Chunk& chunk = job.chunks[i];
    if (!chunk.is_for_devices()) {
      decoded_[i] = {chunk.bytes.size(),
                     {.offset = static_cast<std::uint32_t>(chunk.bytes.size())}};
      continue;
    }
    const batch::ChunkStatus chunk_status = tables_.chunk_status(row);
    if (chunk_status.error != batch::ErrorCode::none) {
      decoded_.resize(i);
      return stages.error_of(chunk, chunk_status);
    }
    decoded_[i] = {tables_.size(row++), chunk_status};
  }
  return {};
}

// Copies outputs into the job's memory. Outputs that fill their capacities are contiguous on the
// device, too, and are downloaded as one range.
Status DeviceBatch::fetch_outputs(const DecodeJob& job) {
  struct Range {
    std::uint64_t to = 0, from = 0, bytes = 0;
  } range;
  const auto download = [&] {
    return queue_->download(output_->data() + range.to, *batch_.output, range.bytes, range.from);
  };
  if (tables_.count() > 0) PENSTOCK_TRY(record_event());
  std::uint64_t to = 0, from = first_output_offset_;
  for (std::size_t i = 0; i < decoded_.size(); i++) {
    const Chunk& chunk = job.chunks[i];
    const std::uint64_t bytes = decoded_[i].bytes;
    if (!chunk.is_for_devices()) {
      if (bytes > 0) std::memcpy(output_->data() + to, chunk.bytes.data(), bytes);
    } else {
      from = output_offset_from(chunk, from);
      const bool extends_range =
          range.bytes > 0 && range.to + range.bytes == to && range.from + range.bytes == from;
      if (!extends_range && range.bytes > 0) PENSTOCK_TRY(download());
      if (!extends_range) range = {to, from, 0};
      range.bytes += bytes;
      times_.bytes_out += bytes;
      from += chunk.is_dependent ? bytes : chunk.output_bytes;
    }
    to += bytes;
  }
  if (range.bytes > 0) PENSTOCK_TRY(download());
  if (tables_.count() > 0) PENSTOCK_TRY(record_event());
  return queue_->finish();
}

Status DeviceBatch::check_outputs(const ChunkStages& stages, const DecodeJob& job) {
  const std::byte* output = output_->data();
  for (std::size_t i = 0; i < decoded_.size(); i++) {
    PENSTOCK_TRY(
        stages.check_output(job.chunks[i], {output, decoded_[i].bytes}, decoded_[i].chunk_status));
    output += decoded_[i].bytes;
  }
  return {};
}

Status DeviceBatch::record_event() {
  PENSTOCK_ASSIGN(auto event, queue_->record());
  events_.push_back(std::move(event));
  return {};
}

Status DeviceBatch::note_times() {
  PENSTOCK_ASSIGN(times_.upload_seconds, events_[1]->seconds_since(*events_[0]));
  PENSTOCK_ASSIGN(times_.kernel_seconds, events_[2]->seconds_since(*events_[1]));
  PENSTOCK_ASSIGN(times_.download_seconds, events_[4]->seconds_since(*events_[3]));
  session_->add(times_);
  return {};
}

}  // namespace penstock::stream
