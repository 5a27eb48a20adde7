// Encodes batches of one format by the kernels that the library launches, on the host executor in
// the same process. Requires that the format's own library reads the chunks, that they stay inside
// their capacities, no race, and that every chunk equals the one that a single thread makes.
#include "fuzz/chunks/fuzzed_batch.hpp"
#include "fuzz/device/linked_device.hpp"

namespace penstock::fuzz {
namespace {

batch::Format format_here() { return codec_here().format; }
std::optional<Bytes> read(const Chunk& chunk) {
  return format_here() == batch::Format::lz4 ? batch::lz4_output(chunk)
                                             : batch::deflate_output(chunk, batch::raw_window);
}

// A capacity that fits, is short by a little or by much, or is the bound.
std::uint64_t capacity_of(std::uint32_t kind, std::uint64_t bytes, std::uint64_t bound) {
  switch (kind % 4) {
    case 0: return bound;
    case 1: return bytes + kind / 4 % 4;
    case 2: return bytes - std::min<std::uint64_t>(bytes, 1 + kind / 4);
    default: return bytes * (kind / 4) / 64;
  }
}

// Returns what a thread makes of each input with enough capacity; the library must read it.
std::vector<Bytes> made_by_threads(const std::vector<Bytes>& outputs, Gaps gaps) {
  std::vector<Chunk> bounded;
  for (const Bytes& output : outputs)
    bounded.push_back({output, batch::Encoder::bound_bytes(format_here(), output.size())});
  const std::vector<Taken> results =
      taken<batch::Encoder>(*find_row(chunk_devices, "thread"), bounded, gaps, 0);
  std::vector<Bytes> whole;
  for (std::size_t i = 0; i < outputs.size(); i++) {
    require(results[i].chunk_status.error == batch::ErrorCode::none, "the bound suffices");
    const std::optional<Bytes> output = read({results[i].bytes, outputs[i].size()});
    require(output.has_value() && *output == outputs[i], "the library reads the text");
    whole.push_back(results[i].bytes);
  }
  return whole;
}

void run(const std::uint8_t* data, std::size_t bytes) {
  Input input(data, bytes);
  const std::uint32_t
      order = input.byte(),
      kind = input.byte();  // how threads take turns and where texts lie; how many they are
  set_launches(order);
  const std::size_t max_bytes =
      (kind & 4) != 0 ? 60'000
                      : 6'000;  // long ones have matches farther than formats allow, and are slow
  std::vector<Bytes> outputs;
  std::vector<std::uint32_t> capacities;
  for (std::uint32_t left = 1 + kind % 3; left > 0; left--) {
    capacities.push_back(input.byte());
    const std::string part = input.take(left == 1 ? input.left() : input.byte() * 2);
    Input own(reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
    outputs.push_back(text_of(own, max_bytes));
  }
  const std::vector<Bytes> whole = made_by_threads(outputs, Gaps(kind / 8));
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < outputs.size(); i++)
    chunks.push_back(
        {outputs[i], capacity_of(capacities[i], whole[i].size(),
                                 batch::Encoder::bound_bytes(format_here(), outputs[i].size()))});
  const std::vector<Taken> results = taken<batch::Encoder>(device_here(), chunks, Gaps(order), 0);
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const bool fits = whole[i].size() <= chunks[i].capacity;
    require(results[i].chunk_status.error ==
                (fits ? batch::ErrorCode::none : batch::ErrorCode::encoded_too_large),
            "a chunk is refused where it has no capacity");
    if (fits) require(results[i].bytes == whole[i], "the chunk is the one that a thread makes");
  }
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::run(data, bytes);
  return 0;
}
