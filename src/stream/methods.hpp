// The ways to decode, in one table: the first row whose format is the input's and that fits what
// stands at the input's position is taken. A way decodes as many members or frames as it fits, and
// leaves the input behind them; the table is then asked anew.
#pragma once
#include <memory>
#include <span>

#include "stream/pipeline/context.hpp"

namespace penstock::stream {

struct FrameOnDevice;  // device_frames.hpp
class UnitStages;      // units.hpp

struct Method {
  Format format;
  const char* name;
  const char* summary;
  Result<bool> (*fits)(Context& context);
  Result<std::unique_ptr<Decoder>> (*make)(Context& context);  // not of ways of units
  std::unique_ptr<UnitStages> (*units)(Context& context, std::uint64_t piece_bytes) =
      nullptr;                    // of devices': units.hpp
  bool is_whole_streams = false;  // of devices', by `make`: device_members.hpp
  Result<FrameOnDevice> (*frame)(Context& context) =
      nullptr;  // of devices', beside `make`: device_frames.hpp
  bool is_for_devices() const { return units != nullptr || is_whole_streams || frame != nullptr; }
};
std::span<const Method> methods();

// A row each; the files of these names have them.
Result<bool> fits_sized_members(Context& context);
Result<std::unique_ptr<Decoder>> make_sized_members(Context& context);
Result<bool> fits_whole_member(Context& context);
Result<std::unique_ptr<Decoder>> make_whole_member(Context& context);
Result<bool> fits_parallel_member(Context& context);
Result<std::unique_ptr<Decoder>> make_parallel_member(Context& context);
Result<bool> fits_parallel_zlib(Context& context);
Result<std::unique_ptr<Decoder>> make_parallel_zlib(Context& context);
Result<std::unique_ptr<Decoder>> make_member_stream(Context& context);
Result<bool> fits_whole_zlib(Context& context);
Result<std::unique_ptr<Decoder>> make_whole_zlib(Context& context);
Result<std::unique_ptr<Decoder>> make_zlib_stream(Context& context);
Result<bool> fits_zstd_frames(Context& context);
Result<std::unique_ptr<Decoder>> make_zstd_frames(Context& context);
Result<bool> fits_zstd_parallel(Context& context);
Result<std::unique_ptr<Decoder>> make_zstd_parallel(Context& context);
Result<std::unique_ptr<Decoder>> make_zstd_stream(Context& context);
Result<bool> fits_lz4_blocks(Context& context);
Result<std::unique_ptr<Decoder>> make_lz4_blocks(Context& context);
Result<std::unique_ptr<Decoder>> make_lz4_linked(Context& context);
Result<std::unique_ptr<Decoder>> make_snappy_chunks(Context& context);

// The same blocks, chunks and members, found by the host and decoded on a device.
Result<bool> fits_lz4_device(Context& context);
Result<bool> fits_lz4_linked_device(Context& context);
Result<bool> fits_members_device(Context& context);
std::unique_ptr<UnitStages> members_for_devices(Context& context, std::uint64_t piece_bytes);
Result<bool> fits_zstd_frames_device(Context& context);
Result<bool> fits_zstd_device(Context& context);
Result<std::unique_ptr<Decoder>> make_zstd_device(Context& context);
Result<FrameOnDevice> zstd_frame_on_device(Context& context);
// gzip's members that do not name their size, and zlib's stream, each inside of its stream.
Result<bool> fits_streams_device(Context& context);
Result<std::unique_ptr<Decoder>> make_streams_device(Context& context);
Result<bool> fits_zlib_device(Context& context);
Result<std::unique_ptr<Decoder>> make_zlib_device(Context& context);

}  // namespace penstock::stream
