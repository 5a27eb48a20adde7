// One stream by several threads, in segments so small that most seams of large files occur. Output
// and errors must equal sequential decoding's, and output must always come.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"
#include "codec/deflate/format/inflate.hpp"
#include "codec/deflate/host/parallel_inflate.hpp"
#include "deflate_streams.hpp"

namespace penstock::deflate {
namespace {

struct Outcome {
  std::string output;
  Status status;
  std::uint64_t input_bytes = 0;
  std::uint32_t checksum = 0;
  ParallelInflate::Segments segments;
};

// A slow caller gives the threads time to run ahead.
Outcome run(std::span<const std::byte> stream, const InflateOptions& options,
            bool takes_its_time = false) {
  Outcome outcome;
  auto inflate = ParallelInflate::begin(stream, options);
  EXPECT_TRUE(inflate.ok());
  for (;;) {
    const auto bytes = (*inflate)->next();
    outcome.status = bytes.status();
    if (!bytes.ok() || bytes->empty()) break;
    outcome.output.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    if (takes_its_time) std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  outcome.input_bytes = (*inflate)->consumed_bytes();
  outcome.checksum = (*inflate)->checksum();
  outcome.segments = (*inflate)->segments();
  return outcome;
}

Outcome run(const std::string& stream, const InflateOptions& options, bool takes_its_time = false) {
  return run(bytes_of(stream), options, takes_its_time);
}

// Segments of 4 to 64 KB, by two to eight threads.
std::vector<InflateOptions> small_segments() {
  std::vector<InflateOptions> all;
  for (const SpeculationMode mode : {SpeculationMode::tokens, SpeculationMode::markers})
    for (const unsigned threads : {2u, 3u, 8u})
      for (const std::size_t piece : {std::size_t{40000}, std::size_t{200000}})
        all.push_back({.threads = threads,
                       .checksum = Checksum::crc32,
                       .speculation = mode,
                       .segment_bytes = piece,
                       .step_bytes = 5000,
                       .segment_input_bytes = piece / 10});
  return all;
}

// Returns how many segments were decoded speculatively and used, in all: some forty on a quiet
// machine, fewer if threads wait for a core.
std::uint64_t expect_same_by_threads(const std::string& text, const std::string& stream,
                                     bool takes_its_time = false) {
  std::uint64_t segments_used = 0;
  for (const InflateOptions& options : small_segments()) {
    const Outcome outcome = run(stream + std::string(1000, 'b'), options, takes_its_time);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.text();
    EXPECT_TRUE(outcome.output == text)
        << outcome.output.size() << " of " << text.size() << " bytes";
    EXPECT_EQ(outcome.input_bytes, stream.size());
    EXPECT_EQ(outcome.checksum, checksum::crc32(0, bytes_of(text)));
    segments_used += outcome.segments.used;
  }
  return segments_used;
}

TEST(ParallelInflate, EveryKindOfOutputComesBack) {
  const auto outputs = outputs_of_all_kinds(3000000);
  for (const std::string& text : outputs)
    for (const int level : {1, 6, 9}) expect_same_by_threads(text, deflated(text, level));
}
TEST(ParallelInflate, SegmentsAreDecodedSpeculativelyAndUsed) {
  const auto outputs = outputs_of_all_kinds(1500000);
  std::uint64_t segments_used = 0;
  for (std::size_t kind = 0; kind < 3; kind++)
    segments_used += expect_same_by_threads(
        outputs[kind], deflated(outputs[kind], 6, Z_DEFAULT_STRATEGY, 3), true);
  EXPECT_GT(segments_used, 0u);
}
TEST(ParallelInflate, LibdeflatesBlocksComeBack) {
  for (const std::string& text : outputs_of_all_kinds(2000000))
    expect_same_by_threads(text, deflated_by_libdeflate(text, 6));
}
TEST(ParallelInflate, BlocksThatAreNotFoundComeBack) {
  for (const std::string& text : outputs_of_all_kinds(500000))
    for (const int strategy : {Z_FIXED, Z_HUFFMAN_ONLY})
      expect_same_by_threads(text, deflated(text, 6, strategy));
  const std::string text = outputs_of_all_kinds(500000)[3];
  expect_same_by_threads(text, deflated(text, 0));
}
TEST(ParallelInflate, BlocksOfEveryTypeInTurnComeBack) {
  const auto outputs = outputs_of_all_kinds(120000);
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -15, 4, Z_DEFAULT_STRATEGY), Z_OK);
  std::string text, made(4000000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(made.data());
  stream.avail_out = static_cast<uInt>(made.size());
  for (unsigned part = 0; part < 200; part++) {
    const std::string& from = outputs[part * 7 % 4];
    const std::string piece = from.substr(part * 991 % 90000, 500 + part * 137 % 20000);
    text += piece;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    ASSERT_EQ(::deflate(&stream, part == 199     ? Z_FINISH
                                 : part % 3 == 0 ? Z_FULL_FLUSH
                                 : part % 3 == 1 ? Z_SYNC_FLUSH
                                                 : Z_BLOCK),
              part == 199 ? Z_STREAM_END : Z_OK);
    if (part == 199) break;
    ASSERT_EQ(deflateParams(&stream, static_cast<int>(part % 10),
                            part % 5 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY),
              Z_OK);
  }
  made.resize(stream.total_out);
  deflateEnd(&stream);
  expect_same_by_threads(text, made);
}
// The status of the sequential decoder.
Status in_order(const std::string& stream, std::size_t max_bytes) {
  std::string out(max_bytes, '\0');
  return inflate(bytes_of(stream), std::as_writable_bytes(std::span(out))).status();
}
// One dynamic block for all output, as igzip -0 makes them: 'e' has one bit; letters, three lengths
// and the end of the block have seven.
struct OneBlock {
  std::string output, stream;
};
OneBlock in_one_block(std::size_t bytes) {
  std::vector<unsigned> literals(285, 0), distances(25, 0), codes(285, 0);
  for (unsigned letter = 0; letter < 60; letter++) literals['0' + letter] = 7;
  literals[256] = literals[257] = literals[265] = literals[284] = 7, literals['e'] = 1,
  literals['0' + 60] = 7;
  distances[10] = distances[24] = 1;
  for (unsigned symbol = 0, code = 64; symbol < 285; symbol++)
    if (literals[symbol] == 7) codes[symbol] = code++;
  BitWriter bits;
  bits.header(true, 2).codes(literals, distances);
  OneBlock made;
  Random random(11);
  while (made.output.size() < bytes) {
    const unsigned kind = random() % 10;
    if (kind < 6 || made.output.size() < 7000) {
      const unsigned letter = kind < 3 ? 'e' : '0' + random() % 60;
      bits.code(codes[letter], literals[letter]);
      made.output += static_cast<char>(letter);
      continue;
    }
    const unsigned extra = random() % 2048;
    std::size_t length = kind == 6 ? 3 : kind == 7 ? 11 + extra % 2 : 227 + extra % 31;
    bits.code(codes[kind == 6   ? 257
                    : kind == 7 ? 265
                                : 284],
              7)
        .number(extra % 2, kind == 7 ? 1 : 0)
        .number(extra % 31, kind > 7 ? 5 : 0);
    const bool is_far = random() % 2 == 0;
    const std::size_t distance = is_far ? 4097 + extra : 33 + extra % 16;
    bits.code(is_far, 1).number(is_far ? extra : extra % 16, is_far ? 11 : 4);
    for (; length > 0; length--) made.output += made.output[made.output.size() - distance];
  }
  made.stream = bits.code(codes[256], 7).bytes();
  return made;
}
TEST(ParallelInflate, OneBlockForAllIsDecodedAheadInside) {
  const OneBlock block = in_one_block(8000000);
  // A busy machine may start the second thread when the first has done its work.
  auto segments = expect_same_by_threads(block.output, block.stream, true);
  for (int attempt = 1; attempt < 5 && segments == 0; attempt++)
    segments = expect_same_by_threads(block.output, block.stream, true);
  EXPECT_GT(segments, 0u);
  expect_same_by_threads(block.output, block.stream);
}
// Has a stream's bytes, 64 at a time, once they were required, and other bytes before that.
class BytesOnDemand final : public InputWindow {
 public:
  explicit BytesOnDemand(const std::string& stream)
      : stream_(stream), memory_(stream.size(), '\xaa'), are_there_(stream.size() / 64 + 1) {}
  std::span<const std::byte> bytes() const { return bytes_of(memory_); }
  Status require(std::uint64_t first, std::uint64_t last) override {
    const std::lock_guard lock(mutex_);
    last = std::min<std::uint64_t>(last, stream_.size());
    for (std::uint64_t part = first / 64; part * 64 < last; part++) {
      if (are_there_[part]) continue;
      are_there_[part] = true;
      memory_.replace(part * 64, 64, stream_, part * 64, 64);
    }
    return {};
  }
  void release(std::uint64_t) override {}

