#!/usr/bin/env bash
# Formats every C++, C, CUDA, Kernel C and Python file. `scripts/format.sh --check` changes nothing,
# names the files that differ and ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=.venv/bin
clang_format=$bin/clang-format
mapfile -t sources < <(git ls-files '*.cpp' '*.hpp' '*.h' '*.inc' '*.c' '*.cu' '*.cuh')
mapfile -t kernels < <(git ls-files '*.kc')

# Prints the formatted text of one file. Kernel C has no file ending that clang-format knows.
formatted() { "$clang_format" --assume-filename="${1%.kc}.cpp" <"$1"; }

if [[ ${1-} == --check ]]; then
  failed=0
  "$clang_format" --dry-run -Werror "${sources[@]}" || failed=$((failed + 1))
  kernels_failed=0
  for file in "${kernels[@]}"; do
    formatted "$file" | cmp -s - "$file" || { echo "$file: run scripts/format.sh"; kernels_failed=1; }
  done
  failed=$((failed + kernels_failed))
  "$bin/ruff" format --quiet --diff . || failed=$((failed + 1))
  echo "$((3 - failed)) passed, $failed failed"
  exit $((failed > 0))
fi
"$clang_format" -i "${sources[@]}"
for file in "${kernels[@]}"; do
  formatted "$file" >"$file.formatted"
  cmp -s "$file" "$file.formatted" || cp "$file.formatted" "$file"
  rm "$file.formatted"
done
"$bin/ruff" format --quiet .
