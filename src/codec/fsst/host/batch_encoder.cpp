#include "codec/fsst/host/batch_encoder.hpp"

#include <algorithm>
#include <array>

namespace penstock::fsst {
namespace {

// The positions at which a lane reads and writes. Four lanes are interleaved: a match depends on
// the match before it in its string, but not on the other lanes, so that their latencies overlap.
struct Cursor {
  const char *at, *end;  // of the lane's string
  std::uint8_t* out;
};

// The strings that a lane encodes.
struct Lane {
  std::uint64_t string = 0, last_string = 0;
  std::uint8_t* string_out = nullptr;
  bool is_done() const { return string == last_string; }
};

// Stores two bytes; the second one counts only for an escape.
constexpr std::uint64_t store_bytes = 2;
inline void put(Cursor& cursor, std::uint64_t word, Match match) {
  cursor.out[0] = static_cast<std::uint8_t>(match.code());
  cursor.out[1] = static_cast<std::uint8_t>(word);
  cursor.out += match.code_bytes();
  cursor.at += match.length();
}

class Encoder {
 public:
  Encoder(const Matcher& matcher, std::span<const std::string_view> strings,
          std::span<std::uint32_t> sizes)
      : matcher_(matcher), strings_(strings), sizes_(sizes) {}

  // Returns a cursor at the lane's first string that is not empty.
  Cursor begin(Lane& lane, std::uint8_t* out) const {
    Cursor cursor{nullptr, nullptr, out};
    if (!lane.is_done()) cursor = string_cursor(lane, out);
    return lane.is_done() || cursor.at != cursor.end ? cursor : next(lane, cursor);
  }

  // Encodes the rest of a string near its end, where a match may extend past it, then moves to the
  // next string that is not empty.
  [[gnu::noinline]] Cursor next(Lane& lane, Cursor cursor) const {
    while (true) {
      while (cursor.at != cursor.end) {
        const std::uint64_t word = load_word(cursor.at);
        const auto left = static_cast<std::uint64_t>(cursor.end - cursor.at);
        put(cursor, word,
            left >= 8 ? matcher_.find(word)
                      : matcher_.find_at_end(word, static_cast<std::uint32_t>(left)));
      }
      sizes_[lane.string] = static_cast<std::uint32_t>(cursor.out - lane.string_out);
      if (++lane.string == lane.last_string) return cursor;
      cursor = string_cursor(lane, cursor.out);
      if (cursor.at != cursor.end) return cursor;
    }
  }

  // Encodes one match. Returns true at the string's end, or if the match would extend past it and
  // was not taken.
  bool step(Cursor& cursor) const {
    const std::uint64_t word = load_word(cursor.at);
    const Match match = matcher_.find(word);
    if (cursor.at + match.length() >= cursor.end) return true;
    put(cursor, word, match);
    return false;
  }

  Cursor finish_lane(Lane& lane, Cursor cursor) const {
    while (!lane.is_done())
      if (step(cursor)) cursor = next(lane, cursor);
    return cursor;
  }

 private:
  Cursor string_cursor(Lane& lane, std::uint8_t* out) const {
    const std::string_view string = strings_[lane.string];
    lane.string_out = out;
    return {string.data(), string.data() + string.size(), out};
  }

  const Matcher& matcher_;
  std::span<const std::string_view> strings_;
  std::span<std::uint32_t> sizes_;
};

constexpr std::size_t lane_count = 4;
using Lanes = std::array<Lane, lane_count>;
using Cursors = std::array<Cursor, lane_count>;

// Runs all lanes until one is done. Cursors are copied in and out, so that the compiler keeps them
// in registers.
void run_lanes(const Encoder& encoder, Lanes& lanes, Cursors& cursors) {
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

std::uint64_t bytes_of(std::span<const std::string_view> strings) {
  std::uint64_t bytes = 0;
  for (const std::string_view string : strings) bytes += string.size();
  return bytes;
}

// Divides the strings among the lanes by bytes: the first string of each lane, and the end.
std::array<std::uint64_t, lane_count + 1> lane_starts(std::span<const std::string_view> strings) {
  const std::uint64_t all_bytes = bytes_of(strings);
  std::array<std::uint64_t, lane_count + 1> first;
  first.fill(strings.size());
  first[0] = 0;
  std::uint64_t bytes_before = 0;
  std::size_t lane = 1;
  for (std::uint64_t string = 0; string < strings.size(); string++) {
    while (lane < lane_count && bytes_before >= all_bytes * lane / lane_count)
      first[lane++] = string;
    bytes_before += strings[string].size();
  }
  return first;
}

}  // namespace

BatchEncoder::Codes BatchEncoder::encode(const Matcher& matcher,
                                         std::span<const std::string_view> strings,
                                         std::span<std::uint32_t> sizes) {
  const std::uint64_t required_bytes = 2 * bytes_of(strings) + store_bytes * lane_count;
  if (required_bytes > scratch_bytes_) {
    scratch_ = large_array<std::uint8_t>(required_bytes);
    scratch_bytes_ = required_bytes;
  }
  const Encoder encoder(matcher, strings, sizes);
  const auto first = lane_starts(strings);
  Lanes lanes{};
  Cursors cursors{};
  std::array<std::uint8_t*, lane_count> outputs{};
  std::uint8_t* output = scratch_.get();
  for (std::size_t i = 0; i < lane_count; i++) {
    lanes[i].string = first[i], lanes[i].last_string = first[i + 1];
    cursors[i] = encoder.begin(lanes[i], outputs[i] = output);
    output += 2 * bytes_of(strings.subspan(first[i], first[i + 1] - first[i])) + store_bytes;
  }
  run_lanes(encoder, lanes, cursors);
  Codes codes;
  for (std::size_t i = 0; i < lane_count; i++) {
    cursors[i] = encoder.finish_lane(lanes[i], cursors[i]);
    codes.size += static_cast<std::uint64_t>(cursors[i].out - outputs[i]);
  }
  codes.bytes = large_array<std::uint8_t>(codes.size);
  std::uint8_t* to = codes.bytes.get();
  for (std::size_t i = 0; i < lane_count; i++) to = std::copy(outputs[i], cursors[i].out, to);
  return codes;
}

}  // namespace penstock::fsst
