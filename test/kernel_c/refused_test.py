#!/usr/bin/env python3
"""refused_test.py ASSEMBLER CHECKER: what some target refuses is found by scripts/check_kernels.py, and nothing is found in its
absence. Each case is one defect; `check` is the check that must fail, and `words` what it must say."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ASSEMBLER = CUDA_CHECKER = None
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "check_kernels.py"

HEAD = "typedef struct { u32 words[GROUP_SIZE]; ATOMIC_U32 count; } Tile;\n"
KERNEL = "KERNEL(k, Tile, IN(u32, a), OUT(u32, b), ATOMIC(U64, sum), VALUE(f32, scale))\n{\n  const u32 id = LOCAL_ID(work);\n%s\n}\n"


def kernel(body):
    return HEAD + KERNEL % body


CASES = {
    # name: (text, target of the checked text, check, words)
    "helper_without_global": (
        HEAD + "FUNCTION u32 f(const u32* p) { return p[0]; }\n" + KERNEL % "  b[id] = f(a);",
        "opencl",
        "OpenCL",
        "address space",
    ),
    "local_passed_as_global": (
        HEAD
        + "FUNCTION u32 f(GLOBAL const u32* p) { return p[0]; }\n"
        + KERNEL % "  b[id] = f(tile->words);",
        "metal",
        "Metal",
        "no matching function",
    ),
    "global_as_private": (
        kernel("  PRIVATE u32* p = b;\n  p[0] = id;"),
        "metal",
        "Metal",
        "cannot initialize",
    ),
    "private_without_word": (
        kernel("  u32 x = id;\n  u32* p = &x;\n  b[id] = *p;"),
        "host",
        "lint",
        "pointer to u32 without GLOBAL",
    ),
    "overload": (
        HEAD
        + "FUNCTION u32 f(u32 x) { return x; }\nFUNCTION u32 f(u32 x, u32 y) { return x + y; }\n"
        + KERNEL % "  b[id] = f(id);",
        "opencl",
        "lint",
        "also defined",
    ),
    "overload_in_opencl": (
        HEAD
        + "FUNCTION u32 f(u32 x) { return x; }\nFUNCTION u32 f(u32 x, u32 y) { return x + y; }\n"
        + KERNEL % "  b[id] = f(id);",
        "opencl",
        "OpenCL",
        "conflicting types",
    ),
    "table_as_static_const": (
        "static const u32 T[2] = {1u, 2u};\n" + kernel("  b[id] = T[id & 1u];"),
        "opencl",
        "lint",
        "static",
    ),
    "double_in_metal": (kernel("  b[id] = (u32)((f64)scale * 2.0);"), "metal", "Metal", "f64"),
    "double_literal": (
        kernel("  const f32 x = scale * 2.0;\n  b[id] = (u32)x;"),
        "host",
        "g++",
        "double",
    ),
    "minimum_of_no_header": (kernel("  b[id] = min(id, 3u);"), "host", "g++", "min"),
    "result_of_64_bit_addition": (
        kernel("  b[id] = (u32)ATOMIC_ADD_U64(sum, 1u);"),
        "opencl",
        "OpenCL",
        "void",
    ),
    "plain_store_to_atomic": (
        kernel("  tile->count = 0u;\n  b[id] = 1u;"),
        "metal",
        "Metal",
        "no viable overloaded '='",
    ),
    "goto": (
        kernel("  if (id == 0u) goto end;\n  b[id] = 1u;\nend:\n  b[id] = 2u;"),
        "opencl",
        "lint",
        "goto",
    ),
    "recursion": (
        HEAD
        + "FUNCTION u32 f(u32 x)\n{\n  return x == 0u ? 0u : f(x - 1u) + 1u;\n}\n"
        + KERNEL % "  b[id] = f(id);",
        "opencl",
        "lint",
        "calls itself",
    ),
    "reserved_word": (
        kernel("  const u32 local = id;\n  b[id] = local;"),
        "host",
        "lint",
        "'local' is reserved",
    ),
    "store_through_in": (kernel("  b[id] = 1u;\n  a[id] = 1u;"), "sycl", "SYCL", "read-only"),
    "unknown_word_in_cuda": (
        kernel("  b[id] = no_such_word(id);"),
        "cuda",
        "NVRTC",
        "no_such_word",
    ),
    "odd_struct_returned": (
        "typedef struct { u32 a, b, c; } Three;\n"
        + HEAD
        + "FUNCTION Three f(u32 x) { Three t; t.a = t.b = t.c = x; return t; }\n"
        + KERNEL % "  const Three t = f(id);\n  b[id] = t.c;",
        "cpu",
        "C",
        "RETURNED_STRUCT",
    ),
    "word_of_opencl": (kernel("  b[id] = get_global_id(0);"), "sycl", "SYCL", "get_global_id"),
}


class Refused(unittest.TestCase):
    def check(self, text, target, *options):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "case.kc"
            source.write_text(text)
            assembled = subprocess.run(
                [ASSEMBLER, target, str(source)], capture_output=True, text=True, check=True
            ).stdout
            path = pathlib.Path(folder) / f"case.{target}"
            path.write_text(assembled)
            done = subprocess.run(
                [SCRIPT, "--cuda-checker", CUDA_CHECKER, *options, str(path)],
                capture_output=True,
                text=True,
            )
            return done.returncode, done.stdout + done.stderr

    def test_each_defect_is_found(self):
        for name, (text, target, check, words) in CASES.items():
            with self.subTest(name):
                code, report = self.check(text, target)
                if "skipped  NVRTC" in report and check == "NVRTC":
                    continue
                self.assertEqual(code, 1, report)
                failed = [block for block in report.split("\nok ") if f"FAILED   {check}" in block]
                self.assertTrue(failed, report)
                self.assertIn(words, report)

    def test_a_kernel_without_a_defect_passes_for_every_target(self):
        good = (
            HEAD
            + "TABLE(u32, T, 2) = {1u, 2u};\nFUNCTION u32 f(GLOBAL const u32* p, PRIVATE u32* q) { return p[0] + *q; }\n"
            + KERNEL
            % "  // a local u32* p, goto and f64 in a comment are no defect\n  u32 x = id * 2u;\n  ATOMIC_ADD_U64(sum, 1u);\n"
            "  if (id == 0u) ATOMIC_STORE_U32(&tile->count, 0u);\n  b[id] = f(a, &x) + T[id & 1u] + (u32)(scale * 2.0f);"
        )
        for target in ("cuda", "opencl", "metal", "sycl", "cpu", "host"):
            with self.subTest(target):
                code, report = self.check(good, target, "--group-size", "1", "--group-size", "64")
                self.assertEqual(code, 0, report)

    def test_a_file_of_unknown_ending_is_wrong_usage(self):
        done = subprocess.run([SCRIPT, "kernel.txt"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("kernel.txt", done.stderr)


if __name__ == "__main__":
    CUDA_CHECKER = sys.argv.pop()
    ASSEMBLER = sys.argv.pop()
    unittest.main(verbosity=2)
