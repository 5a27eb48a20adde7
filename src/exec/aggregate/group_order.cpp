#include "exec/aggregate/group_order.hpp"

#include <algorithm>
#include <bit>

#include "expr/value.hpp"
#include "table/sort/key_rank.hpp"
#include "table/strings/string_order.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t top_rank_bit = std::uint64_t{1} << 63, last_rank = ~std::uint64_t{0};

std::uint64_t rank_of_integer(Int128 value) {
  const Int128 near = std::clamp<Int128>(value, INT64_MIN, INT64_MAX);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(near)) ^ top_rank_bit;
}

std::uint64_t rank_of_real(double value) {
  return rank_of_word({penstock::Kind::float64}, std::bit_cast<std::uint64_t>(value));
}

}  // namespace

GroupOrder::GroupOrder(const GroupLayout& layout, const TopK& first) : layout_(layout) {
  for (const SortKey& key : first.keys) columns_.push_back(column_of(key));
  for (std::uint32_t key = 0; key < layout.program.key_count; key++)
    columns_.push_back(column_of({key, false, false}));
}

GroupOrder::Column GroupOrder::column_of(const SortKey& key) const {
  const TileProgram& program = layout_.program;
  Column column{Kind::scalar, key.column, key.descending, key.nulls_first,
                program.schema[key.column].type};
  if (key.column < program.key_count) {
    column.kind = column.type.kind == penstock::Kind::string ? Kind::text_key
                  : is_float(column.type)                    ? Kind::float_key
                                                             : Kind::integer_key;
    if (column.kind == Kind::integer_key && expr::is_sign_extended(column.type)) {
      column.unused_bits = static_cast<unsigned>(64 - 8 * width_bytes(column.type));
      column.flipped = top_rank_bit;
    }
    return column;
  }
  const AggregateResult& result = program.results[key.column - program.key_count];
  const Finish finish = row_of(result.function).finish;
  column.counts = finish == Finish::counts;
  const bool is_sum =
      finish == Finish::sum && is_exact_sum(program.accumulators[result.accumulator]);
  if ((!column.counts && !is_sum) || result.shifted || is_float(result.type)) return column;
  column.kind = Kind::integer;
  column.value = column.counts ? result.count : result.accumulator;
  column.count = result.count;
  return column;
}

std::string_view GroupOrder::text_of(const Column& column, Int128 code) const {
  const TileProgram& program = layout_.program;
  if (column.column < program.key_count)
    return layout_.text_of_key(column.column, static_cast<std::uint64_t>(code));
  return layout_.strings.text(program, program.results[column.column - program.key_count],
                              static_cast<std::uint32_t>(code));
}

Scalar GroupOrder::value_of(const Column& column, const std::uint64_t* row) const {
  const TileProgram& program = layout_.program;
  Scalar value;
  if (column.column >= program.key_count)
    value = result_of(program, program.results[column.column - program.key_count],
                      layout_.partials(row));
  else
    value = layout_.is_null(row, column.column)
                ? Scalar::null_of(column.type)
                : expr::scalar_of_word(column.type, layout_.key(row)[column.column]);
  if (column.type.kind == penstock::Kind::string && !value.is_null)
    value.text = text_of(column, value.integer);
  return value;
}

std::uint64_t GroupOrder::rank(const Column& column, const std::uint64_t* row) const {
  std::uint64_t rank = 0;
  if (column.kind == Kind::integer) {
    const auto partials = layout_.partials(row);
    if (!column.counts && partials[column.count] == 0) return null_rank(column);
    rank = rank_of_integer(partials[column.value]);
  } else if (column.kind == Kind::scalar) {
    const Scalar value = value_of(column, row);
    if (value.is_null) return null_rank(column);
    rank = column.type.kind == penstock::Kind::string ? first_bytes_of(value.text)
           : is_float(column.type)                    ? rank_of_real(value.real)
                                                      : rank_of_integer(value.integer);
  } else {
    if (layout_.is_null(row, column.column)) return null_rank(column);
    const std::uint64_t word = layout_.key(row)[column.column];
    if (column.kind == Kind::integer_key)
      rank = static_cast<std::uint64_t>(static_cast<std::int64_t>(word << column.unused_bits) >>
                                        column.unused_bits) ^
             column.flipped;
    else
      rank = column.kind == Kind::float_key
                 ? rank_of_word(column.type, word)
                 : first_bytes_of(layout_.text_of_key(column.column, word));
  }
  return column.descending ? ~rank : rank;
}

int GroupOrder::compare_texts(const Column& column, const std::uint64_t* a,
                              const std::uint64_t* b) const {
  const std::uint64_t of_a = layout_.key(a)[column.column], of_b = layout_.key(b)[column.column];
  if (of_a == of_b) return 0;
  const int order =
      layout_.text_of_key(column.column, of_a).compare(layout_.text_of_key(column.column, of_b));
  return column.descending ? -order : order;
}

// Numbers are their ranks, except the least and the greatest: these may be NULL's, or of values
// that 64 bits do not hold.
int GroupOrder::compare(const Column& column, const std::uint64_t* a,
                        const std::uint64_t* b) const {
  if (column.kind == Kind::text_key && !layout_.is_null(a, column.column) &&
      !layout_.is_null(b, column.column))
    return compare_texts(column, a, b);
  const std::uint64_t of_a = rank(column, a), of_b = rank(column, b);
  if (of_a != of_b) return of_a < of_b ? -1 : 1;
  const bool is_number = column.kind == Kind::integer_key || column.kind == Kind::integer;
  if (is_number && of_a != 0 && of_a != last_rank) return 0;
  const Scalar x = value_of(column, a), y = value_of(column, b);
  if (x.is_null || y.is_null)
    return x.is_null == y.is_null ? 0 : x.is_null == column.nulls_first ? -1 : 1;
  const int order = expr::compare(x, y);
  return column.descending ? -order : order;
}

bool GroupOrder::is_before(const std::uint64_t* a, const std::uint64_t* b) const {
  for (const Column& column : columns_)
    if (const int order = compare(column, a, b); order != 0) return order < 0;
  return false;
}

}  // namespace penstock::plan
