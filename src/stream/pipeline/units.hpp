// Formats whose pieces are units that are decoded each by itself, whoever decodes them: the host by
// the format's library, in work(), or a device all units of a piece at once (device_batch.hpp).
// Finding them, and what crosses them, is the same for both.
#pragma once
#include "penstock/batch.hpp"
#include "stream/input/error_location.hpp"
#include "stream/pipeline/context.hpp"
#include "stream/pipeline/pipeline.hpp"

namespace penstock::stream {

// Of one piece on the host. A thread that takes a piece costs some microseconds; 1 MiB stays in the
// second cache.
constexpr std::uint64_t host_piece_bytes = 1 << 20;

class UnitStages : public Stages {
 public:
  virtual batch::Format chunk_format() const = 0;
  // Whether check_output() and join() read texts, which else need not be there.
  virtual bool reads_outputs() const { return true; }
  // Whether its units are linked, so that pieces are decoded in order, each behind the last bytes
  // of the one before.
  virtual bool is_linked() const { return false; }
  // What is wrong with a unit's compressed bytes, by what the file says of them.
  virtual Status check_input(const Unit&) const { return {}; }
  // Of what a device made of a unit: its text and its verdict, which is sound.
  virtual Status check_output(const Unit&, std::span<const std::byte>, batch::ChunkStatus) const {
    return {};
  }
  // In the words of the format, with the verdict's byte.
  virtual Status refuse(const Unit& unit, batch::ChunkStatus chunk_status) const = 0;
};

// Pieces end behind `piece_bytes` of room for their text.
std::unique_ptr<UnitStages> lz4_units(Context& context, std::uint64_t piece_bytes);
std::unique_ptr<UnitStages> lz4_linked_units(Context& context, std::uint64_t piece_bytes);
std::unique_ptr<UnitStages> zstd_units(Context& context,
                                       std::uint64_t piece_bytes);  // small frames, of mapped input
std::unique_ptr<UnitStages> snappy_units(Context& context, std::uint64_t piece_bytes);
// Members that say to become more than max_unit_bytes are not taken.
std::unique_ptr<UnitStages> member_units(Context& context, std::uint64_t piece_bytes,
                                         std::uint64_t max_unit_bytes);
// Whether such a member stands at the input's position.
Result<bool> fits_member_units(Context& context, std::uint64_t max_unit_bytes);

}  // namespace penstock::stream
