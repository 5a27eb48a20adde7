#!/usr/bin/env bash
# Installs what is missing, builds and runs every test. Ends with "N passed, N failed"; the exit code is 0 when none failed.
case ${1-} in
  "") ;;
  -h | --help) echo "usage: scripts/test.sh   (all; then one: ctest --test-dir build -R NAME)"; exit ;;
  *) echo "scripts/test.sh takes no arguments; of a built tree, ctest --test-dir build -R NAME runs some tests" >&2; exit 2 ;;
esac
source "$(dirname "$0")/steps.sh"
scripts/setup.sh test
step "Configuring" configure -DPENSTOCK_TESTS=ON
step "Building" cmake --build build -j "$jobs"

results=build/test-results
rm -rf "$results"
mkdir -p "$results"
# Each GoogleTest program writes its cases there; the other tests are counted by their last line, which CTest would cut off.
run_tests() {
  GTEST_OUTPUT=xml:$PWD/$results/ ctest --test-dir build -j "$jobs" --timeout 600 --output-on-failure \
    --test-output-size-passed 10000000 --test-output-size-failed 10000000 \
    --output-junit "$PWD/$results.ctest.xml" || true      # count_tests.py judges, and says which
}
step "Testing" run_tests
python3 scripts/count_tests.py "$results" "$results.ctest.xml"
