// The bloom filter of a column chunk: which values do not occur in it.
//
// https://github.com/apache/parquet-format/blob/master/BloomFilter.md
#pragma once
#include <parquet/bloom_filter.h>

#include "io/parquet/parquet_file.hpp"

namespace penstock::io {

class ChunkBloomFilter {
 public:
  // Returns null where the file has none of the chunk, or a damaged one.
  static std::unique_ptr<ChunkBloomFilter> open(const ParquetFile& file, int row_group,
                                                const ParquetColumn& column);
  // Returns whether the value of a row, not NULL, may occur in the chunk. `values` have the
  // column's type.
  bool may_hold(const Column& values, std::uint64_t row) const;
  std::uint64_t bytes() const { return filter_->GetBitsetSize(); }

 private:
  ChunkBloomFilter(const ParquetColumn& column, parquet::Type::type stored,
                   std::unique_ptr<parquet::BloomFilter> filter)
      : column_(column), stored_(stored), filter_(std::move(filter)) {}
  std::optional<std::uint64_t> hash_of(double value) const;
  std::optional<std::uint64_t> hash_of(std::int64_t value) const;

  const ParquetColumn& column_;
  const parquet::Type::type stored_;
  std::unique_ptr<parquet::BloomFilter> filter_;
};

}  // namespace penstock::io
