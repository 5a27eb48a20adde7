// A column of numbers in a light encoding: one block of words, as light_limits.h lays it out. A
// block that open() returned is safe to read, here and in kernels, whatever bytes it came from.
#pragma once
#include <cstdint>
#include <span>

#include "codec/light/kernels/light_limits.h"
#include "penstock/column.hpp"

namespace penstock::light {

// The content of a vector's descriptor.
struct Vector {
  std::uint32_t kind = LIGHT_PACKED, width = 0, count = 0, place = 0;
  std::uint64_t base = 0;
  std::uint32_t traits[4] = {};  // of the kind
};

// Returns the 32 or 64 bits that a type's values are stored as; 0 if no light encoding has it.
std::uint32_t stored_bits(Type type);

class Block {
 public:
  // Checks everything but what any bits are valid for. `row_count` is the known number of the
  // column's rows. Code::corrupt names the vector.
  static Result<Block> open(Bytes bytes, Type type, std::uint64_t row_count);

  Type type() const { return type_; }
  std::uint64_t row_count() const { return words()[LIGHT_HEAD_ROWS]; }
  const Bytes& bytes() const { return bytes_; }  // begins at a multiple of 16

  // Decodes all rows, or some in this order, as a column without validity.
  Column decode() const;
  Column decode_rows(std::span<const std::uint64_t> rows) const;
  // Returns a block of its own with the vectors that rows [first, first + count) lie in.
  Block slice(std::uint64_t first, std::uint64_t count) const;

 private:
  Block(Bytes bytes, Type type) : bytes_(std::move(bytes)), type_(type) {}
  const std::uint32_t* words() const { return bytes_.as<std::uint32_t>(); }
  std::uint32_t bits() const { return words()[LIGHT_HEAD_BITS]; }
  std::uint32_t first() const { return words()[LIGHT_HEAD_FIRST]; }
  std::uint32_t vector_count() const { return words()[LIGHT_HEAD_VECTORS]; }
  Vector vector(std::uint32_t index) const;
  std::uint32_t values_in(std::uint32_t index) const;
  std::uint64_t words_in(const Vector& vector, std::uint32_t value_count) const;
  Status check_head(std::uint64_t row_count) const;
  Status check_dictionary() const;
  Status check_vector(std::uint32_t index) const;
  std::string why_not_readable(const Vector& vector, std::uint32_t value_count) const;
  std::string why_not_runs(const Vector& vector) const;
  std::string why_not_exceptions(const Vector& vector) const;
  void decode_vector(std::uint32_t index, std::uint64_t* to) const;

  Bytes bytes_;
  Type type_;
};

}  // namespace penstock::light
