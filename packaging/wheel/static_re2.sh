#!/usr/bin/env bash
# Builds RE2 from Debian's source into FOLDER/libre2.a, as position independent code: Debian's own
# archive cannot be part of a module. Does nothing if FOLDER has it of the version that is installed.
#     static_re2.sh FOLDER [COMPILER [AR]]
set -euo pipefail
mkdir -p "$1"
cd "$1"
compiler=${2:-g++} ar=${3:-ar}
version=$(dpkg-query -W -f '${source:Version}\n' libre2-dev | head -n 1)
[[ $(cat version 2>/dev/null) != "$version" || ! -f libre2.a ]] || exit 0

# Lists of sources for this folder alone: most systems have only those of packages.
apt=(-o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=-
  -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root)
origin=$(. /etc/os-release && echo "${ID^}")
mkdir -p lists/partial cache/archives/partial
apt-get indextargets --format 'deb-src $(REPO_URI) $(SUITE) $(COMPONENT)' \
  'Created-By: Packages' "Origin: $origin" | sort -u >sources.list
apt-get "${apt[@]}" update -q
rm -rf re2-*/
apt-get "${apt[@]}" source -q "re2=$version"

# Debian's source comes without the tables of Unicode; its package makes them too.
make -C re2-*/ -j "$(nproc)" obj/libre2.a REBUILD_TABLES=1 CXX="$compiler" AR="$ar" \
  CXXFLAGS='-O3 -fPIC'
cp re2-*/obj/libre2.a .
echo "$version" >version
