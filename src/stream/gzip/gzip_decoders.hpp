// The methods of gzip and zlib, which gzip_methods.cpp lists.
#pragma once
#include "stream/pipeline/chunk_stages.hpp"

namespace penstock::stream {

// gzip_members.cpp: whole members. A chunk is a member that names its size.
Result<bool> fits_sized_members(Context& context);
Result<std::unique_ptr<Decoder>> make_sized_members(Context& context);
Result<bool> fits_sized_members_on_device(Context& context);
std::unique_ptr<ChunkStages> make_sized_member_chunks(Context& context, std::uint64_t job_bytes);
Result<bool> fits_whole_members(Context& context);
Result<std::unique_ptr<Decoder>> make_whole_members(Context& context);
Result<bool> fits_whole_zlib(Context& context);
Result<std::unique_ptr<Decoder>> make_whole_zlib(Context& context);

// gzip_parallel.cpp: several threads inside of one Deflate stream.
Result<bool> fits_parallel_members(Context& context);
Result<std::unique_ptr<Decoder>> make_parallel_members(Context& context);
Result<bool> fits_parallel_zlib(Context& context);
Result<std::unique_ptr<Decoder>> make_parallel_zlib(Context& context);

// gzip_stream.cpp: in order, by zlib.
Result<std::unique_ptr<Decoder>> make_member_stream(Context& context);
Result<std::unique_ptr<Decoder>> make_zlib_stream(Context& context);

// gzip_device.cpp: inside of Deflate streams, on a device.
Result<bool> fits_members_on_device(Context& context);
Result<bool> fits_zlib_on_device(Context& context);

}  // namespace penstock::stream
