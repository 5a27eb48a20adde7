// The first groups of an order, by numbers that groups' words give: no column is made of others.
#pragma once
#include <vector>

#include "exec/aggregate/group_layout.hpp"

namespace penstock::plan {

// Orders groups by the keys of a TopK, and equal ones by the keys of the groups.
class GroupOrder {
 public:
  GroupOrder(const GroupLayout& layout, const TopK& first);

  // Returns a number that does not descend in the order. Different groups may have the same.
  std::uint64_t rank(const std::uint64_t* row) const { return rank(columns_[0], row); }
  bool is_before(const std::uint64_t* a, const std::uint64_t* b) const;

 private:
  // Keys that are integers, floats and strings; results that are integers, and others.
  enum class Kind : unsigned char { integer_key, float_key, text_key, integer, scalar };
  struct Column {
    Kind kind = Kind::scalar;
    std::uint32_t column = 0;  // of the program's rows
    bool descending = false, nulls_first = false;
    Type type = {};
    unsigned unused_bits = 0;            // integer_key: of its word
    std::uint64_t flipped = 0;           // integer_key: so that numbers have the order of values
    bool counts = false;                 // integer: never NULL
    std::uint32_t value = 0, count = 0;  // integer: accumulators
  };

  Column column_of(const SortKey& key) const;
  std::uint64_t rank(const Column& column, const std::uint64_t* row) const;
  std::uint64_t null_rank(const Column& column) const {
    return column.nulls_first ? 0 : ~std::uint64_t{0};
  }
  std::string_view text_of(const Column& column, Int128 code) const;
  Scalar value_of(const Column& column, const std::uint64_t* row) const;
  int compare_texts(const Column& column, const std::uint64_t* a, const std::uint64_t* b) const;
  int compare(const Column& column, const std::uint64_t* a, const std::uint64_t* b) const;

  const GroupLayout& layout_;
  std::vector<Column> columns_;
};

}  // namespace penstock::plan
