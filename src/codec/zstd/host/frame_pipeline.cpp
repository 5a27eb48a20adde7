#include "codec/zstd/host/frame_pipeline.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/exception_boundary.hpp"

namespace penstock::zstd {
namespace {

// Threads are started after this many blocks: a shorter frame would be done before they run.
constexpr std::uint64_t blocks_before_threads = 3;

// One block for each thread, one that is being written, and some ahead, so that threads do not wait
// for each other's blocks.
constexpr std::size_t slots_of(unsigned threads) { return threads == 1 ? 1 : 2 * threads + 2; }

}  // namespace

FramePipeline::FramePipeline(std::unique_ptr<FrameInput> input, const FrameHeader& header,
                             std::shared_ptr<const Dictionary> dictionary,
                             const OutputLimits& limits, OutputWindow output,
                             std::uint64_t kept_bytes, unsigned threads)
    : input_(std::move(input)),
      header_(header),
      dictionary_(std::move(dictionary)),
      limits_(limits),
      kept_bytes_(kept_bytes),
      thread_count_(std::max(1u, threads)),
      scanner_(*input_, header, dictionary_.get()),
      writer_(hot_loops(), header, limits, dictionary_.get(), std::move(output)),
      slots_(slots_of(thread_count_)),
      decoder_(hot_loops()) {}

FramePipeline::~FramePipeline() {
  {
    const Lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  helpers_.clear();  // waits for them
}

bool FramePipeline::can_write() const {
  if (is_writing_ || is_done_ || written_blocks_ == scanned_) return false;
  const Slot& slot = slots_[written_blocks_ % slots_.size()];
  if (!slot.is_decoded) return false;
  return !slot.status.ok() ||
         written_ - released_ + BlockWriter::bytes_of(slot.plan, slot.block) <= kept_bytes_;
}

void FramePipeline::end(Status status) {
  status_ = std::move(status);
  is_done_ = true;
}

Status FramePipeline::finish_frame() {
  const std::uint64_t at = scanner_.at();
  PENSTOCK_ASSIGN(const FrameBytes rest,
                  input_->bytes_from(at, header_.has_checksum ? checksum_bytes : 0));
  PENSTOCK_ASSIGN(end_byte_, writer_.finish(rest.bytes, at));
  return {};
}

void FramePipeline::write_block(Lock& lock) {
  Slot& slot = slots_[written_blocks_ % slots_.size()];
  is_writing_ = true;
  lock.unlock();
  Status status = slot.status;
  if (status.ok()) status = catch_exceptions([&] { return writer_.write(slot.plan, slot.block); });
  if (status.ok() && slot.plan.is_last) status = catch_exceptions([&] { return finish_frame(); });
  lock.lock();
  is_writing_ = false;
  if (!status.ok()) return end(std::move(status));
  written_blocks_++;
  written_ = writer_.written_bytes();
  output_spans_ = writer_.output().spans();
  if (slot.plan.is_last) end({});
}

void FramePipeline::decode_block(Lock& lock, BlockDecoder& decoder) {
  Slot& slot = slots_[scanned_ % slots_.size()];
  slot.is_decoded = false;
  slot.status = catch_exceptions([&] { return scanner_.next(slot.plan); });
  scanned_++;
  is_scanned_ = !slot.status.ok() || slot.plan.is_last;
  if (slot.status.ok() && slot.plan.type == BlockType::compressed) {
    lock.unlock();
    Status status = catch_exceptions(
        [&] { return decoder.decode(slot.plan, header_.block_limit_bytes(), slot.block); });
    lock.lock();
    slot.status = std::move(status);
  }
  slot.is_decoded = true;
}

bool FramePipeline::work(Lock& lock, BlockDecoder& decoder, bool is_writer) {
  if (is_writer && can_write())
    write_block(lock);
  else if (can_scan())
    decode_block(lock, decoder);
  else
    return false;
  if (waiting_ != 0) changed_.notify_all();
  return true;
}

// A caller that takes parts has other work, and leaves the writing to a thread. If the system
// cannot start threads, the existing ones do the work.
void FramePipeline::start_threads(bool is_caller_free) {
  if (thread_count_ == 1 || are_started_ || scanned_ < blocks_before_threads || is_scanned_) return;
  are_started_ = true;
  const Status started = catch_exceptions([&] {
    for (unsigned thread = 1; thread < thread_count_; thread++) {
      const bool is_writer = thread == 1 && !is_caller_free;
      auto decoder = std::make_unique<BlockDecoder>(hot_loops());
      helpers_.push_back(ThreadPool::shared().start(
          [this, decoder = std::move(decoder), is_writer] { help(*decoder, is_writer); }));
      if (is_writer) is_caller_writer_ = false;
    }
    return Status();
  });
  static_cast<void>(started);
}

void FramePipeline::wait(Lock& lock) {
  waiting_++;
  changed_.wait(lock);
  waiting_--;
}

void FramePipeline::help(BlockDecoder& decoder, bool is_writer) {
  Lock lock(mutex_);
  while (!is_done_ && !is_stopping_)
    if (!work(lock, decoder, is_writer)) wait(lock);
}

Result<std::span<const Byte>> FramePipeline::take(std::uint64_t max_bytes) {
  Lock lock(mutex_);
  while (written_ == released_ && !is_done_) {
    start_threads(false);
    if (!work(lock, decoder_, is_caller_writer_)) wait(lock);
  }
  if (written_ != released_)
    return output_spans_.bytes(released_,
                               written_ - released_ > max_bytes ? released_ + max_bytes : written_);
  PENSTOCK_TRY(status_);
  return std::span<const Byte>();
}

void FramePipeline::release(std::uint64_t bytes) {
  const Lock lock(mutex_);
  released_ += bytes;
  if (waiting_ != 0) changed_.notify_all();
}

Status FramePipeline::run() {
  Lock lock(mutex_);
  while (!is_done_) {
    start_threads(true);
    if (!work(lock, decoder_, is_caller_writer_)) wait(lock);
  }
  return status_;
}

std::uint64_t FramePipeline::consumed_bytes() const {
  const Lock lock(mutex_);
  return is_done_ ? end_byte_ : scanner_.at();
}

std::uint64_t FramePipeline::written_bytes() const {
  const Lock lock(mutex_);
  return written_;
}

}  // namespace penstock::zstd
