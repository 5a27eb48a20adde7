// Shared by the tests of chunk decoders: batches made of chunks on the host and their results, data
// of all kinds, and the comparison with the format's own library.
#pragma once
#include <cstdio>
#include <map>
#include <random>

#include "chunk_references.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"

namespace penstock::batch {

struct Decoded {
  Bytes output;
  ChunkStatus chunk_status;
};

constexpr std::uint8_t canary = 0xa5;

// The layout of outputs: `gap` bytes of canaries between them, so that with an odd gap their
// beginnings have every alignment.
struct Layout {
  std::uint64_t gap = 64, align = 16;
};

inline std::uint64_t rounded(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

// A device, and a variant that decodes there.
struct Method {
  std::shared_ptr<Device> device;
  std::string variant;
};

// Runs all chunks at once, by a Decoder or an Encoder. A byte written outside of all capacities is
// an error, too.
template <class Codec>
Result<std::vector<Decoded>> taken(const Method& method, Format format,
                                   const std::vector<Chunk>& chunks, Layout layout) {
  const auto& device = method.device;
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
  PENSTOCK_ASSIGN(batch.statuses, on_device(*device, *queue, unwritten));
  for (const std::uint64_t capacity : capacities)
    batch.max_output_bytes = std::max(batch.max_output_bytes, capacity + 1);
  PENSTOCK_ASSIGN(const auto codec, Codec::build(device, format, method.variant));
  PENSTOCK_ASSIGN(const auto scratch, device->allocate(codec->scratch_bytes(
                                          batch.chunk_count, batch.max_output_bytes)));
  PENSTOCK_TRY(codec->enqueue(*queue, batch, *scratch));
  std::vector<std::uint64_t> sizes(chunks.size());
  std::vector<ChunkStatus> statuses(chunks.size());
  PENSTOCK_TRY(queue->download(output.data(), *batch.output, output.size()));
  PENSTOCK_TRY(queue->download(sizes.data(), *batch.output_sizes, sizes.size() * 8));
  PENSTOCK_TRY(
      queue->download(statuses.data(), *batch.statuses, statuses.size() * sizeof(ChunkStatus)));
  PENSTOCK_TRY(queue->finish());
  std::vector<Decoded> result;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i <= chunks.size(); i++) {
    const std::uint64_t begin = i < chunks.size() ? output_offsets[i] : output.size();
    for (; end < begin; end++)
      if (output[end] != canary)
        return Status(Code::internal, "byte " + std::to_string(end) + ", before chunk " +
                                          std::to_string(i) + ", was written");
    if (i == chunks.size()) break;
    if (sizes[i] > capacities[i])
      return Status(Code::internal, "chunk " + std::to_string(i) + " has more text than room");
    result.push_back(
        {Bytes(output.begin() + begin, output.begin() + begin + sizes[i]), statuses[i]});
    end = begin + capacities[i];
  }
  return result;
}
inline Result<std::vector<Decoded>> decoded(const Method& method, Format format,
                                            const std::vector<Chunk>& chunks, Layout layout = {}) {
  return taken<Decoder>(method, format, chunks, layout);
}
// Encodes inputs; `capacity` is for their compressed chunks.
inline Result<std::vector<Decoded>> encoded(const Method& method, Format format,
                                            const std::vector<Chunk>& outputs, Layout layout = {}) {
  return taken<Encoder>(method, format, outputs, layout);
}

// Data that compresses in many ways: not at all, well, by runs, by near and far matches, by
// periods.
inline Bytes words_text(std::uint64_t bytes, std::uint32_t seed) {
  static constexpr const char* words[] = {"the",       "pipe",     "penstock", "water", "falls",
                                          "under",     "pressure", "turbine",  "wheel", "of",
                                          "and",       "a",        "in",       "valve", "gate",
                                          "reservoir", "dam",      "flow",     "rate",  "head"};
  std::mt19937 random(seed);
  Bytes text;
  while (text.size() < bytes) {
    for (const char* c = words[random() % std::size(words)]; *c != 0; c++)
      text.push_back(static_cast<std::uint8_t>(*c));
    text.push_back(random() % 9 == 0 ? '\n' : ' ');
  }
  text.resize(bytes);
  return text;
}
inline Bytes random_output(std::uint64_t bytes, std::uint32_t seed, std::uint32_t symbols = 256) {
  std::mt19937 random(seed);
  Bytes text(bytes);
  for (std::uint8_t& byte : text) byte = static_cast<std::uint8_t>(random() % symbols);
  return text;
}
inline Bytes period_output(std::uint64_t bytes, std::uint32_t period) {
  Bytes text = random_output(bytes, period);
  for (std::size_t i = period; i < text.size(); i++) text[i] = text[i - period];
  return text;
}
// Words of 32 bits with few bits set, as in binaries.
inline Bytes numbers_output(std::uint64_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Bytes text(bytes);
  for (std::size_t i = 0; i + 1 < bytes; i += 4) {
    text[i] = static_cast<std::uint8_t>(random() % 16 * (random() % 3));
    text[i + 1] = static_cast<std::uint8_t>(random() % 2);
  }
  return text;
}
// Runs, matches of many lengths and distances, and literals between them.
inline Bytes mixed_output(std::uint64_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  Bytes text = words_text(std::min<std::uint64_t>(bytes, 100), seed);
  while (text.size() < bytes) {
    const std::size_t count = random() % 8 == 0 ? random() % 2000 : 1 + random() % 30;
    const std::size_t distance = 1 + (random() % 3 == 0 ? random() % 20 : random() % text.size());
    switch (random() % 3) {
      case 0:
        for (std::size_t i = 0; i < count; i++) text.push_back(static_cast<std::uint8_t>(random()));
        break;
      default:
        for (std::size_t i = 0; i < count; i++)
          text.push_back(text[text.size() - std::min(distance, text.size())]);
        break;
    }
  }
  text.resize(bytes);
  return text;
}

inline std::vector<Bytes> outputs_of_all_kinds(std::uint64_t bytes) {
  std::vector<Bytes> outputs = {words_text(bytes, 1), random_output(bytes, 2),
                                random_output(bytes, 3, 4), Bytes(bytes, 0)};
  outputs.push_back(numbers_output(bytes, 4));
  for (std::uint32_t seed = 0; seed < 6; seed++) outputs.push_back(mixed_output(bytes, seed));
  for (std::uint32_t period = 1; period <= 64; period++)
    outputs.push_back(period_output(bytes / 8 + period, period));
  return outputs;
}
inline std::vector<Bytes> large_outputs() {
  return {mixed_output(5'000'000, 9), words_text(4'194'304, 10), Bytes(9'000'000, 7),
          random_output(3'000'001, 11)};
}

// Damage to a valid chunk.
inline std::vector<Chunk> prefixes(const Bytes& chunk, std::uint64_t capacity) {
  std::vector<Chunk> chunks;
  for (std::size_t bytes = 0; bytes <= chunk.size(); bytes++)
    chunks.push_back({Bytes(chunk.begin(), chunk.begin() + bytes), capacity});
  return chunks;
}
inline std::vector<Chunk> single_changes(const Bytes& chunk, std::uint64_t capacity,
                                         std::uint32_t step) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 0; at < chunk.size(); at++)
    for (std::uint32_t flip = 1; flip < 256; flip += step) {
      Bytes changed = chunk;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ flip);
      chunks.push_back({std::move(changed), capacity});
    }
  return chunks;
}
inline std::vector<Chunk> capacities(const Bytes& chunk, std::uint64_t end) {
  std::vector<Chunk> chunks;
  for (std::uint64_t capacity = 0; capacity < end; capacity++) chunks.push_back({chunk, capacity});
  return chunks;
}

