// The blocks of one frame in a pipeline of three phases, on all threads: blocks are found in order,
// their entropy codes are decoded in any order, and they are written in order by one thread.
// Matches copy from recent output, which another core's caches would have to hand over (two threads
// that wrote in turn took 1.8 times the processor time of one). The writer writes when the next
// block is decoded, and else decodes one more. So two threads share the work whatever its parts
// cost.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "codec/zstd/host/block_scanner.hpp"
#include "codec/zstd/host/block_writer.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

class FramePipeline {
 public:
  // At most `kept_bytes` of unreleased output are in flight. `input` is asked by one thread at a
  // time, but not always by the same one.
  FramePipeline(std::unique_ptr<FrameInput> input, const FrameHeader& header,
                std::shared_ptr<const Dictionary> dictionary, const OutputLimits& limits,
                OutputWindow output, std::uint64_t kept_bytes, unsigned threads);
  ~FramePipeline();

  // Returns the next part of the output, up to `max_bytes`, which is valid until release(); empty
  // at the end. The caller's thread works on blocks while there is none.
  Result<std::span<const Byte>> take(std::uint64_t max_bytes);
  void release(std::uint64_t bytes);
  // Works until all is written, for output that needs no release.
  Status run();

  std::uint64_t consumed_bytes() const;  // of the input, at the end with the checksum
  std::uint64_t written_bytes() const;

 private:
  struct Slot {
    BlockPlan plan;
    DecodedBlock block;
    Status status;
    bool is_decoded = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  bool work(Lock& lock, BlockDecoder& decoder, bool is_writer);
  bool can_write() const;
  bool can_scan() const {
    return !is_scanned_ && !is_done_ && scanned_ - written_blocks_ < slots_.size();
  }
  void write_block(Lock& lock);
  void decode_block(Lock& lock, BlockDecoder& decoder);
  Status finish_frame();
  void end(Status status);
  void start_threads(bool is_caller_free);
  void help(BlockDecoder& decoder, bool is_writer);
  void wait(Lock& lock);

  const std::unique_ptr<FrameInput> input_;
  const FrameHeader header_;
  const std::shared_ptr<const Dictionary> dictionary_;
  const OutputLimits limits_;
  const std::uint64_t kept_bytes_;
  const unsigned thread_count_;

  // Guards all below. But the writer belongs to the thread that set is_writing_, and a slot to the
  // one that decodes or writes it.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  BlockScanner scanner_;
  BlockWriter writer_;
  std::vector<Slot> slots_;  // block n has slot n % size
  std::uint64_t scanned_ = 0, written_blocks_ = 0, written_ = 0, released_ = 0;
  OutputSpans output_spans_;  // of what is written
  unsigned waiting_ = 0;
  bool is_scanned_ = false, is_writing_ = false, is_done_ = false, is_stopping_ = false,
       are_started_ = false;
  bool is_caller_writer_ = true;  // no thread is
  Status status_;                 // the first error in the order of the output
  std::uint64_t end_byte_ = 0;
  BlockDecoder decoder_;  // the caller's
  std::vector<Task<void>> helpers_;
};

}  // namespace penstock::zstd
