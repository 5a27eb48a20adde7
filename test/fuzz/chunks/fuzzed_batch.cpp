// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
// clang-format on
#include "fuzz/chunks/fuzzed_batch.hpp"

#include "fuzz/device/linked_device.hpp"
#include "kernel_c/executor.hpp"

namespace penstock::fuzz {
namespace {

constexpr std::uint8_t canary = 0xa5;

template <class T> T expected(Result<T> result) {
  require(result.ok(), "the library takes the batch: " + result.status().text());
  return std::move(*result);
}

// Bytes of an alphabet of `letters`, which nothing repeats.
void add_noise(Bytes& text, std::size_t bytes, std::uint32_t letters) {
  for (std::uint32_t state = static_cast<std::uint32_t>(text.size() + letters); bytes > 0;
       bytes--) {
    state = state * 1664525 + 1013904223;
    text.push_back(static_cast<std::uint8_t>((state >> 16) % letters));
  }
}

bool goes_on(const LinkedStreams& linked, std::size_t chunk) {
  constexpr std::uint32_t stored = batch::BlockDependencies::is_stored;
  return chunk > 0 && chunk < linked.words.size() &&
         (linked.words[chunk] | stored) == (linked.words[chunk - 1] | stored);
}

struct Layout {
  Layout(const std::vector<Chunk>& chunks, Gaps gaps, const LinkedStreams& linked) {
    for (std::size_t i = 0; i < chunks.size(); i++) {
      input.resize(input.size() + gaps.input);
      input_offsets.push_back(input.size()), input_sizes.push_back(chunks[i].bytes.size());
      input.insert(input.end(), chunks[i].bytes.begin(), chunks[i].bytes.end());
      if (!goes_on(linked, i))
        output.resize(output.size() + gaps.output, canary), stream_bytes.push_back(0);
      if (i == 0) output.insert(output.end(), linked.window.begin(), linked.window.end());
      streams.push_back(stream_bytes.size() - 1), stream_bytes.back() += chunks[i].capacity;
      output_offsets.push_back(output.size()), capacities.push_back(chunks[i].capacity);
      output.resize(output.size() + chunks[i].capacity, canary);
    }
    input.resize((input.size() + 15) / 16 * 16),
        output.resize((output.size() + 15) / 16 * 16, canary);
  }
  Bytes input, output;
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, capacities;
  std::vector<std::uint64_t> streams,
      stream_bytes;  // of each chunk; of each stream: its capacities
};

template <class T> std::shared_ptr<Buffer> bring(Device& device, const std::vector<T>& values) {
  auto buffer = expected(device.allocate(values.size() * sizeof(T)));
  if (!values.empty())
    std::memcpy(content_of(*buffer).data(), values.data(), values.size() * sizeof(T));
  return buffer;
}

batch::BlockDependencies links_of(Device& device, const Layout& layout,
                                  const LinkedStreams& linked) {
  return {
      .streams = bring(device, linked.words),
      .stream_count = static_cast<std::uint32_t>(layout.stream_bytes.size()),
      .max_stream_bytes = *std::max_element(layout.stream_bytes.begin(), layout.stream_bytes.end()),
      .window_bytes = static_cast<std::uint32_t>(linked.window.size())};
}

void expect_untouched(const Layout& layout, const std::uint8_t* output) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i <= layout.capacities.size(); i++) {
    const bool is_behind = i == layout.capacities.size();
    const std::uint64_t gap_end = is_behind ? layout.output.size() : layout.output_offsets[i];
    require(std::equal(output + end, output + gap_end, layout.output.data() + end),
            "nothing is written outside of the output buffers");
    if (!is_behind) end = gap_end + layout.capacities[i];
  }
}

