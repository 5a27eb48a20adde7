#include "io/files/constant_pages.hpp"

#include <cstring>

namespace penstock::io {
namespace {

using pages::Physical;

// Readers load whole words beyond a chunk.
constexpr std::size_t slack_bytes = 64;

Physical physical_of(Type type) {
  switch (type.kind) {
    case Kind::boolean: return Physical::boolean;
    case Kind::float32: return Physical::float32;
    case Kind::float64: return Physical::float64;
    case Kind::string: return Physical::byte_array;
    case Kind::int64:
    case Kind::uint64:
    case Kind::timestamp:
    case Kind::decimal: return Physical::int64;
    default: return Physical::int32;
  }
}

// Parquet's varint.
void put_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

void put_word(std::string& bytes, std::uint32_t word) {
  bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
}

// A run of the hybrid of runs and packed values.
std::string run_of(std::uint64_t count, char value) {
  std::string run;
  put_number(run, count << 1);
  return run + value;
}

std::string plain_value(const pages::PagedColumn& column, const Scalar& value) {
  std::string bytes;
  if (column.physical == Physical::byte_array) {
    put_word(bytes, static_cast<std::uint32_t>(value.text.size()));
    return bytes + value.text;
  }
  const auto append = [&](const auto& plain) {
    bytes.append(reinterpret_cast<const char*>(&plain), sizeof plain);
  };
  if (column.physical == Physical::float32)
    append(static_cast<float>(value.real));
  else if (column.physical == Physical::float64)
    append(value.real);
  else if (column.physical == Physical::int32)
    append(static_cast<std::int32_t>(value.integer));
  else
    append(static_cast<std::int64_t>(value.integer));
  return bytes;
}

// A data page of version 1: levels where NULLs are possible, then the width of indices and one run.
std::string data_page(const pages::PagedColumn& column, bool is_null, bool has_dictionary,
                      std::uint32_t row_count) {
  std::string page;
  if (column.is_optional) {
    const std::string levels = run_of(row_count, is_null ? 0 : 1);
    put_word(page, static_cast<std::uint32_t>(levels.size()));
    page += levels;
  }
  if (has_dictionary) page += '\1';
  if (!is_null) page += run_of(row_count, 0);
  return page;
}

pages::Page page_of(std::uint64_t offset, const std::string& body, std::uint32_t value_count,
                    pages::Encoding encoding) {
  pages::Page page;
  page.offset = offset;
  page.stored_bytes = page.bytes = static_cast<std::uint32_t>(body.size());
  page.value_count = value_count;
  page.encoding = encoding;
  return page;
}

Status set_bytes(pages::ChunkPages& chunk, const std::string& bytes, const BatchAllocator& memory) {
  if (memory) chunk.memory = memory(bytes.size() + slack_bytes);
  if (!chunk.memory)
    chunk.memory = std::shared_ptr<std::byte>(new std::byte[bytes.size() + slack_bytes],
                                              std::default_delete<std::byte[]>());
  std::memset(chunk.memory.get() + bytes.size(), 0, slack_bytes);
  std::memcpy(chunk.memory.get(), bytes.data(), bytes.size());
  chunk.bytes = chunk.read_bytes = {chunk.memory.get(), bytes.size()};
  return {};
}

}  // namespace

pages::PagedColumn constant_paged_column(Type type, bool nullable) {
  pages::PagedColumn column;
  column.type = type;
  column.physical = physical_of(type);
  column.is_optional = nullable;
  column.denies_nulls = !nullable;
  if (type.kind == Kind::decimal && type.precision > 18)
    column.why_not = "its decimals have more than 18 digits";
  return column;
}

pages::StoredChunk constant_stored_chunk(const pages::PagedColumn& column, const Scalar& value) {
  pages::StoredChunk chunk;
  chunk.stored_bytes = chunk.page_bytes = value.text.size() + 32;
  chunk.compression = pages::Compression::none;
  const bool is_plain = column.conversion == pages::Conversion::none &&
                        column.physical == physical_of(column.type) &&
                        column.physical != Physical::boolean;
  if (value.is_null && !column.is_optional)
    chunk.why_not = "one file lacks it and another one has no NULLs";
  else if (!value.is_null && !is_plain)
    chunk.why_not = "it is no dictionary in the paths of files";
  return chunk;
}

Result<pages::ChunkPages> constant_chunk(const pages::PagedColumn& column, const Scalar& value,
                                         std::uint32_t row_group, std::uint32_t row_count,
                                         const BatchAllocator& memory) {
  pages::ChunkPages chunk;
  chunk.row_group = row_group;
  chunk.row_count = row_count;
  chunk.compression = pages::Compression::none;
  if (row_count == 0) return chunk;
  std::string bytes;
  // Strings are numbered by their dictionary, also where all are NULL.
  const bool has_dictionary = !value.is_null || column.type.kind == Kind::string;
  if (has_dictionary) {
    bytes = plain_value(column, value);
    chunk.dictionary = page_of(0, bytes, 1, pages::Encoding::plain);
  }
  const std::string data = data_page(column, value.is_null, has_dictionary, row_count);
  chunk.data.push_back(
      page_of(bytes.size(), data, row_count,
              has_dictionary ? pages::Encoding::dictionary : pages::Encoding::plain));
  PENSTOCK_TRY(set_bytes(chunk, bytes + data, memory));
  return chunk;
}

}  // namespace penstock::io
