#include "codec/deflate/device/segment_finder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "codec/batch/chunk_decoder.hpp"

namespace penstock::deflate {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t not_found = ~std::uint64_t{0};
constexpr std::uint64_t find_warp_bytes = 1536, measure_warp_bytes = 8448;
// As many as local memory holds, as of chunks' teams (chunk_decoder.cpp).
constexpr std::uint32_t find_groups_per_unit = 12, measure_groups_per_unit = 6;
constexpr std::array warp_files = {"deflate/kernels/deflate_counts"sv,
                                   "deflate/kernels/deflate_tables"sv,
                                   "lz/kernels/copies"sv,
                                   "deflate/kernels/deflate_codes"sv,
                                   "deflate/kernels/deflate_phases"sv,
                                   "deflate/kernels/deflate_walks"sv,
                                   "deflate/kernels/deflate_measure"sv,
                                   "deflate/kernels/deflate_blocks"sv,
                                   "deflate/kernels/deflate_pieces"sv,
                                   "deflate/kernels/deflate_piece_warp"sv};
constexpr std::array thread_files = {
    "lz/kernels/single_thread"sv, "deflate/kernels/deflate_no_units"sv,
    "deflate/kernels/deflate_thread"sv, "deflate/kernels/deflate_pieces"sv,
    "deflate/kernels/deflate_piece_thread"sv};
constexpr std::array find_files = {"lz/kernels/single_thread"sv, "deflate/kernels/deflate_find"sv};

constexpr std::uint64_t guessed_entry = std::uint64_t{1} << 63;  // deflate_pieces.kc
constexpr std::uint64_t min_part_bits = 512, max_part_bits = 1 << 20;
// Where a block has ended in a piece, it goes on so far: short blocks between two that were found,
// seldom more than two strides apart, are one piece. By simulation of 800 MB of sources, twice as
// far would make pieces of 17 windows, in which nobody else has work, where these have 9, and leave
// 80 to be measured in a second launch, of 17,463, where these leave 115.
constexpr std::uint64_t far_parts = 2;
// Behind a piece that was missing. Where nearly all were right, as in one long block that nobody
// found, twice as many are guessed then.
constexpr std::size_t first_guesses = 15, max_guesses = 1 << 14;
// A piece whose guesses are all wrong gets as long as that, at most: 2^22 bits make 541 MB of text
// (1032 to 1), and places in a piece count to 1 GiB (MAX_PIECE_OUTPUT).
constexpr std::uint64_t max_reach_bits = 1 << 22;
// Guesses behind the first: so many times the input. Of files of programs they are a fraction of
// it.
constexpr std::uint64_t max_guessed_times = 4;

// What teams keep of windows for their text (kernels/deflate_walks.kc): 32 words for each KiB.
constexpr std::uint64_t walk_bytes(std::uint64_t input_bytes) {
  return (input_bytes / 1024 + 8) * 32 * 4;
}

}  // namespace

batch::GroupPolicy piece_policy(const Traits& traits, std::uint64_t local_bytes,
                                std::uint32_t groups_per_multiprocessor) {
  batch::Phase phase;
  phase.granularity =
      traits.is_cpu ? batch::Granularity::thread_per_chunk : batch::Granularity::warp_per_chunk;
  phase.local_bytes = local_bytes, phase.max_workers_per_group = 4,
  phase.groups_per_multiprocessor = groups_per_multiprocessor;
  return batch::policy_of(phase, traits);
}

bool StreamPieces::fits(const Traits& traits) {
  constexpr std::uint64_t max_warp_bytes = 8448;  // of text (device_output.cpp)
  return traits.is_cpu || (traits.max_group_size >= 32 && traits.local_bytes >= max_warp_bytes);
}

