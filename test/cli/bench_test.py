"""`penstock bench`: sweeps, arguments of baselines, and what is printed of both. The bench itself
verifies answers."""

import json
import pathlib
import struct
import subprocess
import sys

from command_line import CommandLineTest, main


class Bench(CommandLineTest):
    def bench(self, *arguments):
        return self.run_program(
            "bench", *arguments, "--device", "cpu:0", "--repeats", "1", "--format", "json"
        )

    def figures(self, *arguments):
        ended = self.bench(*arguments)
        self.assertEqual(ended.returncode, 0, ended.err)
        return [json.loads(line) for line in ended.out.splitlines()]

    def peer(self, line):
        """A program that prints `line`; $1 in it is the rows, $2 the repeats, $3 the sweep."""
        path = self.folder / "peer"
        path.write_text(f'#!/bin/sh\necho "{line}"\n')
        path.chmod(0o755)
        return path

    def test_a_sweep_of_rows_is_powers_of_two_to_the_last_that_fits(self):
        figures = self.figures(
            "scan", "--sweep", "rows", "--rows", "300000", "--only", "exclusive u32"
        )
        self.assertEqual([figure["rows"] for figure in figures], [65536, 131072, 262144])

    def test_cases_are_chosen_whatever_their_letters_case(self):
        figures = self.figures("scan", "--rows", "9", "--only", "EXCLUSIVE U32")
        self.assertEqual([figure["work"] for figure in figures], ["exclusive u32"])

    def test_each_case_is_named_before_it_is_measured(self):
        ended = self.bench("scan", "--rows", "9", "--only", "u32")
        self.assertIn("\nexclusive u32: making data and checking\n", ended.err)
        self.assertNotIn("making", ended.out)

    def test_few_rows_are_a_sweep_of_one(self):
        self.assertEqual(
            [
                figure["rows"]
                for figure in self.figures(
                    "scan", "--sweep", "rows", "--rows", "9", "--only", "u32"
                )
            ],
            [9],
        )

    def test_pass_rates_move_what_passes(self):
        figures = self.figures(
            "pipelines", "--sweep", "selectivity", "--rows", "100000", "--only", "map-filter-map"
        )
        self.assertEqual(
            (figures[0]["work"], figures[-1]["work"]),
            ("map-filter-map 0.1%", "map-filter-map 99.9%"),
        )
        bytes_moved = [
            figure["gigabytes_per_second"] * figure["milliseconds"] * 1e6 for figure in figures
        ]
        for moved, percent in zip(
            bytes_moved, (0.1, 0.3, 1, 3, 10, 30, 50, 70, 90, 97, 99, 99.7, 99.9)
        ):
            self.assertAlmostEqual(moved / 4e5, 1 + percent / 100, delta=0.02)

    def test_key_counts_go_to_ten_million(self):
        figures = self.figures("groups", "--sweep", "keys", "--rows", "1000")
        self.assertEqual(
            [figure["work"] for figure in figures[:4]], ["1 key", "2 keys", "5 keys", "10 keys"]
        )
        self.assertEqual((len(figures), figures[-1]["work"]), (22, "10000000 keys"))

    def test_a_peer_is_told_rows_repeats_and_the_sweep_of_cases(self):
        peer = self.peer("filter-sum 0.1%;told $1 $2 $3;0.001")
        figures = self.figures(
            "pipelines",
            "--sweep",
            "selectivity",
            "--rows",
            "1000",
            "--only",
            "filter-sum",
            "--peers",
            peer,
        )
        self.assertEqual(figures[1]["name"], "told 1000 1 selectivity")

    def test_a_peer_is_run_for_each_row_count(self):
        peer = self.peer("exclusive u32;told $# $1;0.001")
        figures = self.figures(
            "scan",
            "--sweep",
            "rows",
            "--rows",
            "131072",
            "--only",
            "exclusive u32",
            "--peers",
            peer,
        )
        self.assertEqual(
            [figure["name"] for figure in figures[1::2]], ["told 2 65536", "told 2 131072"]
        )

    def test_a_peer_may_say_what_it_moves_and_stores(self):
        peer = self.peer(
            "decode, addresses;one;0.001;0.25;4000000000;500\ndecode, addresses;two;0.001;0;2000000000"
        )
        figures = self.figures(
            "fsst",
            "--rows",
            "1000",
            "--only",
            "decode, addresses",
            "--write-outputs",
            self.folder / "texts",
            "--peers",
            peer,
        )
        output_bytes = (self.folder / "texts" / "decode, addresses.text").stat().st_size
        one, two = figures[-2:]
        self.assertEqual((one["name"], one["spread"]), ("one", 0.25))
        self.assertAlmostEqual(one["gigabytes_per_second"], output_bytes / 1e6, places=3)
        self.assertAlmostEqual(one["ratio"], output_bytes / 500, places=3)
        self.assertAlmostEqual(one["share_of_copy"] / two["share_of_copy"], 2, places=3)
        self.assertNotIn("ratio", two)
        self.assertIn("ratio", figures[0])

    def test_chunks_of_files_are_written_for_peers_as_they_are_decoded(self):
        text = b"".join(b"line %d of a file\n" % line for line in range(3000))
        (self.folder / "a").write_bytes(text[:10000])
        (self.folder / "b").write_bytes(text[10000:])
        figures = self.figures(
            "codecs",
            "--rows",
            "9",
            "--chunk",
            "4096",
            "--only",
            "lz4,",
            "--files",
            f"{self.folder}/a,{self.folder}/b",
            "--write-outputs",
            self.folder / "texts",
        )
        content = (self.folder / "texts" / "lz4, files.chunks").read_bytes()
        count, *sizes = struct.unpack_from("<19Q", content)
        self.assertEqual((count, sizes[1::2]), (9, [4096] * 9))
        self.assertEqual(content[8 + 16 * 9 + sum(sizes[::2]) :], text[: 9 * 4096])
        self.assertEqual({figure["work"] for figure in figures}, {"lz4, files"})
        self.assertAlmostEqual(figures[0]["ratio"], 9 * 4096 / sum(sizes[::2]), places=3)

    def test_files_that_are_short_are_taken_over_and_over(self):
        (self.folder / "a").write_bytes(b"four")
        figures = self.figures(
            "codecs", "--rows", "1", "--chunk", "64", "--only", "lz4,", "--files", self.folder / "a"
        )
        self.assertEqual(
            figures[0]["output_bytes_per_sequence"], 32
        )  # "four", its match, and the last literals

    def test_chunks_of_each_format_are_timed_beside_its_library(self):
        (self.folder / "a").write_bytes(
            b"".join(b"line %d of a file\n" % line for line in range(300))
        )
        for name, libraries in (
            ("lz4", ["liblz4"]),
            ("snappy", ["libsnappy"]),
            ("deflate", ["libdeflate", "zlib"]),
            ("zlib", ["libdeflate", "zlib"]),
            ("gzip", ["libdeflate", "zlib"]),
            ("zstd", ["libzstd"]),
        ):
            with self.subTest(name):
                figures = self.figures(
                    "codecs",
                    "--rows",
                    "3",
                    "--chunk",
                    "2048",
                    "--only",
                    f"{name},",
                    "--files",
                    self.folder / "a",
                )
                self.assertEqual(
                    [figure["name"] for figure in figures],
                    [
                        f"penstock {name}_decode_thread",
                        *(f"{library}, all cores" for library in libraries),
                    ],
                )
                self.assertEqual(
                    figures[0].get("share_of_studies"),
                    {"lz4": 0.45, "snappy": None, "zstd": 0.28}.get(name, 0.12),
                )
                self.assertNotIn("share_of_studies", figures[1])

    def test_phases_are_a_line_a_kernel_behind_the_way_that_they_are_of(self):
        (self.folder / "a").write_bytes(
            b"".join(b"line %d of a file\n" % line for line in range(900))
        )
        figures = self.figures(
            "codecs",
            "--rows",
            "3",
            "--chunk",
            "4096",
            "--only",
            "zstd,",
            "--files",
            self.folder / "a",
            "--phases",
        )
        variant = "zstd_decode_thread"
        phases = [
            "zstd_order",
            "zstd_sequences",
            "zstd_literals",
            "zstd_output_thread",
            "zstd_checksum",
        ]
        self.assertEqual(
            [figure["name"] for figure in figures],
            [
                f"penstock {variant}",
                *(f"{variant}: {phase}" for phase in phases),
                "libzstd, all cores",
            ],
        )

    def test_phases_tell_what_a_chunk_takes_alone_and_so_what_all_at_once_gain(self):
        (self.folder / "a").write_bytes(
            b"".join(b"line %d of a file\n" % line for line in range(900))
        )
        variant, phase, library = self.figures(
            "codecs",
            "--rows",
            "3",
            "--chunk",
            "4096",
            "--only",
            "lz4,",
            "--phases",
            "--files",
            self.folder / "a",
        )
        self.assertAlmostEqual(
            variant["parallelism"],
            3 * variant["alone_microseconds"] / 1000 / variant["milliseconds"],
            delta=0.02,
        )
        self.assertNotIn("restructuring", variant)  # which is compared with itself
        self.assertNotIn("alone_microseconds", {**phase, **library})

    def test_what_files_have_inside_is_timed_beside_its_library(self):
        (self.folder / "a").write_bytes(
            b"".join(b"line %d of a file\n" % line for line in range(90000))
        )
        for name, ours, peer in (
            ("Deflate stream", r"deflate_segments \(\d+ segments\)", "libdeflate, one core"),
            ("Zstandard frame", r"zstd_frame \(one frame\)", "libzstd, one core"),
            ("LZ4 blocks", r"lz4_decode_thread \(2 blocks\)", "liblz4, all cores"),
        ):
            with self.subTest(name):
                figures = self.figures(
                    "streams", "--rows", "100", "--only", name, "--files", self.folder / "a"
                )
                self.assertEqual(len(figures), 2)
                self.assertRegex(figures[0]["name"], f"^penstock {ours}$")
                self.assertEqual(figures[1]["name"], peer)
                self.assertGreater(figures[0]["ratio"], 2)
                self.assertEqual(figures[0]["ratio"], figures[1]["ratio"])

    def test_chunks_that_a_device_makes_are_timed_beside_the_library(self):
        (self.folder / "a").write_bytes(
            b"".join(b"line %d of a file\n" % line for line in range(900))
        )
        for name, libraries in (("lz4", ["liblz4 -1"]), ("deflate", ["libdeflate -1", "zlib -1"])):
            with self.subTest(name):
                figures = self.figures(
                    "codecs",
                    "--rows",
                    "3",
                    "--chunk",
                    "4096",
                    "--only",
                    f"{name} compress",
                    "--files",
                    self.folder / "a",
                )
                self.assertEqual(
                    [figure["name"] for figure in figures],
                    [
                        f"penstock {name}_encode_thread",
                        *(f"{library}, all cores" for library in libraries),
                    ],
                )
                self.assertAlmostEqual(figures[0]["ratio"] / figures[-1]["ratio"], 1, delta=0.15)

    def test_parquet_is_timed_from_the_device_and_from_the_page_cache_beside_arrow(self):
        for only in ("int64 plain none", "boolean plain none"):
            figures = self.figures("parquet", "--rows", "70000", "--only", only)
            self.assertEqual(
                [figure["work"] for figure in figures],
                [f"{only}, resident", f"{only}, page cache", f"{only}, page cache"],
            )
            self.assertEqual([figure["name"] for figure in figures[:2]], ["penstock"] * 2)
            self.assertRegex(figures[2]["name"], r"^Arrow [\d.]+, \d+ threads$")
            for figure in figures:
                self.assertAlmostEqual(figure["ratio"], 1, delta=0.05)

    def test_parquet_cases_are_types_by_encodings_by_compressions(self):
        ended = self.bench("parquet", "--rows", "9", "--only", "nothing")
        for name in ("string dictionary zstd, page cache", "decimal byte-streams lz4, resident"):
            self.assertIn(name, ended.err)
        names = [
            figure["work"]
            for figure in self.figures("parquet", "--rows", "500", "--only", "int64 delta")
        ]
        self.assertEqual(
            [name for name in names if "resident" in name],
            [
                f"int64 delta {codec}, resident"
                for codec in ("none", "snappy", "zstd", "lz4", "gzip")
            ],
        )

    def make_lineitem(self):
        rows = [f"1994-0{1 + i % 9}-11,{i % 50},{i}.5,0.0{i % 9}" for i in range(500)]
        table = self.folder / "lineitem.csv"
        table.write_text("date,quantity,price,discount\n" + "\n".join(rows) + "\n")
        ended = self.run_program(
            "query",
            "SELECT CAST(date AS DATE) AS l_shipdate, CAST(quantity AS DECIMAL(15,2)) AS l_quantity, "
            "CAST(price AS DECIMAL(15,2)) AS l_extendedprice, "
            f"CAST(discount AS DECIMAL(15,2)) AS l_discount FROM '{table}'",
            "--output",
            self.folder / "lineitem.parquet",
        )
        self.assertEqual(ended.returncode, 0, ended.err)

    def tpch(self, *arguments):
        self.make_lineitem()
        return self.bench("tpch", "--data", self.folder, "--only", "Q6,", *arguments)

    def test_tpch_is_timed_by_process_session_and_residents(self):
        ended = self.tpch("--write-outputs", self.folder / "answers")
        self.assertEqual(ended.returncode, 0, ended.err)
        figures = [json.loads(line) for line in ended.out.splitlines()]
        self.assertEqual(
            [figure["work"] for figure in figures], ["Q6, process", "Q6, running", "Q6, resident"]
        )
        self.assertEqual({figure["rows"] for figure in figures}, {500})
        self.assertGreater(figures[0]["milliseconds"], figures[2]["milliseconds"])
        wanted = sum(
            (10 * i + 5) * (i % 9) for i in range(500) if i % 9 in (5, 6, 7) and i % 50 < 24
        )
        answer = (self.folder / "answers" / "Q6.csv").read_text().splitlines()
        self.assertEqual(float(answer[1]), wanted / 1000)
        statement = (self.folder / "answers" / "Q6.sql").read_text()
        self.assertIn(f"FROM '{self.folder}/lineitem.parquet'", statement)

    def test_a_peer_of_tpch_compares_before_anything_is_timed(self):
        peer = self.folder / "tpch_peer"
        peer.write_text('#!/bin/sh\n[ "$1" = check ] || echo "Q6, running;told $1 $2;0.001"\n')
        peer.chmod(0o755)
        ended = self.tpch("--peers", peer)
        names = [json.loads(line)["name"] for line in ended.out.splitlines()]
        self.assertEqual(names, ["penstock", "penstock", "told 500 1", "penstock"])
        peer.write_text("#!/bin/sh\necho other >&2\nexit 1\n")
        ended = self.tpch("--peers", peer)
        self.assertEqual((ended.returncode, ended.out), (1, ""))
        self.assertIn("other\n", ended.err)
        self.assertIn("has other answers, or failed", ended.err)
        self.assertNotIn("timing", ended.err)

    def test_a_generator_that_is_not_there_is_named(self):
        ended = self.run_program(
            "bench", "tpch", "--scale", "0.01", "--generator", "absent", TMPDIR=str(self.folder)
        )
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot start 'absent'", ended.err)
        self.assertIn("--data FOLDER", ended.err)

    def test_a_file_that_is_not_there_is_named(self):
        ended = self.bench(
            "codecs", "--rows", "1", "--only", "lz4", "--files", self.folder / "absent"
        )
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"cannot read '{self.folder}/absent'", ended.err)

    def test_a_peer_that_fails_takes_no_other_figure_with_it(self):
        path = self.peer("exclusive u32;told;0.001")
        path.write_text(path.read_text() + "exit 3\n")
        ended = self.bench("scan", "--rows", "1000", "--only", "exclusive u32", "--peers", path)
        self.assertEqual((ended.returncode, len(ended.out.splitlines())), (1, 2))
        self.assertIn("failed", ended.err)

    def test_a_peer_that_fails_says_how_it_ended(self):
        for ending, words in (
            ("exit 3", "failed with exit code 3; its message is above the figures"),
            ("kill -9 $$", "was ended by signal 9"),
        ):
            path = self.peer("")
            path.write_text(path.read_text() + ending + "\n")
            ended = self.bench("scan", "--rows", "1000", "--only", "exclusive u32", "--peers", path)
            self.assertIn(f"the peer '{path}' {words}", ended.err)

    def test_a_peer_that_is_not_there_is_missed_before_anything_is_measured(self):
        for peer in (self.folder / "none", "no-such-program of mine"):
            ended = self.bench(
                "scan", "--rows", "1000", "--only", "u32", "--peers", f"{self.peer('')},{peer}"
            )
            self.assert_fails(ended, f"the peer '{peer}' was not found")

    def test_a_peer_may_be_any_words_of_a_shell(self):
        ended = self.bench(
            "scan",
            "--rows",
            "1000",
            "--only",
            "exclusive u32",
            "--peers",
            "A='exclusive u32;shell;1' && echo $A #",
        )
        self.assertEqual((ended.returncode, len(ended.out.splitlines())), (0, 2), ended.err)

    def test_the_cpu_peer_says_how_to_get_what_it_lacks(self):
        peer = pathlib.Path(__file__).resolve().parents[2] / "bench/peers/cpu_pipelines.py"
        ended = subprocess.run(
            [sys.executable, "-I", "-S", peer, "1000", "1"], capture_output=True, text=True
        )  # -S: no packages
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertRegex(
            ended.stderr,
            r"^cpu_pipelines.py needs numpy: run scripts/python_environment.sh, .*\.venv/bin/python\n$",
        )

    def test_columns_of_the_table_begin_below_one_another(self):
        peer = self.peer(
            "exclusive u32;a name that is longer than any of a table's columns was once;0.001"
        )
        ended = self.run_program(
            "bench",
            "scan",
            "--device",
            "cpu:0",
            "--repeats",
            "1",
            "--rows",
            "1000",
            "--only",
            "u32",
            "--peers",
            peer,
        )
        self.assertEqual(ended.returncode, 0, ended.err)
        lines = ended.out.splitlines()
        self.assertGreater(len(lines), 1)
        for word in (" rows ", " ms ", " GB/s ", " of copy"):
            self.assertEqual(len({line.index(word) for line in lines}), 1, ended.out)

    def test_help_says_what_the_columns_are(self):
        shown = self.run_program("bench", "scan", "--help").out
        for word in ("spread", "GB/s", "of copy", "ratio"):
            self.assertIn(f"\n  {word} ", shown)

    def test_texts_that_cannot_be_written_are_an_error(self):
        (self.folder / "file").write_text("")
        self.assert_fails(
            self.bench(
                "fsst",
                "--rows",
                "1000",
                "--only",
                "decode, addresses",
                "--write-outputs",
                self.folder / "file",
            ),
            "decode, addresses.text",
        )

    def test_a_case_outside_the_sweep_is_named(self):
        self.assert_fails(
            self.bench("groups", "--sweep", "keys", "--only", "zipf"),
            "no case of this sweep contains 'zipf'",
        )

    def test_a_sweep_of_another_bench_is_wrong_usage(self):
        self.assert_fails(
            self.bench("sort", "--sweep", "keys"), "--sweep: 'keys' is not one of none|rows", code=2
        )


main()
