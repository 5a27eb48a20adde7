// gzip members that do not name their size, as gzip and pigz write them, and zlib's stream, decoded
// on a device inside of one Deflate stream (src/codec/deflate/device/segment_finder.hpp): the rest
// of the input is uploaded once, with all members that it has, and its pieces are found and
// measured there; then each member is followed, and its text made in batches. Checksums are the
// device's, too. Of mapped input.
#pragma once
#include <deque>

#include "codec/deflate/device/device_inflate.hpp"
#include "stream/device/device_batch.hpp"
#include "stream/gzip/gzip_format.hpp"

namespace penstock::stream {

class DeviceMembers {
 public:
  // Of what stands at the input's position, gzip or zlib. Code::no_memory where the device has no
  // room for it.
  static Result<std::unique_ptr<DeviceMembers>> open(Context& context, Format format);
  // Measures the next member and moves the input behind it. False where none follows, or one that
  // another way takes.
  Result<bool> measure();
  // The text of all members that were measured and not decoded yet.
  std::uint64_t output_bytes() const { return output_bytes_; }
  // The text that the next batch makes: none of an empty member, and where all that was measured is
  // decoded.
  std::uint64_t batch_bytes() const;
  // Of the input before its position: members and parts of them that are not decoded yet.
  std::uint64_t bytes_ahead() const;
  bool is_done() const { return members_.empty(); }
  // Makes that text into `text` from `output_at` on; behind a member's last batch its trailer is
  // compared.
  Status decode(const std::shared_ptr<Buffer>& output, std::uint64_t output_at);

 private:
  struct Member {
    Place body, trailer;
    deflate::MeasuredStream stream;
    std::vector<std::byte> trailer_bytes;  // fewer where the input ends
    std::size_t first_piece = 0;           // of the next batch
    std::uint64_t made_bytes = 0;
    std::uint32_t checksum = 0;
  };
  DeviceMembers(Context& context, Format format)
      : context_(context), run_(*context.device), format_(format) {}
  Status upload();
  Result<std::optional<Place>> next_body();
  Status check_trailer(const Member& member) const;
  Status refuse(const Place& body, const deflate::StreamError& error) const;
  // What happens on the queue in `work`, as the device's time for kernels.
  template <class Work> Status timed(Work work);

  Context& context_;
  DeviceRun& run_;
  const Format format_;
  std::uint64_t base_ = 0;  // of the input's bytes on the device
  std::span<const std::byte> bytes_;
  std::shared_ptr<Buffer> input_;
  std::deque<Member> members_;
  std::uint64_t output_bytes_ = 0;
  bool is_used_ = false;
  StagedUpload staged_;
  std::unique_ptr<deflate::SegmentFinder> pieces_;
  std::unique_ptr<deflate::SegmentDecoder> outputs_;
  std::unique_ptr<Queue> queue_;  // the last: it waits for what uses the others
};

}  // namespace penstock::stream
