// Sentences of a small grammar, and log lines in JSON.
#include <span>

#include "testdata/generate_rows.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::codec {
namespace {

// A part of speech: a subset of the words.
struct Speech {
  std::size_t first, count;
};
constexpr Speech nouns{0, 45}, verbs{45, 39}, adjectives{84, 28}, adverbs{112, 28},
    prepositions{140, 47}, auxiliaries{187, 18};

void put_word(Text& text, Random& random, Speech speech) {
  text.put(made_words()[speech.first + random.below(speech.count)]);
}

void put_noun_phrase(Text& text, Random& random) {
  const std::uint64_t kind = random.below(4);
  if (kind == 3) put_word(text, random, adverbs), text.put(" ");
  if (kind >= 1) put_word(text, random, adjectives), text.put(kind == 2 ? ", " : " ");
  if (kind == 2) put_word(text, random, adjectives), text.put(" ");
  put_word(text, random, nouns);
}

void put_verb_phrase(Text& text, Random& random) {
  const std::uint64_t kind = random.below(4);
  if ((kind & 1) != 0) put_word(text, random, auxiliaries), text.put(" ");
  put_word(text, random, verbs);
  if ((kind & 2) != 0) text.put(" "), put_word(text, random, adverbs);
}

void put_sentence(Text& text, std::uint64_t seed, std::uint64_t row) {
  Random random(seed * 0x9e3779b97f4a7c15 + row);
  put_noun_phrase(text, random), text.put(" "), put_verb_phrase(text, random);
  const std::uint64_t kind = random.below(5);
  if (kind == 1 || kind == 3)
    text.put(" "), put_word(text, random, prepositions), text.put(" the "),
        put_noun_phrase(text, random);
  if (kind >= 3) text.put(" "), put_noun_phrase(text, random);
  constexpr std::string_view ends = ".;:?!-.";
  text.put(ends.substr(random.below(ends.size()), 1)), text.put(" ");
  if (!random.one_in(4)) return;
  text.put("|"), text.put_number(random.below(6'000'000)), text.put("|"),
      text.put_number(random.below(90'000)), text.put(".");
  text.put_number(random.below(100), 2), text.put("\n");
}

std::string_view one_of(Random& random, std::span<const std::string_view> words) {
  return words[random.below(words.size())];
}

void put_json_time(Text& text, std::uint64_t milliseconds) {
  const std::uint64_t seconds = milliseconds / 1000;
  text.put("2026-03-"), text.put_number(seconds / 86400 % 28 + 1, 2), text.put("T"),
      text.put_number(seconds / 3600 % 24, 2), text.put(":");
  text.put_number(seconds / 60 % 60, 2), text.put(":"), text.put_number(seconds % 60, 2),
      text.put(".");
  text.put_number(milliseconds % 1000, 3), text.put("Z");
}

void put_json_line(Text& text, std::uint64_t seed, std::uint64_t row) {
  constexpr std::array<std::string_view, 6> levels{"INFO", "INFO",  "INFO",
                                                   "WARN", "ERROR", "DEBUG"};
  constexpr std::array<std::string_view, 6> services{
      "auth-service", "billing", "gateway", "search-index", "session-store", "image-resizer"};
  constexpr std::array<std::string_view, 3> methods{"GET", "GET", "POST"};
  constexpr std::array<std::string_view, 6> paths{"/api/v1/users",  "/api/v1/orders",
                                                  "/api/v2/search", "/static/js/app.js",
                                                  "/login",         "/api/v1/items/list"};
  constexpr std::array<std::string_view, 6> statuses{"200", "200", "200", "404", "500", "302"};
  Random random(seed * 0x9e3779b97f4a7c15 + row);
  text.put("{\"ts\":\""), put_json_time(text, row * 25 + random.below(25)),
      text.put("\",\"level\":\""), text.put(one_of(random, levels));
  text.put("\",\"service\":\""), text.put(one_of(random, services)), text.put("\",\"method\":\""),
      text.put(one_of(random, methods));
  text.put("\",\"path\":\""), text.put(one_of(random, paths)), text.put("\",\"status\":"),
      text.put(one_of(random, statuses));
  text.put(",\"latency_ms\":"), text.put_number(random.below(900)), text.put(",\"user_id\":"),
      text.put_number(random.below(100'000));
  text.put(",\"trace\":\""), text.put_hex(random.next(), 16), text.put("\",\"bytes\":"),
      text.put_number(random.below(40'000));
  text.put("}\n");
}

}  // namespace

Column generate_sentences(std::uint64_t row_count, std::uint64_t seed) {
  return generate_rows(put_sentence, row_count, seed);
}
Column generate_json_lines(std::uint64_t row_count, std::uint64_t seed) {
  return generate_rows(put_json_line, row_count, seed);
}

}  // namespace penstock::codec
