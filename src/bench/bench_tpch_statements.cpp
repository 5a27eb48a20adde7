#include "bench/bench_tpch_statements.hpp"

namespace penstock::bench {

std::span<const TpchStatement> tpch_statements() {
  static constexpr TpchStatement statements[] = {
      {"Q1",
       "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), "
       "sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 "
       "+ l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*) FROM "
       "'lineitem.parquet' WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY GROUP "
       "BY 1, 2 ORDER BY 1, 2"},
      {"Q3",
       "SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, "
       "o_shippriority FROM 'customer.parquet', 'orders.parquet', 'lineitem.parquet' WHERE "
       "c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND "
       "o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15' GROUP BY "
       "l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10"},
      {"Q4",
       "SELECT o_orderpriority, count(*) FROM 'orders.parquet' WHERE o_orderdate >= DATE "
       "'1993-07-01' AND o_orderdate < DATE '1993-10-01' AND EXISTS (SELECT * FROM "
       "'lineitem.parquet' WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) "
       "GROUP BY o_orderpriority ORDER BY o_orderpriority"},
      {"Q6",
       "SELECT sum(l_extendedprice * l_discount) FROM 'lineitem.parquet' WHERE l_shipdate >= "
       "DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR AND "
       "l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24"},
      {"Q12",
       "SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = "
       "'2-HIGH' THEN 1 ELSE 0 END), sum(CASE WHEN o_orderpriority <> '1-URGENT' AND "
       "o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) FROM 'orders.parquet', "
       "'lineitem.parquet' WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') "
       "AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND l_receiptdate >= "
       "DATE '1994-01-01' AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR GROUP BY "
       "l_shipmode ORDER BY l_shipmode"},
      {"Q14",
       "SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - "
       "l_discount) ELSE 0 END) / sum(l_extendedprice * (1 - l_discount)) FROM "
       "'lineitem.parquet', 'part.parquet' WHERE l_partkey = p_partkey AND l_shipdate >= "
       "DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'"},
      {"group by",
       "SELECT l_suppkey, sum(l_extendedprice) AS price, count(*) FROM 'lineitem.parquet' "
       "GROUP BY l_suppkey ORDER BY price DESC, l_suppkey LIMIT 10"},
      {"LIKE", "SELECT count(*) FROM 'lineitem.parquet' WHERE l_comment LIKE '%special%requests%'"},
  };
  return statements;
}

}  // namespace penstock::bench
