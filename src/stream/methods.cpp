#include "stream/methods.hpp"

#include "stream/device/device_frames.hpp"
#include "stream/pipeline/units.hpp"

namespace penstock::stream {
namespace {

Result<bool> always(Context&) { return true; }

constexpr Method table[] = {
    {Format::gzip, "gzip-members-device",
     "on a device: members that name their size (bgzip, mgzip, pgzip)", fits_members_device,
     nullptr, members_for_devices},
    {Format::gzip, "gzip-streams-device",
     "on a device: other members of files, many teams inside of each", fits_streams_device,
     make_streams_device, nullptr, true},
    {Format::zstd, "zstd-frames-device",
     "on a device: frames of at most 128 KiB, or of 1 MiB where several are, all at once",
     fits_zstd_frames_device, nullptr, zstd_units},
    {Format::zlib, "zlib-stream-device", "on a device: a stream of a file, many teams inside of it",
     fits_zlib_device, make_zlib_device, nullptr, true},
    {Format::zstd, "zstd-frame-device",
     "on a device: a frame, its blocks all at once (windows to 128 MiB)", fits_zstd_device,
     make_zstd_device, nullptr, false, zstd_frame_on_device},
    {Format::lz4, "lz4-blocks-device", "on a device: independent blocks", fits_lz4_device, nullptr,
     lz4_units},
    {Format::lz4, "lz4-linked-device", "on a device: linked blocks", fits_lz4_linked_device,
     nullptr, lz4_linked_units},
    {Format::snappy, "snappy-chunks-device", "on a device: chunks", always, nullptr, snappy_units},
    {Format::gzip, "gzip-members",
     "members that name their size (bgzip, mgzip, pgzip), in threads, by libdeflate",
     fits_sized_members, make_sized_members},
    {Format::gzip, "gzip-whole", "members of files below 1 MiB, one after another, by libdeflate",
     fits_whole_member, make_whole_member},
    {Format::gzip, "gzip-parallel", "members one after another, several threads inside of each",
     fits_parallel_member, make_parallel_member},
    {Format::gzip, "gzip-stream", "members in order, also of a pipe, by zlib", always,
     make_member_stream},
    {Format::zlib, "zlib-whole", "a file below 1 MiB, by libdeflate", fits_whole_zlib,
     make_whole_zlib},
    {Format::zlib, "zlib-parallel", "a stream, several threads inside of it", fits_parallel_zlib,
     make_parallel_zlib},
    {Format::zlib, "zlib-stream", "a stream in order, also of a pipe, by zlib", always,
     make_zlib_stream},
    {Format::zstd, "zstd-parallel", "one long frame, several threads inside of it",
     fits_zstd_parallel, make_zstd_parallel},
    {Format::zstd, "zstd-frames",
     "frames of at most 16 MiB (64 MiB of a pipe), in threads, by libzstd", fits_zstd_frames,
     make_zstd_frames},
    {Format::zstd, "zstd-stream", "one frame in order, also of a pipe, by libzstd", always,
     make_zstd_stream},
    {Format::lz4, "lz4-blocks", "independent blocks, in threads, by liblz4", fits_lz4_blocks,
     make_lz4_blocks},
    {Format::lz4, "lz4-linked", "linked blocks, in order, by liblz4", always, make_lz4_linked},
    {Format::snappy, "snappy-chunks", "chunks, in threads, by libsnappy", always,
     make_snappy_chunks},
};

}  // namespace

std::span<const Method> methods() { return table; }

std::vector<Variant> variants() {
  std::vector<Variant> rows;
  for (const Method& method : table)
    rows.push_back({method.format, method.name, method.summary, method.is_for_devices()});
  return rows;
}

}  // namespace penstock::stream
