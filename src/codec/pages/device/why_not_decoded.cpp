#include "codec/pages/device/page_decoder.hpp"

namespace penstock::pages {
namespace {

bool is_number(Physical physical) {
  return physical == Physical::int32 || physical == Physical::int64 ||
         physical == Physical::float32 || physical == Physical::float64;
}

std::string why_not_type(const PagedColumn& column) {
  if (column.type.kind == Kind::string) return "";
  switch (column.conversion) {
    case Conversion::none:
      if (is_number(column.physical) || column.physical == Physical::boolean) return "";
      return "values of its physical type are decoded by the host";
    case Conversion::milliseconds:
    case Conversion::nanoseconds:
      return column.physical == Physical::int64 ? "" : "its timestamps are not of 64 bits";
    case Conversion::int96:
      return column.physical == Physical::int96 ? "" : "its timestamps are not of 96 bits";
    case Conversion::big_endian: break;
  }
  if (column.physical == Physical::byte_array) return "";
  if (column.physical != Physical::fixed_bytes) return "its decimals are not of bytes";
  return column.fixed_bytes >= 1 && column.fixed_bytes <= 16
             ? ""
             : "its decimals have " + std::to_string(column.fixed_bytes) + " bytes";
}

// Among codes there is none for a string outside of the dictionary.
std::string why_not_texts(const ChunkPages& pages, std::string_view what) {
  return pages.dictionary_codes ? std::string(what) + " is decoded by the host" : "";
}

std::string why_not_encoding(const PagedColumn& column, const ChunkPages& pages,
                             Encoding encoding) {
  const bool is_string = column.type.kind == Kind::string;
  const std::string by_host = " is decoded by the host";
  switch (encoding) {
    case Encoding::dictionary:
      return column.physical == Physical::boolean ? "a dictionary of booleans" + by_host : "";
    case Encoding::plain: return why_not_texts(pages, "a page of plain strings");
    case Encoding::rle:
      return column.physical == Physical::boolean ? "" : "RLE of numbers" + by_host;
    case Encoding::delta:
      return column.physical == Physical::int32 || column.physical == Physical::int64
                 ? ""
                 : "DELTA_BINARY_PACKED of its type" + by_host;
    case Encoding::byte_streams:
      return is_number(column.physical) || (column.physical == Physical::fixed_bytes && !is_string)
                 ? ""
                 : "BYTE_STREAM_SPLIT of its type" + by_host;
    case Encoding::delta_lengths:
      return column.physical == Physical::byte_array
                 ? why_not_texts(pages, "DELTA_LENGTH_BYTE_ARRAY of strings that are codes")
                 : "DELTA_LENGTH_BYTE_ARRAY of its type" + by_host;
    case Encoding::delta_bytes: break;
  }
  return column.physical == Physical::byte_array || column.physical == Physical::fixed_bytes
             ? why_not_texts(pages, "DELTA_BYTE_ARRAY of strings that are codes")
             : "DELTA_BYTE_ARRAY of its type" + by_host;
}

}  // namespace

std::string why_not_decoded(const PagedColumn& column, const ChunkPages& pages) {
  if (!column.why_not.empty()) return column.why_not;
  if (pages.compression == Compression::other) return "its compression is decoded by the host";
  std::string why = why_not_type(column);
  if (!why.empty()) return why;
  if (pages.dictionary && pages.dictionary->encoding != Encoding::plain)
    return "its dictionary page is not plain";
  if (pages.dictionary && column.physical == Physical::boolean)
    return why_not_encoding(column, pages, Encoding::dictionary);
  for (const Page& page : pages.data) {
    why = why_not_encoding(column, pages, page.encoding);
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace penstock::pages
