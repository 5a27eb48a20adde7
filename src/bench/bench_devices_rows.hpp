// Rows that `penstock bench devices` makes: two Parquet files, written by Arrow.
#pragma once
#include <filesystem>

#include "penstock/status.hpp"

namespace penstock::bench {

// Writes rows.parquet: `few`, INTEGER of 1000 values; `many`, BIGINT of 10^7; `value`, BIGINT. And
// keys.parquet, one row for each of the first 10^6 values of `many` (of `rows`, if these are
// fewer): `id` and `weight`.
Status write_rows_of_devices(const std::filesystem::path& folder, std::uint64_t rows,
                             std::uint64_t row_group_rows);

}  // namespace penstock::bench
