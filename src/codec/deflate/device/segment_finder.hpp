// One Deflate stream, or several in one run of bytes, cut into pieces that a device decodes side by
// side: from a block's beginning that was found (kernels/deflate_find.kc), or from a code inside of
// a block, to the next such place.
//
// A block that is longer than a piece is cut where nobody has looked for a code: a piece there
// reads codes from somewhat before, and is right by itself soon (kernels/deflate_pieces.kc). All
// pieces are measured at once. Which of them are pieces of the stream is told by following it: it
// begins at a byte that is known, and where a piece ends, with the same block, the next one begins.
// Where none does, as behind a guess that was wrong, one is measured from there, with all others
// that are missed at the same time. So a wrong guess costs time and nothing else.
//
// How much time, whatever the bytes are: a piece ends at its cut, so that the first guesses
// together are as long as the input, headers and what is walked before a piece aside; all further
// guesses together have `guessed_bits_` at most; and pieces of which one was missed get longer
// where guesses behind it are wrong, so that few more are waited for.
#pragma once
#include <compare>
#include <span>
#include <unordered_map>
#include <vector>

#include "codec/batch/chunk_program.hpp"
#include "device/pinned_array.hpp"
#include "penstock/batch.hpp"

namespace penstock::deflate {

// `output_at`: in the text of its stream. `header_bit`: where the block begins whose codes the
// piece begins with; `begin_bit` itself where it begins with a block.
struct DevicePiece {
  std::uint64_t header_bit = 0, begin_bit = 0, end_bit = 0, output_at = 0;
  std::uint32_t output_bytes = 0;
};

// What is wrong, and the byte of the input near which it is.
struct StreamError {
  batch::ErrorCode error = batch::ErrorCode::none;
  std::uint64_t byte = 0;
};

struct MeasuredStream {
  std::vector<DevicePiece> pieces;  // one behind the other; before the fault, where there is one
  std::uint64_t output_bytes = 0;
  std::uint64_t end_byte = 0;  // the first behind the stream
  StreamError error;
};

// A place in a stream: `bit` is `header` where a block begins, or a code of the block that begins
// at `header` does.
struct PiecePlace {
  std::uint64_t header = 0, bit = 0;
  auto operator<=>(const PiecePlace&) const = default;
};
struct PiecePlaceHash {
  std::size_t operator()(const PiecePlace& place) const {
    return std::hash<std::uint64_t>()(place.bit * 0x9e3779b97f4a7c15 + place.header);
  }
};

// A piece's span and results as kernels/deflate_pieces.kc has them.
struct PieceSpan {
  std::uint64_t header = 0, begin = 0, cut = 0, far_cut = 0;
};
struct PieceResult {
  std::uint64_t entry = 0, bit = 0, header = 0, packed = 0;
  std::uint32_t output_bytes() const { return static_cast<std::uint32_t>(packed); }
  batch::ErrorCode error() const { return static_cast<batch::ErrorCode>(packed >> 32 & 0xff); }
  bool is_last() const { return packed >> 40 != 0; }
  PiecePlace end() const { return {header, bit}; }
};

// What part_bits of 0 stands for. Eight windows of the codes' decoder, which has 16384 bits of
// input in each and begins it at a multiple of 16 bytes, so that it moves on by 16257 or more: the
// last is not a short one. Longer pieces leave teams without work, and those that have any waiting
// for one another; shorter ones read headers of blocks more often.
constexpr std::uint64_t warp_part_bits = 4 * 16256;
// On CPUs, which need no more pieces than cores: so that any piece's text is less than 1 GiB.
constexpr std::uint64_t cpu_part_bits = 1 << 20;

class StreamPieces {
 public:
  static bool fits(const Traits& traits);
  // `stride_bytes`, a multiple of 4: a piece may begin in each. gzip's blocks have some 10 to 60
  // KB. `part_bits`: into about how many a block is cut; 0: what suits the device.
  static Result<std::unique_ptr<StreamPieces>> build(std::shared_ptr<Device> device,
                                                     std::uint32_t stride_bytes = 8 << 10,
                                                     std::uint64_t part_bits = 0);
  // Finds and measures pieces of `bytes` bytes; `input` holds them and has whole 16s. Waits for the
  // device.
  Status open(Queue& queue, std::shared_ptr<Buffer> input, std::uint64_t bytes);
  // The stream that begins at a byte of the input. What is wrong with it is no error but its fault.
  // Waits for the device.
  Result<MeasuredStream> follow(Queue& queue, std::uint64_t begin_byte);
  const Buffer& input() const { return *input_; }
  const Buffer& walks() const { return *walks_; }
  std::uint64_t input_bytes() const { return bytes_; }
  // Of what was opened last: launches that measured pieces, and the bits of input that these were
  // to have.
  std::uint64_t launches() const { return launches_; }
  std::uint64_t measured_bits() const { return measured_bits_; }