Result<std::unique_ptr<StreamPieces>> StreamPieces::build(std::shared_ptr<Device> device,
                                                          std::uint32_t stride_bytes,
                                                          std::uint64_t part_bits) {
  constexpr std::uint32_t max_stride_bytes = 1 << 28;  // whose bits are counted
  if (stride_bytes == 0 || stride_bytes % 4 != 0 || stride_bytes > max_stride_bytes)
    return Status(Code::invalid,
                  "strides of Deflate streams are multiples of 4 bytes, and 256 MiB at most");
  if (part_bits != 0 && (part_bits < min_part_bits || part_bits > max_part_bits))
    return Status(Code::invalid, "pieces of Deflate streams have 512 to 2^20 bits");
  auto pieces = std::make_unique<StreamPieces>();
  const Traits& traits = device->traits();
  pieces->find_policy_ = piece_policy(traits, find_warp_bytes, find_groups_per_unit);
  pieces->measure_policy_ = piece_policy(traits, measure_warp_bytes, measure_groups_per_unit);
  const auto find = std::span(find_files).subspan(traits.is_cpu ? 0 : 1);
  const auto measure = traits.is_cpu ? std::span<const std::string_view>(thread_files)
                                     : std::span<const std::string_view>(warp_files);
  PENSTOCK_ASSIGN(pieces->find_, batch::build_program(*device, pieces->find_policy_, find));
  PENSTOCK_ASSIGN(pieces->measure_,
                  batch::build_program(*device, pieces->measure_policy_, measure));
  PENSTOCK_TRY(reserve(*device, 4, pieces->counter_));
  pieces->device_ = std::move(device);
  pieces->stride_bytes_ = stride_bytes;
  pieces->part_bits_ = part_bits != 0 ? part_bits : traits.is_cpu ? cpu_part_bits : warp_part_bits;
  return pieces;
}

Status StreamPieces::open(Queue& queue, std::shared_ptr<Buffer> input, std::uint64_t bytes) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1}
                                      << 40;  // bits of it, and strides, are counted
  if (bytes > max_bytes || bytes > input->bytes())
    return Status(Code::invalid, "a Deflate stream that is not all in its memory");
  input_ = std::move(input), bytes_ = bytes;
  PENSTOCK_TRY(reserve(*device_, device_->traits().is_cpu ? 0 : walk_bytes(bytes), walks_));
  begins_.clear(), parts_.clear(), part_results_.clear(), others_.clear(), missing_.clear();
  guessed_bits_ = max_guessed_times * 8 * bytes, launches_ = measured_bits_ = 0;
  PENSTOCK_TRY(find(queue));
  cut_found();
  PENSTOCK_TRY(measure(queue));
  std::swap(part_results_, measured_);
  are_walked_.assign(parts_.size(), false);
  walk_all();
  return {};
}

Status StreamPieces::find(Queue& queue) {
  const auto strides = static_cast<std::uint32_t>((bytes_ + stride_bytes_ - 1) / stride_bytes_);
  PENSTOCK_TRY(found_bits_.resize(*device_, strides));
  PENSTOCK_TRY(reserve(*device_, found_bits_.bytes(), found_));
  const std::uint32_t groups = batch::groups_of(find_policy_, device_->traits(), strides);
  PENSTOCK_TRY(queue.launch(*find_, "deflate_find_blocks", groups,
                            {{Argument::of(*input_), Argument::of(*found_), Argument::value(bytes_),
                              Argument::value(stride_bytes_ / 4), Argument::value(strides)}}));
  PENSTOCK_TRY(queue.download(found_bits_.data(), *found_, found_bits_.bytes()));
  const Status reserved = reserve_found();
  PENSTOCK_TRY(
      queue.finish());  // whatever came of that: the copy is to memory that may be another's next
  PENSTOCK_TRY(reserved);
  for (const std::uint64_t bit : found_bits_)
    if (bit != not_found) begins_.push_back(bit);
  return {};
}

