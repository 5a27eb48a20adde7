#include "io/parquet/dictionary_page.hpp"

#include <arrow/util/compression.h>
#include <arrow/util/utf8.h>

#include <cstring>

#include "codec/snappy/snappy_decode.hpp"
#include "io/common/arrow_errors.hpp"

namespace penstock::io {
namespace {

using pages::Compression;

Status damaged() { return {Code::corrupt, "the dictionary page's compressed bytes are damaged"}; }

Result<std::vector<std::uint8_t>> decompress_snappy(std::span<const std::uint8_t> stored,
                                                    std::uint32_t bytes) {
  std::vector<std::uint8_t> out(bytes);
  const auto length = snappy_length(stored);
  if (!length || *length != bytes || !snappy_decompress(stored, out.data(), bytes))
    return damaged();
  return out;
}

arrow::Compression::type arrow_codec(Compression compression) {
  switch (compression) {
    case Compression::gzip: return arrow::Compression::GZIP;
    case Compression::zstandard: return arrow::Compression::ZSTD;
    case Compression::lz4_raw: return arrow::Compression::LZ4;
    case Compression::none:
    case Compression::snappy:
    case Compression::other: break;
  }
  return arrow::Compression::UNCOMPRESSED;
}

Result<std::vector<std::uint8_t>> decompress_page(const pages::ChunkPages& chunk) {
  const pages::Page& page = *chunk.dictionary;
  const std::span stored(reinterpret_cast<const std::uint8_t*>(chunk.bytes.data()) + page.offset,
                         page.stored_bytes);
  if (!page.is_compressed) return std::vector<std::uint8_t>(stored.begin(), stored.end());
  if (chunk.compression == Compression::snappy) return decompress_snappy(stored, page.bytes);
  PENSTOCK_ASSIGN(const auto codec,
                  from_arrow(arrow::util::Codec::Create(arrow_codec(chunk.compression))));
  std::vector<std::uint8_t> out(page.bytes);
  const auto decompressed = codec->Decompress(static_cast<std::int64_t>(stored.size()),
                                              stored.data(), page.bytes, out.data());
  if (!decompressed.ok() || *decompressed != page.bytes) return damaged();
  return out;
}

}  // namespace

// Plain strings: four bytes of length, then the bytes. The strings move to the front of the page.
Result<Column> decode_dictionary(const pages::ChunkPages& chunk) {
  PENSTOCK_ASSIGN(std::vector<std::uint8_t> bytes, decompress_page(chunk));
  const std::uint32_t count = chunk.dictionary->value_count;
  std::vector<std::int32_t> offsets{0};
  offsets.reserve(std::size_t{count} + 1);
  std::size_t from = 0, to = 0;
  for (std::uint32_t i = 0; i < count; i++) {
    std::uint32_t length = 0;
    if (bytes.size() - from < 4)
      return Status(Code::corrupt, "the dictionary page ends before entry " + std::to_string(i));
    std::memcpy(&length, bytes.data() + from, 4);
    from += 4;
    if (length > bytes.size() - from)
      return Status(Code::corrupt,
                    "entry " + std::to_string(i) + " of the dictionary ends after its page");
    if (!arrow::util::ValidateUTF8(bytes.data() + from, length))
      return Status(Code::corrupt, "a string that is not valid UTF-8 in the dictionary");
    std::memmove(bytes.data() + to, bytes.data() + from, length);
    from += length;
    to += length;
    offsets.push_back(static_cast<std::int32_t>(to));
  }
  bytes.resize(to);
  Column strings;
  strings.type = {Kind::string};
  strings.row_count = count;
  strings.values = Bytes::own(std::move(bytes));
  strings.offsets = Bytes::own(std::move(offsets));
  return strings;
}

}  // namespace penstock::io
