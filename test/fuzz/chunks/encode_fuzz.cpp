// Batches of texts made chunks of one format by the kernels that the library launches, on the host
// executor in the same process: the format's own library reads them, they stay in their rooms, no
// item races with another, and every chunk is the one that an item makes.
#include "fuzz/chunks/fuzzed_batch.hpp"
#include "fuzz/device/linked_device.hpp"

namespace penstock::fuzz {
namespace {

chunks::Format format_here() { return codec_here().format; }
std::optional<Bytes> read(const Chunk& chunk) {
  return format_here() == chunks::Format::lz4 ? chunks::lz4_text(chunk)
                                              : chunks::deflate_text(chunk, chunks::raw_window);
}

// Room for what a text becomes, short by a little or by much, or of the bound.
std::uint64_t room_of(std::uint32_t kind, std::uint64_t bytes, std::uint64_t bound) {
  switch (kind % 4) {
    case 0: return bound;
    case 1: return bytes + kind / 4 % 4;
    case 2: return bytes - std::min<std::uint64_t>(bytes, 1 + kind / 4);
    default: return bytes * (kind / 4) / 64;
  }
}

// What an item makes of each text in room enough, which the library reads.
std::vector<Bytes> made_by_items(const std::vector<Bytes>& texts, std::uint32_t gap) {
  std::vector<Chunk> bounded;
  for (const Bytes& text : texts)
    bounded.push_back({text, chunks::Encoder::bound_bytes(format_here(), text.size())});
  const std::vector<Taken> results =
      taken<chunks::Encoder>(*find_row(chunk_devices, "items"), bounded, gap, 0);
  std::vector<Bytes> whole;
  for (std::size_t i = 0; i < texts.size(); i++) {
    require(results[i].verdict.fault == chunks::Fault::none, "the bound is room enough");
    const std::optional<Bytes> text = read({results[i].bytes, texts[i].size()});
    require(text.has_value() && *text == texts[i], "the library reads the text");
    whole.push_back(results[i].bytes);
  }
  return whole;
}

void run(const std::uint8_t* data, std::size_t bytes) {
  Input input(data, bytes);
  const std::uint32_t
      order = input.byte(),
      kind = input.byte();  // how items take turns and where texts lie; how many they are
  set_launches(order);
  const std::size_t most_bytes =
      (kind & 4) != 0 ? 60'000
                      : 6'000;  // long ones have matches farther than formats allow, and are slow
  std::vector<Bytes> texts;
  std::vector<std::uint32_t> rooms;
  for (std::uint32_t left = 1 + kind % 3; left > 0; left--) {
    rooms.push_back(input.byte());
    const std::string part = input.take(left == 1 ? input.left() : input.byte() * 2);
    Input own(reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
    texts.push_back(text_of(own, most_bytes));
  }
  const std::vector<Bytes> whole = made_by_items(texts, kind / 8);
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < texts.size(); i++)
    chunks.push_back(
        {texts[i], room_of(rooms[i], whole[i].size(),
                           chunks::Encoder::bound_bytes(format_here(), texts[i].size()))});
  const std::vector<Taken> results = taken<chunks::Encoder>(device_here(), chunks, order % 32, 0);
  for (std::size_t i = 0; i < texts.size(); i++) {
    const bool fits = whole[i].size() <= chunks[i].capacity;
    require(results[i].verdict.fault == (fits ? chunks::Fault::none : chunks::Fault::no_room),
            "a chunk is refused where it has no room");
    if (fits) require(results[i].bytes == whole[i], "the chunk is the one that an item makes");
  }
}

}  // namespace
}  // namespace penstock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::run(data, bytes);
  return 0;
}