// Memory for as many pieces as can be cut, while the device looks for them: what had not been
// touched took longer than to cut and follow.
Status StreamPieces::reserve_found() {
  const std::uint64_t most = found_bits_.size() + 8 * bytes_ / part_bits_;
  parts_.resize(most), parts_.clear();
  spare_pieces_.resize(most), spare_pieces_.clear();
  PENSTOCK_TRY(measured_spans_.reserve(*device_, most));
  PENSTOCK_TRY(measured_.reserve(*device_, most));
  PENSTOCK_TRY(reserve(*device_, most * sizeof(PieceSpan), spans_));
  return reserve(*device_, most * sizeof(PieceResult), results_);
}

// The first pieces begin at what was found, and, where the next is far, at places between them.
void StreamPieces::cut_found() {
  measured_spans_.clear();
  for (std::size_t i = 0; i < begins_.size(); i++) {
    const std::uint64_t header = begins_[i],
                        found = i + 1 < begins_.size() ? begins_[i + 1] : not_found;
    const std::uint64_t next = std::min(found, 8 * bytes_);
    for (std::uint64_t bit = header, cut = 0; cut != found; bit = cut) {
      cut = bit + part_bits_ + part_bits_ / 2 <= next ? bit + part_bits_ : found;
      parts_.push_back({header, bit});
      const std::uint64_t begin = bit == header ? bit : bit | guessed_entry,
                          far = std::min(found, bit + far_parts * part_bits_);
      measured_spans_.push_back({header, begin, cut, std::max(cut, far)});
    }
  }
}

std::uint64_t StreamPieces::found_behind(std::uint64_t bit) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), bit);
  return next == begins_.end() ? not_found : *next;
}

// Where a piece ends in which a block has.
std::uint64_t StreamPieces::far_cut(std::uint64_t bit, std::uint64_t cut) const {
  return std::max(cut, std::min(found_behind(bit), bit + far_parts * part_bits_));
}

// The place, not too near, that cuts what begins at a bit: one of the first pieces' where there are
// such.
std::uint64_t StreamPieces::cut_behind(std::uint64_t bit) const {
  const auto next = std::ranges::upper_bound(parts_, bit + part_bits_ / 4, {}, &PiecePlace::bit);
  const std::uint64_t end = next == parts_.end() ? 8 * bytes_ : next->bit;
  if (bit + part_bits_ + part_bits_ / 2 < end) return bit + part_bits_;
  return next == parts_.end() ? not_found : end;
}

// Whether one of the first pieces is of this block, and was to begin here.
bool StreamPieces::is_part(const PiecePlace& place) const {
  const auto part = std::ranges::lower_bound(parts_, place.bit, {}, &PiecePlace::bit);
  return part != parts_.end() && *part == place;
}

bool StreamPieces::may_guess(std::uint64_t bits) {
  if (bits > guessed_bits_) return false;
  guessed_bits_ -= bits;
  return true;
}

// Spans of the piece that begins at a place, of `reach` parts, and of guesses behind it, of the
// same block, that begin before `stop`; where one of the first pieces does, it is the guess.
// Returns where all these would end.
std::uint64_t StreamPieces::plan(const PiecePlace& place, std::uint64_t reach, std::size_t guesses,
                                 std::uint64_t stop, std::vector<PieceSpan>& spans) {
  std::uint64_t cut = cut_behind(place.bit + std::min((reach - 1) * part_bits_, max_reach_bits));
  spans.push_back({place.header, place.bit, cut, far_cut(place.bit, cut)});
  for (; guesses > 0 && cut < std::min(stop, 8 * bytes_); guesses--) {
    if (is_part({place.header, cut})) return cut + guesses * part_bits_;
    const std::uint64_t bit = cut, next = cut_behind(bit);
    if (!may_guess(std::min(next, 8 * bytes_) - bit)) break;
    spans.push_back({place.header, bit | guessed_entry, cut = next, far_cut(bit, next)});
  }
  return cut;
}

