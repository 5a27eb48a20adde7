#include "fuse/program/accumulators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "expr/operation.hpp"
#include "expr/value.hpp"

namespace penstock::plan {
namespace {

Scalar scalar_of(Type type, Partial value) {
  return is_float(type) ? expr::scalar_of_word(type, static_cast<std::uint64_t>(value))
                        : Scalar::of(type, value);
}
Partial bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
Partial partial_of(const Scalar& value) {
  return is_float(value.type) ? expr::word_of_scalar(value) : value.integer;
}

// As kernels/extremes.kc: -0.0 is below 0.0, and NaN above every number.
bool less(Type type, Partial a, Partial b) {
  if (!is_float(type)) return a < b;
  const double x = scalar_of(type, a).real, y = scalar_of(type, b).real;
  return x == y ? std::signbit(x) && !std::signbit(y) : expr::order_of_floats(x, y) < 0;
}

double real_of_bits(Partial bits) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(bits));
}

// Reads an accumulator as a kernel leaves it.
Partial partial_of_words(const Accumulator& a, std::span<const std::uint64_t> words) {
  const AccumulatorRow& row = row_of(a);
  if (word_count(a) == 2)
    return static_cast<Int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]);
  if (row.merging == Merging::adds_exactly) return static_cast<std::int64_t>(words[0]);
  if (row.merging == Merging::adds_rounded) return words[0];
  return partial_of(expr::scalar_of_word(a.type, words[0]));
}

// Converts a sum of 128 bits to a double by halves, as DuckDB converts HUGEINT: a last digit may be
// off, and so is DuckDB's.
template <class Real> Real real_of(Int128 sum) {
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  const auto low = static_cast<std::uint64_t>(sum);
  const auto high = static_cast<std::int64_t>(sum >> 64);
  if (high == -1) return -static_cast<Real>(largest - low) - 1;
  return static_cast<Real>(low) + static_cast<Real>(high) * static_cast<Real>(largest);
}

// Computes CAST(sum AS DOUBLE) as DuckDB does for decimals: whole part and rest apart where a
// double does not hold the count.
double decimal_sum_as_double(Int128 sum, int scale) {
  const auto power = static_cast<Int128>(std::pow(10.0, scale));
  const Int128 exact = Int128{1} << 53;
  if (scale == 0 || (sum <= exact && sum >= -exact))
    return real_of<double>(sum) / static_cast<double>(power);
  return real_of<double>(sum / power) + real_of<double>(sum % power) / static_cast<double>(power);
}

// Divides the exact sum once, by count times the decimal's power of ten: values that 16 bits hold
// in DOUBLE, all others in the processor's widest type.
template <class Real> double divided_once(Int128 sum, std::uint64_t count, int scale) {
  return static_cast<double>(real_of<Real>(sum) /
                             (static_cast<Real>(count) * static_cast<Real>(std::pow(10.0, scale))));
}

}  // namespace

bool merge_partial(const Accumulator& a, Partial& into, Partial value) {
  const AccumulatorRow& row = row_of(a);
  if (row.merging == Merging::adds_exactly) return !__builtin_add_overflow(into, value, &into);
  row.merge(a, into, value);
  return true;
}

void merge_rounded(const Accumulator&, Partial& into, Partial value) {
  into = bits_of(real_of_bits(into) + real_of_bits(value));
}
void keep_least(const Accumulator& a, Partial& into, Partial value) {
  if (less(a.type, value, into)) into = value;
}
void keep_greatest(const Accumulator& a, Partial& into, Partial value) {
  if (less(a.type, into, value)) into = value;
}
void combine(const Accumulator& a, Partial& into, Partial value) {
  into = partial_of(a.custom->host(scalar_of(a.type, into), scalar_of(a.type, value)));
}

double average_of(const Accumulator& a, Partial sum, std::uint64_t count, bool of_rounded_sum) {
  if (is_rounded_sum(a)) return real_of_bits(sum) / static_cast<double>(count);
  const int scale = a.type.kind == Kind::decimal ? a.type.scale : 0;
  if (of_rounded_sum) return decimal_sum_as_double(sum, scale) / static_cast<double>(count);
  return divides_doubles(a) ? divided_once<double>(sum, count, scale)
                            : divided_once<long double>(sum, count, scale);
}

