// Decodes one Deflate stream of any bytes in segments that are found in it, all at once, by the
// kernels that the library launches, on the host executor in the same process. Requires the status,
// output and end of zlib, and no race.
#include <cstring>

#include "codec/deflate/device/device_inflate.hpp"
#include "fuzz/chunks/fuzzed_batch.hpp"
#include "fuzz/device/linked_device.hpp"

namespace penstock::fuzz {
namespace {

constexpr std::uint64_t max_output_bytes = 100'000;

// A stream as it is, or data that zlib compresses, in short blocks, with some bytes changed.
Bytes take_stream(Input& input, std::uint32_t kind, std::uint32_t how) {
  if (kind % 2 == 0) {
    const std::string part = input.take(input.left());
    return {part.begin(), part.end()};
  }
  constexpr int memories[] = {1, 3, 7, 9};  // blocks of 128, 512, 8192 and 32768 symbols
  constexpr int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};
  const batch::DeflateOptions options{.level = static_cast<int>(how % 10),
                                      .strategy = strategies[how / 16 % 4],
                                      .memory = memories[how / 64 % 4]};
  const std::uint32_t changes = input.byte() % 4, first = input.byte();
  Bytes stream = batch::deflate_compressed(text_of(input, 24'000), options);
  for (std::uint32_t i = 0; i < changes && !stream.empty(); i++)
    stream[first * (i * 37 + 1) % stream.size()] ^= static_cast<std::uint8_t>(1 + first);
  return stream;
}

template <class T> T expected(Result<T> result) {
  require(result.ok(), "the library takes the stream: " + result.status().text());
  return std::move(*result);
}

struct Decoder {
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<deflate::SegmentFinder> pieces;
  std::unique_ptr<deflate::SegmentDecoder> outputs;
};

// Returns nullopt where it is corrupt.
std::optional<Bytes> decoded(Decoder& decoder, const Bytes& bytes, std::uint64_t begin,
                             std::uint64_t* end) {
  const auto input = expected(decoder.device->allocate((bytes.size() + 15) / 16 * 16));
  if (!bytes.empty()) std::memcpy(content_of(*input).data(), bytes.data(), bytes.size());
  const Status opened = decoder.pieces->open(*decoder.queue, input, bytes.size());
  require(opened.ok(), "pieces are looked for in any bytes: " + opened.text());
  const deflate::MeasuredStream stream = expected(decoder.pieces->follow(*decoder.queue, begin));
  require(stream.error.byte <= bytes.size() && stream.end_byte <= bytes.size(),
          "a stream's end and fault are in the input");
  if (stream.error.error != batch::ErrorCode::none || stream.output_bytes > 2 * max_output_bytes)
    return {};
  const auto output = expected(decoder.device->allocate((stream.output_bytes + 15) / 16 * 16));
  std::uint64_t made = 0;
  for (std::size_t first = 0; first < stream.segments.size();) {
    const auto batch = expected(
        decoder.outputs->decode(*decoder.queue, *decoder.pieces, stream, first, output, made));
    if (batch.error.error != batch::ErrorCode::none) return {};
    require(batch.segment_count != 0, "a batch has pieces");
    first += batch.segment_count, made += batch.output_bytes;
  }
  require(made == stream.output_bytes, "batches have the stream's text");
  *end = stream.end_byte;
  const auto* const from = reinterpret_cast<const std::uint8_t*>(content_of(*output).data());
  return Bytes(from, from + made);
}

void run(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint32_t order = input.byte(), how = input.byte(), kind = input.byte();
  const Bytes stream = take_stream(input, kind, how);
  set_launches(order);
  Decoder decoder;
  decoder.device = make_linked_device(traits_of(device_here()));
  decoder.queue = expected(decoder.device->queue());
  decoder.pieces = expected(
      deflate::SegmentFinder::build(decoder.device, 32u << kind / 2 % 4, 512u << order / 32 % 4));
  decoder.outputs =
      expected(deflate::SegmentDecoder::build(decoder.device, (kind & 8) != 0 ? 3000 : 0));
  Bytes bytes(kind / 16, 0xff);  // of others, before the stream
  const std::uint64_t begin = bytes.size();
  bytes.insert(bytes.end(), stream.begin(), stream.end());
  std::uint64_t end = 0;
  const std::optional<Bytes> ours = decoded(decoder, bytes, begin, &end);
  const std::optional<Bytes> right =
      batch::deflate_output({stream, max_output_bytes}, batch::raw_window);
  if (!right && ours && ours->size() > max_output_bytes) return;
  require(ours.has_value() == right.has_value(),
          right ? "zlib decodes the stream" : "zlib refuses the stream");
  if (!right) return;
  require(*ours == *right, "the text is zlib's");
  const Bytes whole(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                    bytes.begin() + static_cast<std::ptrdiff_t>(end));
  require(batch::deflate_output({whole, max_output_bytes}, batch::raw_window) == right,
          "the stream has ended where ours says");
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::run(data, bytes);
  return 0;
}
