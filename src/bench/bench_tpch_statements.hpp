// The statements of `penstock bench tpch`: six of TPC-H (https://www.tpc.org/tpch/), a GROUP BY of
// one key and a LIKE.
#pragma once
#include <span>

namespace penstock::bench {

struct TpchStatement {
  const char* name;
  const char* text;  // over 'lineitem.parquet' and the other tables of the folder
};
std::span<const TpchStatement> tpch_statements();

}  // namespace penstock::bench
