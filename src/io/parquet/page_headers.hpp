// Parses the headers of Parquet's pages: structs in Thrift's compact protocol, which precede the
// bytes of each page.
//
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift and
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "penstock/status.hpp"

namespace penstock::io {

struct PageHeader {
  // As parquet.thrift numbers them; other numbers are kinds that readers skip.
  enum class Kind : std::int32_t { data = 0, index = 1, dictionary = 2, data_v2 = 3 };

  Kind kind = Kind::data;
  std::uint32_t header_bytes = 0;
  std::uint32_t stored_bytes = 0, bytes = 0;  // of the body: as stored, and after decompression
  std::optional<std::uint32_t> checksum;      // CRC-32 of the body as stored
  // In pages with values.
  std::uint32_t value_count = 0;
  std::int32_t encoding = 0;  // as parquet.thrift numbers them
  // In data pages of version 1.
  std::int32_t definition_encoding = 0;
  // In version 2. The levels come first in the body and are never compressed.
  std::uint32_t null_count = 0;
  std::uint32_t definition_bytes = 0, repetition_bytes = 0;
  bool is_compressed = true;
};

// Statistics in a header hold whole values, so headers may be long; this is Arrow's limit.
constexpr std::size_t max_page_header_bytes = 16 << 20;
// Parses the header at the front of `bytes`, which are hostile. Unknown fields are skipped. The
// header's claims about its own body are consistent; `bytes` need not hold the body.
// Code::corrupt names the field and the byte of the header.
Result<PageHeader> parse_page_header(std::span<const std::byte> bytes);

}  // namespace penstock::io
