// What the tests of chunk decoders share: batches made of chunks on the host, and what became of them; texts of all kinds.
#pragma once
#include <random>

#include "device_fixture.hpp"
#include "kernel_c/host_device.hpp"
#include "penstock/chunks.hpp"

namespace penstock::chunks {

using Bytes = std::vector<std::uint8_t>;
struct Chunk { Bytes bytes; std::uint64_t capacity = 0; };
struct Decoded { Bytes text; Verdict verdict; };

constexpr std::uint8_t canary = 0xa5;

// Where the rooms of texts lie: `gap` bytes of canaries between them, so that their beginnings are aligned in all ways where it is odd.
struct Layout { std::uint64_t gap = 64, align = 16; };

inline std::uint64_t rounded(std::uint64_t value, std::uint64_t align) { return (value + align - 1) / align * align; }

// Decodes all chunks at once. An error too where a byte that is no chunk's room was written.
inline Result<std::vector<Decoded>> decoded(const std::shared_ptr<Device>& device, Format format, std::string_view variant,
                                            const std::vector<Chunk>& chunks, Layout layout = {}) {
  Bytes input, output;
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, capacities;
  for (const Chunk& chunk : chunks) {
    input_offsets.push_back(input.size());
    input_sizes.push_back(chunk.bytes.size());
    input.insert(input.end(), chunk.bytes.begin(), chunk.bytes.end());
    output_offsets.push_back(rounded(output.size() + layout.gap, layout.align));
    capacities.push_back(chunk.capacity);
    output.resize(output_offsets.back() + chunk.capacity, canary);
  }
  input.resize(rounded(input.size() + 1, 16));
  output.resize(rounded(output.size() + layout.gap, 16), canary);
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  Batch batch;
  batch.chunk_count = static_cast<std::uint32_t>(chunks.size());
  PENSTOCK_ASSIGN(batch.input, on_device(*device, *queue, input));
  PENSTOCK_ASSIGN(batch.input_offsets, on_device(*device, *queue, input_offsets));
  PENSTOCK_ASSIGN(batch.input_sizes, on_device(*device, *queue, input_sizes));
  PENSTOCK_ASSIGN(batch.output, on_device(*device, *queue, output));
  PENSTOCK_ASSIGN(batch.output_offsets, on_device(*device, *queue, output_offsets));
  PENSTOCK_ASSIGN(batch.output_capacities, on_device(*device, *queue, capacities));
  const std::vector<std::uint64_t> unwritten(chunks.size(), 0xeeeeeeee);
  PENSTOCK_ASSIGN(batch.output_sizes, on_device(*device, *queue, unwritten));
  PENSTOCK_ASSIGN(batch.verdicts, on_device(*device, *queue, unwritten));
  PENSTOCK_ASSIGN(const auto decoder, Decoder::build(device, format, variant));
  PENSTOCK_ASSIGN(const auto scratch, device->allocate(decoder->scratch_bytes(batch.chunk_count)));
  PENSTOCK_TRY(decoder->enqueue(*queue, batch, *scratch));
  std::vector<std::uint64_t> sizes(chunks.size());
  std::vector<Verdict> verdicts(chunks.size());
  PENSTOCK_TRY(queue->download(output.data(), *batch.output, output.size()));
  PENSTOCK_TRY(queue->download(sizes.data(), *batch.output_sizes, sizes.size() * 8));
  PENSTOCK_TRY(queue->download(verdicts.data(), *batch.verdicts, verdicts.size() * sizeof(Verdict)));
  PENSTOCK_TRY(queue->finish());
  std::vector<Decoded> result;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i <= chunks.size(); i++) {
    const std::uint64_t begin = i < chunks.size() ? output_offsets[i] : output.size();
    for (; end < begin; end++)
      if (output[end] != canary)
        return Status(Code::internal, "byte " + std::to_string(end) + ", before chunk " + std::to_string(i) + ", was written");
    if (i == chunks.size()) break;
    if (sizes[i] > capacities[i]) return Status(Code::internal, "chunk " + std::to_string(i) + " has more text than room");
    result.push_back({Bytes(output.begin() + begin, output.begin() + begin + sizes[i]), verdicts[i]});
    end = begin + capacities[i];
  }
  return result;
}

// On every device by every variant of a format that fits it.
template <class Body> void on_each_chunk_variant(Format format, Body body) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string& variant : Decoder::variants(format, device->traits())) {
      SCOPED_TRACE(variant);
      body(device, variant);
    }
  });
}

// Texts that compress in all ways: none, well, by runs, by near and far matches, by periods.
inline Bytes words_text(std::uint64_t bytes, std::uint32_t seed) {
  static constexpr const char* words[] = {"the", "pipe", "penstock", "water", "falls", "under", "pressure", "turbine", "wheel", "of", "and",
                                          "a", "in", "valve", "gate", "reservoir", "dam", "flow", "rate", "head"};
  std::mt19937 random(seed);
  Bytes text;
  while (text.size() < bytes) {
    for (const char* c = words[random() % std::size(words)]; *c != 0; c++) text.push_back(static_cast<std::uint8_t>(*c));
    text.push_back(random() % 9 == 0 ? '\n' : ' ');
  }
  text.resize(bytes);
  return text;
}
inline Bytes random_text(std::uint64_t bytes, std::uint32_t seed, std::uint32_t symbols = 256) {
  std::mt19937 random(seed);
  Bytes text(bytes);
  for (std::uint8_t& byte : text) byte = static_cast<std::uint8_t>(random() % symbols);
  return text;
}
inline Bytes period_text(std::uint64_t bytes, std::uint32_t period) {
  Bytes text = random_text(bytes, period);
  for (std::size_t i = period; i < text.size(); i++) text[i] = text[i - period];
  return text;
}
// Words of 32 bits with few bits set: what binaries hold.
inline Bytes numbers_text(std::uint64_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Bytes text(bytes);
  for (std::size_t i = 0; i + 1 < bytes; i += 4) {
    text[i] = static_cast<std::uint8_t>(random() % 16 * (random() % 3));
    text[i + 1] = static_cast<std::uint8_t>(random() % 2);
  }
  return text;
}
// Runs, matches of many lengths and distances, and literals between them.
inline Bytes mixed_text(std::uint64_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Bytes text = words_text(std::min<std::uint64_t>(bytes, 100), seed);
  while (text.size() < bytes) {
    const std::size_t count = random() % 8 == 0 ? random() % 2000 : 1 + random() % 30;
    const std::size_t distance = 1 + (random() % 3 == 0 ? random() % 20 : random() % text.size());
    switch (random() % 3) {
      case 0: for (std::size_t i = 0; i < count; i++) text.push_back(static_cast<std::uint8_t>(random())); break;
      default: for (std::size_t i = 0; i < count; i++) text.push_back(text[text.size() - std::min(distance, text.size())]); break;
    }
  }
  text.resize(bytes);
  return text;
}

}  // namespace penstock::chunks
