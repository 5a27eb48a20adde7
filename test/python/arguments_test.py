"""Arguments of wrong types and values: errors name the argument, and nothing crashes."""

import pathlib
import re
import unittest

import driver

try:
    import numpy
    import pyarrow

    import penstock
    from penstock.core import core
except ImportError as error:
    driver.skip_all(error)

ONE = pyarrow.table({"x": [1]})
FRAME = numpy.zeros((16, 16), numpy.uint8)
SQL = "SELECT x FROM t"


def sql(sql=SQL, tables=None, **options):
    return penstock.sql(sql, tables={"t": ONE} if tables is None else tables, **options).arrow()


def session(**options):
    return penstock.Session(driver.DEVICE, **options).query("SELECT 1")


def packed(**options):
    return penstock.decompress(penstock.compress(b"abc"), **options)


def score(one=FRAME, features="psnr", **options):
    return penstock.video.score([one], [one], features, **options)


def files(raw):
    return penstock.video.score("a.yuv", "b.yuv", "psnr", raw=raw)


def chunks(format="zlib", data=b"a", sizes=(1,), capacities=1, **options):
    return penstock.codecs.decode_chunks(format, data, sizes, capacities, **options)


of_session = penstock.Session(driver.DEVICE)
WRONG_TYPES = {
    "sql=": [
        lambda: penstock.sql(5),
        lambda: of_session.query(5),
        lambda: of_session.explain(None),
        lambda: penstock.BatchWorker(5),
    ],
    "device=": [
        lambda: sql(device=5),
        lambda: sql(device=None),
        lambda: penstock.Session(5),
        lambda: penstock.query(SQL, {"t": ONE}, 5),
        lambda: penstock.BatchWorker(SQL, device=5),
        lambda: packed(device=5),
        lambda: penstock.compress(b"a", device=5),
        lambda: score(device=5),
        lambda: chunks(device=5),
    ],
    "planner=": [lambda: sql(planner=5), lambda: penstock.Session(planner=5)],
    "tables=": [
        lambda: sql(tables=[ONE]),
        lambda: sql(tables={5: ONE}),
        lambda: penstock.BatchWorker(SQL, tables=5),
    ],
    "session=": [lambda: sql(session="cpu"), lambda: sql(session=5)],
    "cache_limit_bytes=": [
        lambda: session(cache_limit_bytes="1"),
        lambda: session(cache_limit_bytes=1.5),
    ],
    "name=": [lambda: of_session.register(5, ONE)],
    "table_name=": [lambda: penstock.BatchWorker(SQL, 5)],
    "function=": [lambda: of_session.define(5), lambda: of_session.define(lambda x: x)],
    "target=": [lambda: of_session.source(SQL, {"t": ONE}, target=5)],
    "statement=": [lambda: penstock.two_stage(5, ONE.schema)],
    "data=": [
        lambda: penstock.decompress("abc"),
        lambda: penstock.compress(5),
        lambda: chunks(data=5),
    ],
    "format=": [
        lambda: packed(format=5),
        lambda: penstock.compress(b"", 5),
        lambda: chunks(format=5),
    ],
    "threads=": [lambda: packed(threads="a"), lambda: penstock.compress(b"", threads=1.5)],
    "max_output_bytes=": [lambda: packed(max_output_bytes="a")],
    "dictionary=": [lambda: packed(dictionary="a"), lambda: packed(dictionary=5)],
    "fallback=": [lambda: packed(fallback="yes")],
    "level=": [lambda: penstock.compress(b"", level="a")],
    "block_bytes=": [lambda: penstock.compress(b"", block_bytes="a")],
    "sizes=": [lambda: chunks(sizes=5), lambda: chunks(sizes=["a"])],
    "offsets=": [lambda: chunks(offsets=["a"])],
    "capacities=": [lambda: chunks(capacities="a")],
    "file=": [lambda: penstock.open(5.5), lambda: penstock.open(None, "wb")],
    "features=": [lambda: score(features=5), lambda: score(features=[5])],
    "subsample=": [lambda: score(subsample="a")],
    "frame_limit=": [lambda: score(frame_limit=1.5)],
    "bits=": [lambda: score(bits="a")],
    "raw": [lambda: files(5), lambda: files((1, 2)), lambda: files((1, 2, 8, 420))],
    "reference=": [lambda: penstock.video.score(5, 5, "psnr")],
    "plane": [lambda: score(5), lambda: score("a"), lambda: score([5])],
}
WRONG_VALUES = {
    "device": [lambda: sql(device="gpux")],
    "planner": [lambda: sql(planner="best"), lambda: session(planner="best")],
    "'t'": [lambda: sql(tables={"t": 5}), lambda: sql(tables={"t": "abc"})],
    "'u'": [lambda: of_session.register("u", 5)],
    "parameters=": [lambda: sql(parameters=5)],
    "target": [lambda: of_session.source(SQL, {"t": ONE}, target="x")],
    "cache_limit_bytes=": [lambda: session(cache_limit_bytes=-1)],
    "format": [lambda: packed(format="zip"), lambda: chunks(format="zip")],
    "threads=": [lambda: packed(threads=-1), lambda: packed(threads=2**40)],
    "level": [lambda: penstock.compress(b"", level=99)],
    "sizes=": [lambda: chunks(sizes=[-1])],
    "capacities=": [lambda: chunks(capacities=-1)],
    "mode": [lambda: penstock.open("a", "zz")],
    "subsample=": [lambda: score(subsample=0), lambda: score(subsample=-1)],
    "frame_limit=": [lambda: score(frame_limit=-1)],
    "bits=": [lambda: score(bits=17)],
    "raw=": [lambda: score(raw=(16, 16, 8, "400"))],
    "chroma": [lambda: files((16, 16, 8, "421"))],
}


class Arguments(unittest.TestCase):
    def test_a_wrong_type_is_a_type_error_that_names_it(self):
        for name, calls in WRONG_TYPES.items():
            for at, call in enumerate(calls):
                with self.subTest(name, call=at), self.assertRaises(TypeError) as caught:
                    call()
                self.assertIn(name, str(caught.exception))

    def test_a_wrong_value_is_an_error_that_names_it(self):
        for name, calls in WRONG_VALUES.items():
            for at, call in enumerate(calls):
                with self.subTest(name, call=at):
                    with self.assertRaises(penstock.PenstockError) as caught:
                        call()
                    self.assertEqual(caught.exception.code, "invalid")
                    self.assertIn(name, caught.exception.message)

    def test_whole_numbers_of_other_libraries_are_taken(self):
        self.assertEqual(packed(threads=numpy.int64(2), max_output_bytes=numpy.uint8(3)), b"abc")
        self.assertEqual(len(score(subsample=numpy.int32(1))["psnr_y"]), 1)

    def test_the_compiled_module_refuses_a_raw_format_that_is_cut(self):
        for raw in (5, (1, 2), (1, 2, 8, 420)):
            with self.assertRaises((TypeError, RuntimeError)):
                core.score_files("a", "b", ["psnr"], "host", raw, 1, 0)


class Documents(unittest.TestCase):
    def test_each_exception_that_is_raised_is_described(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        described = (root / "docs" / "python.md").read_text()
        for module in (root / "python" / "penstock").glob("*.py"):
            for name in re.findall(r"raise ([A-Z]\w+)\(", module.read_text()):
                with self.subTest(name, module=module.name):
                    self.assertIn(name, described)


if __name__ == "__main__":
    driver.main()
