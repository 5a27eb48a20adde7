// Where blocks of a Deflate stream may begin, found without decoding what stands before: at bits
// that read as a sound header of a dynamic block that is not the last. Fixed blocks have too little
// to tell them by, and who decodes from the one before passes over them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace penstock::deflate {

// The first bit in [from_bit, end_bit) at which the numbers of symbols are in range and the code of
// the code lengths is complete; of random bits one in 2000. Whoever reads the rest of the header
// finds nearly all of the wrong ones.
std::optional<std::uint64_t> find_block(std::span<const std::byte> input, std::uint64_t from_bit,
                                        std::uint64_t end_bit);

}  // namespace penstock::deflate
