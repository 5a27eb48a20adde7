#include "codec/light/host/encode_block.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/light/host/vector_kinds.hpp"

namespace penstock::light {
namespace {

template <class T> void widen(const Column& column, std::uint64_t* to) {
  const auto* const from = column.values.as<T>();
  for (std::uint64_t row = 0; row < column.row_count; row++)
    to[row] = static_cast<std::uint64_t>(from[row]);
}

// Returns the values as ValueBits says.
std::vector<std::uint64_t> widened(const Column& column) {
  std::vector<std::uint64_t> values(column.row_count);
  switch (column.type.kind) {
    case Kind::int8: widen<std::int8_t>(column, values.data()); break;
    case Kind::uint8: widen<std::uint8_t>(column, values.data()); break;
    case Kind::int16: widen<std::int16_t>(column, values.data()); break;
    case Kind::uint16: widen<std::uint16_t>(column, values.data()); break;
    case Kind::int32:
    case Kind::date32: widen<std::int32_t>(column, values.data()); break;
    case Kind::uint32:
    case Kind::float32: widen<std::uint32_t>(column, values.data()); break;
    default: widen<std::int64_t>(column, values.data());
  }
  return values;
}

// Puts the value before it, or the first there is, where a row is NULL.
void fill_nulls(const Column& column, std::vector<std::uint64_t>& values) {
  if (column.validity.empty()) return;
  std::uint64_t first = 0;
  while (first < values.size() && !column.is_valid(first)) first++;
  std::uint64_t last = first < values.size() ? values[first] : 0;
  for (std::uint64_t row = 0; row < values.size(); row++)
    if (column.is_valid(row))
      last = values[row];
    else
      values[row] = last;
}

bool orders_as_signed(Type type) {
  return !is_float(type) && !(type.kind >= Kind::uint8 && type.kind <= Kind::uint64);
}

constexpr std::uint32_t max_index_bits = std::bit_width(max_dictionary_entries - 1);

class BlockEncoder {
 public:
  BlockEncoder(Kinds kinds, ValueBits of, std::span<const std::uint64_t> values)
      : kinds_(kinds), of_(of), values_(values), writer_(of.bits) {
    if (allows(LIGHT_DICTIONARY)) find_places();
  }

  Bytes encode() {
    for (std::size_t first = 0; first < values_.size(); first += LIGHT_VECTOR_VALUES)
      encode_vector(values_.subspan(
          first, std::min<std::size_t>(values_.size() - first, LIGHT_VECTOR_VALUES)));
    const std::optional<std::uint32_t> width = dictionary_width();
    for (const Choice& choice : choices_) {
      const bool is_indexed =
          width && choice.saved_words > 0 && choice.entries.vector.width <= *width;
      const EncodedVector& encoded = is_indexed ? choice.entries : choice.other;
      writer_.add(encoded.vector, encoded.data);
    }
    if (width) writer_.set_dictionary(dictionary(*width));
    return writer_.finish(values_.size(), 0);
  }

 private:
  // A vector as indices of the dictionary, and as the smallest of the other kinds.
  struct Choice {
    EncodedVector other, entries;
    std::uint64_t saved_words = 0;  // by indices, without the dictionary's own size
  };

  bool allows(std::uint32_t kind) const { return (kinds_.allowed >> kind & 1) != 0; }

  void find_places() {
    for (const std::uint64_t value : values_) {
      places_.try_emplace(value, static_cast<std::uint32_t>(places_.size()));
      if (places_.size() > max_dictionary_entries) {
        places_.clear();
        return;
      }
    }
  }

  void encode_vector(std::span<const std::uint64_t> values) {
    Choice& choice = choices_.emplace_back();
    choice.other = smallest(values);
    if (places_.empty()) return;
    choice.entries = as_entries(values, places_);
    if (choice.entries.data.size() < choice.other.data.size())
      choice.saved_words = choice.other.data.size() - choice.entries.data.size();
  }

  EncodedVector smallest(std::span<const std::uint64_t> values) {
    EncodedVector best = as_packed(values, of_, kinds_.has_base);
    const auto offer =
        [&](EncodedVector other) {  // differences may need a bit more than values have
          if (other.data.size() < best.data.size() && other.vector.width <= of_.bits)
            best = std::move(other);
        };
    if (allows(LIGHT_DELTA)) offer(as_differences(values, of_));
    if (allows(LIGHT_RUNS)) offer(as_runs(values, of_));
    if (allows(LIGHT_ALP))
      if (auto alp = as_alp(values, of_, exponents_)) offer(std::move(*alp));
    return best;
  }

  // The width of the dictionary's indices that makes the block smallest: each bit doubles the
  // dictionary, and lets more vectors use it. None if no dictionary saves more than its own size.
  std::optional<std::uint32_t> dictionary_width() const {
    std::array<std::uint64_t, max_index_bits + 1> saved_words = {};  // by the vectors of a width
    for (const Choice& choice : choices_)
      saved_words[choice.entries.vector.width] += choice.saved_words;
    std::optional<std::uint32_t> best;
    std::uint64_t saved = 0, max_saved = 0;
    for (std::uint32_t width = 0; width <= max_index_bits; width++) {
      saved += saved_words[width];
      const std::uint64_t taken = std::uint64_t{of_.bits / 32} << width;
      if (saved <= taken + max_saved) continue;
      max_saved = saved - taken;
      best = width;
    }
    return best;
  }

  // As many entries as the widest index could name, so that none needs to be checked.
  std::vector<std::uint32_t> dictionary(std::uint32_t width) const {
    std::vector<std::uint64_t> entries(std::size_t{1} << width);
    for (const auto& [value, place] : places_)
      if (place < entries.size()) entries[place] = value;
    std::vector<std::uint32_t> words;
    pack(entries, of_.bits, words);
    return words;
  }

  const Kinds kinds_;
  const ValueBits of_;
  const std::span<const std::uint64_t> values_;
  BlockWriter writer_;
  Places places_;  // empty: no dictionary
  std::vector<Choice> choices_;
  std::optional<Exponents> exponents_;
};

}  // namespace

Result<Block> encode(const Column& column, Kinds kinds) {
  const std::uint32_t bits = stored_bits(column.type);
  if (bits == 0) return Status(Code::unsupported, "no light encoding of " + name_of(column.type));
  if (!is_float(column.type)) kinds.allowed &= ~(1u << LIGHT_ALP);
  std::vector<std::uint64_t> values = widened(column);
  fill_nulls(column, values);
  Bytes bytes = BlockEncoder(kinds, {bits, orders_as_signed(column.type)}, values).encode();
  return Block::open(std::move(bytes), column.type, column.row_count);
}

}  // namespace penstock::light
