// Decodes gzip members that do not name their size, as gzip and pigz write them, and zlib streams
// on a device, many warps inside of one Deflate stream (src/codec/deflate/device/).
//
// The rest of the input is uploaded once, with all members in it, and segments of it are found and
// measured on the device. Then each member's stream is followed through them, and its output is
// made in batches. The device computes the checksums, too. The input is in memory.
#pragma once
#include <deque>

#include "codec/deflate/device/device_inflate.hpp"
#include "stream/device/device_session.hpp"
#include "stream/gzip/gzip_format.hpp"
#include "stream/pipeline/context.hpp"

namespace penstock::stream {

class DeviceMembers {
 public:
  // Uploads what stands at the input's position. Code::no_memory if the device has too little
  // memory for it.
  static Result<std::unique_ptr<DeviceMembers>> open(Context& context, Format format);
  // Measures the next member and moves the input after it. Returns false if none follows, or one
  // that another method takes.
  Result<bool> measure();
  // The output of all members that were measured and are not decoded yet.
  std::uint64_t output_bytes() const { return output_bytes_; }
  // The output of the next batch: none of an empty member, and where all that was measured is
  // decoded.
  std::uint64_t batch_bytes() const;
  // Bytes before the input's position in members that are not decoded yet.
  std::uint64_t bytes_pending() const;
  bool is_done() const { return members_.empty(); }
  // Decodes the next batch into `output` from `output_offset` on. After a member's last batch its
  // trailer is verified.
  Status decode(const std::shared_ptr<Buffer>& output, std::uint64_t output_offset);

 private:
  struct Member {
    ErrorLocation body, trailer;
    deflate::MeasuredStream stream;
    std::vector<std::byte> trailer_bytes;  // fewer where the input ends
    std::size_t first_segment = 0;         // of the next batch
    std::uint64_t decoded_bytes = 0;
    std::uint32_t checksum = 0;
  };
  DeviceMembers(Context& context, Format format)
      : context_(context), session_(*context.session), format_(format) {}
  Status upload();
  Result<std::optional<ErrorLocation>> next_body();
  Status decode_batch(Member& member, const std::shared_ptr<Buffer>& output,
                      std::uint64_t output_offset);
  Status check_trailer(const Member& member) const;
  Status error_of(const ErrorLocation& body, const deflate::StreamError& error) const;
  // Adds the time of `work`, which waits for the queue, to that of kernels.
  template <class Work> Status timed(Work work);

  Context& context_;
  DeviceSession& session_;
  const Format format_;
  std::uint64_t base_ = 0;  // the input's offset of the uploaded bytes
  std::span<const std::byte> bytes_;
  std::shared_ptr<Buffer> input_;
  std::deque<Member> members_;
  std::uint64_t output_bytes_ = 0;
  bool is_used_ = false;
  StagedUpload upload_;
  std::unique_ptr<deflate::SegmentFinder> finder_;
  std::unique_ptr<deflate::SegmentDecoder> outputs_;
  std::unique_ptr<Queue> queue_;  // last: it waits for work that uses the other members
};

// Decodes the members, or the zlib stream, at the input's position; their output comes to the host.
std::unique_ptr<Decoder> make_stream_decoder(Context& context);

}  // namespace penstock::stream
