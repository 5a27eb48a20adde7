# Sourced by setup.sh, quickstart.sh and test.sh: each step's name and time on one line, its output
# in a log, and the end of that log only when it fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
logs=build/logs
mkdir -p "$logs"
# The CPUs this process may use, which in a container can be fewer than the machine has.
jobs=$(nproc)

# Prints how far a log has come, as ninja ("[12/263]") or CTest ("12/229 Test") says it.
progress_of() {
  tail -c 4000 "$1" 2>/dev/null | grep -oE '^\[[0-9]+/[0-9]+\]|^ *[0-9]+/[0-9]+ Test' | tail -n 1 |
    tr -dc '0-9/' | sed 's|/| of |'
}

# Shows the seconds and the progress of a running step: each second on a terminal, elsewhere a line
# each minute.
show_progress() {
  local name=$1 start=$2 log=$3 seconds shown=0
  while sleep 1 >/dev/null 2>&1 </dev/null && kill -0 $$ 2>/dev/null; do
    seconds=$((SECONDS - start))
    if [[ -t 2 ]]; then
      printf '\r%-58s%4d s  %s\033[K' "$name" "$seconds" "$(progress_of "$log")" >&2
    elif ((seconds / quiet_seconds > shown)); then
      shown=$((seconds / quiet_seconds))
      printf '\n  %-56s%4d s  %s' "$name: running" "$seconds" "$(progress_of "$log")" >&2
    fi
  done
}
quiet_seconds=${PENSTOCK_QUIET_SECONDS:-60}

# step NAME COMMAND...
step() {
  local name=$1 start=$SECONDS log code=0 progress
  shift
  log=$logs/$(tr -cs 'A-Za-z0-9\n' '-' <<<"$name").log
  printf '%-58s' "$name" >&2
  show_progress "$name" "$start" "$log" & progress=$!
  "$@" >"$log" 2>&1 </dev/null || code=$?
  kill "$progress" 2>/dev/null || true
  wait "$progress" 2>/dev/null || true
  local seconds=$((SECONDS - start))
  # The name again, where progress was written over it or after it.
  if [[ -t 2 ]]; then
    printf '\r\033[K%-58s' "$name" >&2
  elif ((seconds >= quiet_seconds)); then
    printf '\n%-58s' "$name" >&2
  fi
  ((code == 0)) && printf '%4d s\n' "$seconds" >&2 && return
  printf 'FAILED after %d s (exit code %d)\n' "$seconds" "$code" >&2
  tail -n 40 "$log" >&2
  printf '\n%s failed: %s\nThe whole log: %s\n' "$name" "$*" "$log" >&2
  exit 1
}

# Configures the build folder of a preset of CMakePresets.json. The presets release and ci share
# build/. configure [CMAKE OPTION]...
preset=${PENSTOCK_PRESET:-release}
configure() { cmake --preset "$preset" "$@"; }
