#include "codec/deflate/device_pieces.hpp"

#include <algorithm>
#include <array>

#include "codec/chunks/chunk_decoder.hpp"

namespace penstock::deflate {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t not_found = ~std::uint64_t{0};
constexpr std::uint64_t find_team_bytes = 1536, measure_team_bytes = 8448;
// As many as local memory holds, as of chunks' teams (chunk_decoder.cpp).
constexpr std::uint32_t find_groups_a_unit = 12, measure_groups_a_unit = 6;
constexpr std::array team_files = {"deflate/kernels/deflate_counts"sv, "deflate/kernels/deflate_tables"sv,
                                   "chunks/kernels/copies"sv,          "deflate/kernels/deflate_codes"sv,
                                   "deflate/kernels/deflate_walks"sv,  "deflate/kernels/deflate_measure"sv,
                                   "deflate/kernels/deflate_blocks"sv, "deflate/kernels/deflate_pieces"sv,
                                   "deflate/kernels/deflate_piece_team"sv};
constexpr std::array item_files = {"deflate/kernels/deflate_no_units"sv, "deflate/kernels/deflate_items"sv,
                                   "deflate/kernels/deflate_pieces"sv, "deflate/kernels/deflate_piece_items"sv};
constexpr std::array find_files = {"chunks/kernels/team_of_one"sv, "deflate/kernels/deflate_find"sv};

// Rounds of missing pieces in which those that nobody asked for yet are measured, too: behind each guess that was wrong there is one.
constexpr unsigned wide_rounds = 16;
constexpr unsigned most_passed_log2 = 20;

// What teams keep of windows for their text (kernels/deflate_walks.kc): 32 words for each KiB.
constexpr std::uint64_t walk_bytes(std::uint64_t input_bytes) { return (input_bytes / 1024 + 8) * 32 * 4; }

}  // namespace

chunks::GroupPolicy piece_policy(const Traits& traits, std::uint64_t local_bytes, std::uint32_t groups_a_unit) {
  chunks::Phase phase;
  phase.takers = traits.is_cpu ? chunks::Takers::items : chunks::Takers::teams;
  phase.local_bytes = local_bytes, phase.takers_a_group = 4, phase.groups_a_unit = groups_a_unit;
  return chunks::policy_of(phase, traits);
}

bool StreamPieces::fits(const Traits& traits) {
  constexpr std::uint64_t most_team_bytes = 8448;      // of text (device_text.cpp)
  return traits.is_cpu || (traits.max_group_size >= 32 && traits.local_bytes >= most_team_bytes);
}

Result<std::unique_ptr<StreamPieces>> StreamPieces::build(std::shared_ptr<Device> device, std::uint32_t stride_bytes) {
  constexpr std::uint32_t most_stride_bytes = 1 << 28;      // whose bits are counted
  if (stride_bytes == 0 || stride_bytes % 4 != 0 || stride_bytes > most_stride_bytes)
    return Status(Code::invalid, "strides of Deflate streams are multiples of 4 bytes, and 256 MiB at most");
  auto pieces = std::make_unique<StreamPieces>();
  const Traits& traits = device->traits();
  pieces->find_policy_ = piece_policy(traits, find_team_bytes, find_groups_a_unit);
  pieces->measure_policy_ = piece_policy(traits, measure_team_bytes, measure_groups_a_unit);
  const auto find = std::span(find_files).subspan(traits.is_cpu ? 0 : 1);
  const auto measure = traits.is_cpu ? std::span<const std::string_view>(item_files) : std::span<const std::string_view>(team_files);
  PENSTOCK_ASSIGN(pieces->find_, chunks::build_program(*device, pieces->find_policy_, find));
  PENSTOCK_ASSIGN(pieces->measure_, chunks::build_program(*device, pieces->measure_policy_, measure));
  PENSTOCK_TRY(reserve(*device, 4, pieces->counter_));
  pieces->device_ = std::move(device);
  pieces->stride_bytes_ = stride_bytes;
  return pieces;
}

