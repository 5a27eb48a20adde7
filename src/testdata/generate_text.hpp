// String columns for benches and tests, generated from a seed. A row's string depends on the seed
// and its number alone, so columns are equal for any number of threads, and a shorter column is the
// beginning of a longer one.
#pragma once
#include <cstdint>

#include "penstock/column.hpp"

namespace penstock::codec {

// Generates web addresses with the statistics of ClickBench's URL column: mean 92.4 bytes, median
// 75, 1 % of 406 and more. About half of the rows repeat popular pages; one in about 5000 contains
// "google". cwida/fsst compresses them by 1.99, ours by 2.15.
Column generate_urls(std::uint64_t row_count, std::uint64_t seed = 1);

// Generates log lines of services in time order: a dozen forms with numbers, identifiers, addresses
// and durations.
Column generate_log_lines(std::uint64_t row_count, std::uint64_t seed = 1);

// Generates sentences of a grammar with 205 words, and some numbers: 7.6 bytes for each sequence of
// LZ4, hardly a literal. Some 55 bytes per row.
Column generate_sentences(std::uint64_t row_count, std::uint64_t seed = 1);

// Generates log lines in JSON with eleven fields: 20 bytes for each sequence of LZ4. Some 215 bytes
// per row.
Column generate_json_lines(std::uint64_t row_count, std::uint64_t seed = 1);

}  // namespace penstock::codec
