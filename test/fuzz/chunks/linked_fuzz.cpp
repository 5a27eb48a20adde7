// Decodes streams of dependent LZ4 blocks of any bytes, by the kernels that the library launches,
// on the host executor in the same process. Requires the statuses and output of liblz4, which gets
// the output before each block as its prefix, no write outside of a stream's capacity, and no race.
#include "fuzz/chunks/fuzzed_batch.hpp"
#include "fuzz/device/linked_device.hpp"

namespace penstock::fuzz {
namespace {

constexpr std::size_t max_outputs_bytes =
    30'000;  // of all blocks that are made; several have segments then
constexpr std::size_t max_window_bytes = 65536;

char* chars(std::uint8_t* bytes) { return reinterpret_cast<char*>(bytes); }
const char* chars(const std::uint8_t* bytes) { return reinterpret_cast<const char*>(bytes); }

// Returns what liblz4 decodes from a block after this output; nullopt where it refuses it or the
// capacity is too small.
std::optional<Bytes> linked_output(const Bytes& before, const Bytes& block,
                                   std::uint64_t capacity) {
  Bytes output = before;
  output.resize(before.size() + capacity + 1);
  const std::size_t reach = std::min(before.size(), max_window_bytes);
  const int bytes = LZ4_decompress_safe_usingDict(
      chars(block.data()), chars(output.data() + before.size()), static_cast<int>(block.size()),
      static_cast<int>(capacity), chars(output.data() + before.size() - reach),
      static_cast<int>(reach));
  if (bytes < 0) return {};
  const auto begin = output.begin() + static_cast<std::ptrdiff_t>(before.size());
  return Bytes(begin, begin + bytes);
}

// Returns a block that reaches into the output before it; by the high-compression or the fast
// encoder.
Bytes linked_block(const Bytes& before, const Bytes& output, bool is_searched) {
  const std::size_t reach = std::min(before.size(), max_window_bytes);
  const std::uint8_t* const window = before.data() + before.size() - reach;
  const int bytes = static_cast<int>(output.size()), capacity = LZ4_compressBound(bytes);
  Bytes block(static_cast<std::size_t>(capacity));
  int made = 0;
  if (is_searched) {
    const std::unique_ptr<LZ4_streamHC_t, int (*)(LZ4_streamHC_t*)> stream(LZ4_createStreamHC(),
                                                                           LZ4_freeStreamHC);
    LZ4_loadDictHC(stream.get(), chars(window), static_cast<int>(reach));
    made = LZ4_compress_HC_continue(stream.get(), chars(output.data()), chars(block.data()), bytes,
                                    capacity);
  } else {
    const std::unique_ptr<LZ4_stream_t, int (*)(LZ4_stream_t*)> stream(LZ4_createStream(),
                                                                       LZ4_freeStream);
    LZ4_loadDict(stream.get(), chars(window), static_cast<int>(reach));
    made = LZ4_compress_fast_continue(stream.get(), chars(output.data()), chars(block.data()),
                                      bytes, capacity, 1);
  }
  block.resize(static_cast<std::size_t>(made));
  return block;
}

// The expected result of a block; `is_judged`: no earlier block of its stream is corrupt.
struct Right {
  bool is_judged;
  std::optional<Bytes> output;
};

// A batch under construction, block by block.
struct Streams {
  std::vector<Chunk> blocks;
  std::vector<Right> rights;
  LinkedStreams linked;
  std::uint32_t stream_count = 0;
  Bytes before;                // the text of the latest stream, its window in front
  bool is_valid = true;        // so far
  std::size_t made_bytes = 0;  // of texts that were compressed
};

void begin_stream(Streams& streams) {
  streams.before = streams.stream_count++ == 0 ? streams.linked.window : Bytes();
  streams.is_valid = true;
}

std::optional<Bytes> right_output(const Streams& streams, const Bytes& block,
                                  std::uint64_t capacity, bool is_stored) {
  if (!is_stored)
    return batch::has_distance_zero(block) ? std::nullopt
                                           : linked_output(streams.before, block, capacity);
  return block.size() <= capacity ? std::optional(block) : std::nullopt;
}

// A capacity that is large, fits, is more by a little, or short by a little.
std::uint64_t capacity_of(const Streams& streams, const Bytes& block, std::uint32_t kind,
                          bool is_stored) {
  constexpr std::uint64_t enough = 8000;
  const auto output = right_output(streams, block, max_outputs_bytes * 2, is_stored);
  const std::uint64_t right = output ? output->size() : kind;
  if (kind % 4 < 2) return kind % 4 == 0 ? enough : right;
  return kind % 4 == 2 ? right + kind / 4 : right - std::min<std::uint64_t>(right, kind / 4);
}

// A block of `part`: the bytes as they are, stored ones, or data that liblz4 compresses after the
// stream's output, with some bytes changed.
Bytes take_block(Streams& streams, Input part, std::uint32_t kind, bool is_stored) {
  if (is_stored || kind % 4 == 0) {
    const std::string bytes = part.take(part.left());
    return {bytes.begin(), bytes.end()};
  }
  const std::uint32_t changes = kind % 4 == 1 ? part.byte() % 4 : 0,
                      first = changes != 0 ? part.byte() : 0;
  Bytes output;
  if (kind % 4 == 3) {  // begins like an earlier part of the text: fuzzers do not find such bytes
    const std::size_t distance =
        std::min<std::size_t>(part.byte() << 8 | part.byte(), streams.before.size());
    const std::size_t bytes = std::min<std::size_t>(distance, 4 + part.byte() * 8);
    const auto from = streams.before.end() - static_cast<std::ptrdiff_t>(distance);
    output.assign(from, from + static_cast<std::ptrdiff_t>(bytes));
  }
  const Bytes more =
      text_of(part, max_outputs_bytes - std::min(max_outputs_bytes, streams.made_bytes));
  output.insert(output.end(), more.begin(), more.end());
  streams.made_bytes += output.size();
  Bytes block = linked_block(streams.before, output, (kind & 4) != 0);
  for (std::uint32_t i = 0; i < changes && !block.empty(); i++)
    block[first * (i * 37 + 1) % block.size()] ^= static_cast<std::uint8_t>(1 + first);
  return block;
}

void add_block(Streams& streams, Input& input, bool is_last) {
  const std::uint32_t kind = input.byte(), capacity_kind = input.byte();
  const bool is_stored = kind % 8 == 4, begins = streams.blocks.empty() || kind >= 224;
  if (begins) begin_stream(streams);
  const std::string part = input.take(is_last ? input.left() : input.byte() * 2);
  Bytes block =
      take_block(streams, Input(reinterpret_cast<const std::uint8_t*>(part.data()), part.size()),
                 kind, is_stored);
  const std::uint64_t capacity = capacity_of(streams, block, capacity_kind, is_stored);
  Right right{streams.is_valid, right_output(streams, block, capacity, is_stored)};
  streams.is_valid = streams.is_valid && right.output.has_value();
  if (right.output)
    streams.before.insert(streams.before.end(), right.output->begin(), right.output->end());
  streams.rights.push_back(std::move(right)),
      streams.blocks.push_back({std::move(block), capacity});
  streams.linked.words.push_back((streams.stream_count - 1) |
                                 (is_stored ? batch::BlockDependencies::is_stored : 0));
}

Streams take_streams(Input& input, std::uint32_t kind) {
  Streams streams;
  if ((kind & 8) != 0) {
    const std::string part = input.take(input.byte());
    Input own(reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
    streams.linked.window = text_of(own, max_window_bytes);
    streams.linked.window.resize(std::min(streams.linked.window.size(), max_window_bytes));
  }
  const std::uint32_t max_blocks =
      1 + kind % 8 + (kind >= 192 ? 32 : 0);  // more than a team has lanes
  for (std::uint32_t left = max_blocks; left > 0 && (left == max_blocks || input.left() > 0);
       left--)
    add_block(streams, input, left == 1);
  return streams;
}

void run(const std::uint8_t* data, std::size_t bytes) {
  Input input(data, bytes);
  const std::uint32_t
      order = input.byte(),
      kind = input.byte();  // how threads take turns and where blocks lie; what the blocks are
  set_launches(order);
  const Streams streams = take_streams(input, kind);
  std::uint64_t max_output_bytes = 1;
  for (const Chunk& block : streams.blocks)
    max_output_bytes = std::max(max_output_bytes, block.capacity);
  const std::vector<Taken> results = taken<batch::Decoder>(
      device_here(), streams.blocks, Gaps(order), max_output_bytes, streams.linked);
  for (std::size_t i = 0; i < results.size(); i++) {
    const auto& [is_judged, right] = streams.rights[i];
    if (!is_judged) continue;
    const std::string said =
        batch::status_of(batch::Format::lz4, i, results[i].chunk_status).text();
    require(right.has_value() == (results[i].chunk_status.error == batch::ErrorCode::none),
            "liblz4 says the same of the block as: " + said);
    if (right) require(results[i].bytes == *right, "the text is liblz4's");
  }
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::run(data, bytes);
  return 0;
}
