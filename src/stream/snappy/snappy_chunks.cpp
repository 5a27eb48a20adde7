// Decodes framed Snappy: chunks of at most 64 KiB, several at once, by libsnappy or on a device.
//
// https://github.com/google/snappy/blob/main/framing_format.txt
#include <snappy-c.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "codec/checksum/crc32c.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/pipeline/chunk_stages.hpp"
#include "stream/snappy/snappy_methods.hpp"

namespace penstock::stream {
namespace {

using namespace std::string_view_literals;

enum ChunkKind : unsigned {
  compressed_chunk = 0,
  stored_chunk = 1,
  first_skippable_chunk = 0x80,
  stream_identifier = 0xff
};
constexpr std::size_t max_chunk_output_bytes = 65536;

// Masks a CRC, since the CRC of bytes that hold CRCs would be weak (framing_format.txt, section 3).
std::uint32_t masked(std::uint32_t checksum) {
  return (checksum >> 15 | checksum << 17) + 0xa282ead8u;
}

class SnappyChunks : public ChunkStages {
 public:
  SnappyChunks(Context& context, std::uint64_t job_bytes)
      : context_(context), job_bytes_(job_bytes) {
    context_.report.member_count = 1;
  }

  Result<bool> take(DecodeJob& job) override {
    Input& input = context_.input;
    while (job.capacity < job_bytes_) {
      PENSTOCK_ASSIGN(auto bytes, input.peek(4));
      if (bytes.empty()) break;
      const ErrorLocation location{Format::snappy, ++chunk_count_, input.offset()};
      if (bytes.size() < 4) return location.at(location.offset + bytes.size()).unexpected_end();
      ByteReader reader(bytes);
      const unsigned kind = reader.u8();
      const auto size = static_cast<std::size_t>(reader.number(3));
      if (chunk_count_ == 1 && kind != stream_identifier)
        return location.corrupt("the stream identifier is missing");
      PENSTOCK_ASSIGN(bytes, input.peek(4 + size));
      if (bytes.size() < 4 + size)
        return location.at(location.offset + bytes.size()).unexpected_end();
      PENSTOCK_TRY(take_chunk(kind, bytes.subspan(4, size), location, job));
      input.skip(4 + size);
    }
    return !job.chunks.empty();
  }

  Status work(DecodeJob& job) override {
    std::byte* const memory = job.reserve(job.capacity);
    for (const Chunk& chunk : job.chunks) {
      PENSTOCK_TRY(decode_chunk(chunk, memory + job.end));
      PENSTOCK_TRY(check_output(chunk, {memory + job.end, chunk.output_bytes}, {}));
      job.end += chunk.output_bytes;
    }
    return {};
  }

  batch::Format chunk_format() const override { return batch::Format::snappy; }
  Status check_output(const Chunk& chunk, std::span<const std::byte> output,
                      batch::ChunkStatus) const override {
    const std::uint32_t computed = masked(checksum::crc32c(output));
    const ErrorLocation location{Format::snappy, chunk.index, chunk.offset - 4};
    return computed == chunk.checksum
               ? Status()
               : location.wrong_checksum("masked CRC-32C", computed, chunk.checksum);
  }
  Status error_of(const Chunk& chunk, batch::ChunkStatus chunk_status) const override {
    return ErrorLocation{Format::snappy, chunk.index, chunk.offset + chunk_status.offset}.corrupt(
        "invalid block: " + std::string(batch::message(chunk_status.error)));
  }

 private:
  Status take_chunk(unsigned kind, std::span<const std::byte> bytes, const ErrorLocation& location,
                    DecodeJob& job) {
    if (kind == stream_identifier) {
      const bool is_valid = bytes.size() == 6 && std::memcmp(bytes.data(), "sNaPpY", 6) == 0;
      return is_valid ? Status() : location.corrupt("invalid stream identifier");
    }
    if (kind >= first_skippable_chunk) return {};
    if (kind > stored_chunk)
      return location.error(Code::unsupported, "unsupported chunk type " + std::to_string(kind));
    if (bytes.size() < 4) return location.corrupt("invalid chunk size: too short for a checksum");
    const auto body = bytes.subspan(4);
    std::size_t output_bytes = body.size();
    if (kind == compressed_chunk &&
        snappy_uncompressed_length(reinterpret_cast<const char*>(body.data()), body.size(),
                                   &output_bytes) != SNAPPY_OK)
      return location.corrupt("invalid uncompressed length");
    if (output_bytes > max_chunk_output_bytes)
      return location.corrupt("invalid uncompressed length: more than 64 KiB");
    job.chunks.push_back({.bytes = body,
                          .offset = location.offset + 8,
                          .index = location.index,
                          .output_bytes = output_bytes,
                          .checksum = ByteReader(bytes).u32(),
                          .is_stored = kind == stored_chunk,
                          .has_checksum = true});
    job.keep_alive(context_.input.owner());
    job.capacity += std::max<std::uint64_t>(output_bytes, min_counted_output_bytes);
    return {};
  }

  static Status decode_chunk(const Chunk& chunk, std::byte* out) {
    const ErrorLocation location{Format::snappy, chunk.index, chunk.offset};
    std::size_t output_bytes = chunk.output_bytes;
    if (chunk.is_stored) {
      if (output_bytes > 0) std::memcpy(out, chunk.bytes.data(), output_bytes);
    } else if (snappy_uncompress(reinterpret_cast<const char*>(chunk.bytes.data()),
                                 chunk.bytes.size(), reinterpret_cast<char*>(out),
                                 &output_bytes) != SNAPPY_OK) {
      return location.corrupt("invalid block");
    }
    return {};
  }

  Context& context_;
  std::uint64_t job_bytes_;
  std::uint64_t chunk_count_ = 0;
};

std::unique_ptr<ChunkStages> make_chunks(Context& context, std::uint64_t job_bytes) {
  return std::make_unique<SnappyChunks>(context, job_bytes);
}
Result<std::unique_ptr<Decoder>> make_decoder(Context& context) {
  return in_pipeline(context, make_chunks(context, host_job_bytes));
}

constexpr Method rows[] = {
    {.format = Format::snappy,
     .name = "snappy-chunks-device",
     .summary = "on a device: chunks",
     .fits = fits_always,
     .decoder = DeviceChunks{make_chunks}},
    {.format = Format::snappy,
     .name = "snappy-chunks",
     .summary = "chunks, in threads, by libsnappy",
     .fits = fits_always,
     .decoder = HostDecoder{make_decoder}},
};

}  // namespace

std::span<const Method> snappy_methods() { return rows; }

bool is_snappy(std::span<const std::byte> bytes) {
  constexpr std::string_view identifier = "\xff\x06\0\0sNaPpY"sv;
  return bytes.size() >= identifier.size() &&
         std::memcmp(bytes.data(), identifier.data(), identifier.size()) == 0;
}

Result<bool> has_next_snappy_chunk(Context& context) {
  PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
  return !bytes.empty();
}

}  // namespace penstock::stream
