// The ways to decode, in one table: the first row whose format is the input's and that fits what
// stands at the input's position is taken. A way decodes as many members or frames as it fits, and
// leaves the input behind them; the table is then asked anew.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "stream/input.hpp"
#include "stream/pipeline.hpp"

namespace penstock::stream {

class DeviceRun;       // device_batch.hpp
struct FrameOnDevice;  // device_frames.hpp
class UnitStages;      // units.hpp

// What a way works with; lives longer than the way's decoder.
struct Context {
  Input& input;
  const DecompressOptions& options;
  std::uint32_t threads;
  std::uint64_t member_count = 0;  // that were begun: the last one's number, counted from 1
  std::uint64_t unchecked_member_count = 0;
  std::string first_name = {};
  std::uint64_t most_output_bytes = UINT64_MAX;  // that may still come, when the way is made
  std::uint64_t unfit_offset = UINT64_MAX;  // where a way found, while it ran, that it does not fit
  std::shared_ptr<DeviceRun> device = {};   // of options.device
  bool stays_on_device = false;             // the text (device_text.cpp)
  // Tells up to which byte the input is decoded while no text comes yet; may be null.
  // Code::cancelled where the caller wants no more.
  std::function<Status(std::uint64_t bytes_in)> on_decoded = {};
  std::uint64_t held_bytes = 0;  // of a pipe, all that it had, which a device's way wanted at once
  bool is_too_long_to_hold = false;  // the pipe, which was read so far
};

struct Way {
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
std::span<const Way> ways();

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
// `piece_bytes`: of text in a batch; 0: what the device's batches have.
Result<std::unique_ptr<Decoder>> make_on_device(const Way& way, Context& context,
                                                std::uint64_t piece_bytes = 0);
// gzip's members that do not name their size, and zlib's stream, each inside of its stream.
Result<bool> fits_streams_device(Context& context);
Result<std::unique_ptr<Decoder>> make_streams_device(Context& context);
Result<bool> fits_zlib_device(Context& context);
Result<std::unique_ptr<Decoder>> make_zlib_device(Context& context);

// What is so short is decoded before a thread has begun.
constexpr std::uint64_t most_threadless_bytes = 64 << 10;

template <class S>
Result<std::unique_ptr<Decoder>> in_pipeline(Context& context, std::unique_ptr<S> stages,
                                             bool is_serial = false) {
  const bool is_short = context.input.is_mapped() && *context.input.size() <= most_threadless_bytes;
  return std::unique_ptr<Decoder>(new Pipeline(std::move(stages), is_short    ? 0
                                                                  : is_serial ? 1
                                                                              : context.threads));
}

}  // namespace penstock::stream
