#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) on C++ sources: on those that differ from the main branch, on the
# named ones, or on every one of src/.
#     scripts/lint.sh [--all | FILE...]
# Needs clang-tidy 14 or later, and the preset dev configured: cmake --preset dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
usage="usage: scripts/lint.sh [--all | FILE...]"
build=${PENSTOCK_LINT_BUILD:-build-dev}
case ${1-} in
  -h | --help) echo "$usage"; exit ;;
  --all) mapfile -t files < <(git ls-files 'src/*.cpp') ;;
  -*) echo "$usage" >&2; exit 2 ;;
  "")
    base=$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)
    mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp') ;;
  *) files=("$@") ;;
esac
if [[ ! -f $build/compile_commands.json ]]; then
  echo "lint: $build is not configured; run cmake --preset dev" >&2
  exit 1
fi
((${#files[@]} > 0)) || { echo "no C++ source of src/ differs from main"; exit; }
# The compiler's own warnings are the compiler's to report: clang words others than g++.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p "$build" --extra-arg=-Wno-everything \
    2> >(grep -v 'warnings generated' >&2)
echo "${#files[@]} files checked"
