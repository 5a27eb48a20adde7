// The methods of Zstandard, which zstd_methods.cpp lists.
#pragma once
#include "stream/pipeline/chunk_stages.hpp"
#include "stream/zstd/zstd_format.hpp"

namespace penstock::zstd {
struct Dictionary;
}

namespace penstock::stream {

struct DecodedFrame;  // device_frames.hpp

// zstd_frames.cpp: frames of moderate size several at once.
Result<bool> fits_frames(Context& context);
Result<std::unique_ptr<Decoder>> make_frames(Context& context);

// zstd_parallel.cpp: several threads inside of one frame.
Result<bool> fits_parallel_frame(Context& context);
Result<std::unique_ptr<Decoder>> make_parallel_frame(Context& context);

// zstd_small_frames.cpp: small frames on a device, many at once.
Result<bool> fits_small_frames_on_device(Context& context);
std::unique_ptr<ChunkStages> make_small_frame_chunks(Context& context, std::uint64_t job_bytes);

// zstd_device.cpp: the blocks of one frame on a device, many at once.
Result<bool> fits_frame_on_device(Context& context);
Result<DecodedFrame> decode_frame_on_device(Context& context);

// Reads the dictionary of the options; null if none is given.
Result<std::shared_ptr<const zstd::Dictionary>> read_zstd_dictionary(const Context& context);
// Parses the header of the frame at the input's position, which is not a skippable one.
Result<ZstdFrameHeader> peek_zstd_header(Context& context);
// Decodes a whole frame by our own decoder, on this thread, and returns the output's length. Errors
// are located in the file. `dictionary` may be null.
Result<std::uint64_t> decode_whole_frame(const Chunk& frame, std::span<std::byte> output,
                                         const std::shared_ptr<const zstd::Dictionary>& dictionary);
// Adds the location in the file to an error of our decoder, which counts bytes from the frame's
// first.
Status located_in_frame(const Status& status, const ErrorLocation& frame);

}  // namespace penstock::stream