 private:
  Status find(Queue& queue);
  Status reserve_found();
  void cut_found();
  Status measure(Queue& queue);
  Status measure_others(Queue& queue, std::span<const PieceSpan> spans);
  std::uint64_t plan(const PiecePlace& place, std::uint64_t reach, std::size_t guesses,
                     std::uint64_t stop, std::vector<PieceSpan>& spans);
  std::uint64_t cut_behind(std::uint64_t bit) const;
  std::uint64_t far_cut(std::uint64_t bit, std::uint64_t cut) const;
  std::uint64_t found_behind(std::uint64_t bit) const;
  bool is_part(const PiecePlace& place) const;
  bool may_guess(std::uint64_t bits);
  Status measure_missing(Queue& queue, const PiecePlace& place);
  void look_ahead(const PiecePlace& place);
  void keep_measured();
  PiecePlace walk(PiecePlace place);
  PiecePlace hop(const PiecePlace& place) const;
  void walk_all();
  std::size_t part_at(std::uint64_t bit, std::size_t near) const;
  const PieceResult* known(const PiecePlace& place, std::size_t& near) const;
  StreamError error_of(const PieceResult& piece) const;

  std::shared_ptr<Device> device_;
  batch::GroupPolicy find_policy_, measure_policy_;
  std::shared_ptr<Program> find_, measure_;
  std::uint32_t stride_bytes_ = 0;
  std::uint64_t part_bits_ = 0;
  std::shared_ptr<Buffer> input_, counter_, found_, spans_, results_, walks_;
  std::uint64_t bytes_ = 0, launches_ = 0, measured_bits_ = 0;
  std::vector<std::uint64_t> begins_;  // that were found, in order
  std::vector<PiecePlace>
      parts_;  // where pieces were looked for at first, in order: those, and guesses between them
  HostArray<PieceResult> part_results_;
  std::vector<bool> are_walked_;  // of these, whether what comes behind is known, or missing
  std::unordered_map<PiecePlace, PieceResult, PiecePlaceHash> others_;
  std::vector<PiecePlace> missing_;  // where pieces end and none is known to begin
  std::uint64_t guessed_bits_ = 0;   // that guesses may still have
  // The piece that was waited for last: where it and the guesses behind it were to end, how much of
  // it was no guess, and their number.
  struct Ahead {
    std::uint64_t begin = 0, end = 0, reach = 1;
    std::size_t guesses = 0;
  } ahead_;
  std::vector<DevicePiece> spare_pieces_;  // room for what is followed next
  // What queues copy from and to: it stays where a call ends early.
  HostArray<std::uint64_t> found_bits_;
  HostArray<PieceSpan> measured_spans_;
  HostArray<PieceResult> measured_;
};

// How teams, or items where the device is a CPU, take pieces; `local_bytes` of a team.
batch::GroupPolicy piece_policy(const Traits& traits, std::uint64_t local_bytes,
                                std::uint32_t groups_per_multiprocessor);

}  // namespace penstock::deflate
