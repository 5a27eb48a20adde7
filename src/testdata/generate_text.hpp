// Columns of text for benches and tests, made from nothing but a seed: a row's text depends on the
// seed and its number alone, so that columns are equal whatever the number of threads, and a
// shorter column is the beginning of a longer one.
#pragma once
#include <cstdint>

#include "penstock/column.hpp"

namespace penstock::codec {

// Addresses of pages with the statistics of ClickBench's URL column: 92.4 bytes in the mean, a
// median of 75, 1 % of 406 and more; about half of the rows repeat popular pages; one in about 5000
// holds "google". cwida/fsst makes 1.99 times less of them, ours 2.15.
Column generate_urls(std::uint64_t row_count, std::uint64_t seed = 1);

// Lines of services' logs in the order of time: a dozen forms with numbers, identifiers, addresses
// and durations in them.
Column generate_log_lines(std::uint64_t row_count, std::uint64_t seed = 1);

// Sentences of a grammar with 205 words, and some numbers: 7.6 bytes for each sequence of LZ4,
// hardly a literal. Some 55 bytes a row.
Column generate_sentences(std::uint64_t row_count, std::uint64_t seed = 1);

// Log lines in JSON with eleven fields: 20 bytes for each sequence of LZ4. Some 215 bytes a row.
Column generate_json_lines(std::uint64_t row_count, std::uint64_t seed = 1);

}  // namespace penstock::codec
