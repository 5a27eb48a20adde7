// Pages of strings, and reading them back, for the tests of pages.
#pragma once
#include <random>

#include "codec/pages/kernels/page_limits.h"
#include "on_device/codec/page_columns.hpp"

namespace penstock::pages {

using Texts = std::vector<std::string>;

inline PageBytes plain_texts(const Texts& texts) {
  PageBytes bytes;
  for (const std::string& text : texts) {
    append_bytes(bytes, text.size(), 4);
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return bytes;
}

// DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
inline PageBytes texts_after_lengths(const Texts& texts) {
  std::vector<std::uint64_t> lengths;
  for (const std::string& text : texts) lengths.push_back(text.size());
  PageBytes bytes = deltas(lengths, true);
  for (const std::string& text : texts) bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

// DELTA_BYTE_ARRAY of strings of which each shares so many bytes with the one before it.
inline PageBytes chained_texts(const Texts& texts, const std::vector<std::uint64_t>& shared) {
  Texts suffixes;
  for (std::size_t i = 0; i < texts.size(); i++) suffixes.push_back(texts[i].substr(shared[i]));
  PageBytes bytes = deltas(shared, true);
  append(bytes, texts_after_lengths(suffixes));
  return bytes;
}

// As writers do: as many as can be.
inline PageBytes chained_texts(const Texts& texts) {
  std::vector<std::uint64_t> shared;
  for (std::size_t i = 0; i < texts.size(); i++) {
    const std::string& before = i == 0 ? "" : texts[i - 1];
    std::size_t count = 0;
    while (count < std::min(before.size(), texts[i].size()) && before[count] == texts[i][count])
      count++;
    shared.push_back(count);
  }
  return chained_texts(texts, shared);
}

inline EncodedPage text_page(std::uint32_t value_count, const PageBytes& values,
                             Encoding encoding = Encoding::plain) {
  EncodedPage page;
  page.page.encoding = encoding;
  page.page.value_count = value_count;
  page.values = values;
  return page;
}

// A column of strings, and the same as kernels see it: words of 64 bits.
inline const PagedColumn text_column = column_of(Kind::string, Physical::byte_array, false);
inline const PagedColumn word_column = column_of(Kind::int64, Physical::int64, false);

inline Result<Texts> found_texts(const std::shared_ptr<Device>& device, const ChunkPages& chunk,
                                 std::optional<PageFault>& fault) {
  PENSTOCK_ASSIGN(const auto decoder, PageDecoder::create(device));
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  const ColumnOfPages column{&text_column, {&chunk}};
  PENSTOCK_ASSIGN(const auto pending, decoder->begin(*queue, std::span(&column, 1)));
  const auto decoded = pending->finish();
  fault = pending->fault();
  if (fault) return Texts();
  PENSTOCK_TRY(decoded.status());
  PENSTOCK_ASSIGN(const Rows rows, read_rows(*device, *queue, word_column, (*decoded)[0]));
  std::vector<char> bytes((*decoded)[0].bytes->bytes());
  PENSTOCK_TRY(queue->download(bytes.data(), *(*decoded)[0].bytes, bytes.size()));
  PENSTOCK_TRY(queue->finish());
  Texts texts;
  for (const auto& row : rows)
    texts.emplace_back(bytes.data() + (*row >> PAGE_STRING_LENGTH_BITS),
                       *row & ((std::uint64_t{1} << PAGE_STRING_LENGTH_BITS) - 1));
  return texts;
}

inline Texts some_texts(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  Texts texts(count);
  for (std::string& text : texts) {
    // Some are longer than what a warp holds of a page.
    const std::size_t length = random() % 40 == 0 ? random() % 5000 : random() % 40;
    for (std::size_t i = 0; i < length; i++) text += static_cast<char>('a' + random() % 26);
    if (random() % 5 == 0) text += "é日😀";
  }
  return texts;
}

}  // namespace penstock::pages