 private:
  const std::string& stream_;
  std::string memory_;
  std::vector<char> are_there_;
  std::mutex mutex_;
};

TEST(ParallelInflate, InputThatIsReadAsItIsDecodedComesBack) {
  const OneBlock block = in_one_block(500000);
  std::vector<std::pair<std::string, std::string>> all = {{block.output, block.stream}};
  for (const std::string& text : outputs_of_all_kinds(200000))
    all.emplace_back(text, deflated(text, 6));
  const std::string text = outputs_of_all_kinds(200000)[3];
  all.emplace_back(text, deflated(text, 0));
  std::string empty_blocks;
  for (int i = 0; i < 60000; i++) empty_blocks.append("\0\0\0\xff\xff", 5);
  all.emplace_back(text, empty_blocks + deflated(text, 6) + empty_blocks);
  for (const auto& [output, stream] : all)
    for (InflateOptions options : small_segments()) {
      const auto window = std::make_shared<BytesOnDemand>(stream);
      options.window = window;
      const Outcome outcome = run(window->bytes(), options);
      EXPECT_TRUE(outcome.status.ok()) << outcome.status.text();
      EXPECT_TRUE(outcome.output == output);
    }
}
TEST(ParallelInflate, DamageInsideOneBlockHasTheSameErrorAsInOrder) {
  const OneBlock block = in_one_block(3000000);
  Random random(12);
  for (int damage = 0; damage < 20; damage++) {
    std::string changed = block.stream;
    if (damage % 4 == 0)
      changed.resize(random() % changed.size());
    else
      changed[random() % changed.size()] ^= static_cast<char>(1 + random() % 255);
    const Status expected = in_order(changed, 30000000);
    for (const InflateOptions& options : small_segments())
      ASSERT_EQ(run(changed, options).status.text(), expected.text());
  }
}
TEST(ParallelInflate, ABombComesInParts) {
  const std::string text(50000000, '\0');
  const std::string stream = deflated(text, 9);
  for (InflateOptions options : small_segments()) {
    options.checksum = Checksum::adler32;
    auto inflate = ParallelInflate::begin(bytes_of(stream), options);
    std::uint64_t total = 0;
    for (;;) {
      const auto bytes = (*inflate)->next();
      ASSERT_TRUE(bytes.ok());
      if (bytes->empty()) break;
      ASSERT_LE(bytes->size(), options.segment_bytes + options.step_bytes + 1024);
      total += bytes->size();
    }
    EXPECT_EQ(total, text.size());
    EXPECT_EQ((*inflate)->checksum(), checksum::adler32(1, bytes_of(text)));
  }
}
TEST(ParallelInflate, OneThreadAndDefaultsComeBack) {
  const std::string text = outputs_of_all_kinds(20000000)[1], stream = deflated(text, 6);
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    const Outcome outcome = run(stream, {.threads = threads});
    ASSERT_TRUE(outcome.status.ok());
    EXPECT_TRUE(outcome.output == text);
    EXPECT_EQ(outcome.checksum, 0u);
  }
}
TEST(ParallelInflate, AnEmptyOutputIsAnEnd) {
  const Outcome outcome = run(deflated("", 6), {});
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(run("", {}).status.code(), Code::truncated);
}

TEST(ParallelInflate, DamageHasTheSameErrorAsInOrder) {
  Random random(5);
  const auto outputs = outputs_of_all_kinds(1000000);
  for (std::size_t kind = 0; kind < 3; kind++) {
    const std::string stream = deflated(outputs[kind], 6);
    for (int damage = 0; damage < 12; damage++) {
      std::string changed = stream;
      if (damage % 3 == 0)
        changed.resize(random() % changed.size());
      else
        changed[random() % changed.size()] ^= static_cast<char>(1 + random() % 255);
      const Status expected = in_order(changed, 4000000);
      if (expected.code() == Code::capacity) continue;
      for (const InflateOptions& options : small_segments())
        ASSERT_EQ(run(changed, options).status.text(), expected.text());
    }
  }
}
TEST(ParallelInflate, AnErrorComesAgainWhenAskedAgain) {
  const std::string stream = deflated(outputs_of_all_kinds(300000)[0], 6);
  auto inflate =
      ParallelInflate::begin(bytes_of(stream).first(stream.size() - 1), small_segments()[0]);
  Status first;
  for (;;) {
    const auto bytes = (*inflate)->next();
    first = bytes.status();
    if (!bytes.ok()) break;
  }
  EXPECT_EQ(first.code(), Code::truncated);
  EXPECT_EQ((*inflate)->next().status().text(), first.text());
}
TEST(ParallelInflate, WhoLeavesEarlyDoesNotWait) {
  const std::string stream = deflated(outputs_of_all_kinds(3000000)[0], 6);
  for (const InflateOptions& options : small_segments())
    for (int pieces = 0; pieces < 8; pieces++) {
      auto inflate = ParallelInflate::begin(bytes_of(stream), options);
      for (int piece = 0; piece < pieces; piece++) ASSERT_TRUE((*inflate)->next().ok());
    }
}

}  // namespace
}  // namespace penstock::deflate
