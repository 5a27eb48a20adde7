"""sycl_header_test.py PRINT_KERNEL_SOURCE [COMPILER]: a SYCL program includes kernels and calls them.

Hunts for a header that a SYCL program cannot include alone, beside another one or twice, and for a
function that passes its arguments wrongly. Ends with 77, which CTest takes for skipped, where there is no SYCL compiler.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
#include "kernels.hpp"
#include "others.hpp"
#include "kernels.hpp"
#include <cstdio>
#if defined(KERNEL) || defined(GLOBAL) || defined(GROUP_SIZE)
#error "a header leaves macros behind"
#endif
namespace kernelc = NAMESPACE;
int main() {
  sycl::queue queue{sycl::property::queue::in_order()};
  constexpr kernelc::u64 words = 100003;
  auto* from = sycl::malloc_shared<kernelc::u32>(words, queue);
  auto* to = sycl::malloc_shared<kernelc::u32>(words, queue);
  for (kernelc::u64 i = 0; i < words; i++) from[i] = (kernelc::u32)(i * 2654435761u), to[i] = 0;
  kernelc::launch_copy_chunks(queue, 5, from, to, words).wait_and_throw();
  for (kernelc::u64 i = 0; i < words; i++)
    if (to[i] != from[i]) return std::printf("word %llu differs\\n", (unsigned long long)i), 1;
  std::puts("copied");
}
"""


def header_of(source):
    command = [sys.argv[1], "sycl-header", str(ROOT / "src" / source)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    compiler = (sys.argv[2:3] or [None])[0] or shutil.which("acpp") or shutil.which("icpx")
    if not compiler:
        print("skipped: neither acpp nor icpx is installed")
        return 77
    header = header_of("kernel/copy.kc")
    namespace = re.search(r"#define kernelc (\w+)", header).group(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernels.hpp").write_text(header)
        (folder / "others.hpp").write_text(header_of("primitive/kernels/scan_tiles.kc"))
        (folder / "program.cpp").write_text(PROGRAM.replace("NAMESPACE", namespace))
        options = ["-fsycl"] if pathlib.Path(compiler).name.startswith("icpx") else []
        program = str(folder / "program")
        subprocess.run(
            [compiler, *options, "-O1", "-std=c++17", str(folder / "program.cpp"), "-o", program],
            check=True,
        )
        printed = subprocess.run([program], check=False, capture_output=True, text=True).stdout
    print(printed)
    return 0 if printed == "copied\n" else 1


sys.exit(main())
