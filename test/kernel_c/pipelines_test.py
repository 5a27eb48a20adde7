#!/usr/bin/env python3
"""pipelines_test.py PENSTOCK CUDA_CHECKER: the text of generated pipelines, each skeleton among them, passes the checks of every
target (scripts/check_kernels.py)."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PENSTOCK = CUDA_CHECKER = None
SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "check_kernels.py"
TARGETS = ("cuda", "opencl", "metal", "sycl", "cpu", "host")

COLUMNS = "n,m,x,day,at,ok,word"
ROWS = [
    "1,10,1.5,2024-01-31,2024-01-31 10:00:00,true,a",
    "2,,2.5,2024-02-29,2024-02-29 11:30:00,false,b",
    "3,30,,2024-03-01,2024-03-01 00:00:00,true,",
]

STATEMENTS = {
    # name: (statement, the targets that have what it needs)
    "compact": ("SELECT n + 1, m, ok FROM '{}' WHERE n > 1 AND ok", TARGETS),
    "store": ("SELECT n * 2 + 1, m % 7, day FROM '{}'", TARGETS),
    "strings": ("SELECT word, n FROM '{}' WHERE word = 'a'", TARGETS),
    "reduce": ("SELECT count(*), sum(n), min(m), max(day) FROM '{}' WHERE m IS NOT NULL", TARGETS),
    "reduce_floats": (
        "SELECT sum(x), avg(x), max(sqrt(x) + exp(x)), avg(n) FROM '{}' WHERE round(x) < 10.5",
        TARGETS,
    ),
    "functions": (
        "SELECT log(x), pow(x, 1.5), sin(x) + cos(x) * tan(x), log10(x), floor(x), x % 2.5, CASE WHEN x > 2 THEN x ELSE -x END, "
        "CAST(x AS INTEGER), CAST(x AS DECIMAL(9, 2)), CAST(n AS FLOAT), coalesce(x, 0.5), abs(x) FROM '{}' WHERE x < 10",
        TARGETS,
    ),
    "group": (
        "SELECT ok, day, count(*), sum(n), min(m) FROM '{}' WHERE n >= 0 GROUP BY ok, day",
        TARGETS,
    ),
    "dates": (
        "SELECT year(day), month(at), day + 1 FROM '{}' WHERE at > TIMESTAMP '2024-02-01 00:00:00'",
        TARGETS,
    ),
    "wide": (
        "SELECT CAST(n AS HUGEINT) * m, CAST(n AS DECIMAL(30, 4)) + CAST(m AS DECIMAL(30, 2)), CAST(x AS DECIMAL(38, 10)), ok, "
        "CAST(CAST(n AS HUGEINT) % 7 AS DOUBLE), round(CAST(n AS DECIMAL(25, 3)) * 2.5, 1) FROM '{}' WHERE CAST(m AS HUGEINT) > 2",
        TARGETS,
    ),
    "wide_store": (
        "SELECT CASE WHEN ok THEN CAST(n AS HUGEINT) ELSE NULL END, CAST(m AS DECIMAL(38, 2)) // 3, -CAST(m AS HUGEINT) FROM '{}'",
        TARGETS,
    ),
    "wide_sums": (
        "SELECT ok, sum(CAST(n AS HUGEINT) * m), avg(CAST(m AS DECIMAL(25, 2))) FROM '{}' GROUP BY ok",
        TARGETS,
    ),
    "many_scalars": (
        "SELECT n, ok FROM '{}' WHERE "
        + " OR ".join(f"m + {i} = 0 OR day = DATE '2024-01-01' + {i}" for i in range(100, 140)),
        TARGETS,
    ),
    # The table beside itself: a text of several keys and of columns of every kind from the right side, and each kind of join.
    "lookup": (
        "SELECT a.n, b.m, b.ok, b.word, a.word FROM '{0}' AS a JOIN '{0}' AS b ON a.n = b.n AND a.day = b.day AND a.word = b.word "
        "WHERE a.m > 1 AND b.ok",
        TARGETS,
    ),
    "lookup_left": (
        "SELECT a.n, b.m + 1, b.ok FROM '{0}' AS a LEFT JOIN '{0}' AS b ON a.m = b.m",
        TARGETS,
    ),
    "lookup_groups": (
        "SELECT b.word, count(*), sum(b.m), max(b.at) FROM '{0}' AS a, '{0}' AS b WHERE a.n = b.n AND NOT EXISTS (SELECT * FROM '{0}' AS c "
        "WHERE c.m = a.m AND c.ok) AND a.day IN (SELECT day FROM '{0}') AND a.n NOT IN (SELECT m FROM '{0}') GROUP BY b.word",
        TARGETS,
    ),
    "lookup_floats": (
        "SELECT sum(b.x) FROM '{0}' AS a, '{0}' AS b WHERE a.x = b.x",
        TARGETS,
    ),
    # Forced below: keys and arguments of every width, NULLs among them.
    "partitions": (
        "SELECT day, ok, word, count(*), sum(m), count(at), max(CAST(n AS SMALLINT)), min(CAST(m AS INTEGER)), max(day) FROM '{}' "
        "WHERE n > 0 GROUP BY day, ok, word",
        [target for target in TARGETS if target not in ("cpu", "host")],
    ),
    "partitions_rows": (
        "SELECT n, count(*) FROM '{}' GROUP BY n",
        [target for target in TARGETS if target not in ("cpu", "host")],
    ),
    # C++ for OpenCL cannot assign a struct that has a field of the float64 in software, as Metal can: the host executor runs it.
    "partitions_floats": (
        "SELECT n, sum(x), avg(CAST(x AS FLOAT)), min(CAST(x AS FLOAT)) FROM '{}' GROUP BY n",
        [target for target in TARGETS if target not in ("cpu", "host", "metal")],
    ),
    # Extremes of 64 bits take 64-bit atomics, which Metal lacks.
    "extremes": (
        "SELECT day, min(at), max(x), min(CAST(m AS BIGINT)), count(*) FROM '{}' GROUP BY day",
        TARGETS,
    ),
    "partitions_extremes": (
        "SELECT n, min(x), max(at), max(CAST(m AS DECIMAL(15, 2))), sum(m) FROM '{}' GROUP BY n",
        [target for target in TARGETS if target not in ("cpu", "host", "metal")],
    ),
    "extremes_local": (
        "SELECT word, x, min(x), max(at), sum(m) FROM '{}' GROUP BY word, x",
        [target for target in TARGETS if target not in ("host", "metal")],
    ),
    "decimals": (
        "SELECT sum(CAST(n AS DECIMAL(15, 2)) * (1 - CAST(m AS DECIMAL(4, 2)))) FROM '{}'",
        TARGETS,
    ),
    # {1}: the table in light encodings.
    "light": ("SELECT sum(n), max(m), count(day) FROM '{1}' WHERE n > 1", TARGETS),
    "light_rows": ("SELECT n * 2 + 1, m, day FROM '{1}'", TARGETS),
    "light_floats": (
        "SELECT sum(x), min(CAST(x AS FLOAT)) FROM '{1}' WHERE n > 1",
        TARGETS,
    ),
}
VARIANTS = {name: "group_dense_partitioned" for name in STATEMENTS if name.startswith("partitions")}


class Pipelines(unittest.TestCase):
    def test_texts_pass_the_checks_of_every_target(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.csv"
            table.write_text("\n".join([COLUMNS, *ROWS]) + "\n")
            light = pathlib.Path(folder) / "light.arrow"
            codecs = "n=for,m=delta,day=rle,x=alp"
            subprocess.run(
                [PENSTOCK, "encode", table, "-o", light, "--codec", codecs],
                capture_output=True,
                check=True,
            )
            portable, look_back = [], []
            for name, (statement, targets) in STATEMENTS.items():
                for target in targets:
                    with self.subTest(f"{name} for {target}"):
                        command = [
                            PENSTOCK,
                            "emit",
                            statement.format(table, light),
                            "--target",
                            target,
                        ]
                        if name in VARIANTS:
                            command += ["--variant", VARIANTS[name]]
                        done = subprocess.run(command, capture_output=True, text=True)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        # A kernel for each side of a join, each behind a line that names it.
                        texts = re.split(
                            r"^(?=// \w+, compiled with )", done.stdout, flags=re.MULTILINE
                        )
                        for number, text in enumerate(filter(None, texts)):
                            path = pathlib.Path(folder) / f"{name}{number}.{target}"
                            path.write_text(text)
                            (look_back if "pipeline_look_back" in text else portable).append(
                                str(path)
                            )
            # Look-back has a warp more than its 384 threads that compute.
            for files, size in ((portable, "32"), (look_back, "416")):
                done = subprocess.run(
                    [SCRIPT, "--cuda-checker", CUDA_CHECKER, "--group-size", size, *files],
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    CUDA_CHECKER = sys.argv.pop()
    PENSTOCK = sys.argv.pop()
    unittest.main(verbosity=2)