// Runs on every device by every variant of a format that fits it.
template <class Codec = Decoder, class Body> void on_each_method(Format format, Body body) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string& variant : Codec::variants(format, device->traits())) {
      SCOPED_TRACE(variant);
      body(Method{device, variant});
    }
  });
}

inline void expect_outputs(const Method& method, const Reference& reference,
                           const std::vector<Bytes>& outputs, Layout layout = {}) {
  std::vector<Chunk> chunks;
  for (const Bytes& text : outputs) chunks.push_back({reference.compressed(text), text.size()});
  const auto result = decoded(method, reference.format, chunks, layout);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const Bytes& text = (*result)[i].output;
    ASSERT_OK(status_of(reference.format, i, (*result)[i].chunk_status));
    ASSERT_EQ(text.size(), outputs[i].size()) << "text " << i;
    const auto other = std::mismatch(text.begin(), text.end(), outputs[i].begin()).first;
    ASSERT_EQ(other, text.end()) << "text " << i << ", byte " << other - text.begin();
  }
}

// Every status must be the reference's, or be in its list of stricter ones, and every output of a
// valid chunk must be equal.
struct Statuses {
  std::uint64_t valid = 0, refused = 0, refused_by_us_alone = 0;
};
// Counts the comparisons of all tests of a program; prints a line per format and variant at its
// end.
class StatusTable : public ::testing::Environment {
 public:
  void TearDown() override {
    for (const auto& [method, row] : rows)
      std::printf(
          "%s: %llu statuses compared; %llu valid, %llu refused, and %llu of the list of stricter "
          "ones\n",
          method.c_str(),
          static_cast<unsigned long long>(row.valid + row.refused + row.refused_by_us_alone),
          static_cast<unsigned long long>(row.valid), static_cast<unsigned long long>(row.refused),
          static_cast<unsigned long long>(row.refused_by_us_alone));
  }
  std::map<std::string, Statuses> rows;
};
inline StatusTable& status_table() {
  static StatusTable* const table =
      static_cast<StatusTable*>(::testing::AddGlobalTestEnvironment(new StatusTable));
  return *table;
}

