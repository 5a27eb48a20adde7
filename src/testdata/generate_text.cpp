#include "testdata/generate_text.hpp"

#include "testdata/generate_rows.hpp"

namespace penstock::codec {
namespace {

using namespace std::string_view_literals;

// Lengths with the share of rows at or below each; evenly spread in between.
struct Quantile {
  double share, bytes;
};
constexpr std::array<Quantile, 10> url_lengths{{{0, 18},
                                                {0.05, 29},
                                                {0.25, 51},
                                                {0.5, 75.5},
                                                {0.75, 101.5},
                                                {0.9, 143},
                                                {0.96, 218},
                                                {0.99, 407},
                                                {0.999, 900},
                                                {1, 2000}}};

std::uint64_t url_length(Random& random) {
  const double share = random.unit();
  std::size_t upper = 1;
  while (url_lengths[upper].share <= share) upper++;
  const Quantile low = url_lengths[upper - 1], high = url_lengths[upper];
  return static_cast<std::uint64_t>(low.bytes + (high.bytes - low.bytes) * (share - low.share) /
                                                    (high.share - low.share));
}

void put_site(Text& text, Random& random) {
  constexpr std::array<std::string_view, 6> zones{".ru", ".ru", ".com", ".ua", ".net", ".su"};
  const double unit = random.unit();
  Random site(static_cast<std::uint64_t>(unit * unit * unit * 6000));  // few sites have most pages
  text.put(site.one_in(3) ? "http://www." : site.one_in(6) ? "https://" : "http://");
  text.put(made_words()[site.below(made_words().size())]);
  if (site.one_in(2)) text.put(made_words()[site.below(made_words().size())]);
  text.put(zones[site.below(zones.size())]);
  text.put("/");
}

void put_url_part(Text& text, Random& random) {
  constexpr std::array<std::string_view, 24> keys{
      "?id=",         "&page=", "&utm_source=", "&utm_campaign=", "?showtopic=", "&sort=",
      "&price_from=", "#",      "/photo",       "&sid=",          "&from=",      "?text=",
      "&lr=",         "&city=", "&category=",   "&rnd=",          "&client=",    "&session=",
      "&ref=",        "&item=", "&lang=ru&q=",  "&width=",        "&color=",     "&user_id="};
  switch (random.below(9)) {
    case 0: text.put(common_word(random)), text.put("/"); return;
    case 1: text.put_hex(random.next(), 8), text.put("/"); return;
    case 2: text.put(common_word(random)), text.put(random.one_in(2) ? ".html" : "-"); return;
    case 3: text.put(keys[random.below(keys.size())]), text.put(common_word(random)); return;
    case 4:
      text.put(keys[random.below(keys.size())]), text.put_number(random.below(10'000'000'000));
      return;
    case 5:
      text.put(keys[random.below(keys.size())]), text.put_number(random.below(1'000'000'000));
      return;
    case 6: text.put_number(random.below(1'000'000'000)), text.put("/"); return;
    case 7:
      text.put(keys[random.below(keys.size())]), text.put_hex(random.next(), 16),
          text.put_hex(random.next(), 16);
      return;
    default:  // as non-ASCII letters are percent-encoded
      for (std::uint64_t count = 3 + random.below(6); count != 0; count--) {
        text.put(random.one_in(2) ? "%D0%" : "%D1%");
        text.put("89AB"sv.substr(random.below(4), 1)),
            text.put("0123456789ABCDEF"sv.substr(random.below(16), 1));
      }
  }
}

void put_url(Text& text, std::uint64_t page_seed) {
  Random random(page_seed);
  const std::uint64_t bytes = url_length(random);
  put_site(text, random);
  if (random.one_in(5000)) text.put("go?www.google.ru/");
  while (text.size() < bytes) put_url_part(text, random);
  text.cut(bytes);
}

void put_url_row(Text& text, std::uint64_t seed, std::uint64_t row) {
  Random random(seed * 0x9e3779b97f4a7c15 + row);
  constexpr double popular_pages = 300'000;
  const double unit = random.unit();
  const bool is_popular = random.one_in(2);
  put_url(text, is_popular ? seed + static_cast<std::uint64_t>(unit * unit * popular_pages)
                           : random.next());
}

void put_log_time(Text& text, std::uint64_t milliseconds) {
  const std::uint64_t seconds = milliseconds / 1000, days = seconds / 86400;
  text.put("2026-"), text.put_number(1 + days / 28 % 12, 2), text.put("-"),
      text.put_number(1 + days % 28, 2);
  text.put("T"), text.put_number(seconds / 3600 % 24, 2), text.put(":"),
      text.put_number(seconds / 60 % 60, 2), text.put(":");
  text.put_number(seconds % 60, 2), text.put("."), text.put_number(milliseconds % 1000, 3),
      text.put("Z ");
}

void put_path(Text& text, Random& random) {
  text.put("/api/v2/"), text.put(common_word(random)), text.put("/"),
      text.put_number(random.below(1'000'000));
}

void put_address(Text& text, Random& random) {
  text.put("10."), text.put_number(random.below(4)), text.put("."),
      text.put_number(random.below(256)), text.put(".");
  text.put_number(random.below(256));
}

void put_event(Text& text, Random& random) {
  constexpr std::array<std::string_view, 4> methods{"GET ", "GET ", "POST ", "PUT "};
  constexpr std::array<std::string_view, 6> statuses{" 200", " 200", " 200",
                                                     " 304", " 404", " 500"};
  switch (random.below(6)) {
    case 0:
    case 1:
      text.put(methods[random.below(methods.size())]), put_path(text, random),
          text.put(statuses[random.below(statuses.size())]);
      text.put(" bytes="), text.put_number(random.below(60'000)), text.put(" duration_ms="),
          text.put_number(random.below(400));
      text.put(" client="), put_address(text, random);
      return;
    case 2:
      text.put("cache miss key="), text.put(common_word(random)), text.put(":"),
          text.put_hex(random.next(), 8), text.put(" ttl_s=3600");
      return;
    case 3:
      text.put("query finished rows="), text.put_number(random.below(100'000)),
          text.put(" plan=index_scan table=");
      text.put(common_word(random)), text.put(" duration_ms="), text.put_number(random.below(2000));
      return;
    case 4:
      text.put("session opened user="), text.put_number(random.below(5'000'000)),
          text.put(" from "), put_address(text, random);
      text.put(":"), text.put_number(1024 + random.below(60'000));
      return;
    default:
      text.put("connection to "), put_address(text, random),
          text.put(":5432 timed out after 30000 ms, retry ");
      text.put_number(1 + random.below(5)), text.put(" of 5");
  }
}

void put_log_row(Text& text, std::uint64_t seed, std::uint64_t row) {
  constexpr std::array<std::string_view, 5> levels{"INFO  ", "INFO  ", "INFO  ", "WARN  ",
                                                   "ERROR "};
  constexpr std::array<std::string_view, 6> services{"gateway", "orders",  "billing",
                                                     "search",  "catalog", "session-store"};
  Random random(seed * 0x9e3779b97f4a7c15 + row);
  put_log_time(text, row * 7 + random.below(7));
  text.put(levels[random.below(levels.size())]);
  text.put(services[random.below(services.size())]), text.put("["),
      text.put_number(1 + random.below(32)), text.put("] trace=");
  text.put_hex(random.next(), 8), text.put(" ");
  put_event(text, random);
}

}  // namespace

Column generate_urls(std::uint64_t row_count, std::uint64_t seed) {
  return generate_rows(put_url_row, row_count, seed);
}
Column generate_log_lines(std::uint64_t row_count, std::uint64_t seed) {
  return generate_rows(put_log_row, row_count, seed);
}

}  // namespace penstock::codec
