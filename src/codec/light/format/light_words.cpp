#include "codec/light/format/light_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/huge_page_allocator.hpp"

namespace penstock::light {
namespace {

void put_two_words(std::uint64_t value, std::uint32_t* to) {
  to[0] = static_cast<std::uint32_t>(value);
  to[1] = static_cast<std::uint32_t>(value >> 32);
}

void add_base(std::uint64_t base, std::uint32_t count, std::uint64_t* values) {
  for (std::uint32_t i = 0; i < count; i++) values[i] += base;
}

void read_packed(const std::uint32_t* words, const Vector& vector, std::uint32_t count,
                 std::uint64_t* to) {
  unpack(words, vector.width, count, to);
  add_base(vector.base, count, to);
}

void read_differences(const std::uint32_t* words, const Vector& vector, std::uint32_t count,
                      std::uint64_t* to) {
  constexpr std::uint32_t group_values = LIGHT_CHECKPOINT_VALUES;
  std::uint64_t checkpoints[LIGHT_VECTOR_VALUES / group_values], differences[LIGHT_VECTOR_VALUES];
  const std::uint32_t groups = (count + group_values - 1) / group_values;
  unpack(words, vector.traits[0], groups, checkpoints);
  unpack(words + LIGHT_CHECKPOINT_WORDS * vector.traits[0], vector.width, differences_before(count),
         differences);
  const std::uint64_t least = two_words(vector.traits + 2);
  const std::uint64_t* difference = differences;
  for (std::uint32_t i = 0; i < count; i++)
    to[i] = i % group_values == 0 ? vector.base + checkpoints[i / group_values]
                                  : to[i - 1] + least + *difference++;
}

void read_runs(const std::uint32_t* words, const Vector& vector, std::uint32_t count,
               std::uint64_t* to) {
  std::uint64_t values[LIGHT_VECTOR_VALUES];
  read_packed(words + LIGHT_RUN_WORDS, vector, vector.count, values);
  const std::uint64_t* next = values;
  for (std::uint32_t i = 0; i < count; i++)
    to[i] = (words[i / 32] >> i % 32 & 1) != 0 ? *next++ : to[i - 1];
}

void read_entries(const std::uint32_t* block, std::uint32_t bits, const Vector& vector,
                  std::uint32_t count, std::uint64_t* to) {
  const std::uint32_t* const dictionary = block + block[LIGHT_HEAD_DICTIONARY];
  unpack(block + vector.place, vector.width, count, to);
  for (std::uint32_t i = 0; i < count; i++)
    to[i] = bits == 32 ? dictionary[to[i]] : two_words(dictionary + 2 * to[i]);
}

// As kernels compute it: an integer, times the factor, times the fraction, each rounded.
template <class Float, class Bits, class Integer>
void read_alp(const std::uint32_t* words, const Vector& vector, std::uint32_t count,
              std::uint64_t* to) {
  constexpr std::uint32_t value_words = sizeof(Bits) / 4;
  const std::uint32_t* const values = words + (vector.count + 1) / 2;
  read_packed(values + value_words * vector.count, vector, count, to);
  const auto factor = std::bit_cast<Float>(static_cast<Bits>(two_words(vector.traits)));
  const auto fraction = std::bit_cast<Float>(static_cast<Bits>(two_words(vector.traits + 2)));
  for (std::uint32_t i = 0; i < count; i++) {
    const auto integer = static_cast<Integer>(static_cast<Bits>(to[i]));
    to[i] = std::bit_cast<Bits>(static_cast<Float>(integer) * factor * fraction);
  }
  for (std::uint32_t i = 0; i < vector.count; i++)
    if (const std::uint32_t at = half_word(words, i); at < count)
      to[at] = value_words == 1 ? values[i] : two_words(values + 2 * i);
}

}  // namespace

void pack(std::span<const std::uint64_t> values, std::uint32_t width,
          std::vector<std::uint32_t>& to) {
  const std::size_t begin = to.size();
  to.resize(begin + packed_words(values.size(), width));
  std::uint32_t* const words = to.data() + begin;
  for (std::uint64_t i = 0, bit = 0; i < values.size() && width > 0; i++, bit += width) {
    const std::uint32_t shift = bit % 32;
    const std::uint64_t value = values[i] & ~std::uint64_t{0} >> (64 - width);
    words[bit / 32] |= static_cast<std::uint32_t>(value << shift);
    if (shift + width > 32)
      words[bit / 32 + 1] |= static_cast<std::uint32_t>(value >> (32 - shift));
    if (shift + width > 64)
      words[bit / 32 + 2] |= static_cast<std::uint32_t>(value >> (64 - shift));
  }
}

void unpack(const std::uint32_t* words, std::uint32_t width, std::uint32_t count,
            std::uint64_t* to) {
  if (width == 0) {
    std::fill_n(to, count, 0);
    return;
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(words);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
  for (std::uint32_t i = 0; i < count; i++) {
    const std::uint32_t bit = i * width, shift = bit % 8;
    std::uint64_t value;
    std::memcpy(&value, bytes + bit / 8, sizeof value);
    value >>= shift;
    if (shift + width > 64) value |= static_cast<std::uint64_t>(bytes[bit / 8 + 8]) << (64 - shift);
    to[i] = value & mask;
  }
}

void read_vector(const std::uint32_t* block, std::uint32_t bits, const Vector& vector,
                 std::uint32_t value_count, std::uint64_t* to) {
  const std::uint32_t* const words = block + vector.place;
  switch (vector.kind) {
    case LIGHT_DELTA: return read_differences(words, vector, value_count, to);
    case LIGHT_RUNS: return read_runs(words, vector, value_count, to);
    case LIGHT_DICTIONARY: return read_entries(block, bits, vector, value_count, to);
    case LIGHT_ALP:
      if (bits == 32)
        return read_alp<float, std::uint32_t, std::int32_t>(words, vector, value_count, to);
      return read_alp<double, std::uint64_t, std::int64_t>(words, vector, value_count, to);
    default: return read_packed(words, vector, value_count, to);
  }
}

void BlockWriter::add(const Vector& vector, std::span<const std::uint32_t> data) {
  vectors_.push_back(vector);
  vectors_.back().place = static_cast<std::uint32_t>(data_.size());  // among the data, so far
  data_.insert(data_.end(), data.begin(), data.end());
}

Bytes BlockWriter::finish(std::uint64_t row_count, std::uint32_t first) const {
  const std::size_t begin = LIGHT_HEAD_WORDS + vectors_.size() * LIGHT_DESCRIPTOR_WORDS,
                    dictionary = begin + data_.size(),
                    word_count = dictionary + dictionary_.size() + LIGHT_PADDING_WORDS;
  LargeVector<std::uint32_t> words(word_count);
  words[LIGHT_HEAD_MARK] = LIGHT_MARK;
  words[LIGHT_HEAD_ROWS] = static_cast<std::uint32_t>(row_count);
  words[LIGHT_HEAD_FIRST] = first;
  words[LIGHT_HEAD_BITS] = bits_;
  words[LIGHT_HEAD_VECTORS] = static_cast<std::uint32_t>(vectors_.size());
  words[LIGHT_HEAD_WORD_COUNT] = static_cast<std::uint32_t>(word_count);
  words[LIGHT_HEAD_DICTIONARY] = dictionary_.empty() ? 0 : static_cast<std::uint32_t>(dictionary);
  words[LIGHT_HEAD_ENTRIES] = static_cast<std::uint32_t>(dictionary_.size() / (bits_ / 32));
  std::uint32_t* to = words.data() + LIGHT_HEAD_WORDS;
  for (const Vector& vector : vectors_) {
    to[0] = vector.kind | vector.width << 8 | vector.count << 16;
    to[1] = static_cast<std::uint32_t>(begin + vector.place);
    put_two_words(vector.base, to + 2);
    std::copy_n(vector.traits, 4, to + 4);
    to += LIGHT_DESCRIPTOR_WORDS;
  }
  std::ranges::copy(data_, words.data() + begin);
  std::ranges::copy(dictionary_, words.data() + dictionary);
  std::fill_n(words.data() + word_count - LIGHT_PADDING_WORDS, LIGHT_PADDING_WORDS, 0);
  return Bytes::own(std::move(words));
}

}  // namespace penstock::light