inline void expect_statuses(const Method& method, const Reference& reference,
                            const std::vector<Chunk>& chunks) {
  Statuses& tally = status_table().rows[method.device->traits().id + " " + method.variant];
  const auto result = decoded(method, reference.format, chunks);
  ASSERT_TRUE(result.ok()) << result.status().text();
  for (std::size_t i = 0; i < chunks.size(); i++) {
    const ChunkStatus chunk_status = (*result)[i].chunk_status;
    const bool is_stricter = reference.is_stricter(chunks[i].bytes);
    const std::optional<Bytes> theirs = reference.output_of(chunks[i]),
                               expected = is_stricter ? std::nullopt : theirs;
    (expected ? tally.valid : theirs ? tally.refused_by_us_alone : tally.refused)++;
    ASSERT_EQ(chunk_status.error == ErrorCode::none, expected.has_value())
        << "chunk " << i << ": " << status_of(reference.format, i, chunk_status).text();
    if (expected)
      ASSERT_EQ((*result)[i].output, *expected) << "chunk " << i;
    else
      ASSERT_LE(chunk_status.offset, chunks[i].bytes.size()) << "chunk " << i;
  }
}

inline void expect_neighbours_kept(const Reference& reference) {
  std::vector<Bytes> outputs;
  for (std::uint32_t bytes = 0; bytes < 300; bytes++) outputs.push_back(mixed_output(bytes, bytes));
  on_each_method(reference.format, [&](const Method& method) {
    for (const Layout layout : {Layout{0, 1}, Layout{1, 1}, Layout{7, 1}, Layout{3, 4}})
      expect_outputs(method, reference, outputs, layout);
  });
}

// The kernels themselves under sanitizers, with barriers and races checked: warps that are groups
// and warps that are sub-groups.
inline std::vector<kernel::HostDeviceOptions> warps_on_host() {
  return {{},
          {.order = kernel::ThreadOrder::reverse},
          {.order = kernel::ThreadOrder::shuffled, .subgroup_size = 32},
          {.is_cpu = true, .max_group_size = 1}};
}
template <class Codec = Decoder, class Body>
void on_each_method_on_host(const kernel::HostDeviceOptions& options, Format format, Body body) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(options);
  for (const std::string& variant : Codec::variants(format, device->traits())) {
    SCOPED_TRACE(variant);
    body(Method{device, variant});
  }
}
// Small inputs of all kinds, and a chunk that is damaged in `255 / step` ways per byte.
inline void expect_small_outputs(const Method& method, const Reference& reference,
                                 std::uint64_t max_bytes) {
  std::vector<Bytes> outputs = {
      words_text(max_bytes, 1), random_output(max_bytes / 3, 2), Bytes(20'000, 1), {}, {1}};
  for (std::uint32_t seed = 0; seed < 4; seed++)
    outputs.push_back(mixed_output(max_bytes / 2, seed)),
        outputs.push_back(numbers_output(max_bytes / 3, seed));
  for (std::uint32_t period = 1; period <= 17; period++)
    outputs.push_back(period_output(700, period));
  expect_outputs(method, reference, outputs);
  expect_outputs(method, reference, {mixed_output(900, 20), mixed_output(77, 21)}, {5, 1});
}
inline void expect_damage_found(const Method& method, const Reference& reference,
                                std::uint64_t output_bytes, std::uint32_t step) {
  const Bytes text = mixed_output(output_bytes, 7), chunk = reference.compressed(text);
  expect_statuses(method, reference, prefixes(chunk, text.size()));
  expect_statuses(method, reference, single_changes(chunk, text.size(), step));
}

}  // namespace penstock::batch
