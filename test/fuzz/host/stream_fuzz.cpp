// Compressed files that lie: each has the published library's status and bytes, by every method to
// decode, from memory and from a pipe.
//
// The first byte chooses a format and whether the rest is a file or only a body, around which a
// header and checksums are made that are right: a fuzzer finds no CRC. The second byte chooses what
// a header says, and the source.
#include "codec/checksum/xxhash.hpp"
#include "fuzz/input.hpp"
#include "penstock/stream.hpp"
#include "stream_oracles.hpp"
#include "zstd_frames.hpp"

#include <cstring>

namespace penstock::fuzz {
namespace {

constexpr std::size_t max_bytes = 1 << 20;  // of output; longer ones are not compared
using stream::ExpectedOutput;
using stream::Format;

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

void append_number(std::string& text, std::uint32_t number) {
  for (int i = 0; i < 4; i++) text += static_cast<char>(number >> (8 * i));
}

// A member around a Deflate body, with the trailer that zlib's bytes have.
std::string gzip_around(const std::string& body) {
  std::string text(max_bytes + 1, '\0');
  z_stream inflating{};
  inflateInit2(&inflating, -15);
  inflating.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data())),
  inflating.avail_in = static_cast<uInt>(body.size());
  inflating.next_out = reinterpret_cast<Bytef*>(text.data()),
  inflating.avail_out = static_cast<uInt>(text.size());
  inflate(&inflating, Z_FINISH);
  text.resize(text.size() - inflating.avail_out);
  std::string file = std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) +
                     body.substr(0, body.size() - inflating.avail_in);
  inflateEnd(&inflating);
  append_number(file,
                static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(text.data()),
                                                 static_cast<uInt>(text.size()))));
  append_number(file, static_cast<std::uint32_t>(text.size()));
  return file;
}

// A frame around blocks, linked or not, of 64 KiB, without checksums.
std::string lz4_around(const std::string& blocks, bool is_linked) {
  std::string file("\x04\x22\x4d\x18", 4);
  file += is_linked ? '\x40' : '\x60';
  file += '\x40';
  file += static_cast<char>(checksum::xxh32(bytes_of(std::string_view(file).substr(4))) >> 8);
  return file + blocks + std::string(4, '\0');
}

struct Case {
  Format format;
  std::string file;
  ExpectedOutput expected;
};

Case case_of(std::uint32_t chosen, std::uint32_t detail, const std::string& rest) {
  switch (chosen % 7) {
    case 0: return {Format::gzip, rest, stream::gzip_says(rest, max_bytes)};
    case 1: {
      const std::string file = gzip_around(rest);
      return {Format::gzip, file, stream::gzip_says(file, max_bytes)};
    }
    case 2: {
      std::string_view behind;
      const ExpectedOutput output = stream::zlib_says(rest, 15, &behind, max_bytes);
      return {Format::zlib, rest, behind.empty() ? output : std::nullopt};
    }
    case 3: return {Format::zstd, rest, stream::zstd_says(rest, max_bytes)};
    case 4: return {Format::lz4, rest, stream::lz4_says(rest, max_bytes)};
    case 5: {
      const std::string file = lz4_around(rest, detail & 2);
      return {Format::lz4, file, stream::lz4_says(file, max_bytes)};
    }
    default: return {Format::snappy, rest, std::nullopt};
  }
}

stream::Source source_of(std::string_view file, bool is_pipe) {
  if (!is_pipe) return stream::Source::memory(bytes_of(file));
  return stream::Source::reader(
      "a pipe", [file](std::span<std::byte> into) mutable -> Result<std::size_t> {
        const std::size_t count = std::min<std::size_t>({file.size(), into.size(), 11});
        if (count > 0) std::memcpy(into.data(), file.data(), count);
        file.remove_prefix(count);
        return count;
      });
}

// Whether we may refuse a file that the library takes: for sizes in gzip's subfields, and for
// dictionaries that lz4 frames name.
bool may_be_stricter(const Case& tried) {
  if (tried.format == Format::gzip)
    return tried.file.find("BC") != std::string::npos ||
           tried.file.find("IG") != std::string::npos || tried.file.find("MZ") != std::string::npos;
  return tried.format == Format::lz4 && tried.expected && tried.file.size() > 4 &&
         (tried.file[4] & 1);
}

void try_method(const Case& tried, const std::string& method, bool is_pipe) {
  std::string text;
  const auto append = [&](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status();
  };
  const auto report = stream::decompress(
      source_of(tried.file, is_pipe), append,
      {.format = tried.format, .max_output_bytes = 4 * max_bytes, .threads = 1, .method = method});
  if (tried.format == Format::snappy) return;  // without an oracle: it ends, and within its bounds
  if (tried.expected && tried.expected->size() > max_bytes) return;
  if (!method.empty() && report.status().code() == Code::invalid) return;  // it does not fit
  if (!report.ok() &&
      (may_be_stricter(tried) || zstd_test::is_listed_as_stricter(report.status().message())))
    return;
  require(report.ok() == tried.expected.has_value(),
          "the library's status: " + method + ": " + report.status().text());
  require(!report.ok() || text == *tried.expected, "the library's bytes: " + method);
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace penstock;
  fuzz::Input input(data, bytes);
  const std::uint32_t chosen = input.byte(), detail = input.byte();
  const std::string rest = input.take(input.left());
  if (rest.empty()) return 0;
  const fuzz::Case tried = fuzz::case_of(chosen, detail, rest);
  fuzz::try_method(tried, "", false);
  if (detail % 8 == 1)
    fuzz::try_method(tried, "", true);  // a thread takes longer to begin than the rest
  for (const stream::MethodInfo& info : stream::methods())
    if (info.format == tried.format) fuzz::try_method(tried, info.name, false);
  return 0;
}
