#include "plan/accumulators.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace penstock::plan {
namespace {

bool float_less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

bool less(Type type, std::uint64_t a, std::uint64_t b) {
  const Scalar x = scalar_of_word(type, a), y = scalar_of_word(type, b);
  return is_float(type) ? float_less(x.real, y.real) : x.integer < y.integer;
}

std::uint64_t neutral(const Accumulator& a) {
  const bool low = a.kind == AccumulatorKind::maximum;
  if (is_float(a.type)) {
    const double limit = low ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return word_of_scalar(Scalar::of(a.type, limit));
  }
  if (a.type.kind == Kind::boolean) return low ? 0 : 1;
  const bool is_unsigned = is_integer(a.type) && !is_signed(a.type);
  if (is_unsigned) return low ? 0 : ~std::uint64_t{0} >> (64 - 8 * width_bytes(a.type));
  const int bits = 8 * static_cast<int>(width_bytes(a.type));
  const Int128 limit = static_cast<Int128>(1) << (bits - 1);
  return static_cast<std::uint64_t>(low ? -limit : limit - 1);
}

Int128 wide(std::span<const std::uint64_t> words) {
  return static_cast<Int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]);
}

void add_wide(std::span<std::uint64_t> into, Int128 value) {
  const auto sum = static_cast<unsigned __int128>(wide(into)) + static_cast<unsigned __int128>(value);
  into[0] = static_cast<std::uint64_t>(sum);
  into[1] = static_cast<std::uint64_t>(sum >> 64);
}

void merge_one(const Accumulator& a, std::span<std::uint64_t> into, std::span<const std::uint64_t> from) {
  switch (a.kind) {
    case AccumulatorKind::count: into[0] += from[0]; break;
    case AccumulatorKind::sum_i64: into[0] += from[0]; break;
    case AccumulatorKind::sum_i128: add_wide(into, wide(from)); break;
    case AccumulatorKind::sum_f64: into[0] = std::bit_cast<std::uint64_t>(std::bit_cast<double>(into[0]) + std::bit_cast<double>(from[0])); break;
    case AccumulatorKind::minimum: if (less(a.type, from[0], into[0])) into[0] = from[0]; break;
    case AccumulatorKind::maximum: if (less(a.type, into[0], from[0])) into[0] = from[0]; break;
    case AccumulatorKind::custom:
      into[0] = word_of_scalar(a.custom->host(scalar_of_word(a.type, into[0]), scalar_of_word(a.type, from[0])));
      break;
  }
}

// A sum of 128 bits as a number, by halves as DuckDB's HUGEINT is converted: a last digit may be off, and so is DuckDB's.
template <class Real> Real real_of(Int128 sum) {
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  const auto low = static_cast<std::uint64_t>(sum);
  const auto high = static_cast<std::int64_t>(sum >> 64);
  if (high == -1) return -static_cast<Real>(largest - low) - 1;
  return static_cast<Real>(low) + static_cast<Real>(high) * static_cast<Real>(largest);
}

Int128 exact_sum(const Accumulator& a, std::span<const std::uint64_t> words) {
  return a.kind == AccumulatorKind::sum_i128 ? wide(words) : static_cast<Int128>(static_cast<std::int64_t>(words[0]));
}

// CAST(sum AS DOUBLE), as DuckDB computes it for decimals: whole part and rest apart where a double does not hold the count.
double decimal_sum_as_double(Int128 sum, int scale) {
  const auto power = static_cast<Int128>(std::pow(10.0, scale));
  const Int128 exact = Int128{1} << 53;
  if (scale == 0 || (sum <= exact && sum >= -exact)) return real_of<double>(sum) / static_cast<double>(power);
  return real_of<double>(sum / power) + real_of<double>(sum % power) / static_cast<double>(power);
}

// One division of the exact sum by count times the decimal's power of ten: of what 16 bits hold in DOUBLE, of all else in the
// processor's widest type.
template <class Real> double divided_once(Int128 sum, std::uint64_t count, int scale) {
  return static_cast<double>(real_of<Real>(sum) / (static_cast<Real>(count) * static_cast<Real>(std::pow(10.0, scale))));
}

// To the last digit what DuckDB gives.
double average(const AggregateResult& result, const Accumulator& a, std::span<const std::uint64_t> words, std::uint64_t count) {
  if (a.kind == AccumulatorKind::sum_f64) return std::bit_cast<double>(words[0]) / static_cast<double>(count);
  const Int128 sum = exact_sum(a, words);
  const int scale = a.type.kind == Kind::decimal ? a.type.scale : 0;
  if (result.of_rounded_sum) return decimal_sum_as_double(sum, scale) / static_cast<double>(count);
  const bool fits_16_bits = a.type.kind == Kind::decimal ? a.type.precision <= 4 : width_bytes(a.type) == 1 || a.type.kind == Kind::int16;
  return fits_16_bits ? divided_once<double>(sum, count, scale) : divided_once<long double>(sum, count, scale);
}

}  // namespace

Scalar scalar_of_word(Type type, std::uint64_t word) {
  if (type.kind == Kind::float32) return Scalar::of(type, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(word))));
  if (type.kind == Kind::float64) return Scalar::of(type, std::bit_cast<double>(word));
  if (type.kind == Kind::uint64) return Scalar::of(type, static_cast<Int128>(word));
  return Scalar::of(type, static_cast<Int128>(static_cast<std::int64_t>(word)));
}

std::uint64_t word_of_scalar(const Scalar& value) {
  if (value.type.kind == Kind::float32) return std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
  if (value.type.kind == Kind::float64) return std::bit_cast<std::uint64_t>(value.real);
  return static_cast<std::uint64_t>(value.integer);
}

void clear(const TileProgram& program, std::span<std::uint64_t> words) {
  for (const Accumulator& a : program.accumulators) {
    words[a.word] = 0;
    if (a.kind == AccumulatorKind::sum_i128) words[a.word + 1] = 0;
    if (a.kind == AccumulatorKind::minimum || a.kind == AccumulatorKind::maximum) words[a.word] = neutral(a);
    if (a.kind == AccumulatorKind::custom) words[a.word] = word_of_scalar(a.custom->neutral);
  }
}

void merge(const TileProgram& program, std::span<std::uint64_t> into, std::span<const std::uint64_t> from) {
  for (const Accumulator& a : program.accumulators) merge_one(a, into.subspan(a.word), from.subspan(a.word));
}

Scalar result_of(const TileProgram& program, const AggregateResult& result, std::span<const std::uint64_t> words) {
  const Accumulator& a = program.accumulators[result.accumulator];
  const std::uint64_t count = words[program.accumulators[result.count].word];
  const auto value = words.subspan(a.word);
  switch (result.function) {
    case Aggregate::count_rows:
    case Aggregate::count: return Scalar::of(result.type, static_cast<Int128>(count));
    default: break;
  }
  if (count == 0) return Scalar::null_of(result.type);
  switch (result.function) {
    case Aggregate::average: return Scalar::of(result.type, average(result, a, value, count));
    case Aggregate::sum:
      if (a.kind == AccumulatorKind::sum_f64) return Scalar::of(result.type, std::bit_cast<double>(value[0]));
      return Scalar::of(result.type, exact_sum(a, value));
    default: return scalar_of_word(a.type, value[0]);
  }
}

}  // namespace penstock::plan
