// The devices that chunks are fuzzed on: one a way of sharing chunks out. What the library builds for one of them is printed as host C++
// (print_chunk_text.cpp) and linked into a fuzz program of its own.
#pragma once
#include <string_view>

#include "penstock/chunks.hpp"

namespace penstock::fuzz {

struct ChunkDevice { std::string_view name, variant; bool is_cpu; std::uint32_t group_size, subgroup_size; };
constexpr ChunkDevice chunk_devices[] = {{"team", "_decode_team", false, 32, 0},            // a team is a group
                                         {"subgroups", "_decode_team", false, 32, 32},      // a team is a sub-group
                                         {"items", "_decode_items", true, 1, 0}};
constexpr struct { std::string_view name; chunks::Format format; } chunk_formats[] = {
    {"lz4", chunks::Format::lz4}, {"snappy", chunks::Format::snappy}, {"deflate", chunks::Format::deflate}};

// Of a fuzz program: a row of each, which the printed text says.
extern const unsigned fuzzed_format, fuzzed_device;

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
