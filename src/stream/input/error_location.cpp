#include "stream/input/error_location.hpp"

#include <cstdio>

namespace penstock::stream {
namespace {

std::string_view unit_of(Format format) {
  switch (format) {
    case Format::gzip: return "member";
    case Format::zlib: return "stream";
    case Format::zstd:
    case Format::lz4: return "frame";
    case Format::snappy: return "chunk";
  }
  return "";
}

}  // namespace

Status Place::error(Code code, std::string_view what) const {
  std::string text(name_of(format));
  text.append(" ").append(unit_of(format)).append(" ").append(std::to_string(index));
  return {code, text + ", byte " + std::to_string(offset) + ": " + std::string(what)};
}

Status Place::ended() const { return error(Code::truncated, "the input ends here, too early"); }

Status Place::wrong_checksum(std::string_view name, std::uint32_t found, std::uint32_t said) const {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, " is %08x, and %08x is what it should be", found, said);
  return corrupt("the " + std::string(name) + numbers);
}

}  // namespace penstock::stream
