# Sourced by setup.sh, quickstart.sh and test.sh: each step's name and time on one line, its output in a log, and the end of
# that log only when it fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
logs=build/logs
mkdir -p "$logs"
# The CPUs this process may use, which in a container can be fewer than the machine has.
jobs=$(nproc)

# step NAME COMMAND...
step() {
  local name=$1 start=$SECONDS log
  shift
  log=$logs/$(tr -cs 'A-Za-z0-9\n' '-' <<<"$name").log
  printf '%-58s' "$name" >&2
  if "$@" >"$log" 2>&1 </dev/null; then
    printf '%4d s\n' $((SECONDS - start)) >&2
  else
    local code=$?
    printf 'FAILED after %d s (exit code %d)\n' $((SECONDS - start)) "$code" >&2
    tail -n 40 "$log" >&2
    printf '\n%s failed: %s\nThe whole log: %s\n' "$name" "$*" "$log" >&2
    exit 1
  fi
}

# The build folder both commands share. configure [CMAKE OPTION]...
configure() { cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"; }
