// The host's half of aggregates: merging accumulator words that groups and chunks left, and reading results from them.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plan/tile_program.hpp"

namespace penstock::plan {

void clear(const TileProgram& program, std::span<std::uint64_t> words);
// Adds `from` to `into`; the caller's order is the order of addition.
void merge(const TileProgram& program, std::span<std::uint64_t> into, std::span<const std::uint64_t> from);
Scalar result_of(const TileProgram& program, const AggregateResult& result, std::span<const std::uint64_t> words);
// A key or extreme from its word; a string's word is its code.
Scalar scalar_of_word(Type type, std::uint64_t word);
std::uint64_t word_of_scalar(const Scalar& value);

}  // namespace penstock::plan
