// Cuts one Deflate stream, or several in one run of bytes, into segments that a device decodes side
// by side. A segment begins at a block header that was found (kernels/deflate_find.kc), or at a
// code inside of a block.
//
// The method follows pugz and rapidgzip, with one addition: a block that is longer than a segment
// is cut at guessed bits. Such a segment scans codes from somewhat before, and Huffman codes
// resynchronise (kernels/deflate_segments.kc). The steps:
//  1. Find block headers, and guess positions between headers that are far apart.
//  2. Measure all segments at once: the size of their output and their ends.
//  3. Follow the stream from its first byte: where a segment ends, in the same block, the next one
//     begins. Unreached segments are dropped.
//  4. If no segment begins there, measure one from there, and all other missing segments, and
//     continue.
// So a wrong guess costs only time.
//
// Worst case: a segment ends at its cut, so the first pass is bounded by the input size, apart from
// headers and run-ups. All later guesses together are bounded by `guessed_bits_`. After wrong
// guesses segments grow, which bounds the number of rounds.
#pragma once
#include <compare>
#include <span>
#include <unordered_map>
#include <vector>

#include "codec/batch/chunk_program.hpp"
#include "device/pinned_array.hpp"
#include "penstock/batch.hpp"

namespace penstock::deflate {

// A segment of a stream. `output_at`: the offset of its output in the stream's. `header_bit`: the
// beginning of the block that the segment begins in; `begin_bit` if it begins with a block.
struct DeviceSegment {
  std::uint64_t header_bit = 0, begin_bit = 0, end_bit = 0, output_at = 0;
  std::uint32_t output_bytes = 0;
};

// An error, and the byte of the input near which it is.
struct StreamError {
  batch::ErrorCode error = batch::ErrorCode::none;
  std::uint64_t byte = 0;
};

struct MeasuredStream {
  std::vector<DeviceSegment> segments;  // consecutive; only before the error, if there is one
  std::uint64_t output_bytes = 0;
  std::uint64_t end_byte = 0;  // the first after the stream
  StreamError error;
};

// A position in a stream where a segment may begin. `bit` equals `header` where a block begins.
// Else a code of the block that begins at `header` does.
struct BitPosition {
  std::uint64_t header = 0, bit = 0;
  auto operator<=>(const BitPosition&) const = default;
};
struct BitPositionHash {
  std::size_t operator()(const BitPosition& position) const {
    return std::hash<std::uint64_t>()(position.bit * 0x9e3779b97f4a7c15 + position.header);
  }
};

// A segment's span and result, in the layout of kernels/deflate_segments.kc.
struct SegmentSpan {
  std::uint64_t header = 0, begin = 0, cut = 0, far_cut = 0;
};
struct SegmentResult {
  std::uint64_t entry = 0, bit = 0, header = 0, packed = 0;
  std::uint32_t output_bytes() const { return static_cast<std::uint32_t>(packed); }
  batch::ErrorCode error() const { return static_cast<batch::ErrorCode>(packed >> 32 & 0xff); }
  bool is_last() const { return packed >> 40 != 0; }
  BitPosition end() const { return {header, bit}; }
};

// The segment length that 0 stands for: eight windows of the code decoder. A window has 16384 bits
// of input and begins at a multiple of 16 bytes, so it advances by 16257 or more, and the last
// window is not a short one. Longer segments leave warps without work, and busy ones waiting for
// one another. Shorter ones read block headers more often.
constexpr std::uint64_t warp_segment_bits = 4 * 16256;
// For CPUs, which need no more segments than cores: any segment's output is less than 1 GiB.
constexpr std::uint64_t cpu_segment_bits = 1 << 20;

class SegmentFinder {
 public:
  static bool fits(const Traits& traits);
  // `stride_bytes`, a multiple of 4: a segment may begin in each stride. gzip's blocks have some 10
  // to 60 KB. `segment_bits`: the length into which blocks are cut; 0: chosen for the device.
  static Result<std::unique_ptr<SegmentFinder>> build(std::shared_ptr<Device> device,
                                                      std::uint32_t stride_bytes = 8 << 10,
                                                      std::uint64_t segment_bits = 0);
  // Finds and measures the segments of `bytes` bytes of `input`, which is readable in whole 16s.
  // Waits for the device.
  Status open(Queue& queue, std::shared_ptr<Buffer> input, std::uint64_t bytes);
  // Follows the stream that begins at a byte of the input. An error of the stream is in the result,
  // not in the status. Waits for the device.
  Result<MeasuredStream> follow(Queue& queue, std::uint64_t begin_byte);
  const Buffer& input() const { return *input_; }
  const Buffer& scans() const { return *scans_; }
  std::uint64_t input_bytes() const { return bytes_; }
  // The launches that measured segments since the last open(), and the planned bits of these
  // segments.
  std::uint64_t launches() const { return launches_; }
  std::uint64_t measured_bits() const { return measured_bits_; }

