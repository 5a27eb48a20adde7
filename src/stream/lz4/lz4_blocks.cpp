// Decodes LZ4 frames: independent blocks several at once, dependent ones in order, by liblz4 or as
// chunks on a device.
#include <lz4.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/checksum/xxhash.hpp"
#include "stream/device/device_session.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"
#include "stream/lz4/lz4_format.hpp"
#include "stream/lz4/lz4_methods.hpp"
#include "stream/pipeline/chunk_stages.hpp"

namespace penstock::stream {
namespace {

constexpr std::size_t window_bytes = 64 << 10;  // how far a match reaches back

Status check_block(const Chunk& chunk) {
  if (!chunk.has_checksum) return {};
  const std::uint32_t computed = checksum::xxh32(chunk.bytes);
  const ErrorLocation location{Format::lz4, chunk.index, chunk.offset + chunk.bytes.size()};
  return computed == chunk.checksum
             ? Status()
             : location.wrong_checksum("block checksum", computed, chunk.checksum);
}

// Decodes a block into `out`, which has max_bytes. The window precedes it, or is `dictionary`.
Status decode_block(const Chunk& chunk, std::byte* out, std::uint64_t max_bytes,
                    std::span<const std::byte> dictionary, std::size_t& output_bytes) {
  const ErrorLocation location{Format::lz4, chunk.index, chunk.offset};
  PENSTOCK_TRY(check_block(chunk));
  output_bytes = chunk.bytes.size();
  if (chunk.is_stored) return std::memcpy(out, chunk.bytes.data(), output_bytes), Status();
  const int bytes = LZ4_decompress_safe_usingDict(
      reinterpret_cast<const char*>(chunk.bytes.data()), reinterpret_cast<char*>(out),
      static_cast<int>(output_bytes), static_cast<int>(max_bytes),
      reinterpret_cast<const char*>(dictionary.data()), static_cast<int>(dictionary.size()));
  if (bytes < 0) return location.corrupt("invalid block");
  output_bytes = static_cast<std::size_t>(bytes);
  return {};
}

class Lz4Blocks : public ChunkStages {
 public:
  // On the host, dependent blocks are decoded when they are found.
  Lz4Blocks(Context& context, bool has_dependent_blocks, bool is_on_device, std::uint64_t job_bytes)
      : context_(context),
        has_dependent_blocks_(has_dependent_blocks),
        is_sequential_(has_dependent_blocks && !is_on_device),
        job_bytes_(job_bytes),
        dictionary_(context.options.dictionary.last(
            std::min(context.options.dictionary.size(), window_bytes))) {}

  // Blocks before one that cannot be found end a job, so that their errors are returned first.
  Result<bool> take(DecodeJob& job) override {
    PENSTOCK_TRY(discovery_error_);
    if (!is_inside_) {
      PENSTOCK_ASSIGN(is_inside_, begin_frame(job));
      if (!is_inside_) return false;
    }
    job.frame.has_checksum = header_.has_content_checksum;
    if (is_sequential_) begin_sequential(job);
    discovery_error_ = take_blocks(job);
    if (is_sequential_) {
      PENSTOCK_TRY(discovery_error_);
      end_sequential(job);
      return true;
    }
    const bool has_content = !job.chunks.empty() || !job.frames_before.empty() || job.frame.ends;
    if (!has_content) PENSTOCK_TRY(discovery_error_);
    return true;
  }

  Status work(DecodeJob& job) override {
    if (is_sequential_) return {};
    std::byte* const memory = job.reserve(job.capacity);
    for (std::size_t i = 0; i < job.chunks.size(); i++) {
      std::size_t output_bytes = 0;
      Chunk& chunk = job.chunks[i];
      if (Status decoded =
              decode_block(chunk, memory + job.end, chunk.output_bytes, dictionary_, output_bytes);
          !decoded.ok())
        return job.end_before(i, std::move(decoded));
      job.end += output_bytes;
      chunk.output_bytes = output_bytes;
    }
    return {};
  }

