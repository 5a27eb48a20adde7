"""Ctrl-C and Session.cancel() inside of long steps on the host, encoders and decoders."""

import os
import signal
import statistics
import threading
import time
import unittest

import driver
import numpy
import penstock
import pyarrow

ROWS = 3_000_000
SECONDS = 0.2  # until a statement has ended

# A kind of work on the host each; one takes seconds.
STATEMENTS = {
    "pairs of a join": "SELECT sum(t.g + o.g) AS s FROM t JOIN t o ON t.g = o.g",
    "pairs of one row": "SELECT count(*) AS c FROM t, o WHERE t.v * o.w > 99.99999",
    "rows of a join": "SELECT t.*, o.w FROM t LEFT JOIN o ON t.k = o.k AND t.v < o.w",
    "a sort": "SELECT * FROM t ORDER BY v, k, s",
    "a sort of texts": "SELECT * FROM t ORDER BY s, v",
    "a frame": "SELECT max(v) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN 999 PRECEDING AND CURRENT ROW) AS m FROM t",
    "a running extreme": "SELECT *, min(s) OVER (PARTITION BY g ORDER BY k) AS m, lag(s) OVER (ORDER BY s) AS l FROM t",
    "the interpreter": "SELECT sum(levenshtein(s, 'word 1' || g::VARCHAR)) AS d FROM t",
    "lists": "SELECT sum(len(list_sort(range(g)))) AS l FROM t",
    "elements": "SELECT sum(u) AS u FROM (SELECT unnest(range(g)) AS u FROM t)",
    "a function of texts": "SELECT sha256(s || k::VARCHAR) AS h, count(*) AS c FROM t GROUP BY h",
    "many groups": "SELECT k, s, count(*) AS c, sum(v) AS v FROM t GROUP BY k, s",
    "a union": "SELECT k, g FROM t UNION SELECT k, w FROM o",
    "a recursion": "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100000000) SELECT count(*) AS c FROM r",
}


def tables():
    random = numpy.random.default_rng(54)
    words = pyarrow.array([f"word {i}" for i in range(ROWS // 4)])
    t = pyarrow.table(
        {
            "k": random.integers(0, ROWS, ROWS),
            "g": random.integers(0, 1000, ROWS),
            "v": random.random(ROWS),
            "s": words.take(pyarrow.array(random.integers(0, len(words), ROWS))),
        }
    )
    o = pyarrow.table({"k": random.integers(0, ROWS, ROWS), "w": random.integers(0, 100, ROWS)})
    return {"t": t, "o": o}


def code_and_end(work):
    try:
        work()
    except penstock.PenstockError as error:
        return error.code, time.monotonic()
    return "answered", time.monotonic()


class Statements(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = tables()

    def seconds_to_end(self, session, statement, delay):
        """Cancels after `delay`. Returns how it ended, and how long after."""
        cancelled = []

        def cancel():
            cancelled.append(time.monotonic())
            session.cancel()

        timer = threading.Timer(delay, cancel)
        timer.start()
        code, end = code_and_end(lambda: session.query(statement))
        timer.join()
        return code, end - cancelled[0]

    def test_a_statement_ends_within_200_ms_wherever_it_is(self):
        for name, statement in STATEMENTS.items():
            with self.subTest(name), penstock.Session("cpu:0") as session:
                for table, data in self.tables.items():
                    session.register(table, data)
                ends = [self.seconds_to_end(session, statement, d) for d in (0.1, 0.4, 0.8)]
                self.assertIn("cancelled", [code for code, _ in ends])
                waited = [seconds for code, seconds in ends if code == "cancelled"]
                self.assertLess(statistics.median(waited), SECONDS)
                self.assertLess(max(waited), 5 * SECONDS)  # other work may hold the cores
                answer = session.query("SELECT count(*) AS c, sum(g) AS s FROM t")
                self.assertEqual(answer["c"].to_pylist(), [ROWS])

    def test_what_a_session_keeps_is_whole_after_a_cancel(self):
        statement = "SELECT upper(s) AS u, count(*) AS c, max(s) AS m FROM t GROUP BY u ORDER BY u"
        with penstock.Session("cpu:0") as fresh:
            whole = fresh.query(statement, self.tables)
        with penstock.Session("cpu:0") as session:
            for table, data in self.tables.items():
                session.register(table, data)
            for delay in numpy.linspace(0.01, 0.6, 12):
                self.seconds_to_end(session, statement, float(delay))
            self.assertTrue(session.query(statement).equals(whole))

    def test_memory_of_cancelled_statements_is_given_back(self):
        with open("/proc/self/statm") as file:
            page_bytes = os.sysconf("SC_PAGE_SIZE")
            resident = lambda: (file.seek(0), int(file.read().split()[1]) * page_bytes)[1]
            with penstock.Session("cpu:0") as session:
                for table, data in self.tables.items():
                    session.register(table, data)
                sizes = []
                for _ in range(6):
                    self.seconds_to_end(session, STATEMENTS["pairs of a join"], 0.4)
                    sizes.append(resident())
        self.assertLess(sizes[-1], sizes[1] + (600 << 20))  # pairs of one run take more


class Streams(unittest.TestCase):
    def setUp(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def assert_interrupted(self, work):
        sent = []

        def interrupt():
            sent.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

        timer = threading.Timer(0.3, interrupt)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            work()
            time.sleep(5)
        self.assertLess(time.monotonic() - sent[0], 5 * SECONDS)
        timer.join()

    def test_the_slowest_level_of_zstd_ends(self):
        text = numpy.random.default_rng(1).integers(0, 200, 40 << 20, numpy.uint8).tobytes()
        self.assert_interrupted(lambda: penstock.compress(text, "zstd", level=22))

    def test_gzip_ends_between_blocks(self):
        text = numpy.random.default_rng(1).integers(0, 200, 100 << 20, numpy.uint8).tobytes()
        self.assert_interrupted(lambda: penstock.compress(text, "gzip", level=12))

    def test_a_long_frame_ends(self):
        part = numpy.random.default_rng(1).integers(0, 200, 1 << 20, numpy.uint8).tobytes()
        packed = penstock.compress(part * 600, "zstd", level=1, block_bytes=1 << 30)
        self.assert_interrupted(lambda: penstock.decompress(packed * 3))


if __name__ == "__main__":
    driver.main()
