#include "codec/fsst/encode_texts.hpp"

#include <array>

namespace penstock::fsst {
namespace {

constexpr std::uint64_t store_bytes = 2;      // every code is stored as two bytes, whether it is an escape or not

// One text after another, from `text` to `end`, into `out`. Several lanes take turns: each code waits for the one before it, but
// not for those of other texts.
struct Lane {
  const char *at = nullptr, *end = nullptr, *wide_end = nullptr;      // wide_end: eight bytes can be read below it
  std::uint8_t *out = nullptr, *text_out = nullptr;
  std::uint64_t text = 0, last_text = 0;
  bool is_done() const { return text == last_text; }
};

void put(Lane& lane, Match match) {
  std::memcpy(lane.out, &match.code, store_bytes);
  lane.out += match.code_bytes;
  lane.at += match.length;
}

void begin_text(Lane& lane, std::string_view text) {
  lane.at = text.data();
  lane.end = text.data() + text.size();
  lane.wide_end = text.size() >= 8 ? lane.end - 7 : lane.at;
  lane.text_out = lane.out;
}

// The last seven bytes or fewer of a lane's text.
void finish_text(const Matcher& matcher, Lane& lane) {
  std::uint64_t word = 0;
  auto left = static_cast<std::uint32_t>(lane.end - lane.at);
  if (left != 0) std::memcpy(&word, lane.at, left);
  while (left != 0) {
    const Match match = matcher.find_at_end(word, left);
    put(lane, match);
    word >>= 8 * match.length;
    left -= match.length;
  }
}

// Ends the lane's text and begins texts until one has eight bytes and more left, or none is left.
void next_text(const Matcher& matcher, Lane& lane, std::span<const std::string_view> texts, std::span<std::uint32_t> sizes) {
  do {
    finish_text(matcher, lane);
    sizes[lane.text] = static_cast<std::uint32_t>(lane.out - lane.text_out);
    if (++lane.text == lane.last_text) return;
    begin_text(lane, texts[lane.text]);
  } while (lane.at >= lane.wide_end);
}

void step(const Matcher& matcher, Lane& lane) { put(lane, matcher.find(load_word(lane.at))); }

void run_alone(const Matcher& matcher, Lane& lane, std::span<const std::string_view> texts, std::span<std::uint32_t> sizes) {
  while (!lane.is_done()) {
    while (lane.at < lane.wide_end) step(matcher, lane);
    next_text(matcher, lane, texts, sizes);
  }
}

constexpr std::size_t lane_count = 4;
using Lanes = std::array<Lane, lane_count>;

void run(const Matcher& matcher, Lanes& lanes, std::span<const std::string_view> texts, std::span<std::uint32_t> sizes) {
  auto [a, b, c, d] = lanes;
  while (!a.is_done() && !b.is_done() && !c.is_done() && !d.is_done()) {
    while (a.at < a.wide_end && b.at < b.wide_end && c.at < c.wide_end && d.at < d.wide_end)
      step(matcher, a), step(matcher, b), step(matcher, c), step(matcher, d);
    for (Lane* lane : {&a, &b, &c, &d})
      if (lane->at >= lane->wide_end) next_text(matcher, *lane, texts, sizes);
  }
  lanes = {a, b, c, d};
  for (Lane& lane : lanes) run_alone(matcher, lane, texts, sizes);
}

// Where the texts' bytes, added up, pass the lane's share.
std::array<std::uint64_t, lane_count + 1> shares(std::span<const std::string_view> texts, std::uint64_t all_bytes) {
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

void encode_texts(const Matcher& matcher, std::span<const std::string_view> texts, LargeVector<std::uint8_t>& codes,
                  std::span<std::uint32_t> sizes) {
  std::uint64_t all_bytes = 0;
  for (const std::string_view text : texts) all_bytes += text.size();
  const auto first = shares(texts, all_bytes);
  Lanes lanes{};
  std::array<LargeVector<std::uint8_t>, lane_count> outputs;
  for (std::size_t i = 0; i < lane_count; i++) {
    std::uint64_t bytes = 0;
    for (std::uint64_t text = first[i]; text < first[i + 1]; text++) bytes += texts[text].size();
    outputs[i].resize(2 * bytes + store_bytes);
    lanes[i].out = outputs[i].data();
    lanes[i].text = first[i], lanes[i].last_text = first[i + 1];
    if (!lanes[i].is_done()) begin_text(lanes[i], texts[lanes[i].text]);
  }
  run(matcher, lanes, texts, sizes);
  for (std::size_t i = 0; i < lane_count; i++) {
    const auto bytes = static_cast<std::size_t>(lanes[i].out - outputs[i].data());
    codes.resize(codes.size() + bytes);
    if (bytes != 0) std::memcpy(codes.data() + codes.size() - bytes, outputs[i].data(), bytes);
  }
}

}  // namespace penstock::fsst