  Status join(DecodeJob& job) override {
    auto output = job.output();
    std::size_t chunk = 0;
    for (const FrameEdges& frame : job.frames_before) {
      std::uint64_t bytes = 0;
      if (frame.chunk_end > job.chunks.size()) return job.error;
      for (; chunk < frame.chunk_end; chunk++) bytes += job.chunks[chunk].output_bytes;
      PENSTOCK_TRY(join(frame, output.first(bytes)));
      output = output.subspan(bytes);
    }
    PENSTOCK_TRY(job.error);
    return join(job.frame, output);
  }

  batch::Format chunk_format() const override { return batch::Format::lz4; }
  bool has_dependent_chunks() const override { return has_dependent_blocks_; }
  Status check_input(const Chunk& chunk) const override { return check_block(chunk); }
  Status error_of(const Chunk& chunk, batch::ChunkStatus chunk_status) const override {
    return ErrorLocation{Format::lz4, chunk.index, chunk.offset + chunk_status.offset}.corrupt(
        "invalid block: " + std::string(batch::message(chunk_status.error)));
  }

 private:
  Status join(const FrameEdges& frame, std::span<const std::byte> output) {
    if (frame.begins) content_ = checksum::Xxh32(), content_bytes_ = 0;
    if (frame.has_checksum) content_.update(output);
    content_bytes_ += output.size();
    if (!frame.ends) return {};
    const ErrorLocation location{Format::lz4, frame.index, frame.offset};
    if (frame.content_bytes && *frame.content_bytes != content_bytes_)
      return location.corrupt("incorrect content size: stored " +
                              std::to_string(*frame.content_bytes) + ", decompressed " +
                              std::to_string(content_bytes_));
    if (frame.has_checksum && content_.digest() != frame.checksum)
      return location.wrong_checksum("content checksum", content_.digest(), frame.checksum);
    return {};
  }

  Status take_blocks(DecodeJob& job) {
    max_capacity_ = min_counted_output_bytes;
    for (bool goes_on = true; goes_on;) {
      while (is_inside_) {
        PENSTOCK_ASSIGN(const bool has_space, has_capacity(job));
        if (!has_space) return {};
        PENSTOCK_ASSIGN(auto chunk, take_block(job));
        if (!chunk) break;
        if (is_sequential_)
          PENSTOCK_TRY(decode_in_order(*chunk, job));
        else
          job.chunks.push_back(*chunk);
        job.keep_alive(context_.input.owner());
        job.capacity += chunk->output_bytes;
      }
      PENSTOCK_ASSIGN(goes_on, begins_another_frame(job));
    }
    return {};
  }
  // Whether the job has capacity for the next block. A device's batch may need the memory of as
  // many blocks of the largest size.
  Result<bool> has_capacity(const DecodeJob& job) {
    if (is_sequential_) return job.capacity < job_bytes_;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(4));
    if (bytes.size() >= 4)
      max_capacity_ = std::max(max_capacity_, capacity_of(ByteReader(bytes).u32() &
                                                          (header_.is_legacy ? ~0u : ~stored_bit)));
    return job.chunks.empty() || (job.chunks.size() + 1) * max_capacity_ <= job_bytes_;
  }
  // A byte becomes 255 at most. Dependent blocks have no gaps between them, whatever they become.
  std::uint64_t capacity_of(std::uint32_t size) const {
    return has_dependent_blocks_
               ? header_.block_bytes
               : std::min<std::uint64_t>(header_.block_bytes, std::uint64_t{255} * size);
  }
  // Called after the end of a frame. Small frames, of which there may be thousands, share jobs.
  Result<bool> begins_another_frame(DecodeJob& job) {
    constexpr std::size_t max_frames = 1 << 16;
    if (has_dependent_blocks_ || job.frames_before.size() == max_frames) return false;
    FrameEdges before = std::exchange(job.frame, {});
    before.chunk_end = job.chunks.size();
    const auto begun = begin_frame(job);
    is_inside_ = begun.ok() && *begun;
    if (!is_inside_) {
      job.frame = before;
      return begun;
    }
    job.frame.has_checksum = header_.has_content_checksum;
    job.frames_before.push_back(before);
    return true;
  }

