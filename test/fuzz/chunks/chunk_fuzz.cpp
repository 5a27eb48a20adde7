// Batches of any bytes as chunks of one format, decoded by the kernel that the library launches, on the host executor in the same process:
// the verdict and text of the format's own library, no byte outside of a text's room, no race.
// clang-format off
#include "kernel/common.prelude"
#include "kernel/parameters.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
// clang-format on
#include "chunk_references.hpp"
#include "fuzz/chunks/linked_chunks.hpp"
#include "fuzz/device/linked_device.hpp"
#include "fuzz/input.hpp"
#include "kernel_c/executor.hpp"

namespace penstock::fuzz {
namespace {

using chunks::Bytes;
using chunks::Chunk;
constexpr std::uint8_t canary = 0xa5;
const ChunkDevice& device_here() { return chunk_devices[fuzzed_device]; }
chunks::Format format_here() { return chunk_formats[fuzzed_format].format; }

chunks::Reference reference_of(std::uint32_t how) {
  switch (format_here()) {
    case chunks::Format::lz4: return chunks::lz4_reference(static_cast<int>(how % 13));
    case chunks::Format::snappy: return chunks::snappy_reference();
    default: break;
  }
  constexpr int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};
  const int level = static_cast<int>(how % 10), memory = 1 + static_cast<int>(how / 64);
  return chunks::deflate_reference({.level = level, .strategy = strategies[how / 16 % 4], .memory = memory});
}

// Letters of few kinds and copies of what stands before, so that encoders find matches of all lengths.
Bytes text_of(Input& input, std::size_t most_bytes) {
  Bytes text;
  while (input.left() > 0 && text.size() < most_bytes) {
    const std::uint32_t kind = input.byte();
    if (kind < 128 || text.empty()) {
      for (std::uint32_t i = 0; i <= kind % 16 && input.left() > 0; i++) text.push_back(static_cast<std::uint8_t>(input.byte()));
      continue;
    }
    const std::size_t distance = 1 + (input.byte() << 8 | input.byte()) % text.size(), count = kind < 224 ? kind - 124 : (kind - 220) * 200;
    for (std::size_t i = 0; i < count; i++) text.push_back(text[text.size() - distance]);
  }
  return text;
}

// Room that fits, is short by a little, or is enough.
std::uint64_t capacity_of(std::uint32_t kind, const chunks::Reference& reference, const Bytes& bytes) {
  constexpr std::uint64_t enough = 20'000;
  if (kind % 4 == 0) return enough;
  const std::uint64_t right = reference.text_of({bytes, enough}).value_or(Bytes(kind % 64)).size();
  return kind % 4 == 1 ? right : kind % 4 == 2 ? right + kind / 4 % 16 : right - std::min<std::uint64_t>(right, kind / 4);
}

// One to three chunks: bytes as they are, or a text that the format's library compresses, with some bytes changed.
std::vector<Chunk> take_chunks(Input& input, const chunks::Reference& reference, std::uint32_t kind) {
  std::vector<Chunk> taken;
  for (std::uint32_t left = 1 + kind % 3; left > 0; left--) {
    const std::uint32_t room = input.byte();
    const std::string part = input.take(left == 1 ? input.left() : input.byte() * 2);
    Bytes bytes(part.begin(), part.end());
    if ((kind & 4) != 0) {
      Input own(bytes.data(), bytes.size());
      const std::uint32_t changes = own.byte() % 4, first = own.byte();
      bytes = reference.compressed(text_of(own, 16'000));
      for (std::uint32_t i = 0; i < changes && !bytes.empty(); i++)
        bytes[first * (i * 37 + 1) % bytes.size()] ^= static_cast<std::uint8_t>(1 + first);
    }
    const std::uint64_t capacity = capacity_of(room, reference, bytes);
    taken.push_back({std::move(bytes), capacity});
  }
  return taken;
}

template <class T> T expected(Result<T> result) {
  require(result.ok(), "the library takes the batch: " + result.status().text());
  return std::move(*result);
}

// The chunks one behind another, `gap` bytes between them and between their rooms; what kernels may read ends with the buffers.
struct Layout {
  Layout(const std::vector<Chunk>& chunks, std::uint32_t gap) {
    for (const Chunk& chunk : chunks) {
      input.resize(input.size() + gap);
      input_offsets.push_back(input.size()), input_sizes.push_back(chunk.bytes.size());
      input.insert(input.end(), chunk.bytes.begin(), chunk.bytes.end());
      output.resize(output.size() + gap * 3 % 32, canary);
      output_offsets.push_back(output.size()), capacities.push_back(chunk.capacity);
      output.resize(output.size() + chunk.capacity, canary);
    }
    input.resize((input.size() + 15) / 16 * 16), output.resize((output.size() + 15) / 16 * 16, canary);
  }
  Bytes input, output;
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, capacities;
};

template <class T> std::shared_ptr<Buffer> bring(Device& device, const std::vector<T>& values) {
  auto buffer = expected(device.allocate(values.size() * sizeof(T)));
  if (!values.empty()) std::memcpy(content_of(*buffer).data(), values.data(), values.size() * sizeof(T));
  return buffer;
}

void expect_judged(const Chunk& chunk, const chunks::Reference& reference, chunks::Verdict verdict, std::span<const std::uint8_t> text) {
  const bool is_stricter = reference.is_stricter(chunk.bytes);
  const std::optional<Bytes> right = is_stricter ? std::nullopt : reference.text_of(chunk);
  const std::string said = chunks::status_of(format_here(), 0, verdict).text();
  require(right.has_value() == (verdict.fault == chunks::Fault::none), "the format's library says the same of the chunk as: " + said);
  require(verdict.offset <= chunk.bytes.size(), "a fault is inside of its chunk: " + said);
  if (right) require(std::equal(text.begin(), text.end(), right->begin(), right->end()), "the text is the library's");
  else require(text.empty(), "a chunk that is not sound has no text");
}

void try_chunks(const std::vector<Chunk>& chunks, const chunks::Reference& reference, std::uint32_t gap) {
  const Layout layout(chunks, gap);
  const auto device = make_linked_device(traits_of(device_here()));
  const auto queue = expected(device->queue());
  chunks::Batch batch;
  batch.chunk_count = static_cast<std::uint32_t>(chunks.size());
  batch.input = bring(*device, layout.input), batch.output = bring(*device, layout.output);
  batch.input_offsets = bring(*device, layout.input_offsets), batch.input_sizes = bring(*device, layout.input_sizes);
  batch.output_offsets = bring(*device, layout.output_offsets), batch.output_capacities = bring(*device, layout.capacities);
  batch.output_sizes = expected(device->allocate(chunks.size() * 8)), batch.verdicts = expected(device->allocate(chunks.size() * 8));
  const std::string variant = std::string(chunk_formats[fuzzed_format].name) + std::string(device_here().variant);
  const auto decoder = expected(chunks::Decoder::build(device, format_here(), variant));
  const auto scratch = expected(device->allocate(decoder->scratch_bytes(batch.chunk_count)));
  const Status status = decoder->enqueue(*queue, batch, *scratch);
  require(status.ok(), "a batch of any bytes is decoded: " + status.text());
  const auto* const output = reinterpret_cast<const std::uint8_t*>(content_of(*batch.output).data());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < chunks.size(); i++) {
    for (; end < layout.output_offsets[i]; end++) require(output[end] == canary, "nothing is written before a room");
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, content_of(*batch.output_sizes).data() + i * 8, 8);
    chunks::Verdict verdict;
    std::memcpy(&verdict, content_of(*batch.verdicts).data() + i * 8, 8);
    require(bytes <= chunks[i].capacity, "no more text than room");
    expect_judged(chunks[i], reference, verdict, {output + end, bytes});
    end += chunks[i].capacity;
  }
  for (; end < layout.output.size(); end++) require(output[end] == canary, "nothing is written behind a room");
}

}  // namespace

const kernelc::KernelEntry* find_linked(const ProgramSource& source, std::string_view kernel) {
  require(source.group_size == device_here().group_size, "groups of this size are linked: " + std::to_string(source.group_size));
  return kernelc::find_kernel(kernel);
}

}  // namespace penstock::fuzz

// The first bytes: how items take turns and where chunks lie, the library's settings, what the others are.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace penstock::fuzz;
  Input input(data, bytes);
  const std::uint32_t order = input.byte(), how = input.byte(), kind = input.byte();
  const auto reference = reference_of(how);
  set_launches(order);
  try_chunks(take_chunks(input, reference, kind), reference, order % 32);
  return 0;
}
