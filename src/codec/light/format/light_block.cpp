#include "codec/light/format/light_block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/huge_page_allocator.hpp"
#include "codec/light/format/light_words.hpp"

namespace penstock::light {
namespace {

constexpr std::uint64_t max_rows = std::uint64_t{1} << 31;
constexpr std::uint64_t block_alignment = 16;

Status bad_block(const std::string& what) { return {Code::corrupt, "a light encoding: " + what}; }

bool is_aligned(const Bytes& bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes.data) % block_alignment == 0;
}

Bytes aligned_copy(const Bytes& bytes) {
  LargeVector<std::byte> copy(bytes.size);
  std::copy_n(bytes.data, bytes.size, copy.data());
  return Bytes::own(std::move(copy));
}

// Copies the low bytes of values to the type's width.
template <class T> void put_values(const std::uint64_t* from, std::uint64_t count, std::byte* to) {
  auto* const values = reinterpret_cast<T*>(to);
  for (std::uint64_t i = 0; i < count; i++) values[i] = static_cast<T>(from[i]);
}
void put_values(const std::uint64_t* from, std::uint64_t count, std::uint32_t width,
                std::byte* to) {
  if (width == 1) return put_values<std::uint8_t>(from, count, to);
  if (width == 2) return put_values<std::uint16_t>(from, count, to);
  if (width == 4) return put_values<std::uint32_t>(from, count, to);
  put_values<std::uint64_t>(from, count, to);
}

Column column_of(Type type, std::uint64_t row_count, LargeVector<std::byte> values) {
  Column column;
  column.type = type;
  column.row_count = row_count;
  column.values = Bytes::own(std::move(values));
  return column;
}

}  // namespace

std::uint32_t stored_bits(Type type) {
  if (type.kind == Kind::boolean || type.kind == Kind::string) return 0;
  const std::uint32_t width = width_bytes(type);
  return width > 8 ? 0 : width == 8 ? 64 : 32;
}

Result<Block> Block::open(Bytes bytes, Type type, std::uint64_t row_count) {
  if (bytes.size % 4 != 0 || bytes.size < 4 * (LIGHT_HEAD_WORDS + LIGHT_PADDING_WORDS))
    return bad_block("a block of " + std::to_string(bytes.size) + " bytes");
  Block block(is_aligned(bytes) ? std::move(bytes) : aligned_copy(bytes), type);
  PENSTOCK_TRY(block.check_head(row_count));
  PENSTOCK_TRY(block.check_dictionary());
  for (std::uint32_t i = 0; i < block.vector_count(); i++) PENSTOCK_TRY(block.check_vector(i));
  return block;
}

Status Block::check_head(std::uint64_t row_count) const {
  const std::uint32_t* const head = words();
  if (head[LIGHT_HEAD_MARK] != LIGHT_MARK) return bad_block("it does not begin with PLV1");
  if (head[LIGHT_HEAD_ROWS] != row_count || row_count > max_rows)
    return bad_block(std::to_string(head[LIGHT_HEAD_ROWS]) + " rows for a column of " +
                     std::to_string(row_count) +
                     "; a program that does not know them may have cut or joined the rows");
  if (bits() != stored_bits(type_))
    return bad_block("values of " + std::to_string(bits()) + " bits for " + name_of(type_));
  const std::uint64_t values = first() + row_count;
  if (first() >= LIGHT_VECTOR_VALUES ||
      vector_count() != (values + LIGHT_VECTOR_VALUES - 1) / LIGHT_VECTOR_VALUES)
    return bad_block(std::to_string(vector_count()) + " vectors for " + std::to_string(values) +
                     " values");
  const std::uint64_t begin =
      LIGHT_HEAD_WORDS + std::uint64_t{LIGHT_DESCRIPTOR_WORDS} * vector_count();
  if (head[LIGHT_HEAD_WORD_COUNT] != bytes_.size / 4 ||
      begin + LIGHT_PADDING_WORDS > bytes_.size / 4)
    return bad_block("it says " + std::to_string(head[LIGHT_HEAD_WORD_COUNT]) + " words and has " +
                     std::to_string(bytes_.size / 4));
  return {};
}

Status Block::check_dictionary() const {
  const std::uint64_t place = words()[LIGHT_HEAD_DICTIONARY], entries = words()[LIGHT_HEAD_ENTRIES];
  if (place + entries * (bits() / 32) > words()[LIGHT_HEAD_WORD_COUNT])
    return bad_block("its dictionary ends after the block");
  return {};
}

Status Block::check_vector(std::uint32_t index) const {
  const Vector checked = vector(index);
  const std::string why = why_not_readable(checked, values_in(index));
  return why.empty() ? Status() : bad_block("vector " + std::to_string(index) + ": " + why);
}

std::string Block::why_not_readable(const Vector& vector, std::uint32_t value_count) const {
  const std::string width = "a width of " + std::to_string(vector.width) + " bits";
  if (vector.kind > LIGHT_ALP) return "unknown kind " + std::to_string(vector.kind);
  if (vector.width > bits()) return width;
  if (vector.kind == LIGHT_ALP && !is_float(type_)) return "ALP of " + name_of(type_);
  if (vector.kind == LIGHT_DELTA && vector.traits[0] > bits())
    return "checkpoints of " + std::to_string(vector.traits[0]) + " bits";
  if (vector.kind == LIGHT_DICTIONARY &&
      (vector.width > 31 || std::uint64_t{1} << vector.width > words()[LIGHT_HEAD_ENTRIES]))
    return width + " for a dictionary of " + std::to_string(words()[LIGHT_HEAD_ENTRIES]);
  if (vector.count > LIGHT_VECTOR_VALUES)
    return std::to_string(vector.count) + " exceptions or runs";
  const std::uint64_t end = vector.place + words_in(vector, value_count) + LIGHT_PADDING_WORDS;
  if (end > words()[LIGHT_HEAD_WORD_COUNT]) return "its data ends after the block";
  if (vector.kind == LIGHT_RUNS) return why_not_runs(vector);
  return vector.kind == LIGHT_ALP ? why_not_exceptions(vector) : std::string();
}

