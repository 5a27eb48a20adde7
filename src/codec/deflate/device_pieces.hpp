// One Deflate stream, or several in one run of bytes, cut into pieces that a device decodes side by side: whole blocks, from one that was
// found (kernels/deflate_find.kc) to where the next such begins.
//
// All pieces are measured at once, each from its guessed begin on. Which of them are pieces of the stream is told by following it: it
// begins at a byte that is known, and where a piece ends the next one begins. Where none was found, as behind a guess that was wrong, one
// is measured from there. So a wrong guess costs time and nothing else, and a stream in which no begin is found is one piece.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "codec/chunks/chunk_program.hpp"
#include "device/grown_memory.hpp"
#include "penstock/chunks.hpp"

namespace penstock::deflate {

// `text_at`: in the text of its stream.
struct DevicePiece {
  std::uint64_t begin_bit = 0, end_bit = 0, text_at = 0;
  std::uint32_t text_bytes = 0;
};

// What is wrong, and the byte of the input near which it is.
struct StreamFault {
  chunks::Fault fault = chunks::Fault::none;
  std::uint64_t byte = 0;
};

struct MeasuredStream {
  std::vector<DevicePiece> pieces;      // one behind the other; before the fault, where there is one
  std::uint64_t text_bytes = 0;
  std::uint64_t end_byte = 0;           // the first behind the stream
  StreamFault fault;
};

// A piece's results as kernels/deflate_pieces.kc packs them.
struct PieceResult {
  std::uint64_t bit = 0, packed = 0;
  std::uint32_t text_bytes() const { return static_cast<std::uint32_t>(packed); }
  chunks::Fault fault() const { return static_cast<chunks::Fault>(packed >> 32 & 0xff); }
  bool is_last() const { return packed >> 40 != 0; }
};

class StreamPieces {
 public:
  static bool fits(const Traits& traits);
  // `stride_bytes`, a multiple of 4: a piece may begin in each. gzip's blocks have some 10 to 60 KB.
  static Result<std::unique_ptr<StreamPieces>> build(std::shared_ptr<Device> device, std::uint32_t stride_bytes = 32 << 10);
  // Finds and measures pieces of `bytes` bytes; `input` holds them and has whole 16s. Waits for the device.
  Status open(Queue& queue, std::shared_ptr<Buffer> input, std::uint64_t bytes);
  // The stream that begins at a byte of the input. What is wrong with it is no error but its fault. Waits for the device.
  Result<MeasuredStream> follow(Queue& queue, std::uint64_t begin_byte);
  const Buffer& input() const { return *input_; }
  const Buffer& walks() const { return *walks_; }
  std::uint64_t input_bytes() const { return bytes_; }

 private:
  Status find(Queue& queue);
  Status measure(Queue& queue, std::vector<std::uint64_t> spans, std::uint32_t sure_count);
  bool is_known(std::size_t measured) const;
  Status measure_missing(Queue& queue, std::uint64_t begin_bit, unsigned round);
  std::uint64_t stop_behind(std::uint64_t begin_bit, std::uint64_t passed) const;
  void note_unknown();
  const PieceResult* known(std::uint64_t bit, std::size_t& near) const;
  StreamFault fault_of(const PieceResult& piece) const;

  std::shared_ptr<Device> device_;
  chunks::GroupPolicy find_policy_, measure_policy_;
  std::shared_ptr<Program> find_, measure_;
  std::uint32_t stride_bytes_ = 0;
  std::shared_ptr<Buffer> input_, counter_, found_, spans_, results_, walks_;
  std::uint64_t bytes_ = 0;
  std::vector<std::uint64_t> begins_;                           // that were found, in order
  std::vector<PieceResult> found_pieces_;                       // that begin there
  std::vector<bool> are_known_;                                 // of these, whether they were measured to their end
  std::uint32_t sure_count_ = 0;                                // of what was measured last: no guesses
  std::unordered_map<std::uint64_t, PieceResult> other_pieces_; // by the bit where they begin
  std::vector<std::uint64_t> unknown_;                          // where pieces end and none is known to begin
  // What queues copy from and to: it stays where a call ends early.
  std::vector<std::uint64_t> found_bits_, measured_spans_;
  std::vector<PieceResult> measured_;
};

// How teams, or items where the device is a CPU, take pieces; `local_bytes` of a team.
chunks::GroupPolicy piece_policy(const Traits& traits, std::uint64_t local_bytes, std::uint32_t groups_a_unit);

}  // namespace penstock::deflate