// Of `measured_spans_`.
Status StreamPieces::measure(Queue& queue) {
  const auto count = static_cast<std::uint32_t>(measured_spans_.size());
  PENSTOCK_TRY(measured_.resize(*device_, count));
  if (count == 0) return {};
  launches_++;
  for (const PieceSpan& span : measured_spans_)
    measured_bits_ += std::min(span.cut, 8 * bytes_) - (span.begin & ~guessed_entry);
  PENSTOCK_TRY(reserve(*device_, measured_spans_.bytes(), spans_));
  PENSTOCK_TRY(reserve(*device_, measured_.bytes(), results_));
  PENSTOCK_TRY(queue.upload(*spans_, measured_spans_.data(), measured_spans_.bytes()));
  PENSTOCK_TRY(queue.fill(*counter_, 0, 4));
  PENSTOCK_TRY(queue.launch(*measure_, "deflate_measure_pieces",
                            batch::groups_of(measure_policy_, device_->traits(), count),
                            {{Argument::of(*input_), Argument::of(*spans_), Argument::of(*results_),
                              Argument::of(*counter_), Argument::value(count),
                              Argument::value(bytes_), Argument::of(*walks_)}}));
  PENSTOCK_TRY(queue.download(measured_.data(), *results_, measured_.bytes()));
  return queue.finish();
}

Status StreamPieces::measure_others(Queue& queue, std::span<const PieceSpan> spans) {
  PENSTOCK_TRY(measured_spans_.resize(*device_, spans.size()));
  std::ranges::copy(spans, measured_spans_.begin());
  PENSTOCK_TRY(measure(queue));
  keep_measured();
  return {};
}

// What was measured last, by where it begins. Guesses before a block's codes may all begin with
// these, and have nothing.
void StreamPieces::keep_measured() {
  for (std::size_t i = 0; i < measured_.size(); i++) {
    const PieceResult& result = measured_[i];
    const PiecePlace place{measured_spans_[i].header, result.entry};
    if (result.entry != not_found &&
        (result.error() != batch::ErrorCode::none || result.end() != place))
      others_.emplace(place, result);
  }
}

// Of the first pieces the last that was to begin at a bit or before it; `near`: about which it is.
std::size_t StreamPieces::part_at(std::uint64_t bit, std::size_t near) const {
  constexpr std::size_t few = 4;
  for (std::size_t i = near; i < near + few && i < parts_.size() && parts_[i].bit <= bit; i++)
    if (i + 1 == parts_.size() || parts_[i + 1].bit > bit) return i;
  const auto next = std::ranges::upper_bound(parts_, bit, {}, &PiecePlace::bit);
  return static_cast<std::size_t>(next - parts_.begin()) - (next != parts_.begin() ? 1 : 0);
}

// The piece that begins at a place.
const PieceResult* StreamPieces::known(const PiecePlace& place, std::size_t& near) const {
  near = part_at(place.bit, near);
  if (near < parts_.size() && parts_[near].header == place.header) {
    const PieceResult& part = part_results_[near];
    if (part.entry == place.bit && (part.error() != batch::ErrorCode::none || part.end() != place))
      return &part;
  }
  const auto other = others_.find(place);
  return other == others_.end() ? nullptr : &other->second;
}

// Follows the pieces that are known from a place on, to where one is missing. Returns that place,
// or, where there is a fault, an end, or what has been followed, such a place of no block.
PiecePlace StreamPieces::walk(PiecePlace place) {
  for (std::size_t near = 0;;) {
    const PieceResult* const piece = known(place, near);
    if (piece == nullptr) {
      missing_.push_back(place);
      return place;
    }
    if (near < parts_.size() && piece == &part_results_[near]) {
      if (are_walked_[near]) return {not_found, place.bit};
      are_walked_[near] = true;
    }
    if (piece->error() != batch::ErrorCode::none || piece->is_last()) return {not_found, place.bit};
    place = piece->end();
  }
}

