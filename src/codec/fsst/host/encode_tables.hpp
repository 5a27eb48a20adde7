// Symbol tables laid out for the lookups of encoding kernels (kernels/fsst_encode.kc).
#pragma once
#include <span>
#include <vector>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

struct EncodeTables {
  std::uint32_t pair_count = 0;  // the kernels' PAIR_COUNT, the same for all row groups
  std::vector<std::uint32_t> words;
};
// Lays out the tables. Code::unsupported names the row group of a table that does not fit
// (symbol_matcher.hpp).
Result<EncodeTables> encode_tables(std::span<const RowGroup> row_groups);

}  // namespace penstock::fsst