Status StreamPieces::open(Queue& queue, std::shared_ptr<Buffer> input, std::uint64_t bytes) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;      // bits of it, and strides, are counted
  if (bytes > most_bytes || bytes > input->bytes()) return Status(Code::invalid, "a Deflate stream that is not all in its memory");
  input_ = std::move(input), bytes_ = bytes;
  PENSTOCK_TRY(reserve(*device_, device_->traits().is_cpu ? 0 : walk_bytes(bytes), walks_));
  begins_.clear(), found_pieces_.clear(), are_known_.clear(), other_pieces_.clear(), unknown_.clear();
  PENSTOCK_TRY(find(queue));
  std::vector<std::uint64_t> spans;
  for (const std::uint64_t begin : begins_) spans.push_back(begin), spans.push_back(stop_behind(begin, 0));
  PENSTOCK_TRY(measure(queue, std::move(spans), 0));
  for (std::size_t i = 0; i < measured_.size(); i++) {
    found_pieces_.push_back(measured_[i]);
    are_known_.push_back(is_known(i));
  }
  note_unknown();
  return {};
}

Status StreamPieces::find(Queue& queue) {
  const auto strides = static_cast<std::uint32_t>((bytes_ + stride_bytes_ - 1) / stride_bytes_);
  found_bits_.resize(strides);
  PENSTOCK_TRY(reserve(*device_, strides * sizeof(std::uint64_t), found_));
  const std::uint32_t groups = chunks::groups_of(find_policy_, device_->traits(), strides);
  PENSTOCK_TRY(queue.launch(*find_, "deflate_find_blocks", groups,
                            {{Argument::of(*input_), Argument::of(*found_), Argument::value(bytes_), Argument::value(stride_bytes_ / 4),
                              Argument::value(strides)}}));
  PENSTOCK_TRY(queue.download(found_bits_.data(), *found_, strides * sizeof(std::uint64_t)));
  PENSTOCK_TRY(queue.finish());
  for (const std::uint64_t bit : found_bits_)
    if (bit != not_found) begins_.push_back(bit);
  return {};
}

// The begin that was found next behind a piece's, `passed` further on.
std::uint64_t StreamPieces::stop_behind(std::uint64_t begin_bit, std::uint64_t passed) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), begin_bit);
  const auto left = static_cast<std::uint64_t>(begins_.end() - next);
  return passed < left ? next[static_cast<std::ptrdiff_t>(passed)] : not_found;
}

// `spans`: of each piece its begin and its stop.
Status StreamPieces::measure(Queue& queue, std::vector<std::uint64_t> spans, std::uint32_t sure_count) {
  measured_spans_ = std::move(spans), sure_count_ = sure_count;
  const auto count = static_cast<std::uint32_t>(measured_spans_.size() / 2);
  measured_.resize(count);
  if (count == 0) return {};
  PENSTOCK_TRY(reserve(*device_, measured_spans_.size() * sizeof(std::uint64_t), spans_));
  PENSTOCK_TRY(reserve(*device_, count * sizeof(PieceResult), results_));
  PENSTOCK_TRY(queue.upload(*spans_, measured_spans_.data(), measured_spans_.size() * sizeof(std::uint64_t)));
  PENSTOCK_TRY(queue.fill(*counter_, 0, 4));
  PENSTOCK_TRY(queue.launch(*measure_, "deflate_measure_pieces", chunks::groups_of(measure_policy_, device_->traits(), count),
                            {{Argument::of(*input_), Argument::of(*spans_), Argument::of(*results_), Argument::of(*counter_),
                              Argument::value(count), Argument::value(bytes_), Argument::of(*walks_), Argument::value(sure_count)}}));
  PENSTOCK_TRY(queue.download(measured_.data(), *results_, count * sizeof(PieceResult)));
  return queue.finish();
}

