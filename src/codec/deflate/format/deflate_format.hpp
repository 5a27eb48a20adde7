// Constants of Deflate (RFC 1951), and the errors of a stream.
//
// A stream is a series of blocks, read bit by bit, lowest bit of each byte first. A block has
// stored bytes, or symbols of two Huffman codes: one of literals, lengths and the end of the block,
// one of distances.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace penstock::deflate {

constexpr unsigned window_bytes = 32768;  // the largest distance
constexpr unsigned max_match_bytes = 258;
constexpr unsigned max_code_bits = 15;
constexpr unsigned literal_symbols = 288, distance_symbols = 32, precode_symbols = 19;
constexpr unsigned end_of_block = 256;
// Symbols from these on are part of the fixed codes but invalid (section 3.2.6).
constexpr unsigned valid_literal_symbols = 286, valid_distance_symbols = 30;

enum class BlockType : std::uint8_t { stored, fixed, dynamic, reserved };  // section 3.2.3

// The values of a symbol: base + extra bits (section 3.2.5).
struct Range {
  std::uint16_t base;
  std::uint8_t extra_bits;
};

constexpr std::array<Range, 29> length_ranges = {
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Range, 30> distance_ranges = {
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
     {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
     {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
     {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

// The order in which a dynamic block stores the lengths of the code length code (section 3.2.7).
constexpr std::array<std::uint8_t, precode_symbols> precode_order = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

enum class ErrorCode : std::uint8_t {
  none,
  truncated,  // the input ends inside a block, or before the last one
  block_type,
  stored_length,      // LEN and NLEN do not agree
  symbol_counts,      // more than 286 literal and length symbols, or more than 30 distances
  precode,            // a code that is over-subscribed or incomplete
  repeat_of_nothing,  // a length that repeats the one before it, and there is none
  repeat_too_long,
  no_end_of_block,  // the code has no symbol 256
  literal_code,
  distance_code,
  literal_symbol,   // bits that no symbol has, or symbol 286 or 287
  distance_symbol,  // bits that no symbol has, or symbol 30 or 31
  too_far,          // a distance that reaches before the first byte
};
std::string_view message(ErrorCode error);

}  // namespace penstock::deflate
