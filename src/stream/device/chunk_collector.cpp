#include "stream/device/chunk_collector.hpp"

#include <algorithm>

#include "stream/device/device_batch.hpp"
#include "stream/input/first_error.hpp"

namespace penstock::stream {
namespace {

// The output that comes to the host at once for its checksums.
constexpr std::uint64_t job_bytes = 64 << 20;

// The chunks found by one method.
struct MethodChunks {
  std::unique_ptr<ChunkStages> stages;
  std::vector<DecodeJob> jobs;
};

struct LocatedChunk {
  const ChunkStages* stages;
  const Chunk* chunk;
  std::uint64_t decoded_offset;  // in the batch
  std::uint64_t output_offset;   // in the whole output
  std::uint64_t output_bytes;
  batch::ChunkStatus chunk_status;
};

class ChunkCollector final : public DeviceCollector {
 public:
  explicit ChunkCollector(Context& context)
      : context_(context), device_(*context.session->device()) {}

  Status collect(const Method& method) override {
    if (found_.empty()) { PENSTOCK_ASSIGN(file_, context_.input.peek(1)); }
    MethodChunks& found = found_.emplace_back(
        MethodChunks{std::get<DeviceChunks>(method.decoder).make(context_, job_bytes), {}});
    for (bool has_job = true; has_job;) {
      DecodeJob job;
      PENSTOCK_ASSIGN(has_job, found.stages->take(job));
      if (has_job) found.jobs.push_back(std::move(job));
      PENSTOCK_TRY(context_.report_progress(0));
    }
    return {};
  }

  // Errors are returned in the file's order: of outputs before the first chunk that is refused, of
  // that chunk, of what could not be found after it.
  Result<DeviceBytes> finish(const Status& discovery_error) override {
    PENSTOCK_ASSIGN(queue_, device_.queue());
    const Status input_error = locate_chunks();
    if (tables_.count() > 0) PENSTOCK_TRY(decode());
    const Status chunk_error = first_error({check_statuses(), input_error});
    PENSTOCK_TRY(make_output());
    PENSTOCK_TRY(check_outputs(chunk_error));
    PENSTOCK_TRY(first_error({chunk_error, discovery_error}));
    if (tables_.count() > 0) context_.session->add(times_);
    return DeviceBytes{output_, output_bytes_};
  }

 private:
  // Fills located_ and the tables, up to the first chunk that fails check_input().
  Status locate_chunks() {
    for (const MethodChunks& found : found_)
      for (const DecodeJob& job : found.jobs)
        for (const Chunk& chunk : job.chunks) {
          PENSTOCK_TRY(found.stages->check_input(chunk));
          const std::uint64_t capacity =
              chunk.is_for_devices() ? chunk.output_bytes : chunk.bytes.size();
          located_.push_back(
              {found.stages.get(), &chunk, capacity_bytes_, capacity_bytes_, capacity, {}});
          if (chunk.is_for_devices())
            tables_.add(chunk, static_cast<std::uint64_t>(chunk.whole().data() - file_.data()),
                        capacity_bytes_);
          capacity_bytes_ += capacity;
        }
    return {};
  }

  Status record_event() {
    PENSTOCK_ASSIGN(auto event, queue_->record());
    events_.push_back(std::move(event));
    return {};
  }
  Result<double> seconds_after(std::size_t first) {
    return events_[first + 1]->seconds_since(*events_[first]);
  }

  Status decode() {
    PENSTOCK_TRY(reserve(device_, file_.size() + chunk_alignment, batch_.input));
    PENSTOCK_TRY(reserve(device_, capacity_bytes_ + chunk_alignment, batch_.output));
    PENSTOCK_ASSIGN(
        batch::Decoder* const decoder,
        context_.session->decoder(found_.front().stages->chunk_format(), tables_.needs()));
    std::shared_ptr<Buffer> scratch;
    PENSTOCK_TRY(reserve(device_,
                         decoder->scratch_bytes(tables_.count(), tables_.needs().max_output_bytes),
                         scratch));
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(upload_.send(device_, *queue_, file_, *batch_.input));
    PENSTOCK_TRY(tables_.upload(device_, *queue_, batch_));
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(decoder->enqueue(*queue_, batch_, *scratch));
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(tables_.download(*queue_, batch_));
    PENSTOCK_TRY(queue_->finish());
    PENSTOCK_ASSIGN(times_.upload_seconds, seconds_after(0));
    PENSTOCK_ASSIGN(times_.kernel_seconds, seconds_after(1));
    times_.bytes_in = file_.size();
    return {};
  }

