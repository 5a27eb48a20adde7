#!/usr/bin/env bash
# Formats every C++, C, CUDA, Kernel C and Python file. `scripts/format.sh --check` changes nothing,
# names the files that differ and ends with "N passed, N failed". The formatters come from .venv
# (scripts/python_environment.sh test), which fixes their versions.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=.venv/bin
clang_format=$bin/clang-format
# Prints the files with the given endings, also where git or its history is absent.
files_named() {
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard "${@/#/*.}" | while read -r file; do
      [[ ! -f $file ]] || printf '%s\n' "$file"
    done
  else
    local names=() ending
    for ending in "$@"; do names+=(-o -name "*.$ending"); done
    find bench examples include src test \( "${names[@]:1}" \) -type f | sort
  fi
}
mapfile -t sources < <(files_named cpp hpp h inc c cu cuh)
mapfile -t kernels < <(files_named kc)

# Prints one formatted file. Kernel C has no file ending that clang-format knows.
formatted() { "$clang_format" --assume-filename="${1%.kc}.cpp" <"$1"; }

if [[ ${1-} == --check ]]; then
  failed=0
  "$clang_format" --dry-run -Werror "${sources[@]}" || failed=$((failed + 1))
  kernels_failed=0
  for file in "${kernels[@]}"; do
    formatted "$file" | cmp -s - "$file" && continue
    echo "$file: run scripts/format.sh"
    kernels_failed=1
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
