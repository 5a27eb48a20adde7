#!/usr/bin/env bash
# Builds the three .debs (docs/packages.md) and checks each in a bare system of its own, made by
# debootstrap: installed by apt, a query, a decompression, programs in C and C++ by CMake and by
# pkg-config, removed. Ends with "N passed, N failed".
#     SUITE: bookworm, trixie, noble ...; by default that of this machine; "none" checks nothing
#     --build: a build folder to use, such as build; by default build-packages
#     --output: the folder of the .debs; by default build-packages/debs
#     --chroots: keeps the bare systems there, and uses those that are there
# Checks need root and debootstrap, and lintian if it is installed.
source "$(dirname "$0")/steps.sh"
usage="usage: scripts/packages.sh [--build FOLDER] [--output FOLDER] [--chroots FOLDER] [SUITE[=MIRROR]]..."
build=build-packages output=build-packages/debs chroots= suites=()
while (($#)); do
  case $1 in
    --build) build=${2-}; shift 2 ;;
    --output) output=${2-}; shift 2 ;;
    --chroots) chroots=${2-}; shift 2 ;;
    -h | --help) echo "$usage"; exit ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) suites+=("$1"); shift ;;
  esac
done
[[ -n $build && -n $output ]] || { echo "$usage" >&2; exit 2; }
output=$(realpath -m "$output")
((${#suites[@]} > 0)) || suites=("$(. /etc/os-release && echo "$VERSION_CODENAME")")

# CPack reads the folder of libraries from the build's configuration.
configure_packages() {
  local library_folder=lib
  library_folder=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
  if [[ -f $build/CMakeCache.txt ]]; then
    cmake "$build" -DCMAKE_INSTALL_LIBDIR="$library_folder"
  else
    cmake --preset release -B "$build" -DCMAKE_INSTALL_LIBDIR="$library_folder" \
      -DPENSTOCK_TESTS=OFF -DPENSTOCK_EXAMPLES=OFF -DPENSTOCK_SHIPPED_PROGRAMS=AUTO
  fi
}
make_packages() {
  rm -rf "$output" && mkdir -p "$output" &&
    cpack -G DEB --config "$build/CPackConfig.cmake" -B "$output" &&
    rm -r "$output/_CPack_Packages"
}
# These tags hold on purpose: libraries are linked from static ones, and no bug asks for a package.
# CPack writes the scripts that call ldconfig.
lint_packages() {
  lintian --fail-on error,warning --suppress-tags \
    embedded-library,initial-upload-closes-no-bugs,maintscript-calls-ldconfig "$output"/*.deb
}

step "Configuring" configure_packages
step "Building" cmake --build "$build" -j "$jobs" --target penstock_packages
step "Packing" make_packages
ls -l "$output" >&2
if command -v lintian >/dev/null; then step "lintian" lint_packages; fi
[[ ${suites[0]} != none ]] || exit 0

if [[ $(id -u) != 0 ]] || ! command -v debootstrap >/dev/null; then
  echo "packages: checks need root and debootstrap" >&2
  exit 1
fi
if [[ -z $chroots ]]; then
  chroots=$(mktemp -d)
  trap 'rm -rf "$chroots"' EXIT
fi

# Suites of Ubuntu have one script, by many names; debootstrap knows those of its own time alone.
make_bare_system() {
  local suite=$1 mirror=$2 folder=$3 scripts=/usr/share/debootstrap/scripts script=
  [[ -e $scripts/$suite ]] || script=$scripts/gutsy
  local components=main
  [[ -z $script && $(readlink "$scripts/$suite") != gutsy ]] || components=main,universe
  debootstrap --variant=minbase --components="$components" "$suite" "$folder.making" \
    "$mirror" ${script:+"$script"} && mv "$folder.making" "$folder"
}
# Copies a bare system, which stays as it is.
copy_system() {
  rm -rf "$2" && cp -a "$1" "$2" && mkdir "$2/penstock" && cp "$output"/*.deb "$2/penstock" &&
    cp -r examples scripts/check_installed.sh "$2/penstock"
}
# In name spaces of its own, so that no mount and no process is left.
in_system() {
  unshare --mount --pid --fork --mount-proc="$1/proc" chroot "$1" /usr/bin/env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    bash /penstock/check_installed.sh "$2"
}

passed=0 failed=0
for suite in "${suites[@]}"; do
  mirror=
  [[ $suite != *=* ]] || mirror=${suite#*=}
  suite=${suite%%=*}
  [[ -d $chroots/$suite ]] ||
    step "Making $suite" make_bare_system "$suite" "$mirror" "$chroots/$suite"
  step "Copying $suite" copy_system "$chroots/$suite" "$chroots/$suite-checked"
  for check in program development removal; do
    if (step "$suite: $check" in_system "$chroots/$suite-checked" "$check"); then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
  rm -rf "$chroots/$suite-checked"
done
echo "$passed passed, $failed failed"
exit $((failed > 0))
