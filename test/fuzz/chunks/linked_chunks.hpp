// The devices on which chunks are fuzzed, one per granularity, and the codecs fuzzed there. The
// library's sources for one of them are printed as host C++ (print_chunk_source.cpp), one source
// per phase, and linked into a fuzz program of its own.
#pragma once
#include <string>
#include <string_view>

#include "penstock/batch.hpp"

namespace penstock::fuzz {

struct ChunkDevice {
  std::string_view name, granularity;
  bool is_cpu;
  std::uint32_t group_size, subgroup_size;
};
constexpr ChunkDevice chunk_devices[] = {
    {"warp", "warp", false, 32, 0},        // a warp is a group
    {"subgroups", "warp", false, 32, 32},  // a warp is a sub-group
    {"thread", "thread", true, 1, 0}};
// `variant` is set if a row's variant is not <name>_decode_<granularity> or <name>_<granularity>.
struct ChunkCodec {
  std::string_view name;
  batch::Format format;
  bool is_encoder = false;
  std::string_view variant = {};
  bool is_frame = false;   // by its blocks: zstd::DeviceFrame
  bool is_stream = false;  // in pieces: deflate::SegmentFinder, SegmentDecoder
};
constexpr ChunkCodec chunk_codecs[] = {
    {"lz4", batch::Format::lz4},
    {"snappy", batch::Format::snappy},
    {"deflate", batch::Format::deflate},
    {"zlib", batch::Format::zlib},
    {"gzip", batch::Format::gzip},
    {"zstd", batch::Format::zstd},
    {"lz4_encode", batch::Format::lz4, true},
    {"deflate_encode", batch::Format::deflate, true},
    {"lz4_segments", batch::Format::lz4, false, "lz4_decode_segments"},
    {"lz4_linked", batch::Format::lz4, false, "lz4_decode_segments"},
    {"snappy_segments", batch::Format::snappy, false, "snappy_decode_segments"},
    {"zstd_frame", batch::Format::zstd, false, "by blocks", true},
    {"deflate_stream", batch::Format::deflate, false, "in pieces", false, true}};

// The rows of a fuzz program, by name.
extern const char fuzzed_codec[], fuzzed_device[];

// Return null where no row has the name.
template <class Row, std::size_t count>
constexpr const Row* find_row(const Row (&rows)[count], std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

inline std::string variant_of(const ChunkCodec& codec, const ChunkDevice& device) {
  if (!codec.variant.empty()) return std::string(codec.variant);
  return std::string(codec.name) + (codec.is_encoder ? "_" : "_decode_") +
         std::string(device.granularity);
}

inline Traits traits_of(const ChunkDevice& device) {
  Traits traits;
  traits.id = traits.name = "linked";
  traits.target = Target::host;
  traits.compute_units = 2;
  traits.max_group_size = device.group_size;
  traits.global_bytes = traits.max_allocation_bytes = std::uint64_t{1} << 30;
  traits.local_bytes = 32 << 10;
  traits.is_cpu = device.is_cpu;
  traits.has_subgroups = device.subgroup_size != 0;
  traits.subgroup_size = device.subgroup_size != 0 ? device.subgroup_size : 1;
  traits.has_f64 = traits.has_atomic_u64 = true;
  return traits;
}

}  // namespace penstock::fuzz