bool divides_doubles(const Accumulator& a) {
  return a.type.kind == Kind::decimal ? a.type.precision <= 4
                                      : width_bytes(a.type) == 1 || a.type.kind == Kind::int16;
}

Scalar neutral_of(const Accumulator& a) {
  if (is_custom(a)) return a.custom->neutral;
  if (a.type.kind == Kind::string) return Scalar::of(a.type, -1);
  if (is_float(a.type)) {
    using Limits = std::numeric_limits<double>;
    return Scalar::of(a.type, is_maximum(a) ? -Limits::infinity()
                                            : Limits::quiet_NaN());  // NaN is above every number
  }
  const expr::Range range = expr::stored_range(a.type);
  return Scalar::of(a.type, is_maximum(a) ? range.minimum : range.maximum);
}

Status sum_too_large() { return Status(Code::overflow, "a sum is outside HUGEINT"); }

bool adds_exactly(const TileProgram& program) {
  return std::ranges::none_of(
      program.accumulators, [](const Accumulator& a) { return is_rounded_sum(a) || is_custom(a); });
}

bool has_string_extremes(const TileProgram& program) {
  return std::ranges::any_of(program.accumulators, is_string_extreme);
}

void clear(const TileProgram& program, std::span<Partial> partials) {
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    const bool is_sum = is_exact_sum(a) || is_rounded_sum(a);
    partials[i] = is_sum ? 0 : partial_of(neutral_of(a));
  }
}

bool merge(const TileProgram& program, std::span<Partial> into,
           std::span<const std::uint64_t> words) {
  bool fits = true;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    fits &= merge_partial(a, into[i], partial_of_words(a, words.subspan(a.word)));
  }
  return fits;
}

bool merge(const TileProgram& program, std::span<Partial> into, std::span<const Partial> partials) {
  bool fits = true;
  for (std::size_t i = 0; i < partials.size(); i++)
    fits &= merge_partial(program.accumulators[i], into[i], partials[i]);
  return fits;
}

bool add_row(const TileProgram& program, std::span<Partial> into, std::span<const Scalar> values) {
  bool fits = true;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    const Scalar* value = a.argument < 0 ? nullptr : &values[static_cast<std::size_t>(a.argument)];
    if ((value && value->is_null) || is_string_extreme(a)) continue;
    if (a.kind == AccumulatorKind::count)
      into[i]++;
    else
      fits &=
          merge_partial(a, into[i], is_rounded_sum(a) ? bits_of(value->real) : partial_of(*value));
  }
  return fits;
}

Status check_shifted_sums(const TileProgram& program, std::span<const Partial> partials) {
  for (const AggregateResult& result : program.results) {
    if (!result.shifted || partials[result.count] == 0) continue;
    const ShiftedSum& sum = *result.shifted;
    const expr::Range range = expr::range_of(result.argument_type);
    if (partials[sum.minimum] + sum.addend < range.minimum ||
        partials[sum.maximum] + sum.addend > range.maximum)
      return Status(Code::overflow, sum.overflow);
  }
  return {};
}

Scalar result_of(const TileProgram& program, const AggregateResult& result,
                 std::span<const Partial> partials) {
  const Accumulator& a = program.accumulators[result.accumulator];
  const Partial count = partials[result.count], value = partials[result.accumulator];
  const Finish finish = row_of(result.function).finish;
  if (count == 0 && finish != Finish::counts) return Scalar::null_of(result.type);
  switch (finish) {
    case Finish::average:
      return Scalar::of(result.type, average_of(a, value, static_cast<std::uint64_t>(count),
                                                result.of_rounded_sum));
    case Finish::sum:
      if (is_rounded_sum(a)) return Scalar::of(result.type, real_of_bits(value));
      return Scalar::of(result.type,
                        result.shifted ? value + result.shifted->addend * count : value);
    case Finish::counts: return Scalar::of(result.type, count);
    case Finish::value: break;
  }
  if (result.ranked) return Scalar::of(result.type, value);  // its text is not known here
  return scalar_of(a.type, value);
}

}  // namespace penstock::plan
