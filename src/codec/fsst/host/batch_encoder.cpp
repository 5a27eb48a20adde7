#include "codec/fsst/host/batch_encoder.hpp"

#include <algorithm>
#include <array>

namespace penstock::fsst {
namespace {

// Where a lane reads and writes. Several lanes take turns: each match waits for the one before it,
// but not for those of other texts.
struct Cursor {
  const char *at, *end;  // of the lane's text
  std::uint8_t* out;
};

// The texts of a lane.
struct Lane {
  std::uint64_t text = 0, last_text = 0;
  std::uint8_t* text_out = nullptr;
  bool is_done() const { return text == last_text; }
};

// Two bytes are stored, whether the second counts or not.
constexpr std::uint64_t store_bytes = 2;
inline void put(Cursor& cursor, std::uint64_t word, Match match) {
  cursor.out[0] = static_cast<std::uint8_t>(match.code());
  cursor.out[1] = static_cast<std::uint8_t>(word);
  cursor.out += match.code_bytes();
  cursor.at += match.length();
}

class Encoder {
 public:
  Encoder(const Matcher& matcher, std::span<const std::string_view> texts,
          std::span<std::uint32_t> sizes)
      : matcher_(matcher), texts_(texts), sizes_(sizes) {}

  // The lane's first text that is not empty.
  Cursor begin(Lane& lane, std::uint8_t* out) const {
    Cursor cursor{nullptr, nullptr, out};
    if (!lane.is_done()) cursor = text_of(lane, out);
    return lane.is_done() || cursor.at != cursor.end ? cursor : next(lane, cursor);
  }

  // Encodes what is left of a text whose next match may reach behind its end, and goes to the next
  // text that is not empty.
  [[gnu::noinline]] Cursor next(Lane& lane, Cursor cursor) const {
    while (true) {
      while (cursor.at != cursor.end) {
        const std::uint64_t word = load_word(cursor.at);
        const auto left = static_cast<std::uint64_t>(cursor.end - cursor.at);
        put(cursor, word,
            left >= 8 ? matcher_.find(word)
                      : matcher_.find_at_end(word, static_cast<std::uint32_t>(left)));
      }
      sizes_[lane.text] = static_cast<std::uint32_t>(cursor.out - lane.text_out);
      if (++lane.text == lane.last_text) return cursor;
      cursor = text_of(lane, cursor.out);
      if (cursor.at != cursor.end) return cursor;
    }
  }

  // One match. True at the text's end, or where the match would reach behind it and was not taken.
  bool step(Cursor& cursor) const {
    const std::uint64_t word = load_word(cursor.at);
    const Match match = matcher_.find(word);
    if (cursor.at + match.length() >= cursor.end) return true;
    put(cursor, word, match);
    return false;
  }

  Cursor run_alone(Lane& lane, Cursor cursor) const {
    while (!lane.is_done())
      if (step(cursor)) cursor = next(lane, cursor);
    return cursor;
  }

 private:
  Cursor text_of(Lane& lane, std::uint8_t* out) const {
    const std::string_view text = texts_[lane.text];
    lane.text_out = out;
    return {text.data(), text.data() + text.size(), out};
  }

  const Matcher& matcher_;
  std::span<const std::string_view> texts_;
  std::span<std::uint32_t> sizes_;
};

constexpr std::size_t lane_count = 4;
using Lanes = std::array<Lane, lane_count>;
using Cursors = std::array<Cursor, lane_count>;

// Until one lane is done. Cursors are copied to and fro, so that the compiler keeps them in
// registers.
void run_together(const Encoder& encoder, Lanes& lanes, Cursors& cursors) {
  for (const Lane& lane : lanes)
    if (lane.is_done()) return;
  Cursor a = cursors[0], b = cursors[1], c = cursors[2], d = cursors[3];
  const auto ends = [&](std::size_t lane, Cursor& cursor) {
    if (!encoder.step(cursor)) return false;
    cursor = encoder.next(lanes[lane], Cursor(cursor));
    return lanes[lane].is_done();
  };
  while (!ends(0, a) && !ends(1, b) && !ends(2, c) && !ends(3, d)) {}
  cursors = {a, b, c, d};
}

std::uint64_t bytes_of(std::span<const std::string_view> texts) {
  std::uint64_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  return bytes;
}

// Where the texts' bytes, added up, pass each lane's share; and the end.
std::array<std::uint64_t, lane_count + 1> shares(std::span<const std::string_view> texts) {
  const std::uint64_t all_bytes = bytes_of(texts);
  std::array<std::uint64_t, lane_count + 1> first;
  first.fill(texts.size());
  first[0] = 0;
  std::uint64_t passed = 0;
  std::size_t lane = 1;
  for (std::uint64_t text = 0; text < texts.size(); text++) {
    while (lane < lane_count && passed >= all_bytes * lane / lane_count) first[lane++] = text;
    passed += texts[text].size();
  }
  return first;
}

}  // namespace

BatchEncoder::Codes BatchEncoder::encode(const Matcher& matcher,
                                         std::span<const std::string_view> texts,
                                         std::span<std::uint32_t> sizes) {
  const std::uint64_t needed = 2 * bytes_of(texts) + store_bytes * lane_count;
  if (needed > scratch_bytes_) {
    scratch_ = large_array<std::uint8_t>(needed);
    scratch_bytes_ = needed;
  }
  const Encoder encoder(matcher, texts, sizes);
  const auto first = shares(texts);
  Lanes lanes{};
  Cursors cursors{};
  std::array<std::uint8_t*, lane_count> outputs{};
  std::uint8_t* output = scratch_.get();
  for (std::size_t i = 0; i < lane_count; i++) {
    lanes[i].text = first[i], lanes[i].last_text = first[i + 1];
    cursors[i] = encoder.begin(lanes[i], outputs[i] = output);
    output += 2 * bytes_of(texts.subspan(first[i], first[i + 1] - first[i])) + store_bytes;
  }
  run_together(encoder, lanes, cursors);
  Codes codes;
  for (std::size_t i = 0; i < lane_count; i++) {
    cursors[i] = encoder.run_alone(lanes[i], cursors[i]);
    codes.size += static_cast<std::uint64_t>(cursors[i].out - outputs[i]);
  }
  codes.bytes = large_array<std::uint8_t>(codes.size);
  std::uint8_t* to = codes.bytes.get();
  for (std::size_t i = 0; i < lane_count; i++) to = std::copy(outputs[i], cursors[i].out, to);
  return codes;
}

}  // namespace penstock::fsst