std::string Block::why_not_runs(const Vector& vector) const {
  const std::uint32_t* const run_bits = words() + vector.place;
  std::uint32_t runs = 0;
  if ((run_bits[0] & 1) == 0) return "its first run does not begin with its first value";
  for (std::uint32_t i = 0; i < LIGHT_RUN_BIT_WORDS; i++) {
    const std::uint32_t ranks = run_bits[LIGHT_RUN_BIT_WORDS + i / 2];
    if ((ranks >> (i % 2 * 16) & 0xffff) != runs) return "ranks that do not count its runs";
    runs += static_cast<std::uint32_t>(std::popcount(run_bits[i]));
  }
  return runs == vector.count
             ? std::string()
             : std::to_string(runs) + " runs; it says " + std::to_string(vector.count);
}

std::string Block::why_not_exceptions(const Vector& vector) const {
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < vector.count; i++) {
    const std::uint32_t at = half_word(words() + vector.place, i);
    if (at < next || at >= LIGHT_VECTOR_VALUES) return "exceptions out of order";
    next = at + 1;
  }
  return {};
}

Vector Block::vector(std::uint32_t index) const {
  const std::uint32_t* const from =
      words() + LIGHT_HEAD_WORDS + std::uint64_t{LIGHT_DESCRIPTOR_WORDS} * index;
  Vector vector;
  vector.kind = from[0] & 0xff;
  vector.width = from[0] >> 8 & 0xff;
  vector.count = from[0] >> 16;
  vector.place = from[1];
  vector.base = two_words(from + 2);
  std::copy_n(from + 4, 4, vector.traits);
  return vector;
}

// In a slice, the last vector may have fewer values than the encoder packed.
std::uint32_t Block::values_in(std::uint32_t index) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      first() + row_count() - std::uint64_t{LIGHT_VECTOR_VALUES} * index, LIGHT_VECTOR_VALUES));
}

std::uint64_t Block::words_in(const Vector& vector, std::uint32_t value_count) const {
  switch (vector.kind) {
    case LIGHT_DELTA:
      return std::uint64_t{LIGHT_CHECKPOINT_WORDS} * vector.traits[0] +
             packed_words(differences_before(value_count), vector.width);
    case LIGHT_RUNS: return LIGHT_RUN_WORDS + packed_words(vector.count, vector.width);
    case LIGHT_ALP:
      return exception_words(vector.count, bits()) + packed_words(value_count, vector.width);
    default: return packed_words(value_count, vector.width);
  }
}

void Block::decode_vector(std::uint32_t index, std::uint64_t* to) const {
  read_vector(words(), bits(), vector(index), values_in(index), to);
}

Column Block::decode() const {
  const std::uint32_t width = width_bytes(type_);
  LargeVector<std::byte> values(row_count() * width);
  std::uint64_t vector_values[LIGHT_VECTOR_VALUES];
  std::uint64_t row = 0;
  for (std::uint32_t i = 0; i < vector_count(); i++) {
    decode_vector(i, vector_values);
    const std::uint32_t skipped = i == 0 ? first() : 0, count = values_in(i) - skipped;
    put_values(vector_values + skipped, count, width, values.data() + row * width);
    row += count;
  }
  return column_of(type_, row_count(), std::move(values));
}

Column Block::decode_rows(std::span<const std::uint64_t> rows) const {
  const std::uint32_t width = width_bytes(type_);
  LargeVector<std::byte> values(rows.size() * width);
  std::uint64_t vector_values[LIGHT_VECTOR_VALUES];
  std::uint64_t decoded = ~std::uint64_t{0};
  for (std::size_t i = 0; i < rows.size(); i++) {
    const std::uint64_t at = rows[i] + first(), index = at / LIGHT_VECTOR_VALUES;
    if (index != decoded) decode_vector(static_cast<std::uint32_t>(index), vector_values);
    decoded = index;
    put_values(vector_values + at % LIGHT_VECTOR_VALUES, 1, width, values.data() + i * width);
  }
  return column_of(type_, rows.size(), std::move(values));
}

Block Block::slice(std::uint64_t first_row, std::uint64_t count) const {
  const std::uint64_t begin = first() + first_row;
  const auto first_vector = static_cast<std::uint32_t>(begin / LIGHT_VECTOR_VALUES);
  const auto end_vector = static_cast<std::uint32_t>(
      count == 0 ? first_vector : (begin + count + LIGHT_VECTOR_VALUES - 1) / LIGHT_VECTOR_VALUES);
  BlockWriter writer(bits());
  for (std::uint32_t i = first_vector; i < end_vector; i++) {
    const Vector kept = vector(i);
    writer.add(kept, {words() + kept.place, words_in(kept, values_in(i))});
  }
  writer.set_dictionary({words() + words()[LIGHT_HEAD_DICTIONARY],
                         std::size_t{words()[LIGHT_HEAD_ENTRIES]} * (bits() / 32)});
  const std::uint64_t skipped = count == 0 ? 0 : begin % LIGHT_VECTOR_VALUES;
  return {writer.finish(count, static_cast<std::uint32_t>(skipped)), type_};
}

}  // namespace penstock::light