// Where the stream may go on behind a place where nothing is known: the next of the first pieces
// that is of the same block, or was found.
PiecePlace StreamPieces::hop(const PiecePlace& place) const {
  for (std::size_t i = part_at(place.bit, 0); i < parts_.size(); i++) {
    const PiecePlace next{parts_[i].header, part_results_[i].entry};
    if (parts_[i].bit > place.bit && (next.header == place.header || next.header == next.bit) &&
        next.bit != not_found)
      return next;
  }
  return {not_found, not_found};
}

// From what was found first on, and again from where it may go on.
void StreamPieces::walk_all() {
  PiecePlace place = parts_.empty() ? PiecePlace{not_found, not_found} : parts_.front();
  while (place.bit != not_found) place = hop(walk(place));
}

// How far to guess behind a place that is waited for: more where guesses behind the last were
// right; where they were not, none, and the piece itself is a longer one.
void StreamPieces::look_ahead(const PiecePlace& place) {
  if (ahead_.end == 0) {
    ahead_.reach = 1, ahead_.guesses = first_guesses;
  } else if (place.bit >= ahead_.begin + (ahead_.end - ahead_.begin) / 2) {
    ahead_.reach = ahead_.guesses == 0 ? 2 * ahead_.reach : 1,
    ahead_.guesses = std::min(2 * ahead_.guesses, max_guesses);
  } else {
    ahead_.reach *= 2, ahead_.guesses /= 4;
  }
  ahead_.reach = std::min(ahead_.reach, std::max<std::uint64_t>(max_reach_bits / part_bits_, 1));
}

// Measures the piece that begins at a place, and all others that are missing.
Status StreamPieces::measure_missing(Queue& queue, const PiecePlace& place) {
  look_ahead(place);
  std::vector<PieceSpan> spans;
  ahead_.end = std::min(plan(place, ahead_.reach, ahead_.guesses, not_found, spans), 8 * bytes_),
  ahead_.begin = place.bit;
  std::vector<PiecePlace> walked = std::exchange(missing_, {});
  std::sort(walked.begin(), walked.end());
  walked.erase(std::unique(walked.begin(), walked.end()), walked.end());
  std::size_t near = 0;
  for (const PiecePlace& other : walked)
    if (other != place && known(other, near) == nullptr &&
        may_guess(std::min(cut_behind(other.bit), 8 * bytes_) - other.bit))
      plan(other, 1, first_guesses, found_behind(other.bit), spans);
  PENSTOCK_TRY(measure_others(queue, spans));
  if (known(place, near) == nullptr)
    return Status(Code::internal,
                  "a piece of a Deflate stream has another beginning than it was given");
  for (const PiecePlace& other : walked) {
    std::size_t at = 0;
    if (known(other, at) != nullptr) walk(other);
  }
  return {};
}

Result<MeasuredStream> StreamPieces::follow(Queue& queue, std::uint64_t begin_byte) {
  MeasuredStream stream;
  stream.pieces = std::exchange(spare_pieces_, {});
  PiecePlace place{8 * begin_byte, 8 * begin_byte};
  ahead_ = {};
  for (std::size_t near = 0;;) {
    const PieceResult* const piece = known(place, near);
    if (piece == nullptr) {
      PENSTOCK_TRY(measure_missing(queue, place));
      continue;
    }
    if (piece->error() != batch::ErrorCode::none) {
      stream.error = error_of(*piece);
      return stream;
    }
    if (near < parts_.size() && piece == &part_results_[near])
      ahead_ = {};  // what was guessed is right here
    stream.pieces.push_back(
        {place.header, place.bit, piece->bit, stream.output_bytes, piece->output_bytes()});
    stream.output_bytes += piece->output_bytes();
    place = piece->end();
    if (piece->is_last()) break;
  }
  stream.end_byte = (place.bit + 7) / 8;
  return stream;
}

StreamError StreamPieces::error_of(const PieceResult& piece) const {
  return {piece.error(), std::min(piece.bit / 8, bytes_)};
}

}  // namespace penstock::deflate
