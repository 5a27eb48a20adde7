// Dictionaries (RFC 8878, section 5): content that a frame's first matches reach into, and tables
// that its first blocks may repeat.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/zstd/format/block_plan.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

struct Dictionary {
  std::uint32_t id = 0;  // 0: raw content
  std::vector<Byte> content;
  bool has_tables = false;
  HuffmanWeights tree;
  std::array<TableSource, 3> sources;             // by CodeKind
  std::array<std::uint32_t, 3> offsets{1, 4, 8};  // the latest ones
};

// Reads a formatted dictionary where `bytes` begin with its magic number, else raw content. Errors:
// Code::corrupt with the byte.
Result<std::shared_ptr<const Dictionary>> read_dictionary(std::span<const std::byte> bytes);

}  // namespace penstock::zstd