// Where what was measured last ends and no piece is known to begin.
void StreamPieces::note_unknown() {
  std::size_t near = 0;
  for (const PieceResult& result : measured_)
    if (result.fault() == chunks::Fault::none && !result.is_last() && known(result.bit, near) == nullptr) unknown_.push_back(result.bit);
}

// Whether what was measured last is what the piece is: a guess whose input was cut may have a fault of that alone.
bool StreamPieces::is_known(std::size_t measured) const {
  constexpr std::uint64_t slack_bytes = 1 << 20;      // deflate_pieces.kc: GUESS_SLACK_BYTES
  const std::uint64_t stop_byte = measured_spans_[2 * measured + 1] / 8;
  const bool is_cut = measured >= sure_count_ && stop_byte < bytes_ && bytes_ - stop_byte > slack_bytes;
  return !is_cut || measured_[measured].fault() == chunks::Fault::none;
}

// The piece that begins at a bit; `near`: about which of those found it is.
const PieceResult* StreamPieces::known(std::uint64_t bit, std::size_t& near) const {
  constexpr std::size_t few = 8;
  for (std::size_t step = 0; step < few && near < begins_.size() && begins_[near] < bit; step++) near++;
  if (near == begins_.size() || begins_[near] != bit)
    near = static_cast<std::size_t>(std::lower_bound(begins_.begin(), begins_.end(), bit) - begins_.begin());
  if (near < begins_.size() && begins_[near] == bit && are_known_[near]) return &found_pieces_[near];
  const auto other = other_pieces_.find(bit);
  return other == other_pieces_.end() ? nullptr : &other->second;
}

// The piece that begins at a bit, which passes more and more of what was found, as that may be wrong on purpose.
Status StreamPieces::measure_missing(Queue& queue, std::uint64_t begin_bit, unsigned round) {
  const std::uint64_t passed = (std::uint64_t{1} << std::min(round, most_passed_log2)) - 1;
  std::vector<std::uint64_t> spans = {begin_bit, stop_behind(begin_bit, passed)};
  if (round < wide_rounds) {
    std::vector<std::uint64_t> others = std::exchange(unknown_, {});
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const std::uint64_t other : others)
      if (other != begin_bit && !other_pieces_.contains(other)) spans.push_back(other), spans.push_back(stop_behind(other, 0));
  }
  PENSTOCK_TRY(measure(queue, std::move(spans), 1));
  for (std::size_t i = 0; i < measured_.size(); i++)
    if (is_known(i)) other_pieces_[measured_spans_[2 * i]] = measured_[i];
  note_unknown();
  return {};
}

Result<MeasuredStream> StreamPieces::follow(Queue& queue, std::uint64_t begin_byte) {
  MeasuredStream stream;
  std::uint64_t bit = 8 * begin_byte;
  std::size_t near = 0;
  for (unsigned round = 0;;) {
    const PieceResult* const piece = known(bit, near);
    if (piece == nullptr) {
      PENSTOCK_TRY(measure_missing(queue, bit, round++));
      continue;
    }
    if (piece->fault() != chunks::Fault::none) {
      stream.fault = fault_of(*piece);
      return stream;
    }
    if (near < begins_.size() && begins_[near] == bit) round = 0;      // what was found is right here
    stream.pieces.push_back({bit, piece->bit, stream.text_bytes, piece->text_bytes()});
    stream.text_bytes += piece->text_bytes();
    bit = piece->bit;
    if (piece->is_last()) break;
  }
  stream.end_byte = (bit + 7) / 8;
  return stream;
}

StreamFault StreamPieces::fault_of(const PieceResult& piece) const {
  constexpr std::uint64_t slack_bytes = 64;
  const std::uint64_t byte = std::min(piece.bit / 8, bytes_);
  // A piece has an end of its own where places in it have no more bits.
  const bool is_too_large = piece.fault() == chunks::Fault::truncated && byte + slack_bytes < bytes_;
  return {is_too_large ? chunks::Fault::too_large : piece.fault(), byte};
}

}  // namespace penstock::deflate
