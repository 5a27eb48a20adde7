#include "codec/deflate/device/segment_finder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "codec/batch/chunk_decoder.hpp"
#include "codec/deflate/kernels/deflate_limits.h"

namespace penstock::deflate {
namespace {

constexpr std::uint64_t not_found = ~std::uint64_t{0};
// As many warps as local memory holds, as for batches (chunk_decoder.cpp).
constexpr std::uint32_t find_groups_per_multiprocessor = 12, measure_groups_per_multiprocessor = 6;

constexpr std::uint64_t guessed_entry = std::uint64_t{1} << DEFLATE_GUESSED_ENTRY_BIT;
static_assert(sizeof(SegmentSpan) == DEFLATE_SPAN_WORDS * 8);
constexpr std::uint64_t min_segment_bits = 512, max_segment_bits = 1 << 20;
// Once a block has ended in a segment, the segment goes on so far: short blocks between two that
// were found, seldom more than two strides apart, are one segment. In a simulation of 800 MB of C
// sources, twice as far would make segments of 17 windows, while other warps are idle, where these
// have 9. It would leave 80 of 17,463 to a second launch, where these leave 115.
constexpr std::uint64_t far_segments = 2;
// Guesses after a missing segment. If nearly all were right, as in one long block that was not
// found, the next round guesses twice as many.
constexpr std::size_t first_guesses = 15, max_guesses = 1 << 14;
// The largest segment after wrong guesses: 2^22 bits make at most 541 MB of output (1032 to 1), and
// offsets in a segment count to 1 GiB (MAX_SEGMENT_OUTPUT).
constexpr std::uint64_t max_reach_bits = 1 << 22;
// Guesses after the first pass: at most this many times the input. For files of programs they are a
// fraction of it.
constexpr std::uint64_t max_guessed_times = 4;

// Returns the memory for the scans of windows (kernels/deflate_scans.kc): 32 words for each KiB.
constexpr std::uint64_t scan_bytes(std::uint64_t input_bytes) {
  return (input_bytes / (DEFLATE_SCAN_SLOT_BITS / 8) + 8) * 32 * 4;
}

}  // namespace

batch::GroupPolicy segment_policy(const Traits& traits, std::uint64_t local_bytes,
                                  std::uint32_t groups_per_multiprocessor) {
  batch::Phase phase;
  phase.granularity = traits.wants_single_thread_groups() ? batch::Granularity::thread_per_chunk
                                                          : batch::Granularity::warp_per_chunk;
  phase.local_bytes = local_bytes, phase.max_workers_per_group = 4,
  phase.groups_per_multiprocessor = groups_per_multiprocessor;
  return batch::policy_of(phase, traits);
}

bool SegmentFinder::fits(const Traits& traits) {
  return traits.wants_single_thread_groups() ||
         (traits.max_group_size >= 32 && traits.local_bytes >= DEFLATE_SEGMENT_WARP_BYTES);
}

Result<std::unique_ptr<SegmentFinder>> SegmentFinder::build(std::shared_ptr<Device> device,
                                                            std::uint32_t stride_bytes,
                                                            std::uint64_t segment_bits) {
  constexpr std::uint32_t max_stride_bytes = 1 << 28;  // bits of a stride are counted in 32 bits
  if (stride_bytes == 0 || stride_bytes % 4 != 0 || stride_bytes > max_stride_bytes)
    return Status(Code::invalid,
                  "strides of Deflate streams must be multiples of 4 bytes and at most 256 MiB");
  if (segment_bits != 0 && (segment_bits < min_segment_bits || segment_bits > max_segment_bits))
    return Status(Code::invalid, "segments of Deflate streams must have 512 to 2^20 bits");
  auto segments = std::make_unique<SegmentFinder>();
  const Traits& traits = device->traits();
  segments->find_policy_ =
      segment_policy(traits, DEFLATE_FIND_WARP_BYTES, find_groups_per_multiprocessor);
  segments->measure_policy_ =
      segment_policy(traits, DEFLATE_SEGMENT_WARP_BYTES, measure_groups_per_multiprocessor);
  const std::string_view find = traits.wants_single_thread_groups()
                                    ? "deflate/kernels/deflate_find_thread"
                                    : "deflate/kernels/deflate_find";
  const std::string_view measure = traits.wants_single_thread_groups()
                                       ? "deflate/kernels/deflate_measure_segments_thread"
                                       : "deflate/kernels/deflate_measure_segments_warp";
  PENSTOCK_ASSIGN(segments->find_, batch::build_program(*device, segments->find_policy_, find));
  PENSTOCK_ASSIGN(segments->measure_,
                  batch::build_program(*device, segments->measure_policy_, measure));
  PENSTOCK_TRY(reserve(*device, 4, segments->counter_));
  segments->device_ = std::move(device);
  segments->stride_bytes_ = stride_bytes;
  segments->segment_bits_ = segment_bits != 0                     ? segment_bits
                            : traits.wants_single_thread_groups() ? cpu_segment_bits
                                                                  : warp_segment_bits;
  return segments;
}

Status SegmentFinder::open(Queue& queue, std::shared_ptr<Buffer> input, std::uint64_t bytes) {
  // Bits of the input, and strides, are counted.
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 40;
  if (bytes > max_bytes || bytes > input->bytes())
    return Status(Code::invalid, "a Deflate stream exceeds its input buffer");
  input_ = std::move(input), bytes_ = bytes;
  PENSTOCK_TRY(reserve(
      *device_, device_->traits().wants_single_thread_groups() ? 0 : scan_bytes(bytes), scans_));
  header_bits_.clear(), first_positions_.clear(), first_results_.clear(), later_results_.clear(),
      missing_.clear();
  guessed_bits_ = max_guessed_times * 8 * bytes, launches_ = measured_bits_ = 0;
  PENSTOCK_TRY(find(queue));
  cut_found();
  PENSTOCK_TRY(measure(queue));
  std::swap(first_results_, measured_);
  are_followed_.assign(first_positions_.size(), false);
  follow_all_known();
  return {};
}

Status SegmentFinder::find(Queue& queue) {
  const auto strides = static_cast<std::uint32_t>((bytes_ + stride_bytes_ - 1) / stride_bytes_);
  PENSTOCK_TRY(found_bits_.resize(*device_, strides));
  PENSTOCK_TRY(reserve(*device_, found_bits_.bytes(), found_));
  const std::uint32_t groups = batch::groups_of(find_policy_, device_->traits(), strides);
  PENSTOCK_TRY(queue.launch(*find_, "deflate_find_blocks", groups,
                            {{Argument::of(*input_), Argument::of(*found_), Argument::value(bytes_),
                              Argument::value(stride_bytes_ / 4), Argument::value(strides)}}));
  PENSTOCK_TRY(queue.download(found_bits_.data(), *found_, found_bits_.bytes()));
  const Status reserved = reserve_found();
  // Waits even after an error: the copy's destination may be reused otherwise.
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_TRY(reserved);
  for (const std::uint64_t bit : found_bits_)
    if (bit != not_found) header_bits_.push_back(bit);
  return {};
}

// Reserves memory for as many segments as can be cut, while the device finds them. Touching fresh
// memory took longer than cutting and following.
Status SegmentFinder::reserve_found() {
  const std::uint64_t limit = found_bits_.size() + 8 * bytes_ / segment_bits_;
  first_positions_.resize(limit), first_positions_.clear();
  reserved_segments_.resize(limit), reserved_segments_.clear();
  PENSTOCK_TRY(measured_spans_.reserve(*device_, limit));
  PENSTOCK_TRY(measured_.reserve(*device_, limit));
  PENSTOCK_TRY(reserve(*device_, limit * sizeof(SegmentSpan), spans_));
  return reserve(*device_, limit * sizeof(SegmentResult), results_);
}

// Cuts the first segments: at headers that were found, and at guesses where the next one is far.
void SegmentFinder::cut_found() {
  measured_spans_.clear();
  for (std::size_t i = 0; i < header_bits_.size(); i++) {
    const std::uint64_t header = header_bits_[i],
                        found = i + 1 < header_bits_.size() ? header_bits_[i + 1] : not_found;
    const std::uint64_t next = std::min(found, 8 * bytes_);
    for (std::uint64_t bit = header, cut = 0; cut != found; bit = cut) {
      cut = bit + segment_bits_ + segment_bits_ / 2 <= next ? bit + segment_bits_ : found;
      first_positions_.push_back({header, bit});
      const std::uint64_t begin = bit == header ? bit : bit | guessed_entry,
                          far = std::min(found, bit + far_segments * segment_bits_);
      measured_spans_.push_back({header, begin, cut, std::max(cut, far)});
    }
  }
}

std::uint64_t SegmentFinder::header_after(std::uint64_t bit) const {
  const auto next = std::upper_bound(header_bits_.begin(), header_bits_.end(), bit);
  return next == header_bits_.end() ? not_found : *next;
}

// Returns where a segment ends in which a block has ended.
std::uint64_t SegmentFinder::far_cut(std::uint64_t bit, std::uint64_t cut) const {
  return std::max(cut, std::min(header_after(bit), bit + far_segments * segment_bits_));
}

// Returns the cut of a segment that begins at `bit`. It is not too near, and preferably at one of
// the first positions.
std::uint64_t SegmentFinder::cut_after(std::uint64_t bit) const {
  const auto next =
      std::ranges::upper_bound(first_positions_, bit + segment_bits_ / 4, {}, &BitPosition::bit);
  const std::uint64_t end = next == first_positions_.end() ? 8 * bytes_ : next->bit;
  if (bit + segment_bits_ + segment_bits_ / 2 < end) return bit + segment_bits_;
  return next == first_positions_.end() ? not_found : end;
}

// Returns whether one of the first segments is of this block and was to begin here.
bool SegmentFinder::is_first_position(const BitPosition& position) const {
  const auto first =
      std::ranges::lower_bound(first_positions_, position.bit, {}, &BitPosition::bit);
  return first != first_positions_.end() && *first == position;
}

bool SegmentFinder::may_guess(std::uint64_t bits) {
  if (bits > guessed_bits_) return false;
  guessed_bits_ -= bits;
  return true;
}

// Appends the span of the segment at a position, `reach` parts long, and of up to `guesses` guessed
// ones after it, in the same block, that begin before `stop`. A first segment that begins there is
// used instead. Returns where all these would end.
std::uint64_t SegmentFinder::plan(const BitPosition& position, std::uint64_t reach,
                                  std::size_t guesses, std::uint64_t stop,
                                  std::vector<SegmentSpan>& spans) {
  std::uint64_t cut =
      cut_after(position.bit + std::min((reach - 1) * segment_bits_, max_reach_bits));
  spans.push_back({position.header, position.bit, cut, far_cut(position.bit, cut)});
  for (; guesses > 0 && cut < std::min(stop, 8 * bytes_); guesses--) {
    if (is_first_position({position.header, cut})) return cut + guesses * segment_bits_;
    const std::uint64_t bit = cut, next = cut_after(bit);
    if (!may_guess(std::min(next, 8 * bytes_) - bit)) break;
    spans.push_back({position.header, bit | guessed_entry, cut = next, far_cut(bit, next)});
  }
  return cut;
}

// Measures the segments of `measured_spans_`.
Status SegmentFinder::measure(Queue& queue) {
  const auto count = static_cast<std::uint32_t>(measured_spans_.size());
  PENSTOCK_TRY(measured_.resize(*device_, count));
  if (count == 0) return {};
  launches_++;
  for (const SegmentSpan& span : measured_spans_)
    measured_bits_ += std::min(span.cut, 8 * bytes_) - (span.begin & ~guessed_entry);
  PENSTOCK_TRY(reserve(*device_, measured_spans_.bytes(), spans_));
  PENSTOCK_TRY(reserve(*device_, measured_.bytes(), results_));
  PENSTOCK_TRY(queue.upload(*spans_, measured_spans_.data(), measured_spans_.bytes()));
  PENSTOCK_TRY(queue.fill(*counter_, 0, 4));
  PENSTOCK_TRY(queue.launch(*measure_, "deflate_measure_segments",
                            batch::groups_of(measure_policy_, device_->traits(), count),
                            {{Argument::of(*input_), Argument::of(*spans_), Argument::of(*results_),
                              Argument::of(*counter_), Argument::value(count),
                              Argument::value(bytes_), Argument::of(*scans_)}}));
  PENSTOCK_TRY(queue.download(measured_.data(), *results_, measured_.bytes()));
  return queue.finish();
}

Status SegmentFinder::measure_later(Queue& queue, std::span<const SegmentSpan> spans) {
  PENSTOCK_TRY(measured_spans_.resize(*device_, spans.size()));
  std::ranges::copy(spans, measured_spans_.begin());
  PENSTOCK_TRY(measure(queue));
  keep_measured();
  return {};
}

// Stores the last measurements by where they begin. Guesses before a block's codes may all begin at
// the first code, and be empty.
void SegmentFinder::keep_measured() {
  for (std::size_t i = 0; i < measured_.size(); i++) {
    const SegmentResult& result = measured_[i];
    const BitPosition position{measured_spans_[i].header, result.entry};
    if (result.entry != not_found &&
        (result.error() != batch::ErrorCode::none || result.end() != position))
      later_results_.emplace(position, result);
  }
}

// Returns the last first segment that was to begin at or before a bit; `near`: about which it is.
std::size_t SegmentFinder::first_position_at(std::uint64_t bit, std::size_t near) const {
  constexpr std::size_t few = 4;
  for (std::size_t i = near;
       i < near + few && i < first_positions_.size() && first_positions_[i].bit <= bit; i++)
    if (i + 1 == first_positions_.size() || first_positions_[i + 1].bit > bit) return i;
  const auto next = std::ranges::upper_bound(first_positions_, bit, {}, &BitPosition::bit);
  return static_cast<std::size_t>(next - first_positions_.begin()) -
         (next != first_positions_.begin() ? 1 : 0);
}

// Returns the segment that begins at a position, or nullptr.
const SegmentResult* SegmentFinder::known(const BitPosition& position, std::size_t& near) const {
  near = first_position_at(position.bit, near);
  if (near < first_positions_.size() && first_positions_[near].header == position.header) {
    const SegmentResult& first = first_results_[near];
    if (first.entry == position.bit &&
        (first.error() != batch::ErrorCode::none || first.end() != position))
      return &first;
  }
  const auto other = later_results_.find(position);
  return other == later_results_.end() ? nullptr : &other->second;
}

// Follows known segments from a position to where one is missing, and returns that position.
// Returns a position of no block where there is an error, the stream's end, or segments followed
// before.
BitPosition SegmentFinder::follow_known(BitPosition position) {
  for (std::size_t near = 0;;) {
    const SegmentResult* const segment = known(position, near);
    if (segment == nullptr) {
      missing_.push_back(position);
      return position;
    }
    if (near < first_positions_.size() && segment == &first_results_[near]) {
      if (are_followed_[near]) return {not_found, position.bit};
      are_followed_[near] = true;
    }
    if (segment->error() != batch::ErrorCode::none || segment->is_last())
      return {not_found, position.bit};
    position = segment->end();
  }
}

// Returns a position from which the stream may go on after an unknown one: the next first segment
// that is in the same block, or begins at a header that was found.
BitPosition SegmentFinder::next_chain(const BitPosition& position) const {
  for (std::size_t i = first_position_at(position.bit, 0); i < first_positions_.size(); i++) {
    const BitPosition next{first_positions_[i].header, first_results_[i].entry};
    if (first_positions_[i].bit > position.bit &&
        (next.header == position.header || next.header == next.bit) && next.bit != not_found)
      return next;
  }
  return {not_found, not_found};
}

// Follows all chains: from the first header, and again from where the stream may go on.
void SegmentFinder::follow_all_known() {
  BitPosition position =
      first_positions_.empty() ? BitPosition{not_found, not_found} : first_positions_.front();
  while (position.bit != not_found) position = next_chain(follow_known(position));
}

// Decides how far to guess after a missing segment: more where the last guesses were right; else
// none, and the segment itself gets longer.
void SegmentFinder::plan_lookahead(const BitPosition& position) {
  if (lookahead_.end == 0) {
    lookahead_.reach = 1, lookahead_.guesses = first_guesses;
  } else if (position.bit >= lookahead_.begin + (lookahead_.end - lookahead_.begin) / 2) {
    lookahead_.reach = lookahead_.guesses == 0 ? 2 * lookahead_.reach : 1,
    lookahead_.guesses = std::min(2 * lookahead_.guesses, max_guesses);
  } else {
    lookahead_.reach *= 2, lookahead_.guesses /= 4;
  }
  lookahead_.reach =
      std::min(lookahead_.reach, std::max<std::uint64_t>(max_reach_bits / segment_bits_, 1));
}

// Measures the segment that begins at a position, and all others that are missing.
Status SegmentFinder::measure_missing(Queue& queue, const BitPosition& position) {
  plan_lookahead(position);
  std::vector<SegmentSpan> spans;
  lookahead_.end =
      std::min(plan(position, lookahead_.reach, lookahead_.guesses, not_found, spans), 8 * bytes_),
  lookahead_.begin = position.bit;
  std::vector<BitPosition> missing = std::exchange(missing_, {});
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  std::size_t near = 0;
  for (const BitPosition& other : missing)
    if (other != position && known(other, near) == nullptr &&
        may_guess(std::min(cut_after(other.bit), 8 * bytes_) - other.bit))
      plan(other, 1, first_guesses, header_after(other.bit), spans);
  PENSTOCK_TRY(measure_later(queue, spans));
  if (known(position, near) == nullptr)
    return Status(Code::internal,
                  "a segment of a Deflate stream does not begin where it was measured to begin");
  for (const BitPosition& other : missing) {
    std::size_t at = 0;
    if (known(other, at) != nullptr) follow_known(other);
  }
  return {};
}

Result<MeasuredStream> SegmentFinder::follow(Queue& queue, std::uint64_t begin_byte) {
  MeasuredStream stream;
  stream.segments = std::exchange(reserved_segments_, {});
  BitPosition position{8 * begin_byte, 8 * begin_byte};
  lookahead_ = {};
  for (std::size_t near = 0;;) {
    const SegmentResult* const segment = known(position, near);
    if (segment == nullptr) {
      PENSTOCK_TRY(measure_missing(queue, position));
      continue;
    }
    if (segment->error() != batch::ErrorCode::none) {
      stream.error = error_of(*segment);
      return stream;
    }
    if (near < first_positions_.size() && segment == &first_results_[near])
      lookahead_ = {};  // the first pass is right here
    stream.segments.push_back({position.header, position.bit, segment->bit, stream.output_bytes,
                               segment->output_bytes()});
    stream.output_bytes += segment->output_bytes();
    position = segment->end();
    if (segment->is_last()) break;
  }
  stream.end_byte = (position.bit + 7) / 8;
  return stream;
}

StreamError SegmentFinder::error_of(const SegmentResult& segment) const {
  return {segment.error(), std::min(segment.bit / 8, bytes_)};
}

}  // namespace penstock::deflate
