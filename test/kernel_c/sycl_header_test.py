"""sycl_header_test.py PRINT_KERNEL_SOURCE PENSTOCK [COMPILER]: a SYCL program calls kernels.

Hunts for a header that a SYCL program cannot include alone, beside another one or twice, for a
function that passes its arguments wrongly, and for an emitted statement with comments that do not
describe its kernel's arguments. Ends with 77, which CTest takes for skipped, without a SYCL
compiler.
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
#include "statement.hpp"
#include <cstdio>
#include <cstring>
#if defined(KERNEL) || defined(GLOBAL) || defined(GROUP_SIZE)
#error "a header leaves macros behind"
#endif
namespace kernelc = NAMESPACE;
namespace statement = STATEMENT;

// SELECT count(price), sum(price) WHERE n > 5. Every seventh price is NULL. Each group leaves its
// words.
bool adds_up(sycl::queue& queue) {
  constexpr statement::u64 rows = 100003, groups = 5, words = statement::PIPELINE_ACCUMULATOR_WORDS;
  auto* n = sycl::malloc_shared<statement::i64>(rows, queue);
  auto* price = sycl::malloc_shared<statement::f64>(rows, queue);
  auto* n_valid = sycl::malloc_shared<statement::u8>((rows + 7) / 8, queue);
  auto* price_valid = sycl::malloc_shared<statement::u8>((rows + 7) / 8, queue);
  auto* scratch = sycl::malloc_shared<statement::u64>(groups * statement::GROUP_SIZE * words, queue);
  auto* partials = sycl::malloc_shared<statement::u64>(groups * words, queue);
  auto* fault = sycl::malloc_shared<statement::ATOMIC_U32>(1, queue);
  statement::u64 wanted_count = 0, count = 0;
  double wanted_sum = 0, sum = 0;
  for (statement::u64 i = 0; i < (rows + 7) / 8; i++) n_valid[i] = price_valid[i] = 255;
  for (statement::u64 i = 0; i < rows; i++) {
    if (i % 7 == 0) price_valid[i / 8] ^= static_cast<statement::u8>(1 << i % 8);
    n[i] = static_cast<statement::i64>(i % 11), price[i] = static_cast<double>(i % 1000) / 4;
    if (n[i] > 5 && i % 7 != 0) wanted_count++, wanted_sum += price[i];
  }
  *reinterpret_cast<statement::u32*>(fault) = ~0u;
  statement::launch_pipeline_reduce(queue, groups, n, n_valid, price, price_valid, 5, scratch,
                                    partials, fault, rows)
      .wait_and_throw();
  for (statement::u64 group = 0; group < groups; group++) {
    count += partials[group * words + COUNT_WORD];
    double of_group;
    std::memcpy(&of_group, &partials[group * words + SUM_WORD], sizeof of_group);
    sum += of_group;
  }
  std::printf("%llu %.2f\\n", (unsigned long long)count, sum);
  return count == wanted_count && sum == wanted_sum && *reinterpret_cast<statement::u32*>(fault) == ~0u;
}

int main() {
  sycl::queue queue{sycl::property::queue::in_order()};
  constexpr kernelc::u64 words = 100003;
  auto* from = sycl::malloc_shared<kernelc::u32>(words, queue);
  auto* to = sycl::malloc_shared<kernelc::u32>(words, queue);
  for (kernelc::u64 i = 0; i < words; i++) from[i] = (kernelc::u32)(i * 2654435761u), to[i] = 0;
  kernelc::launch_copy_chunks(queue, 5, from, to, words).wait_and_throw();
  for (kernelc::u64 i = 0; i < words; i++)
    if (to[i] != from[i]) return std::printf("word %llu differs\\n", (unsigned long long)i), 1;
  if (!adds_up(queue)) return 1;
  std::puts("copied and added up");
}
"""


def header_of(source):
    command = [sys.argv[1], "sycl-header", str(ROOT / "src" / source)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def emitted(folder):
    """The header of a statement over arrays, and the words of its accumulators, as it says."""
    table = folder / "rows.csv"
    table.write_text("n,price\n1,0.5\n")
    sql = f"SELECT count(price), sum(price) FROM '{table}' WHERE n > 5"
    command = [sys.argv[2], "emit", sql, "--target", "sycl", "--pages", "host"]
    header = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    words = re.search(r"partials: .*", header).group(0)
    of = {name: re.search(rf"word (\d+): {name}", words).group(1) for name in ("count", "sum")}
    return header, of


def namespace_of(header):
    return re.search(r"#define kernelc (\w+)", header).group(1)


def main():
    compiler = (sys.argv[3:4] or [None])[0] or shutil.which("acpp") or shutil.which("icpx")
    if not compiler:
        print("skipped: neither acpp nor icpx is installed")
        return 77
    header = header_of("kernel/copy.kc")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernels.hpp").write_text(header)
        (folder / "others.hpp").write_text(header_of("primitive/kernels/scan_tiles.kc"))
        statement, words = emitted(folder)
        (folder / "statement.hpp").write_text(statement)
        text = PROGRAM.replace("NAMESPACE", namespace_of(header))
        text = text.replace("STATEMENT", namespace_of(statement))
        text = text.replace("COUNT_WORD", words["count"]).replace("SUM_WORD", words["sum"])
        (folder / "program.cpp").write_text(text)
        options = ["-fsycl"] if pathlib.Path(compiler).name.startswith("icpx") else []
        program = str(folder / "program")
        subprocess.run(
            [compiler, *options, "-O1", "-std=c++17", str(folder / "program.cpp"), "-o", program],
            check=True,
        )
        printed = subprocess.run([program], check=False, capture_output=True, text=True).stdout
    print(printed)
    return 0 if printed.endswith("copied and added up\n") else 1


sys.exit(main())
