#include "bench/bench_light_blocks.hpp"

#include <algorithm>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"

namespace penstock::bench {
namespace {

// The parts of a block, in words. Data are what vectors have of their own.
struct BlockParts {
  explicit BlockParts(const light::Block& block)
      : words(block.bytes().as<std::uint32_t>()),
        word_count(block.bytes().size / sizeof(std::uint32_t)) {
    vectors = words[LIGHT_HEAD_VECTORS];
    data = LIGHT_HEAD_WORDS + vectors * LIGHT_DESCRIPTOR_WORDS;
    end = word_count - LIGHT_PADDING_WORDS;
    data_end = words[LIGHT_HEAD_DICTIONARY] == 0 ? end : words[LIGHT_HEAD_DICTIONARY];
  }
  const std::uint32_t* words;
  std::uint64_t word_count = 0, vectors = 0, data = 0, data_end = 0, end = 0;
  std::uint64_t data_words() const { return data_end - data; }
};

// Copies repetition `number` of a block's vectors. `first`: the first word of all data.
void put_vectors(const BlockParts& from, std::uint64_t number, std::uint64_t first,
                 std::uint32_t* to) {
  const std::uint64_t begin = first + number * from.data_words();
  std::copy(from.words + from.data, from.words + from.data_end, to + begin);
  std::uint32_t* descriptor =
      to + LIGHT_HEAD_WORDS + number * from.vectors * LIGHT_DESCRIPTOR_WORDS;
  std::copy(from.words + LIGHT_HEAD_WORDS, from.words + from.data, descriptor);
  for (std::uint64_t i = 0; i < from.vectors; i++, descriptor += LIGHT_DESCRIPTOR_WORDS)
    descriptor[1] += static_cast<std::uint32_t>(begin - from.data);
}

LargeVector<std::uint32_t> repeated_words(const BlockParts& from, std::uint64_t times) {
  const std::uint64_t first = LIGHT_HEAD_WORDS + times * from.vectors * LIGHT_DESCRIPTOR_WORDS;
  const std::uint64_t dictionary = first + times * from.data_words();
  LargeVector<std::uint32_t> words(dictionary + from.word_count - from.data_end);
  std::copy_n(from.words, LIGHT_HEAD_WORDS, words.data());
  in_parallel(times, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; i++) put_vectors(from, i, first, words.data());
  });
  std::copy(from.words + from.data_end, from.words + from.word_count, words.data() + dictionary);
  words[LIGHT_HEAD_ROWS] *= static_cast<std::uint32_t>(times);
  words[LIGHT_HEAD_VECTORS] = static_cast<std::uint32_t>(times * from.vectors);
  words[LIGHT_HEAD_WORD_COUNT] = static_cast<std::uint32_t>(words.size());
  if (words[LIGHT_HEAD_DICTIONARY] != 0)
    words[LIGHT_HEAD_DICTIONARY] = static_cast<std::uint32_t>(dictionary);
  return words;
}

}  // namespace

Result<light::Block> repeated_block(const light::Block& block, std::uint64_t rows) {
  if (rows == block.row_count()) return block;
  const BlockParts parts(block);
  const std::uint64_t times = (rows + block.row_count() - 1) / block.row_count();
  PENSTOCK_ASSIGN(light::Block whole,
                  light::Block::open(penstock::Bytes::own(repeated_words(parts, times)),
                                     block.type(), times * block.row_count()));
  return whole.row_count() == rows ? whole : whole.slice(0, rows);
}

}  // namespace penstock::bench
