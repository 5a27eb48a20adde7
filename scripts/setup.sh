#!/usr/bin/env bash
# Installs missing packages by apt (as root or through sudo), and Python libraries into .venv.
# If nothing is missing it does nothing and uses no network. `scripts/setup.sh run` leaves out
# packages that only the tests need.
purpose=${1:-test}
case $purpose in
  run | test) ;;
  *) echo "usage: scripts/setup.sh [run|test]" >&2; exit 2 ;;
esac
source "$(dirname "$0")/steps.sh"

# The same names in Debian 12 and Ubuntu 24.04. tcc and the compiler make kernels for the CPU; a GPU
# needs its driver only.
packages=(g++ tcc cmake ninja-build python3-venv libpg-query-dev libutf8proc-dev libre2-dev
          nlohmann-json3-dev libcli11-dev libxxhash-dev libdeflate-dev libzstd-dev liblz4-dev
          libsnappy-dev zlib1g-dev)
if [[ $purpose == test ]]; then
  # OpenCL on the CPU.
  packages+=(ocl-icd-libopencl1 pocl-opencl-icd)
  # llvm has the symbolizer of sanitizers' reports.
  packages+=(clang lld llvm libclang-rt-dev libgtest-dev opencl-c-headers)
  # Programs that write files for the tests of decompression, and test vectors.
  packages+=(gzip pigz tabix zopfli 7zip isal advancecomp libdeflate-tools zstd lz4 unzip
             golang-github-klauspost-compress-dev)
  # The check of libpenstock.so's interface; readers of scripts, pages and packages.
  packages+=(abigail-tools zsh fish man-db pkg-config)
  # The Python package's module; its wheel, on Debian 12.
  packages+=(python3-dev libstdc++-12-pic dpkg-dev unicode-data python3-six)
  # Both kinds of MPI, for queries by several processes.
  packages+=(openmpi-bin mpich)
fi

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      echo "$package"
  done
}

as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi; }

install_packages() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

if ! command -v apt-get >/dev/null; then
  echo "setup: this is for Debian and Ubuntu; CONTRIBUTING.md lists what to install elsewhere" >&2
else
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} > 0)); then
    if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
      printf 'setup: neither root nor sudo; ask for these packages: %s\n' "${missing[*]}" >&2
      exit 1
    fi
    # sudo may have to ask for a password, which it cannot while its output goes to a log.
    [[ $(id -u) == 0 ]] || sudo -v
    step "Installing ${#missing[@]} packages" install_packages "${missing[@]}"
  fi
fi
step "Python libraries in .venv" scripts/python_environment.sh "$purpose"

# NVRTC comes with CUDA's toolkit, not with the driver; PyPI carries it alone.
has_library() {
  /sbin/ldconfig -p 2>/dev/null | grep -qF "$1" ||
    compgen -G "/usr/local/cuda*/lib64/$1*" >/dev/null
}
if has_library libcuda.so.1 && ! has_library libnvrtc.so &&
    ! compgen -G ".venv/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*" >/dev/null; then
  step "NVIDIA's run-time compiler in .venv" .venv/bin/python -m pip install -q nvidia-cuda-nvrtc
fi
