// Finds possible beginnings of blocks in a Deflate stream without decoding the data before, as pugz
// and rapidgzip do: bits that form a valid header of a dynamic block that is not the last. Fixed
// blocks have too little redundancy; a decoder that comes from the block before passes over them.
//
// One load tests 48 positions at once: operations on the whole word compare the three bits of the
// type and both numbers of symbols. If they pass, the code length code must be complete: its
// lengths' shares of 128 add up to 128 (Kraft).
//
// Hostile input: each result is a guess. A decoder uses it only if it arrives there by itself.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace penstock::deflate {

// Returns the first bit in [from_bit, end_bit) at which the numbers of symbols are in range and the
// code length code is complete. One random bit in 2000 passes. Reading the rest of the header
// rejects nearly all of the wrong ones.
std::optional<std::uint64_t> find_block(std::span<const std::byte> input, std::uint64_t from_bit,
                                        std::uint64_t end_bit);

}  // namespace penstock::deflate