std::vector<Taken> found(const Layout& layout, const batch::Batch& batch) {
  std::vector<Taken> result(batch.chunk_count);
  const auto* const output =
      reinterpret_cast<const std::uint8_t*>(content_of(*batch.output).data());
  expect_untouched(layout, output);
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < result.size(); i++) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, content_of(*batch.output_sizes).data() + i * 8, 8);
    std::memcpy(&result[i].chunk_status, content_of(*batch.statuses).data() + i * 8, 8);
    require(bytes <= layout.capacities[i], "no output is longer than its capacity");
    require(result[i].chunk_status.offset <= layout.input_sizes[i],
            "a fault is inside of its chunk");
    require(result[i].chunk_status.error == batch::ErrorCode::none || bytes == 0,
            "nothing is made of a chunk that is not valid");
    if (i == 0 || layout.streams[i] != layout.streams[i - 1]) at = layout.output_offsets[i];
    result[i].bytes.assign(output + at, output + at + bytes), at += bytes;
  }
  return result;
}

}  // namespace

Bytes text_of(Input& input, std::size_t max_bytes) {
  Bytes text;
  while (input.left() > 0 && text.size() < max_bytes) {
    const std::uint32_t kind = input.byte();
    if (kind < 128 || text.empty()) {
      for (std::uint32_t i = 0; i <= kind % 16 && input.left() > 0; i++)
        text.push_back(static_cast<std::uint8_t>(input.byte()));
      continue;
    }
    const std::uint32_t first = input.byte(), second = input.byte();
    if (kind == 255) {
      add_noise(text, 64 * (1 + first), 1 + second);
      continue;
    }
    const std::size_t distance = 1 + (first << 8 | second) % text.size(),
                      count = kind < 224 ? kind - 124 : (kind - 220) * 200;
    for (std::size_t i = 0; i < count; i++) text.push_back(text[text.size() - distance]);
  }
  return text;
}

template <class Codec>
std::vector<Taken> taken(const ChunkDevice& on, const std::vector<Chunk>& chunks, Gaps gaps,
                         std::uint64_t max_output_bytes, const LinkedStreams& linked) {
  const Layout layout(chunks, gaps, linked);
  const auto device = make_linked_device(traits_of(on));
  const auto queue = expected(device->queue());
  batch::Batch batch;
  batch.chunk_count = static_cast<std::uint32_t>(chunks.size());
  batch.max_output_bytes = max_output_bytes;
  batch.input = bring(*device, layout.input), batch.output = bring(*device, layout.output);
  batch.input_offsets = bring(*device, layout.input_offsets),
  batch.input_sizes = bring(*device, layout.input_sizes);
  batch.output_offsets = bring(*device, layout.output_offsets),
  batch.output_capacities = bring(*device, layout.capacities);
  batch.output_sizes = expected(device->allocate(chunks.size() * 8)),
  batch.statuses = expected(device->allocate(chunks.size() * 8));
  if (!linked.words.empty()) batch.dependencies = links_of(*device, layout, linked);
  const auto codec =
      expected(Codec::build(device, codec_here().format, variant_of(codec_here(), on)));
  const auto scratch =
      expected(device->allocate(codec->scratch_bytes(batch.chunk_count, batch.max_output_bytes)));
  const Status status = codec->enqueue(*queue, batch, *scratch);
  require(status.ok(), "a batch of any bytes is taken: " + status.text());
  return found(layout, batch);
}
template std::vector<Taken> taken<batch::Decoder>(const ChunkDevice&, const std::vector<Chunk>&,
                                                  Gaps, std::uint64_t, const LinkedStreams&);
template std::vector<Taken> taken<batch::Encoder>(const ChunkDevice&, const std::vector<Chunk>&,
                                                  Gaps, std::uint64_t, const LinkedStreams&);

const kernelc::KernelEntry* find_linked(const ProgramSource& source, std::string_view kernel) {
  const kernelc::KernelEntry* const entry = kernelc::find_kernel(kernel);
  if (entry == nullptr) return nullptr;
  require(entry->group_size == source.group_size,
          "groups of the library's size are linked: " + std::string(kernel));
  require(entry->tile_bytes <= traits_of(device_here()).local_bytes,
          "a group has no more local memory than there is");
  return entry;
}

}  // namespace penstock::fuzz
