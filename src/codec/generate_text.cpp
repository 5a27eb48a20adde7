#include "codec/generate_text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/large_memory.hpp"
#include "base/parallel.hpp"

namespace penstock::codec {
namespace {

using namespace std::string_view_literals;

// Sebastiano Vigna's splitmix64: any two seeds give streams that have nothing in common.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }
  std::uint64_t below(std::uint64_t limit) { return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * limit >> 64); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

// A row's text at the end of those before it.
class Text {
 public:
  explicit Text(std::string& bytes) : bytes_(bytes), begin_(bytes.size()) {}
  void put(std::string_view part) { bytes_.append(part); }
  void put_number(std::uint64_t number, unsigned least_digits = 1) {
    std::array<char, 20> digits;
    unsigned count = 0;
    for (; number != 0 || count < least_digits; number /= 10) digits[digits.size() - ++count] = static_cast<char>('0' + number % 10);
    put({digits.data() + digits.size() - count, count});
  }
  void put_hex(std::uint64_t number, unsigned digit_count) {
    std::array<char, 16> digits;
    for (unsigned i = 0; i < digit_count; i++, number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
    put({digits.data(), digit_count});
  }
  std::uint64_t size() const { return bytes_.size() - begin_; }
  void cut(std::uint64_t size) { bytes_.resize(begin_ + std::min(size, this->size())); }

 private:
  std::string& bytes_;
  std::size_t begin_;
};

// Words of two to four syllables; no "oo", so that "google" stands only where it is put.
const std::vector<std::string>& words() {
  static const std::vector<std::string> words = [] {
    constexpr std::array<std::string_view, 48> syllables{
        "ba", "ro", "li", "ste", "na", "ko", "mi", "tra", "vo", "se", "du", "pe", "ri", "ga", "lo", "che", "sha", "ne", "to", "pri",
        "za", "ku", "vi", "mo", "de", "la", "sti", "no", "re", "kha", "bu", "sko", "te", "ra", "ni", "po", "ly", "ver", "nov", "gor",
        "kin", "ter", "mar", "san", "per", "dom", "kar", "tel"};
    Random random(42);
    std::vector<std::string> made(2048);
    for (std::string& word : made)
      for (std::uint64_t count = 2 + random.below(3); count != 0; count--) word += syllables[random.below(syllables.size())];
    return made;
  }();
  return words;
}

// Low numbers are likelier: the square spreads them as words of a text are, roughly.
std::string_view common_word(Random& random) {
  const double unit = random.unit();
  return words()[static_cast<std::size_t>(unit * unit * static_cast<double>(words().size()))];
}

// Lengths whose share of rows at or below them is given; between two, evenly spread.
struct Quantile { double share, bytes; };
constexpr std::array<Quantile, 10> url_lengths{{{0, 18}, {0.05, 29}, {0.25, 51}, {0.5, 75.5}, {0.75, 101.5}, {0.9, 143}, {0.96, 218},
                                               {0.99, 407}, {0.999, 900}, {1, 2000}}};

std::uint64_t url_length(Random& random) {
  const double share = random.unit();
  std::size_t upper = 1;
  while (url_lengths[upper].share <= share) upper++;
  const Quantile low = url_lengths[upper - 1], high = url_lengths[upper];
  return static_cast<std::uint64_t>(low.bytes + (high.bytes - low.bytes) * (share - low.share) / (high.share - low.share));
}

void put_site(Text& text, Random& random) {
  constexpr std::array<std::string_view, 6> zones{".ru", ".ru", ".com", ".ua", ".net", ".su"};
  const double unit = random.unit();
  Random site(static_cast<std::uint64_t>(unit * unit * unit * 6000));      // few sites have most pages
  text.put(site.one_in(3) ? "http://www." : site.one_in(6) ? "https://" : "http://");
  text.put(words()[site.below(words().size())]);
  if (site.one_in(2)) text.put(words()[site.below(words().size())]);
  text.put(zones[site.below(zones.size())]);
  text.put("/");
}

void put_url_part(Text& text, Random& random) {
  constexpr std::array<std::string_view, 24> keys{
      "?id=", "&page=", "&utm_source=", "&utm_campaign=", "?showtopic=", "&sort=", "&price_from=", "#", "/photo", "&sid=", "&from=",
      "?text=", "&lr=", "&city=", "&category=", "&rnd=", "&client=", "&session=", "&ref=", "&item=", "&lang=ru&q=", "&width=", "&color=",
      "&user_id="};
  switch (random.below(9)) {
    case 0: text.put(common_word(random)), text.put("/"); return;
    case 1: text.put_hex(random.next(), 8), text.put("/"); return;
    case 2: text.put(common_word(random)), text.put(random.one_in(2) ? ".html" : "-"); return;
    case 3: text.put(keys[random.below(keys.size())]), text.put(common_word(random)); return;
    case 4: text.put(keys[random.below(keys.size())]), text.put_number(random.below(10'000'000'000)); return;
    case 5: text.put(keys[random.below(keys.size())]), text.put_number(random.below(1'000'000'000)); return;
    case 6: text.put_number(random.below(1'000'000'000)), text.put("/"); return;
    case 7: text.put(keys[random.below(keys.size())]), text.put_hex(random.next(), 16), text.put_hex(random.next(), 16); return;
    default:      // as letters beyond ASCII are written
      for (std::uint64_t count = 3 + random.below(6); count != 0; count--) {
        text.put(random.one_in(2) ? "%D0%" : "%D1%");
        text.put("89AB"sv.substr(random.below(4), 1)), text.put("0123456789ABCDEF"sv.substr(random.below(16), 1));
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
  put_url(text, is_popular ? seed + static_cast<std::uint64_t>(unit * unit * popular_pages) : random.next());
}

void put_time(Text& text, std::uint64_t milliseconds) {
  const std::uint64_t seconds = milliseconds / 1000, days = seconds / 86400;
  text.put("2026-"), text.put_number(1 + days / 28 % 12, 2), text.put("-"), text.put_number(1 + days % 28, 2);
  text.put("T"), text.put_number(seconds / 3600 % 24, 2), text.put(":"), text.put_number(seconds / 60 % 60, 2), text.put(":");
  text.put_number(seconds % 60, 2), text.put("."), text.put_number(milliseconds % 1000, 3), text.put("Z ");
}

void put_path(Text& text, Random& random) {
  text.put("/api/v2/"), text.put(common_word(random)), text.put("/"), text.put_number(random.below(1'000'000));
}

void put_address(Text& text, Random& random) {
  text.put("10."), text.put_number(random.below(4)), text.put("."), text.put_number(random.below(256)), text.put(".");
  text.put_number(random.below(256));
}

void put_event(Text& text, Random& random) {
  constexpr std::array<std::string_view, 4> methods{"GET ", "GET ", "POST ", "PUT "};
  constexpr std::array<std::string_view, 6> statuses{" 200", " 200", " 200", " 304", " 404", " 500"};
  switch (random.below(6)) {
    case 0: case 1:
      text.put(methods[random.below(methods.size())]), put_path(text, random), text.put(statuses[random.below(statuses.size())]);
      text.put(" bytes="), text.put_number(random.below(60'000)), text.put(" duration_ms="), text.put_number(random.below(400));
      text.put(" client="), put_address(text, random);
      return;
    case 2:
      text.put("cache miss key="), text.put(common_word(random)), text.put(":"), text.put_hex(random.next(), 8), text.put(" ttl_s=3600");
      return;
    case 3:
      text.put("query finished rows="), text.put_number(random.below(100'000)), text.put(" plan=index_scan table=");
      text.put(common_word(random)), text.put(" duration_ms="), text.put_number(random.below(2000));
      return;
    case 4:
      text.put("session opened user="), text.put_number(random.below(5'000'000)), text.put(" from "), put_address(text, random);
      text.put(":"), text.put_number(1024 + random.below(60'000));
      return;
    default:
      text.put("connection to "), put_address(text, random), text.put(":5432 timed out after 30000 ms, retry ");
      text.put_number(1 + random.below(5)), text.put(" of 5");
  }
}

void put_log_row(Text& text, std::uint64_t seed, std::uint64_t row) {
  constexpr std::array<std::string_view, 5> levels{"INFO  ", "INFO  ", "INFO  ", "WARN  ", "ERROR "};
  constexpr std::array<std::string_view, 6> services{"gateway", "orders", "billing", "search", "catalog", "session-store"};
  Random random(seed * 0x9e3779b97f4a7c15 + row);
  put_time(text, row * 7 + random.below(7));
  text.put(levels[random.below(levels.size())]);
  text.put(services[random.below(services.size())]), text.put("["), text.put_number(1 + random.below(32)), text.put("] trace=");
  text.put_hex(random.next(), 8), text.put(" ");
  put_event(text, random);
}

using PutRow = void (*)(Text& text, std::uint64_t seed, std::uint64_t row);

struct Part {
  std::string bytes;
  std::vector<std::uint32_t> sizes;
};

Part generate_part(PutRow put_row, std::uint64_t seed, std::uint64_t first, std::uint64_t last) {
  Part part;
  part.bytes.reserve((last - first) * 128);
  for (std::uint64_t row = first; row < last; row++) {
    Text text(part.bytes);
    put_row(text, seed, row);
    part.sizes.push_back(static_cast<std::uint32_t>(text.size()));
  }
  return part;
}

template <class Offset> Bytes offsets_of(std::span<const Part> parts, std::uint64_t row_count) {
  const auto offsets = large_array<Offset>(row_count + 1);
  std::uint64_t at = 0, offset = 0;
  offsets[0] = 0;
  for (const Part& part : parts)
    for (const std::uint32_t size : part.sizes) offsets[++at] = static_cast<Offset>(offset += size);
  return {offsets, reinterpret_cast<const std::byte*>(offsets.get()), (row_count + 1) * sizeof(Offset)};
}

Column joined(std::span<Part> parts, std::uint64_t row_count) {
  std::uint64_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes.size();
  Column column;
  column.type = {Kind::string};
  column.row_count = row_count;
  column.offset_bytes = bytes <= INT32_MAX ? 4 : 8;
  column.offsets = column.offset_bytes == 4 ? offsets_of<std::uint32_t>(parts, row_count) : offsets_of<std::uint64_t>(parts, row_count);
  const auto text = large_array<std::byte>(bytes);
  std::vector<std::uint64_t> begins{0};
  for (const Part& part : parts) begins.push_back(begins.back() + part.bytes.size());
  in_parallel(parts.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t part = first; part < last; part++) {
      const auto from = std::move(parts[part].bytes);
      if (!from.empty()) std::memcpy(text.get() + begins[part], from.data(), from.size());
    }
  });
  column.values = {text, text.get(), bytes};
  return column;
}

Column generate(PutRow put_row, std::uint64_t row_count, std::uint64_t seed) {
  constexpr std::uint64_t part_rows = 1 << 15;
  std::vector<Part> parts((row_count + part_rows - 1) / part_rows);
  std::atomic<std::uint64_t> next = 0;
  in_parallel(parts.size(), 1, [&](std::uint64_t, std::uint64_t) {
    for (std::uint64_t part = next++; part < parts.size(); part = next++)
      parts[part] = generate_part(put_row, seed, part * part_rows, std::min(row_count, (part + 1) * part_rows));
  });
  return joined(parts, row_count);
}

}  // namespace

Column generate_urls(std::uint64_t row_count, std::uint64_t seed) { return generate(put_url_row, row_count, seed); }
Column generate_log_lines(std::uint64_t row_count, std::uint64_t seed) { return generate(put_log_row, row_count, seed); }

}  // namespace penstock::codec