  // Sets the decoded and the final places of outputs, and cuts located_ before the first chunk that
  // the device refused.
  Status check_statuses() {
    std::size_t row = 0;
    for (std::size_t i = 0; i < located_.size(); i++) {
      LocatedChunk& located = located_[i];
      located.output_offset = output_bytes_;
      if (located.chunk->is_dependent && !located.chunk->begins_stream)
        located.decoded_offset = located_[i - 1].decoded_offset + located_[i - 1].output_bytes;
      if (located.chunk->is_for_devices()) {
        located.chunk_status = tables_.chunk_status(row);
        located.output_bytes = tables_.size(row++);
        if (located.chunk_status.error != batch::ErrorCode::none) {
          const Status refused = located.stages->error_of(*located.chunk, located.chunk_status);
          located_.resize(i);
          return refused;
        }
        times_.bytes_out += located.output_bytes;
      }
      output_bytes_ += located.output_bytes;
    }
    return {};
  }

  // Makes the output contiguous. If it is already, only stored chunks are added.
  Status make_output() {
    if (output_bytes_ > context_.options.max_output_bytes) return context_.output_limit_error();
    const bool is_contiguous =
        std::all_of(located_.begin(), located_.end(), [](const LocatedChunk& located) {
          return located.output_offset == located.decoded_offset;
        });
    if (is_contiguous) output_ = batch_.output;
    if (output_ == nullptr)
      PENSTOCK_TRY(reserve(device_, output_bytes_ + chunk_alignment, output_));
    for (const LocatedChunk& located : located_) {
      const std::uint64_t bytes = located.output_bytes;
      if (!located.chunk->is_for_devices()) {
        PENSTOCK_TRY(
            queue_->upload(*output_, located.chunk->bytes.data(), bytes, located.output_offset));
      } else if (!is_contiguous) {
        PENSTOCK_TRY(reserve(device_, bytes, staging_));
        PENSTOCK_TRY(
            queue_->download(staging_->data(), *batch_.output, bytes, located.decoded_offset));
        PENSTOCK_TRY(queue_->upload(*output_, staging_->data(), bytes, located.output_offset));
        PENSTOCK_TRY(queue_->finish());  // the staging memory is used again
      }
    }
    return queue_->finish();
  }

  // `chunk_error` is of the chunk after located_.
  Status check_outputs(const Status& chunk_error) {
    std::size_t first = 0;
    for (MethodChunks& found : found_)
      for (DecodeJob& job : found.jobs) {
        const bool is_valid = first + job.chunks.size() <= located_.size();
        const std::size_t end = std::min(first + job.chunks.size(), located_.size());
        PENSTOCK_TRY(fetch(*found.stages, first, end));
        for (std::size_t i = first; i < end; i++)
          PENSTOCK_TRY(found.stages->check_output(*located_[i].chunk,
                                                  fetched(*found.stages, first, i, i + 1),
                                                  located_[i].chunk_status));
        for (std::size_t i = first; i < end; i++)
          job.chunks[i - first].output_bytes = located_[i].output_bytes;
        job.external_output = fetched(*found.stages, first, first, end);
        if (!is_valid) {
          PENSTOCK_TRY(job.end_before(end - first, chunk_error));
          return found.stages->join(job);
        }
        PENSTOCK_TRY(found.stages->join(job));
        first = end;
      }
    return {};
  }

  std::uint64_t bytes_between(std::size_t begin, std::size_t end) const {
    if (begin == end) return 0;
    const LocatedChunk& last = located_[end - 1];
    return last.output_offset + last.output_bytes - located_[begin].output_offset;
  }
  // Returns the output of chunks [begin, end) where fetch() was called from chunk `first` on.
  std::span<const std::byte> fetched(const ChunkStages& stages, std::size_t first,
                                     std::size_t begin, std::size_t end) const {
    if (!stages.reads_outputs() || begin == end) return {};
    const std::uint64_t offset = located_[begin].output_offset - located_[first].output_offset;
    return {staging_->data() + offset, bytes_between(begin, end)};
  }
  Status fetch(const ChunkStages& stages, std::size_t first, std::size_t end) {
    if (!stages.reads_outputs() || first == end) return {};
    const std::uint64_t bytes = bytes_between(first, end);
    PENSTOCK_TRY(reserve(device_, bytes, staging_));
    events_.clear();
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(
        queue_->download(staging_->data(), *output_, bytes, located_[first].output_offset));
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(queue_->finish());
    PENSTOCK_ASSIGN(const double seconds, seconds_after(0));
    times_.download_seconds += seconds;
    return {};
  }

  Context& context_;
  Device& device_;
  std::span<const std::byte> file_;
  std::vector<MethodChunks> found_;
  std::vector<LocatedChunk> located_;  // all chunks before the first that has an error
  ChunkTables tables_;
  batch::Batch batch_;
  std::shared_ptr<Buffer> output_;
  std::shared_ptr<HostBuffer> staging_;
  StagedUpload upload_;
  std::vector<std::shared_ptr<Event>> events_;
  DeviceReport times_;
  std::uint64_t capacity_bytes_ = 0, output_bytes_ = 0;
  std::unique_ptr<Queue> queue_;  // last: it waits for work that uses the other members
};

}  // namespace

std::unique_ptr<DeviceCollector> make_chunk_collector(Context& context) {
  return std::make_unique<ChunkCollector>(context);
}

}  // namespace penstock::stream
