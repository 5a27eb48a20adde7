#!/usr/bin/env bash
# Installs what is missing, builds and runs every test. Ends with "N passed, N failed"; the exit
# code is 0 when none failed. PENSTOCK_PRESET names the preset of CMakePresets.json, release or ci.
case ${1-} in
  "") ;;
  -h | --help) echo "usage: scripts/test.sh   (all; then some: ctest --test-dir build -R NAME)"
               exit ;;
  *) echo "scripts/test.sh takes no arguments; ctest --test-dir build -R NAME runs some tests" >&2
     exit 2 ;;
esac
source "$(dirname "$0")/steps.sh"
scripts/setup.sh test
step "Configuring" configure
step "Building" cmake --build --preset "$preset" -j "$jobs"

results=build/test-results
rm -rf "$results"
mkdir -p "$results"
# GoogleTest programs write their cases there (test/TestsOfFiles.cmake). The other tests are counted
# by their last line, which the preset's output limits keep CTest from cutting off.
run_tests() {
  ctest --preset "$preset" -j "$jobs" --output-junit \
    "$PWD/$results.ctest.xml" || true      # count_tests.py judges, and says which
}
step "Testing" run_tests
python3 scripts/count_tests.py "$results" "$results.ctest.xml"
