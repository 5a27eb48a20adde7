#!/usr/bin/env bash
# Follows packaging/Containerfile in a copy of a bare system, where no container engine runs: each
# step as an engine takes it, then a query and a decompression by the container's entry point.
#     scripts/check_container.sh DEBS SYSTEM
#     DEBS: the folder of scripts/packages.sh's output
#     SYSTEM: the root of a bare Debian 12, as scripts/packages.sh --chroots keeps it
# Needs root. Ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $# == 2 && -d $1 && -d $2/etc ]] ||
  { echo "usage: scripts/check_container.sh DEBS SYSTEM" >&2; exit 2; }
debs=$(realpath "$1") work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
cp -a "$2" "$root"
user=root folder=/ entry=() variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)

# in_container COMMAND...: as the container's user, in its folder.
in_container() {
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot --userspec="$user" "$root" \
    /usr/bin/env -i "${variables[@]}" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
}
# The words of a JSON array of strings without quotes in them.
words_of() { tr -d '[],' <<<"$1" | xargs -n 1; }

follow() {
  local word=$1 rest=$2 files
  case $word in
    FROM) [[ $rest == */debian:12-slim ]] && grep -q '^12' "$root/etc/debian_version" ;;
    COPY) read -ra files <<<"$rest"
          mkdir -p "$root${files[-1]}"
          (cd "$debs" && cp ${files[*]::${#files[@]}-1} "$root${files[-1]}") ;;
    RUN) in_container sh -c "$rest" ;;
    ENV) variables+=("$rest") ;;
    USER)
      user=$rest
      variables+=("HOME=$(awk -F: -v user="$rest" '$1 == user {print $6}' "$root/etc/passwd")") ;;
    WORKDIR) folder=$rest; mkdir -p "$root$folder" ;;
    ENTRYPOINT) mapfile -t entry < <(words_of "$rest") ;;
    CMD) in_container "${entry[@]}" $(words_of "$rest") >/dev/null ;;
    *) echo "check_container: an unknown step: $word" >&2; return 1 ;;
  esac
}
while read -r word rest; do
  echo "-- $word $rest" >&2
  follow "$word" "$rest" >&2 </dev/null
done < <(sed -e '/^#/d' -e ':join;/\\$/{N;s/\\\n//;b join}' packaging/Containerfile)

passed=0 failed=0
expect() {
  local wanted=$1
  shift
  if [[ $(in_container "${entry[@]}" "$@") == "$wanted" ]]; then
    passed=$((passed + 1))
  else
    echo "not '$wanted': $*" >&2
    failed=$((failed + 1))
  fi
}
printf 'n\n1\n2\n' >"$root/data/rows.csv"      # as -v gives the caller's folder
gzip -k "$root/data/rows.csv"
expect $'total\n3' query "SELECT sum(n) AS total FROM 'rows.csv'" --format csv
expect $'n\n1\n2' decompress -o - rows.csv.gz
expect $'largest\n2' query "SELECT max(n) AS largest FROM 'rows.csv.gz'" --format csv
du -sh "$root" | cut -f1 | sed 's/^/the size of the root: /' >&2
echo "$passed passed, $failed failed"
exit $((failed > 0))
