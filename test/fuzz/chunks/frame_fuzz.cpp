// Decodes Zstandard frames of any bytes by their blocks, all at once, by the kernels that the
// library launches, on the host executor in the same process. Requires the status and output of our
// decoder for CPUs, which fuzz_host_zstd compares with libzstd, no write outside of the capacity,
// and no race.
#include "codec/zstd/device/device_frame.hpp"
#include "fuzz/chunks/fuzzed_batch.hpp"
#include "fuzz/chunks/valid_frames.hpp"
#include "fuzz/device/linked_device.hpp"
#include "zstd_reference.hpp"

namespace penstock::fuzz {
namespace {

constexpr std::uint8_t canary = 0xa5;
constexpr std::uint64_t max_output_bytes = 200'000;

// The bytes as blocks of a valid frame; or data that libzstd compresses, with some bytes changed;
// or the bytes as they are.
Bytes take_frame(Input& input, std::uint32_t kind, std::uint32_t how) {
  if (kind % 4 != 1) {
    const std::string part = input.take(input.left());
    const Bytes bytes(part.begin(), part.end());
    return kind % 4 == 2 ? bytes
                         : framed(batch::Format::zstd, bytes,
                                  how & ~4u);  // without a checksum, which is not looked at
  }
  const std::uint32_t changes = input.byte() % 4, first = input.byte();
  constexpr std::size_t flushed_bytes[] = {0, 40, 150, 1000};
  const zstd_test::Parameters parameters = {{ZSTD_c_compressionLevel, static_cast<int>(how % 16)},
                                            {ZSTD_c_checksumFlag, 0},
                                            {ZSTD_c_windowLog, (how & 16) != 0 ? 10 : 17},
                                            {ZSTD_c_contentSizeFlag, how >> 5 & 1},
                                            {ZSTD_c_srcSizeHint, 4096}};
  Bytes frame =
      batch::zstd_reference(parameters, flushed_bytes[how / 64]).compressed(text_of(input, 16'000));
  for (std::uint32_t i = 0; i < changes && !frame.empty(); i++)
    frame[first * (i * 37 + 1) % frame.size()] ^= static_cast<std::uint8_t>(1 + first);
  return frame;
}

struct Right {
  bool is_valid;
  Bytes output;
  std::uint64_t frame_end;
};
Right decoded_by_host(const Bytes& frame, std::uint64_t capacity) {
  Bytes output(capacity);
  const auto result =
      zstd::decode_frame(std::as_bytes(std::span(frame)), std::as_writable_bytes(std::span(output)),
                         {.threads = 1, .is_checksum_verified = false});
  if (!result.ok()) return {false, {}, 0};
  output.resize(result->output_bytes);
  return {true, std::move(output), result->input_bytes};
}

void run(const std::uint8_t* data, std::size_t bytes) {
  Input input(data, bytes);
  const std::uint32_t order = input.byte(), how = input.byte(), kind = input.byte(),
                      capacity_kind = input.byte();
  const std::uint64_t gap = order % 32, before = how % 32;
  const Bytes frame = take_frame(input, kind, how);
  const auto header = zstd::read_frame_header(std::as_bytes(std::span(frame)));
  if (!header.ok() || !zstd::DeviceFrame::fits(*header, traits_of(device_here())) ||
      header->has_checksum)
    return;
  Right right = decoded_by_host(frame, max_output_bytes);
  const std::uint64_t whole = right.is_valid ? right.output.size() : capacity_kind * 100;
  const std::uint64_t capacity = capacity_kind % 4 == 0 ? whole
                                 : capacity_kind % 4 == 1
                                     ? whole - std::min<std::uint64_t>(whole, 1 + capacity_kind / 4)
                                     : whole + capacity_kind;
  right = decoded_by_host(frame, capacity);

  set_launches(order);
  const auto device = make_linked_device(traits_of(device_here()));
  const auto queue = device->queue();
  Bytes there(before, 7);
  there.insert(there.end(), frame.begin(), frame.end());
  zstd::DeviceFrame::Target place{
      .input = there, .frame_begin = before, .output_begin = gap, .capacity_bytes = capacity};
  place.device_input = *device->allocate((there.size() + 15) / 16 * 16),
  place.output = *device->allocate((gap + capacity + 15) / 16 * 16);
  std::memcpy(content_of(*place.device_input).data(), there.data(), there.size());
  auto output = content_of(*place.output);
  std::fill(output.begin(), output.end(), std::byte{canary});
  const auto decoder = zstd::DeviceFrame::build(device, (1 + kind / 4 % 4) << 17);
  require(decoder.ok(), "the library builds the decoder");
  const auto made = (*decoder)->decode(**queue, *header, place);
  for (std::size_t i = 0; i < output.size(); i++)
    require((i >= gap && i < gap + capacity) || output[i] == std::byte{canary},
            "nothing is written outside of the capacity");
  require(made.ok() == right.is_valid,
          "our decoder for CPUs says the same of the frame as: " + made.status().text());
  if (!made.ok()) return;
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(output.data()) + gap;
  require(std::equal(begin, begin + made->output_bytes, right.output.begin(), right.output.end()),
          "the text is the one of our decoder for CPUs");
  require(made->frame_end == before + right.frame_end,
          "the frame ends where our decoder for CPUs says");
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::run(data, bytes);
  return 0;
}
