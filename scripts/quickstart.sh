#!/usr/bin/env bash
# From nothing to answers: installs what is missing, builds, makes TPC-H's lineitem as Parquet and
# answers SELECT statements over it. scripts/quickstart.sh [--scale 0.1] [--device ID]
source "$(dirname "$0")/steps.sh"
usage="usage: scripts/quickstart.sh [--scale FACTOR] [--device ID]   (scale 1 is 6 million rows)"
usage() { echo "$usage" >&2; exit 2; }
scale=1 device=()
while (($#)); do
  case $1 in
    --scale) scale=${2-}; [[ $scale =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage; shift 2 ;;
    --device) [[ -n ${2-} ]] || usage; device=(--device "$2"); shift 2 ;;
    -h | --help) echo "$usage"; exit ;;
    *) usage ;;
  esac
done

scripts/setup.sh run
step "Configuring" configure -DPENSTOCK_TESTS=OFF
step "Building" cmake --build --preset "$preset" -j "$jobs" --target penstock

lineitem=data/tpch-$scale/lineitem.parquet
# Under another name until it is complete, so that an interrupted run leaves no half file.
make_lineitem() {
  local making=data/making-$$
  mkdir -p "data/tpch-$scale" "$making" &&
    .venv/bin/tpchgen-cli parquet -s "$scale" --tables=lineitem --output-dir="$making" &&
    mv "$making/lineitem.parquet" "$lineitem" && rmdir "$making"
}
[[ -f $lineitem ]] || step "Making TPC-H lineitem at scale $scale" make_lineitem
printf '%s: %s\n\n' "$lineitem" "$(du -h "$lineitem" | cut -f1)" >&2

build/penstock devices
query() {
  local from="'$lineitem'"
  printf '\n-- %s\n%s\n' "$1" "$2" >&2
  build/penstock query "${2/FROM lineitem/FROM $from}" "${device[@]}"
}
query "TPC-H Q1: pricing summary report" \
  "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,
       sum(l_extendedprice) AS sum_base_price,
       sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
       avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc,
       count(*) AS count_order
FROM lineitem WHERE l_shipdate <= DATE '1998-09-02'
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus"
revenue="SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
  AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"
query "TPC-H Q6: revenue without discounts" "$revenue"
query "The same again, without compiling" "$revenue"
query "Rows in the file's order" \
  "SELECT l_orderkey, l_shipdate, l_shipmode, l_extendedprice * (1 - l_discount) AS price
FROM lineitem
WHERE l_quantity = 50 AND l_shipmode = 'AIR' LIMIT 5"
query "Quantities by ship mode" \
  "SELECT l_shipmode, count(*) AS lines, sum(l_quantity) AS quantity,
       max(l_extendedprice) AS highest_price
FROM lineitem GROUP BY l_shipmode ORDER BY lines DESC"
query "Late lines by year" \
  "SELECT year(l_shipdate) AS shipped, count(*) AS lines, avg(l_extendedprice) AS mean_price
FROM lineitem
WHERE l_receiptdate > l_commitdate GROUP BY year(l_shipdate) ORDER BY shipped"
printf '\nAsk more: build/penstock query "SELECT count(*) FROM '"'%s'"'"\n' "$lineitem" >&2
