"""`penstock encode`: what is written reads back the same, here and elsewhere, and is never partial."""

import datetime
import decimal
import random
import sys
import unittest

try:
    import duckdb
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet
except ImportError as missing:
    print(f"skipped: {missing}\n1 passed, 0 failed")
    sys.exit(0)

from command_line import CommandLineTest, main


def texts(count, seed=1):
    rng = random.Random(seed)
    words = [
        "http://",
        "www.",
        "example",
        ".com/",
        "index",
        "?id=",
        "&page=",
        "über",
        "日本",
        "\t",
        '"',
        ",",
        "x",
    ]
    return [
        None if rng.random() < 0.1 else "".join(rng.choices(words, k=rng.randrange(12)))
        for _ in range(count)
    ]


class Encode(CommandLineTest):
    def parquet(self, columns, name="table.parquet", **options):
        path = self.rows / name
        pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
        return path

    def encode(self, source, codecs, *arguments, name="encoded.arrow"):
        path = self.rows / name
        ended = self.run_program(
            "encode", source, "-o", path, "--force", "--codec", codecs, *arguments
        )
        self.assertEqual(ended.returncode, 0, ended.err)
        return path

    def read_back(self, path, what="*"):
        """A query's answer as a pyarrow table."""
        answer = self.rows / "answer.parquet"
        ended = self.query(f"SELECT {what} FROM '{path}'", "--output", answer)
        self.assertEqual(ended.returncode, 0, ended.err)
        return pyarrow.parquet.read_table(answer)

    def assert_round_trip(self, values, *arguments):
        source = self.parquet({"s": pyarrow.array(values, pyarrow.string())})
        path = self.encode(source, "s=fsst", *arguments)
        self.assertEqual(self.read_back(path)["s"].to_pylist(), values)

    def test_texts_with_nulls_and_empty_ones(self):
        self.assert_round_trip(texts(5000))

    def test_no_rows(self):
        self.assert_round_trip([])

    def test_only_nulls(self):
        self.assert_round_trip([None] * 1000)

    def test_only_empty_texts(self):
        self.assert_round_trip([""] * 1000)

    def test_texts_of_one_byte_to_a_megabyte(self):
        rng = random.Random(3)
        self.assert_round_trip(
            ["".join(rng.choices("abcdefgh/.?", k=1 << power)) for power in range(21)] * 2
        )

    def test_several_record_batches_and_row_groups(self):
        values = [f"row {i}" if i % 7 else None for i in range(1_200_000)]
        path = self.encode(self.parquet({"s": pyarrow.array(values)}), "s=fsst")
        self.assertGreater(pyarrow.ipc.open_file(path).num_record_batches, 1)
        self.assertEqual(self.read_back(path)["s"].to_pylist(), values)
        found = self.answer(
            f"SELECT count(*) AS c, count(s) AS n, sum(length(s)) AS l FROM '{path}' WHERE s LIKE '%99%' OR s = 'row 1'"
        )
        kept = [
            value for value in values if value is not None and ("99" in value or value == "row 1")
        ]
        self.assertEqual(found, [{"c": len(kept), "n": len(kept), "l": sum(map(len, kept))}])

    def test_pages_on_a_device_are_refused_without_naming_the_column(self):
        columns = {"s": pyarrow.array(["a", "b"]), "n": pyarrow.array([1, 2])}
        path = self.encode(self.parquet(columns), "s=fsst")
        ended = self.query(f"SELECT n FROM '{path}' WHERE s = 'a'", "--pages", "device")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("column 's' is encoded, but the host decodes it", ended.err)
        self.assertIn("column 'n' is not encoded", ended.err)

    def test_other_columns_keep_their_values_and_types(self):
        columns = {
            "s": pyarrow.array(["a", None, "c", ""]),
            "plain": pyarrow.array(["p", "", None, "q" * 1000]),
            "words": pyarrow.array(["x", "y", None, "x"]).dictionary_encode(),
            "i8": pyarrow.array([1, None, -128, 127], pyarrow.int8()),
            "u64": pyarrow.array([1, None, 2**64 - 1, 0], pyarrow.uint64()),
            "f": pyarrow.array([1.5, None, float("inf"), -0.0], pyarrow.float32()),
            "b": pyarrow.array([True, None, False, True]),
            "d": pyarrow.array(
                [
                    datetime.date(2026, 11, 21),
                    None,
                    datetime.date(1, 1, 1),
                    datetime.date(1970, 1, 1),
                ]
            ),
            "t": pyarrow.array(
                [datetime.datetime(2026, 11, 21, 1, 2, 3, 4), None] * 2, pyarrow.timestamp("us")
            ),
            "m": pyarrow.array(
                [decimal.Decimal("1.23"), None, decimal.Decimal("-9.99"), decimal.Decimal("0.00")],
                pyarrow.decimal128(15, 2),
            ),
        }
        path = self.encode(self.parquet(columns), "s=fsst")
        with pyarrow.ipc.open_file(path) as reader:
            found = reader.read_all()
        for name, expected in columns.items():
            if name == "s":
                continue
            self.assertEqual(found[name].to_pylist(), expected.to_pylist(), name)
            self.assertEqual(
                found.schema.field(name).type,
                pyarrow.string() if name == "words" else expected.type,
                name,
            )

    def test_any_reader_opens_it_and_sees_the_extension_type(self):
        path = self.encode(self.parquet({"s": texts(100)}), "s=fsst")
        reader = pyarrow.ipc.open_file(path)
        field = reader.schema.field("s")
        self.assertEqual(field.type, pyarrow.binary())
        self.assertEqual(field.metadata[b"ARROW:extension:name"], b"penstock.fsst")
        self.assertEqual(reader.read_all().num_rows, 100)

    def test_queries_answer_as_duckdb_does_over_the_table_before(self):
        source = self.parquet(
            {"s": pyarrow.array(texts(20_000)), "n": pyarrow.array(range(20_000))}
        )
        path = self.encode(source, "s=fsst")
        for statement in (
            "SELECT count(*) AS c, sum(n) AS t FROM {} WHERE s LIKE '%example%'",
            "SELECT count(*) AS c FROM {} WHERE s IS NULL",
            "SELECT s, count(*) AS c FROM {} GROUP BY s ORDER BY c DESC, s LIMIT 20",
            "SELECT n, s FROM {} WHERE s > 'x' ORDER BY s, n LIMIT 30",
            "SELECT sum(length(s)) AS t FROM {} WHERE s <> ''",
        ):
            expected = duckdb.sql(statement.format(f"'{source}'")).fetchall()
            found = [tuple(row.values()) for row in self.answer(statement.format(f"'{path}'"))]
            self.assertEqual(found, expected, statement)

    def test_numbers_in_light_encodings_are_read_here_and_any_reader_opens_them(self):
        rng, count = random.Random(9), 3000
        source = self.parquet(
            {
                "i": pyarrow.array([row * 7 - 500 for row in range(count)]),
                "p": pyarrow.array([rng.randrange(10**6) / 100 for _ in range(count)]),
                "r": pyarrow.array([row // 90 for row in range(count)], pyarrow.int32()),
                "d": pyarrow.array([rng.choice([1.5, None, 2.25]) for _ in range(count)]),
            }
        )
        path = self.encode(source, "i=delta,p=alp,r=rle,d=dictionary")
        self.assertEqual(self.read_back(path), self.read_back(source))
        read = pyarrow.ipc.open_file(path).read_all()
        read.validate(full=True)
        self.assertEqual(read.num_rows, count)
        for field, form in zip(read.schema, ("1 l", "1 g", "1 i", "1 g")):
            self.assertEqual(field.metadata[b"ARROW:extension:name"], b"penstock.light")
            self.assertEqual(field.metadata[b"ARROW:extension:metadata"], form.encode())
        plain = self.query(
            f"SELECT sum(i), sum(r), count(d), sum(d) FROM '{source}' WHERE p < 5000"
        )
        for pages in ("device", "host"):
            found = self.query(
                f"SELECT sum(i), sum(r), count(d), sum(d) FROM '{path}' WHERE p < 5000",
                "--pages",
                pages,
            )
            self.assertEqual((found.returncode, found.out), (0, plain.out), found.err)

    def test_a_codec_of_another_type_is_refused_by_name(self):
        source = self.parquet({"s": texts(10), "f": pyarrow.array([1.5] * 10)})
        for codecs in ("s=for", "f=delta", "f=fsst"):
            ended = self.run_program(
                "encode", source, "-o", self.rows / "o.arrow", "--codec", codecs
            )
            self.assertEqual(ended.returncode, 1)
            self.assertIn(f"{codecs[2:]} encodes ", ended.err)

    def test_compiling_what_reads_codes_is_no_cache_hit(self):
        source = self.parquet({"s": texts(2000), "n": range(2000)})
        statement = "SELECT count(*) AS c, sum(n) AS t FROM '{}' WHERE s LIKE '%example%x'"
        fresh = {
            "PENSTOCK_CACHE_DIR": str(self.folder / "cache"),
            "PENSTOCK_CPU_COMPILER": "optimising",  # the cache keeps what that makes
        }
        plain = self.query(statement.format(source), **fresh)
        encoded = self.query(statement.format(self.encode(source, "s=fsst")), "--stats", **fresh)
        self.assertEqual((encoded.returncode, encoded.out), (0, plain.out), encoded.err)
        self.assertRegex(encoded.err, r"kernel fsst_match_rows .* compiled in ")
        self.assertRegex(encoded.err, r"; compiled 1 program in ")

    def test_csv_and_arrow_are_read_too(self):
        path = self.encode(self.csv_file(), "name=fsst")
        self.assertEqual(self.read_back(path)["name"].to_pylist(), ["x", "y", "z, w"])
        again = self.encode(path, "name=fsst", name="again.arrow")
        self.assertEqual(self.read_back(again)["name"].to_pylist(), ["x", "y", "z, w"])

    def test_a_table_of_sizes_stands_at_the_end(self):
        source = self.parquet({"s": ["http://example.com/" + str(i) for i in range(5000)]})
        ended = self.run_program(
            "encode", source, "-o", self.rows / "out.arrow", "--codec", "s=fsst"
        )
        self.assertEqual(ended.out, "")
        self.assertRegex(
            ended.err,
            r"column +codec +bytes before +bytes after +ratio\ns +fsst +[\d,]+ +[\d,]+ +[1-9]\.\d\d\n",
        )

    def test_both_files_sizes_are_told_and_growth_is_remarked(self):
        numbers = pyarrow.array([i % 3 for i in range(100_000)])  # some bytes in Parquet
        source = self.parquet({"s": ["http://example.com/"] * 100_000, "n": numbers})
        ended = self.run_program(
            "encode", source, "-o", self.rows / "out.arrow", "--codec", "s=fsst"
        )
        sizes = [f"{path.stat().st_size:,}" for path in (self.rows / "out.arrow", source)]
        self.assertIn(
            f"out.arrow: 100,000 rows, {sizes[0]} bytes; {source}: {sizes[1]} bytes\nThe file grew: ",
            ended.err,
        )
        shrunk = self.run_program(
            "encode", self.rows / "out.arrow", "-o", self.rows / "again.arrow", "--codec", "s=fsst"
        )
        self.assertIn("bytes; ", shrunk.err)
        self.assertNotIn("grew", shrunk.err)

    def test_a_column_that_grew_is_remarked(self):
        columns = {"long": ["http://example.com/" * 9] * 100, "short": list("abcdefghij") * 10}
        ended = self.run_program(
            "encode",
            self.parquet(columns),
            "-o",
            self.rows / "out.arrow",
            "--codec",
            "long=fsst,short=fsst",
        )
        self.assertRegex(
            ended.err, r"\nshort +fsst +[\d,]+ +[\d,]+ +0\.\d\d  grew: leave it out of --codec\n"
        )
        self.assertRegex(ended.err, r"\nlong +fsst +[\d,]+ +[\d,]+ +[1-9]\.\d\d\n")

    def test_columns_that_cannot_be_encoded_are_named(self):
        source = self.parquet({"title": ["a"], "n": [1]})
        for codecs, words in (
            ("titel=fsst", "did you mean 'title'"),
            ("n=fsst", "column 'n' is BIGINT"),
            ("title=fsst,title=fsst", "two codecs for column 'title'"),
        ):
            ended = self.run_program(
                "encode", source, "-o", self.rows / "out.arrow", "--codec", codecs
            )
            self.assert_fails(ended, words)
            self.assertFalse((self.rows / "out.arrow").exists())

    def test_wrong_usage(self):
        source = self.parquet({"s": ["a"]})
        out = self.rows / "out.arrow"
        for arguments, word in (
            ((source, "--codec", "s=fsst"), "--output"),
            ((source, "-o", out), "--codec"),
            ((source, "-o", out, "--codec", "s"), "COLUMN=CODEC"),
            ((source, "-o", out, "--codec", "s=zip"), "s=zip"),
            ((source, "-o", "out.parquet", "--codec", "s=fsst"), ".arrow"),
            ((source, "-o", out, "--codec", "s=gsst"), "s=gsst"),
        ):
            self.assert_fails(self.run_program("encode", *arguments), word, code=2)

    def test_existing_files_are_overwritten_by_force_alone(self):
        source, out = self.parquet({"s": ["a"]}), self.rows / "out.arrow"
        out.write_text("before")
        command = ("encode", source, "-o", out, "--codec", "s=fsst")
        self.assert_fails(self.run_program(*command), "already exists", "--force")
        self.assertEqual(out.read_text(), "before")
        self.assertEqual(self.run_program(*command, "--force").returncode, 0)
        self.assertEqual(self.read_back(out)["s"].to_pylist(), ["a"])

    def test_a_failure_leaves_the_file_before_as_it_was(self):
        out = self.rows / "out.arrow"
        out.write_text("before")
        whole = self.parquet({"s": texts(50_000)})
        cut = self.rows / "cut.parquet"
        content = bytearray(whole.read_bytes())
        content[1000:3000] = bytes(2000)  # of a page
        cut.write_bytes(content)
        self.assert_fails(self.run_program("encode", cut, "-o", out, "-f", "--codec", "s=fsst"))
        self.assertEqual(out.read_text(), "before")
        self.assertEqual(
            sorted(path.name for path in self.rows.iterdir()),
            ["cut.parquet", "out.arrow", "table.parquet"],
        )

    def test_a_file_that_was_written_anew_without_its_tables_is_named(self):
        path = self.encode(self.parquet({"s": texts(100)}), "s=fsst")
        table = pyarrow.ipc.open_file(path).read_all()
        with pyarrow.ipc.new_file(self.rows / "anew.arrow", table.schema) as writer:
            writer.write_table(table)
        self.assert_fails(
            self.query(f"SELECT s FROM '{self.rows / 'anew.arrow'}'"), "without its symbol tables"
        )

    def test_a_newer_version_is_named(self):
        path = self.encode(self.parquet({"s": ["a"]}), "s=fsst")
        reader = pyarrow.ipc.open_file(path)
        field = reader.schema.field("s").with_metadata(
            {b"ARROW:extension:name": b"penstock.fsst", b"ARROW:extension:metadata": b"2"}
        )
        with pyarrow.ipc.new_file(self.rows / "newer.arrow", pyarrow.schema([field])) as writer:
            writer.write_batch(
                pyarrow.RecordBatch.from_arrays(
                    [pyarrow.array([b"a"])], schema=pyarrow.schema([field])
                )
            )
        self.assert_fails(
            self.query(f"SELECT s FROM '{self.rows / 'newer.arrow'}'"),
            "penstock.fsst of version '2'",
        )

    def test_streams_are_read(self):
        path = self.encode(self.parquet({"s": texts(3000), "n": range(3000)}), "s=fsst")
        reader = pyarrow.ipc.open_file(path)
        with pyarrow.ipc.new_stream(self.rows / "stream.arrows", reader.schema) as writer:
            for i in range(reader.num_record_batches):
                read = reader.get_batch_with_custom_metadata(i)
                writer.write_batch(read.batch, read.custom_metadata)
        self.assertEqual(
            self.read_back(self.rows / "stream.arrows", "s")["s"].to_pylist(), texts(3000)
        )

    def test_codes_with_long_offsets_and_beside_dictionaries_are_read(self):
        reader = pyarrow.ipc.open_file(self.encode(self.parquet({"s": texts(3000)}), "s=fsst"))
        fields = [
            pyarrow.field("d", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
            reader.schema.field("s").with_type(pyarrow.large_binary()),
        ]
        other = self.rows / "other.arrow"
        with pyarrow.ipc.new_file(other, pyarrow.schema(fields)) as writer:
            for i in range(reader.num_record_batches):
                read = reader.get_batch_with_custom_metadata(i)
                words = pyarrow.array(
                    ["x", "y", "z"] * (read.batch.num_rows // 3)
                ).dictionary_encode()
                columns = [words.cast(fields[0].type), read.batch["s"].cast(pyarrow.large_binary())]
                writer.write_batch(
                    pyarrow.RecordBatch.from_arrays(columns, schema=pyarrow.schema(fields)),
                    read.custom_metadata,
                )
        found = self.read_back(other)
        self.assertEqual(found["s"].to_pylist(), texts(3000))
        self.assertEqual(found["d"].to_pylist()[:4], ["x", "y", "z", "x"])

    def test_damaged_files_are_refused_or_answered_but_never_crash(self):
        path = self.encode(self.parquet({"s": texts(300)}), "s=fsst")
        content = path.read_bytes()
        rng = random.Random(5)
        damaged = self.rows / "damaged.arrow"
        statements = (
            "SELECT count(*) AS c FROM '{}' WHERE s LIKE '%example%' OR s = 'x'",
            "SELECT s, count(*) AS c FROM '{}' GROUP BY s",
            "SELECT s FROM '{}' WHERE length(s) > 9",
        )
        for number in range(30):
            changed = bytearray(content)
            for _ in range(3):
                changed[rng.randrange(300, len(changed))] = rng.randrange(256)
            damaged.write_bytes(changed)
            self.query(
                statements[number % 3].format(damaged), "--format", "csv"
            )  # a signal fails the test


main()