  // Returns false if the input ends, or a frame follows that another method takes.
  Result<bool> begin_frame(DecodeJob& job) {
    PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context_.input, context_.next_member()));
    if (!header || header->has_dependent_blocks != has_dependent_blocks_) return false;
    header_ = *header;
    const ErrorLocation location{Format::lz4, ++context_.report.member_count,
                                 context_.input.offset()};
    if (header_.dictionary_id && dictionary_.empty())
      return location.error(Code::invalid, "dictionary " + std::to_string(*header_.dictionary_id) +
                                               " is needed and none was given");
    context_.report.unchecked_member_count +=
        !header_.has_content_checksum && !header_.has_block_checksums;
    context_.input.skip(header_.header_bytes);
    has_block_ = false;
    job.frame.begins = true;
    return true;
  }

  // Returns the next block; nothing if the frame ended.
  Result<std::optional<Chunk>> take_block(DecodeJob& job) {
    Input& input = context_.input;
    const ErrorLocation location{Format::lz4, context_.report.member_count, input.offset()};
    PENSTOCK_ASSIGN(auto bytes, input.peek(4));
    if (header_.is_legacy && bytes.empty()) return end_frame(job, 0);
    if (bytes.size() < 4) return location.at(location.offset + bytes.size()).unexpected_end();
    const std::uint32_t word = ByteReader(bytes).u32(),
                        size = header_.is_legacy ? word : word & ~stored_bit;
    if (header_.is_legacy && size > max_lz4_block_bytes(legacy_block_bytes))
      return end_frame(job, 0);
    if (!header_.is_legacy && word == 0) return end_frame(job, 4);
    if (!header_.is_legacy && size > header_.block_bytes)
      return location.corrupt("invalid block size " + std::to_string(size) +
                              ": the frame's maximum is " + std::to_string(header_.block_bytes));
    const std::size_t checksum_bytes = header_.has_block_checksums ? 4 : 0,
                      end = std::size_t{4} + size;
    PENSTOCK_ASSIGN(bytes, input.peek(end + checksum_bytes));
    if (bytes.size() < end + checksum_bytes)
      return location.at(location.offset + bytes.size()).unexpected_end();
    input.skip(end + checksum_bytes);
    return std::optional(
        Chunk{.bytes = bytes.subspan(4, size),
              .offset = location.offset + 4,
              .index = location.index,
              .output_bytes = capacity_of(size),
              .checksum = checksum_bytes > 0 ? ByteReader(bytes.subspan(end)).u32() : 0,
              .is_stored = !header_.is_legacy && (word & stored_bit),
              .has_checksum = checksum_bytes > 0,
              .is_dependent = has_dependent_blocks_,
              .begins_stream = !std::exchange(has_block_, true)});
  }

  Result<std::optional<Chunk>> end_frame(DecodeJob& job, std::size_t end_mark_bytes) {
    Input& input = context_.input;
    const ErrorLocation location{Format::lz4, context_.report.member_count, input.offset()};
    const std::size_t end = end_mark_bytes + (header_.has_content_checksum ? 4 : 0);
    PENSTOCK_ASSIGN(const auto bytes, input.peek(end));
    if (bytes.size() < end) return location.at(location.offset + bytes.size()).unexpected_end();
    job.frame.ends = true;
    job.frame.checksum =
        header_.has_content_checksum ? ByteReader(bytes.subspan(end_mark_bytes)).u32() : 0;
    job.frame.content_bytes = header_.content_bytes;
    job.frame.index = location.index, job.frame.offset = location.offset + end_mark_bytes;
    input.skip(end);
    is_inside_ = false;
    return std::optional<Chunk>();
  }

  // The window of a dependent block precedes it: the job's memory begins with the output before the
  // job.
  void begin_sequential(DecodeJob& job) {
    std::byte* const memory = job.reserve(window_bytes + job_bytes_ + header_.block_bytes);
    if (job.frame.begins) {
      window_.fill({});
      if (!dictionary_.empty())
        std::memcpy(window_.data() + window_bytes - dictionary_.size(), dictionary_.data(),
                    dictionary_.size());
      window_end_ = dictionary_.size();
    }
    std::memcpy(memory, window_.data(), window_bytes);
    job.begin = job.end = window_bytes;
  }

  Status decode_in_order(Chunk& chunk, DecodeJob& job) {
    std::byte* const out = job.memory.data() + job.end;
    const std::size_t before = std::min(window_bytes, window_end_ + (job.end - job.begin));
    PENSTOCK_TRY(
        decode_block(chunk, out, header_.block_bytes, {out - before, before}, chunk.output_bytes));
    job.end += chunk.output_bytes;
    return {};
  }

  void end_sequential(const DecodeJob& job) {
    window_end_ = std::min(window_bytes, window_end_ + (job.end - job.begin));
    std::memcpy(window_.data(), job.memory.data() + job.end - window_bytes, window_bytes);
  }

  Context& context_;
  bool has_dependent_blocks_, is_sequential_, is_inside_ = false, has_block_ = false;
  std::uint64_t job_bytes_, max_capacity_ = 0;  // the latter of the job's blocks
  Status discovery_error_;                      // the next job begins with it
  Lz4FrameHeader header_;
  std::span<const std::byte> dictionary_;
  // The last output before a dependent block, of which the last window_end_ bytes count.
  std::array<std::byte, window_bytes> window_{};
  std::size_t window_end_ = 0;
  checksum::Xxh32 content_;  // used by join() alone
  std::uint64_t content_bytes_ = 0;
};

