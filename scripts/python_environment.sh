#!/usr/bin/env bash
# Makes .venv in the project's root: pyarrow, for Arrow's and Parquet's C++ libraries and headers in
# its wheel, and more by purpose. Downloads nothing when all is installed and complete. A broken
# environment, and a package that is installed only in part, are installed again.
#     scripts/python_environment.sh [library|run|test|plot]
#         library: pyarrow alone             run: also tpchgen-cli
#         test (the default): also duckdb, datafusion, numpy, clang-format, ruff, dask, ray,
#             adbc-driver-manager, ibis, mypy, zstandard, lz4, numcodecs
#         plot: also matplotlib
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(pyarrow==25.0.1)
case ${1:-test} in
  library) ;;
  run) packages+=(tpchgen-cli==4.0.0 duckdb-cli==1.5.6) ;;
  test | plot)
    packages+=(tpchgen-cli==4.0.0 duckdb==2.0.1 numpy==2.4.6 clang-format==22.1.8 ruff==0.17.6)
    packages+=(nanobind==3.1.0 nanobind-backend==1.0.0)     # the Python package's module
    packages+=(datafusion==55.0.0 typing_extensions==4.16.0 adbc-driver-manager==1.13.0)
    packages+=(dask==2026.8.0 click==8.5.1 cloudpickle==3.1.3 fsspec==2026.9.0
      importlib_metadata==10.2.0 lazy_importer==0.1.0 locket==1.0.0
      packaging==26.3 partd==1.4.2 pyyaml==6.0.4
      toolz==1.2.0 zipp==4.1.2)
    # Ray Data, for statements over several machines: 20 s to install.
    packages+=(ray==2.60.0 sqlglot==30.31.0 pandas==3.1.1 python-dateutil==4.0.0 tzdata==2026.6
      attrs==26.1.0 certifi==2026.10.19.post1 charset-normalizer==3.5.3 filelock==4.3.1 idna==3.20
      jsonschema==4.26.0 jsonschema-specifications==2025.9.1 msgpack==1.2.4 protobuf==7.36.2
      referencing==0.37.0 requests==2.34.2 rpds-py==2026.9.1 urllib3==2.8.0)
    # The Ibis backend: 4 s to install.
    packages+=(ibis-framework==12.0.0 parsy==2.2 atpublic==9.0.0 pyarrow-hotfix==0.7)
    # Type stubs are checked by mypy; codecs beside their formats' modules, and in zarr's registry.
    packages+=(mypy==2.4.1 mypy_extensions==1.2.0 pathspec==1.1.1 librt==0.17.0 ast_serialize==0.13.1
      zstandard==0.25.0 lz4==4.4.5 numcodecs==0.16.6) ;;
  *) echo "usage: scripts/python_environment.sh [library|run|test|plot]" >&2; exit 2 ;;
esac
if [[ ${1:-test} == plot ]]; then
  packages+=(matplotlib==3.11.2 contourpy==1.3.3 cycler==0.12.1 fonttools==4.68.0
    kiwisolver==1.5.1 pillow==13.0.0 pyparsing==3.3.3)
fi

mkdir -p build      # two set-ups at once would write the same files
exec 9>build/python_environment.lock
flock 9

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  rm -rf .venv
  if ! python3 -m venv .venv; then
    rm -rf .venv
    echo "python3 -m venv failed; Debian and Ubuntu have it in python3-venv" >&2
    exit 1
  fi
fi

# Prints the given packages that are absent, of another version, or lack a file that their
# installation recorded.
incomplete_packages() {
  .venv/bin/python - "$@" <<'PYTHON'
import sys
from importlib import metadata
for package in sys.argv[1:]:
    name, version = package.split("==")
    try:
        found = metadata.distribution(name)
        whole = found.version == version and found.files and all(
            (path := file.locate()).is_file() and file.size in (None, path.stat().st_size)
            for file in found.files if file.suffix != ".pyc")
    except metadata.PackageNotFoundError:
        whole = False
    if not whole:
        print(package)
PYTHON
}

mapfile -t missing < <(incomplete_packages "${packages[@]}")
if ((${#missing[@]} > 0)); then
  .venv/bin/python -m pip install --disable-pip-version-check --quiet --only-binary :all: \
    --force-reinstall --no-deps "${missing[@]}"
  mapfile -t missing < <(incomplete_packages "${packages[@]}")
  if ((${#missing[@]} > 0)); then
    echo "still incomplete after installation: ${missing[*]}" >&2
    exit 1
  fi
fi
