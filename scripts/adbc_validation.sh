#!/usr/bin/env bash
# Builds Apache Arrow ADBC's validation suite with its driver manager, and runs it over a
# libpenstock.so. Needs GoogleTest and GoogleMock, and a checkout of apache/arrow-adbc.
#     scripts/adbc_validation.sh CHECKOUT [LIBRARY [argument of GoogleTest]...]
# LIBRARY is build/libpenstock.so by default. PENSTOCK_DEVICE and PENSTOCK_PLANNER choose a device
# (cpu:0) and a planner (auto). One test asks for current_date, which DuckDB plans alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if (($# < 1)); then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
source=$1/c
library=$(realpath "${2:-build/libpenstock.so}")
shift $(($# < 2 ? $# : 2))
folder=build/adbc-validation
mkdir -p "$folder"

includes=()
for include in include . driver vendor vendor/nanoarrow vendor/fmt/include; do
  includes+=(-isystem "$source/$include")
done
# compile SOURCE: into the folder, unless the object is newer.
compile() {
  local object=$folder/$(basename "$1").o
  objects+=("$object")
  [[ $object -nt $1 ]] && return
  case $1 in
    *.c) cc -O0 "${includes[@]}" -c "$1" -o "$object" ;;
    *) c++ -O0 -std=c++20 "${includes[@]}" -c "$1" -o "$object" ;;
  esac
}
objects=()
for file in "$source"/vendor/nanoarrow/nanoarrow.c "$source"/driver/common/utils.c \
  "$source"/validation/*.cc "$source"/driver_manager/adbc_driver_manager{,_api,_driver_loading,_profiles}.cc \
  test/adbc/validation.cpp; do
  compile "$file"
done
c++ "${objects[@]}" -lgtest_main -lgtest -lgmock -ldl -lpthread -o "$folder/validation"
PENSTOCK_LIBRARY=$library "$folder/validation" "$@"
