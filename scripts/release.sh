#!/usr/bin/env bash
# Makes a release of the version that CMakeLists.txt states. It builds the program, the .debs and the
# wheel, checks each in an empty place, and tags the commit.
#     scripts/release.sh [--dry-run] [--build FOLDER] [--output FOLDER] [SUITE[=MIRROR]]...
#     --dry-run: all but the tag
#     --build, SUITE: those of scripts/packages.sh
#     --output: the folder of the files; by default dist
# Refuses a tree with changes, a tag that exists, and a CHANGELOG.md that does not end its
# "Unreleased" part with this version. Nothing is pushed.
source "$(dirname "$0")/steps.sh"
usage="usage: scripts/release.sh [--dry-run] [--build FOLDER] [--output FOLDER] [SUITE[=MIRROR]]..."
dry_run= build=build-packages output=dist suites=()
while (($#)); do
  case $1 in
    --dry-run) dry_run=yes; shift ;;
    --build) build=${2-}; shift 2 ;;
    --output) output=${2-}; shift 2 ;;
    -h | --help) echo "$usage"; exit ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) suites+=("$1"); shift ;;
  esac
done
refuse() { echo "release: $*" >&2; exit 1; }

version=$(sed -n 's/^project(penstock VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tag=v$version
archive=penstock-$version-linux-$(uname -m)
[[ -n $version ]] || refuse "CMakeLists.txt states no version"
[[ -z $(git status --porcelain) ]] || refuse "the tree has changes; commit them"
! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || refuse "the tag $tag exists"
grep -q "^## $version - [0-9-]*$" CHANGELOG.md || refuse "CHANGELOG.md has no part '## $version - DATE'"
unreleased=$(sed -n '/^## Unreleased/,/^## [0-9]/p' CHANGELOG.md | grep -c '^- ' || true)
((unreleased == 0)) || refuse "CHANGELOG.md has $unreleased changes under Unreleased"

! grep -s '^CMAKE_HOME_DIRECTORY:' "$build/CMakeCache.txt" | grep -qv "=$PWD\$" ||
  refuse "$build is a build of another source tree"

output=$(realpath -m "$output")
pack_source() { git archive --prefix="penstock-$version/" -o "$output/penstock-$version.tar.gz" HEAD; }
pack_program() {
  rm -rf "$work/$archive"
  cmake --install "$build" --component cli --prefix "$work/$archive" --strip &&
    tar -C "$work" --owner=0 --group=0 -czf "$output/$archive.tar.gz" "$archive"
}
# Without this tree's variables and folders.
check_program() (
  folder=$work/unpacked
  mkdir -p "$folder" && tar -C "$folder" -xzf "$output/$archive.tar.gz" && cd "$folder" || exit
  program=(env -i PATH=/usr/bin:/bin HOME="$folder" "$archive/bin/penstock")
  printf 'n\n1\n2\n' >rows.csv && gzip -k rows.csv
  [[ $("${program[@]}" --version) == "penstock $version" ]] &&
    [[ $("${program[@]}" query "SELECT sum(n) AS n FROM 'rows.csv'" --format csv) == $'n\n3' ]] &&
    "${program[@]}" decompress -o - rows.csv.gz | cmp - rows.csv
)
sum_files() { (cd "$output" && sha256sum -- * >SHA256SUMS); }

if command -v abidw >/dev/null; then step "The binary interface" scripts/check_abi.py; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Both scripts empty the folder that they write to, which may be the same one.
if [[ -x scripts/wheel.sh ]]; then
  scripts/wheel.sh
  cp dist/*.whl "$work"
else
  echo "no scripts/wheel.sh: no wheel" >&2
fi
scripts/packages.sh --build "$build" --output "$output" "${suites[@]}"
find "$work" -name '*.whl' -exec cp {} "$output" \;
step "The program's archive" pack_program
step "The program in an empty folder" check_program
step "The source's archive" pack_source
step "Sums" sum_files
cat "$output/SHA256SUMS"

if [[ $dry_run ]]; then
  echo "a dry run: $tag was not made"
  exit
fi
git tag -a "$tag" -m "Penstock $version"
echo "made $tag; now: git push origin $tag"