 private:
  Status find(Queue& queue);
  Status reserve_found();
  void cut_found();
  Status measure(Queue& queue);
  Status measure_later(Queue& queue, std::span<const SegmentSpan> spans);
  std::uint64_t plan(const BitPosition& position, std::uint64_t reach, std::size_t guesses,
                     std::uint64_t stop, std::vector<SegmentSpan>& spans);
  std::uint64_t cut_after(std::uint64_t bit) const;
  std::uint64_t far_cut(std::uint64_t bit, std::uint64_t cut) const;
  std::uint64_t header_after(std::uint64_t bit) const;
  bool is_first_position(const BitPosition& position) const;
  bool may_guess(std::uint64_t bits);
  Status measure_missing(Queue& queue, const BitPosition& position);
  void plan_lookahead(const BitPosition& position);
  void keep_measured();
  BitPosition follow_known(BitPosition position);
  BitPosition next_chain(const BitPosition& position) const;
  void follow_all_known();
  std::size_t first_position_at(std::uint64_t bit, std::size_t near) const;
  const SegmentResult* known(const BitPosition& position, std::size_t& near) const;
  StreamError error_of(const SegmentResult& segment) const;

  std::shared_ptr<Device> device_;
  batch::GroupPolicy find_policy_, measure_policy_;
  std::shared_ptr<Program> find_, measure_;
  std::uint32_t stride_bytes_ = 0;
  std::uint64_t segment_bits_ = 0;
  std::shared_ptr<Buffer> input_, counter_, found_, spans_, results_, scans_;
  std::uint64_t bytes_ = 0, launches_ = 0, measured_bits_ = 0;
  std::vector<std::uint64_t> header_bits_;  // bits of the headers that were found, in order
  std::vector<BitPosition>
      first_positions_;  // first positions, in order: headers, and guesses between them
  HostArray<SegmentResult> first_results_;
  std::vector<bool> are_followed_;  // for each of these, whether its next segment is known, or
                                    // listed as missing
  std::unordered_map<BitPosition, SegmentResult, BitPositionHash> later_results_;
  std::vector<BitPosition> missing_;  // ends of segments without a known next one
  std::uint64_t guessed_bits_ = 0;    // the budget of further guesses
  // The last missing segment: its planned end and the end of the guesses after it, its own length
  // in parts, and the number of guesses.
  struct SpeculativeSegment {
    std::uint64_t begin = 0, end = 0, reach = 1;
    std::size_t guesses = 0;
  } lookahead_;
  std::vector<DeviceSegment> reserved_segments_;  // reserved for the next follow()
  // The source and destination of queue copies; they outlive a call that returns early.
  HostArray<std::uint64_t> found_bits_;
  HostArray<SegmentSpan> measured_spans_;
  HostArray<SegmentResult> measured_;
};

// Returns how warps, or threads of a CPU, take segments; `local_bytes` of a warp.
batch::GroupPolicy segment_policy(const Traits& traits, std::uint64_t local_bytes,
                                  std::uint32_t groups_per_multiprocessor);

}  // namespace penstock::deflate
