#!/usr/bin/env bash
# Checks the .debs beside this script in a bare system, whose root is "/": scripts/packages.sh runs
# it there. check_installed.sh program|development|removal, in this order.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
install() { apt-get install -q -y --no-install-recommends "$@"; }
expect() {   # expect WANTED COMMAND...
  local wanted=$1 got
  shift
  got=$("$@")
  [[ $got == "$wanted" ]] || { printf '%s: %q in place of %q\n' "$*" "$got" "$wanted" >&2; exit 1; }
}

check_program() {
  apt-get update -q
  install ./libpenstock0.2_*.deb ./penstock_*.deb
  ! ldd /usr/bin/penstock | grep 'not found'
  penstock devices --no-bandwidth
  printf 'shop,price\na,1\nb,2\na,4\n' >sales.csv
  expect $'shop,total\na,5\nb,2' penstock query --format csv \
    "SELECT shop, sum(price) AS total FROM 'sales.csv' GROUP BY shop ORDER BY shop"
  penstock query "SELECT * FROM 'sales.csv'" -o sales.parquet      # Arrow's library is found
  expect $'n\n3' penstock query --format csv "SELECT count(*) AS n FROM 'sales.parquet'"
  gzip -k sales.csv
  expect "$(cat sales.csv)" penstock decompress -o - sales.csv.gz
  test -s /usr/share/man/man1/penstock-query.1.gz
  bash -n /usr/share/bash-completion/completions/penstock
}

by_cmake() {   # by_cmake FOLDER PROGRAM OPTION...
  cmake -G Ninja -S "examples/$1" -B "$1-build" "${@:3}"
  cmake --build "$1-build"
  "$1-build/$2"
}
by_pkg_config() {   # by_pkg_config COMPILER SOURCE PACKAGE OPTION...
  "$1" "${@:4}" "examples/$2" $(pkg-config --cflags --libs "$3") -o by_pkg_config
  ./by_pkg_config
}
check_development() {
  install ./libpenstock-dev_*.deb g++ cmake ninja-build pkg-config
  by_cmake c_consumer c_consumer
  by_cmake consumer consumer -DCONSUMER_FILES=ON
  consumer-build/query_file
  consumer-build/compressed_file
  by_pkg_config cc c_consumer/main.c penstock
  by_pkg_config cc from_nvcomp.c penstock
  by_pkg_config c++ consumer/main.cpp penstock-cpp -std=c++20
  by_pkg_config c++ query_file.cpp penstock-cpp-session -std=c++20
}

check_removal() {
  apt-get purge -q -y penstock libpenstock-dev libpenstock0.2
  local left
  left=$(find /usr -name '*penstock*')
  [[ -z $left ]] || { echo "left behind: $left" >&2; exit 1; }
}

"check_$1"