// Parses the header of the frame at the input's position, which is not a skippable one.
Result<Lz4FrameHeader> peek_header(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context.input, context.next_member()));
  if (!header) return Status(Code::internal, "lz4: a method was selected after the last frame");
  return *header;
}

Result<bool> fits_independent_blocks(Context& context) {
  PENSTOCK_ASSIGN(const Lz4FrameHeader header, peek_header(context));
  return !header.has_dependent_blocks;
}
Result<std::unique_ptr<Decoder>> make_independent_blocks(Context& context) {
  return in_pipeline(context, std::make_unique<Lz4Blocks>(context, false, false, host_job_bytes));
}
Result<std::unique_ptr<Decoder>> make_dependent_blocks(Context& context) {
  return in_pipeline(context, std::make_unique<Lz4Blocks>(context, true, false, host_job_bytes),
                     true);
}

Result<bool> fits_independent_on_device(Context& context) {
  PENSTOCK_ASSIGN(const Lz4FrameHeader header, peek_header(context));
  return !header.has_dependent_blocks && context.options.dictionary.empty();
}
std::unique_ptr<ChunkStages> make_independent_chunks(Context& context, std::uint64_t job_bytes) {
  return std::make_unique<Lz4Blocks>(context, false, true, job_bytes);
}
Result<bool> fits_dependent_on_device(Context& context) {
  PENSTOCK_ASSIGN(const Lz4FrameHeader header, peek_header(context));
  const Traits& traits = context.session->device()->traits();
  return header.has_dependent_blocks && context.options.dictionary.empty() &&
         !batch::Decoder::variants(batch::Format::lz4, traits, {header.block_bytes, true}).empty();
}
std::unique_ptr<ChunkStages> make_dependent_chunks(Context& context, std::uint64_t job_bytes) {
  return std::make_unique<Lz4Blocks>(context, true, true, job_bytes);
}

constexpr Method rows[] = {
    {.format = Format::lz4,
     .name = "lz4-blocks-device",
     .summary = "on a device: independent blocks",
     .fits = fits_independent_on_device,
     .decoder = DeviceChunks{make_independent_chunks}},
    {.format = Format::lz4,
     .name = "lz4-dependent-device",
     .summary = "on a GPU: dependent blocks",
     .fits = fits_dependent_on_device,
     .decoder = DeviceChunks{make_dependent_chunks}},
    {.format = Format::lz4,
     .name = "lz4-blocks",
     .summary = "independent blocks, in threads, by liblz4",
     .fits = fits_independent_blocks,
     .decoder = HostDecoder{make_independent_blocks}},
    {.format = Format::lz4,
     .name = "lz4-dependent",
     .summary = "dependent blocks, in order, by liblz4",
     .fits = fits_always,
     .decoder = HostDecoder{make_dependent_blocks}},
};

}  // namespace

std::span<const Method> lz4_methods() { return rows; }

bool is_lz4(std::span<const std::byte> bytes) {
  const std::uint32_t magic = ByteReader(bytes).u32();
  return magic == lz4_magic || magic == lz4_legacy_magic;
}

Result<bool> has_next_lz4_frame(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context.input, context.next_member()));
  return header.has_value();
}

}  // namespace penstock::stream
