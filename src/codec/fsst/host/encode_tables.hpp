// Symbol tables as kernels that encode look symbols up in them (kernels/fsst_encode.kc).
#pragma once
#include <span>
#include <vector>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

struct EncodeTables {
  std::uint32_t pair_count = 0;  // PAIR_COUNT there, the same for all row groups
  std::vector<std::uint32_t> words;
};
// Code::unsupported, naming the row group, for a table that does not fit (symbol_matcher.hpp).
Result<EncodeTables> encode_tables(std::span<const RowGroup> row_groups);

}  // namespace penstock::fsst
