#include "testdata/generate_rows.hpp"

#include <atomic>
#include <cstring>
#include <span>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"

namespace penstock::codec {
namespace {

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
  return {offsets, reinterpret_cast<const std::byte*>(offsets.get()),
          (row_count + 1) * sizeof(Offset)};
}

Column joined(std::span<Part> parts, std::uint64_t row_count) {
  std::uint64_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes.size();
  Column column;
  column.type = {Kind::string};
  column.row_count = row_count;
  column.offset_bytes = bytes <= INT32_MAX ? 4 : 8;
  column.offsets = column.offset_bytes == 4 ? offsets_of<std::uint32_t>(parts, row_count)
                                            : offsets_of<std::uint64_t>(parts, row_count);
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

}  // namespace

const std::vector<std::string>& made_words() {
  static const std::vector<std::string> words = [] {
    constexpr std::array<std::string_view, 48> syllables{
        "ba", "ro",  "li",  "ste", "na",  "ko",  "mi",  "tra", "vo",  "se",  "du",  "pe",
        "ri", "ga",  "lo",  "che", "sha", "ne",  "to",  "pri", "za",  "ku",  "vi",  "mo",
        "de", "la",  "sti", "no",  "re",  "kha", "bu",  "sko", "te",  "ra",  "ni",  "po",
        "ly", "ver", "nov", "gor", "kin", "ter", "mar", "san", "per", "dom", "kar", "tel"};
    Random random(42);
    std::vector<std::string> made(2048);
    for (std::string& word : made)
      for (std::uint64_t count = 2 + random.below(3); count != 0; count--)
        word += syllables[random.below(syllables.size())];
    return made;
  }();
  return words;
}

std::string_view common_word(Random& random) {
  const double unit = random.unit();
  return made_words()[static_cast<std::size_t>(unit * unit *
                                               static_cast<double>(made_words().size()))];
}

Column generate_rows(PutRow put_row, std::uint64_t row_count, std::uint64_t seed) {
  constexpr std::uint64_t part_rows = 1 << 15;
  std::vector<Part> parts((row_count + part_rows - 1) / part_rows);
  std::atomic<std::uint64_t> next = 0;
  in_parallel(parts.size(), 1, [&](std::uint64_t, std::uint64_t) {
    for (std::uint64_t part = next++; part < parts.size(); part = next++)
      parts[part] = generate_part(put_row, seed, part * part_rows,
                                  std::min(row_count, (part + 1) * part_rows));
  });
  return joined(parts, row_count);
}

}  // namespace penstock::codec
