// Deflate streams that lie: each has zlib's status and text, decoded at once, and by several
// threads in tiny pieces the very same error.
//
// The first byte chooses whether the rest is a stream, or a text to compress with what the second
// byte says and then to damage: a fuzzer finds few streams that are long enough for pieces.
#include "codec/deflate/format/inflate.hpp"
#include "codec/deflate/host/parallel_inflate.hpp"
#include "deflate_streams.hpp"
#include "fuzz/input.hpp"

namespace penstock::fuzz {
namespace {

constexpr std::size_t max_bytes = 1 << 20;  // of output; longer ones are not compared

std::string expanded(const std::string& bytes, std::size_t length) {
  std::string text;
  for (std::uint32_t state = 1; text.size() < length && !bytes.empty();
       state = state * 1664525 + 1013904223) {
    const std::size_t from = state % bytes.size();
    text += bytes.substr(from, 1 + (state >> 16) % 40);
  }
  return text;
}

std::string stream_of(Input& input) {
  const std::uint32_t kind = input.byte();
  if (kind % 2 == 0) return input.take(input.left());
  const std::uint32_t how = input.byte(), places = input.byte() % 4;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> damage;
  for (std::uint32_t i = 0; i < places; i++)
    damage.emplace_back(input.byte() << 16 | input.byte() << 8 | input.byte(), input.byte());
  const std::string text = expanded(input.take(input.left()), 40000 + 300 * (kind / 2));
  const int level = static_cast<int>(how % 10), strategy = static_cast<int>(how / 10 % 5),
            memory_level = 1 + static_cast<int>(how / 50);
  std::string stream = deflate::deflated(text, level, strategy, memory_level);
  for (const auto& [place, change] : damage)
    stream[place % stream.size()] ^= static_cast<char>(change);
  return stream;
}

void compare_in_pieces(const std::string& stream, const std::string& text, const Status& status,
                       const deflate::InflateOptions& options) {
  auto inflate = deflate::ParallelInflate::begin(deflate::bytes_of(stream), options);
  require(inflate.ok(), "it begins");
  std::string whole;
  for (;;) {
    const auto bytes = (*inflate)->next();
    if (!bytes.ok())
      require(bytes.status().text() == status.text(),
              "the same error in pieces: " + bytes.status().text() + status.text());
    else if (!bytes->empty()) {
      whole.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      continue;
    }
    require(bytes.ok() == status.ok(), "the same status in pieces");
    break;
  }
  require(!status.ok() || whole == text, "the same text in pieces");
}

void try_stream(const std::string& stream) {
  const deflate::ChunkStatus expected = deflate::zlib_status(stream, max_bytes);
  std::string out(max_bytes, '\0');
  const auto inflated =
      deflate::inflate(deflate::bytes_of(stream), std::as_writable_bytes(std::span(out)));
  if (!inflated.ok() && inflated.status().code() == Code::capacity) return;
  require(inflated.ok() == expected.is_valid, "zlib's status: " + inflated.status().text());
  if (inflated.ok()) {
    out.resize(inflated->output_bytes);
    require(out == expected.output && inflated->input_bytes == expected.input_bytes,
            "zlib's text and end");
  }
  for (const auto mode : {deflate::SpeculationMode::tokens, deflate::SpeculationMode::markers})
    compare_in_pieces(stream, out, inflated.status(),
                      {.threads = 3,
                       .speculation = mode,
                       .segment_bytes = 20000,
                       .step_bytes = 1000,
                       .segment_input_bytes = 500});
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::Input input(data, bytes);
  penstock::fuzz::try_stream(penstock::fuzz::stream_of(input));
  return 0;
}
