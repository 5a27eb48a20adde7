"""Functions and aggregates of the caller's own, in SQL and in pipelines: answers are pyarrow's."""

import math
import threading
import unittest

import driver

try:
    import pyarrow
    import pyarrow.compute as compute

    import penstock
    from penstock import function, reduction
    from penstock.pipeline import from_arrow
    from penstock.tracing_choices import when
except ImportError as error:
    driver.skip_all(error)

DEVICE = driver.DEVICE
ROWS = 3000
TABLE = pyarrow.table(
    {
        "g": [f"g{i % 7}" for i in range(ROWS)],
        "x": [None if i % 11 == 4 else i * 0.25 for i in range(ROWS)],
        "n": pyarrow.array([None if i % 13 == 2 else i % 97 - 40 for i in range(ROWS)]),
        "s": [str(i) for i in range(ROWS)],
    }
)
NORM = "double(double x, double y)", "return x * x + y * y;"
LARGER = "return a > b ? a : b;"


def larger(name="larger", type_="i64", neutral=-(2**62), body=LARGER):
    return reduction(name, f"{type_}({type_} a, {type_} b)", body, neutral, True, True)


def norms(table=TABLE):
    x, n = table["x"], compute.cast(table["n"], pyarrow.float64())
    return compute.add(compute.multiply(x, x), compute.multiply(n, n))


class Case(unittest.TestCase):
    def setUp(self):
        self.session = penstock.Session(DEVICE)

    def ask(self, sql, table=TABLE, **options):
        return self.session.query(sql, {"t": table}, **options)

    def assert_refused(self, code, part, call, *arguments):
        with self.assertRaises(penstock.PenstockError) as raised:
            call(*arguments)
        self.assertEqual(raised.exception.code, code, raised.exception)
        self.assertIn(part, str(raised.exception))


class Sql(Case):
    def test_a_function_of_two_types_skips_nulls(self):
        self.session.define(function("norm", *NORM))
        made = self.ask("SELECT norm(x, n) AS v FROM t")["v"]
        self.assertEqual(made.to_pylist(), norms().to_pylist())

    def test_a_filter_drops_rows_by_a_function(self):
        self.session.define(function("norm", *NORM))
        made = self.ask("SELECT s FROM t WHERE norm(x, n) < 900")["s"]
        self.assertEqual(
            made.to_pylist(), TABLE.filter(compute.less(norms(), 900))["s"].to_pylist()
        )

    def test_a_lazy_result_finds_the_sessions_function(self):
        self.session.define(function("norm", *NORM))
        t = TABLE  # found by its name in FROM
        made = self.session.sql("SELECT norm(x, n) AS v FROM t").arrow()["v"]
        self.assertEqual(made.to_pylist(), norms(t).to_pylist())

    def test_an_aggregate_reduces_groups(self):
        self.session.define(larger())
        made = self.ask("SELECT g, larger(n) AS v FROM t GROUP BY g ORDER BY g")
        theirs = TABLE.group_by("g").aggregate([("n", "max")]).sort_by("g")
        self.assertEqual(made["v"].to_pylist(), theirs["n_max"].to_pylist())

    def test_an_aggregate_takes_a_filter_and_no_rows(self):
        self.session.define(larger())
        made = self.ask("SELECT larger(n) FILTER (WHERE x < 9) AS a, larger(n) FILTER (WHERE x < 0) "
                        "AS b FROM t")  # fmt: skip
        kept = TABLE.filter(compute.less(TABLE["x"], 9))
        self.assertEqual(made.to_pylist(), [{"a": compute.max(kept["n"]).as_py(), "b": None}])

    def test_unsigned_and_small_values_are_reduced(self):
        for type_, arrow, neutral in (
            ("u64", pyarrow.uint64(), 0),
            ("i8", pyarrow.int8(), -128),
            ("f32", pyarrow.float32(), -math.inf),
            ("bool", pyarrow.bool_(), False),
        ):
            values = [i % 2 if type_ == "bool" else i % 100 for i in range(1000)]
            table = pyarrow.table({"v": pyarrow.array(values).cast(arrow)})
            self.session.define(larger(type_=type_, neutral=neutral))
            made = self.ask("SELECT larger(v) AS v FROM t", table)["v"]
            self.assertEqual((made.type, made[0].as_py()), (arrow, compute.max(table["v"]).as_py()))

    def test_a_redefinition_gives_new_results(self):
        sql = "SELECT sum(norm(x, n)) AS v FROM t"
        self.session.define(function("norm", *NORM))
        before = self.ask(sql)["v"][0].as_py()
        self.assertAlmostEqual(before, compute.sum(norms()).as_py())
        self.session.define(function("norm", NORM[0], "return 2 * (x * x + y * y);"))
        self.assertAlmostEqual(self.ask(sql)["v"][0].as_py(), 2 * before)

    def test_the_same_definition_compiles_nothing(self):
        self.session.define(function("norm", *NORM))
        self.ask("SELECT norm(x, n) AS v FROM t")
        self.session.define(function("norm", *NORM))
        self.ask("SELECT norm(x, n) AS v FROM t")
        self.assertEqual(self.session.report.kernels_compiled, 0)

    def test_a_closed_session_opens_with_its_functions(self):
        self.session.define(function("norm", *NORM))
        self.session.define(larger())
        self.session.close()
        made = self.ask("SELECT norm(3, 4) AS v, larger(n) AS w FROM t")
        self.assertEqual(made.to_pylist(), [{"v": 25.0, "w": compute.max(TABLE["n"]).as_py()}])


class Refusals(Case):
    def test_calls_with_wrong_arguments(self):
        self.session.define(function("norm", *NORM))
        self.session.define(larger())
        for call, code, part in (
            ("norm(x)", "invalid", "norm takes 2 arguments, not 1"),
            ("norm(x, n, n)", "invalid", "norm takes 2 arguments, not 3"),
            ("norm(x, s)", "invalid", "norm takes DOUBLE as y, not VARCHAR"),
            ("larger(s)", "invalid", "larger takes BIGINT, not VARCHAR"),
            ("larger(DISTINCT n)", "unsupported", "DISTINCT inside larger"),
            ("larger(n) OVER ()", "unsupported", "larger as a window function"),
            ("nrm(x, n)", "unsupported", "did you mean norm?"),
        ):
            self.assert_refused(code, part, self.ask, f"SELECT {call} FROM t")

    def test_duckdbs_planner_is_not_asked(self):
        self.session.define(function("norm", *NORM))
        ask = lambda: self.ask("SELECT norm(x, n) FROM t", planner="duckdb")  # noqa: E731
        self.assert_refused("unsupported", "known to our own planner alone", ask)

    def test_names_of_sql_and_hostile_names(self):
        for name in ("sqrt", "Sum", "median", "product", "select", "extract", "n" * 64):
            self.assert_refused("invalid", name, self.session.define, function(name, *NORM))
        for name in ("", "a b", "x); DROP", "é", 'a"b', "a\n"):
            self.assert_refused("invalid", "has letters, digits", function, name, *NORM)
        for signature in (
            "double(double x; int y)",
            "double(text x)",
            "double()",
            "x",
            "double(double 1)",
        ):
            self.assert_refused("invalid", "", function, "norm", signature, "return 1;")

    def test_parameters_of_one_name(self):
        made = function("norm", "double(double x, double x)", "return x;")
        self.assert_refused("invalid", "two parameters have one name", self.session.define, made)

    def test_a_body_that_does_not_compile_has_the_log(self):
        for body, part in (
            ("return z;", "'z' undeclared"),
            ("return x }", "error"),
            ("return no_such(x);", "no_such"),
            ("return hypot(x, y);", "hypot() is a function of the C library"),
        ):
            made = function("norm", NORM[0], body)
            self.assert_refused("compile", part, self.session.define, made)
        self.assertNotIn("norm", self.session._functions)

    def test_reductions_without_their_properties(self):
        self.assert_refused(
            "invalid", "associative", reduction, "r", "i64(i64 a, i64 b)", LARGER, 0
        )
        half = reduction("r", "i64(i64 a, i64 b)", LARGER, 0, associative=True)
        self.assert_refused("invalid", "commutative", self.session.define, half)
        self.assert_refused("invalid", "neutral", larger, "r", "i64", None)
        self.assert_refused("invalid", "neutral", self.session.define, larger("r", "i8", 300))


class Pipelines(Case):
    rows = from_arrow(TABLE)

    def test_a_function_runs_in_a_pipeline(self):
        norm = function("norm", *NORM)
        made = self.rows.filter(lambda r: norm(r.x, r.n) < 900).map(v=lambda r: norm(r.x, r.n))
        theirs = norms().filter(compute.less(norms(), 900))
        self.assertEqual(made.arrow(session=self.session)["v"].to_pylist(), theirs.to_pylist())

    def test_a_reduction_runs_in_a_pipeline(self):
        made = self.rows.group_by("g").agg(v=("n", larger())).arrow(session=self.session)
        theirs = TABLE.group_by("g").aggregate([("n", "max")]).sort_by("g")
        self.assertEqual(made["v"].to_pylist(), theirs["n_max"].to_pylist())

    def test_a_traced_reduction_is_kernel_c(self):
        largest = reduction(
            "largest", "double(double p, double q)",
            lambda p, q: when(p > q).then(p).otherwise(q), -math.inf, True, True,
        )  # fmt: skip
        made = self.rows.group_by("g").agg(v=("x", largest)).arrow(session=self.session)
        theirs = TABLE.group_by("g").aggregate([("x", "max")]).sort_by("g")
        self.assertEqual(made["v"].to_pylist(), theirs["x_max"].to_pylist())
        total = reduction("total", "f64(f64 p, f64 q)", lambda p, q: p + q, 0.0, True, True)
        made = self.rows.agg(v=("x", total)).arrow(session=self.session)["v"][0].as_py()
        self.assertAlmostEqual(made, compute.sum(TABLE["x"]).as_py())

    def test_a_traced_function_is_known_to_sql(self):
        self.session.define(function("norm", NORM[0], lambda x, y: x * x + y * y))
        made = self.ask("SELECT norm(x, n) AS v FROM t")["v"]
        self.assertEqual(made.to_pylist(), norms().to_pylist())

    def test_a_traced_reduction_that_overflows_is_refused(self):
        total = reduction("total", "i64(i64 a, i64 b)", lambda a, b: a + b, 0, True, True)
        self.assert_refused("unsupported", "outside its type", self.session.define, total)

    def test_names_of_the_signature_stand_for_both_values(self):
        for names in (("p", "q"), ("a", "q"), ("p", "a"), ("b", "a"), ("b", "q")):
            p, q = names
            body = f"return {p} > {q} ? {p} : {q};"
            made = reduction(
                "larger", f"int64_t(int64_t {p}, int64_t {q})", body, -(2**62), True, True
            )
            self.session.define(made)
            answer = self.ask("SELECT larger(n) AS v FROM t")["v"][0].as_py()
            self.assertEqual(answer, compute.max(TABLE["n"]).as_py(), names)

    def test_two_functions_of_one_name_are_told_apart(self):
        one, two = function("norm", *NORM), function("Norm", NORM[0], "return x;")
        made = self.rows.map(v=lambda r: one(r.x, r.n) - two(r.x, r.n)).agg(v=("v", "sum"))
        expected = compute.sum(compute.subtract(norms(), TABLE["x"])).as_py()
        self.assertAlmostEqual(made.arrow(session=self.session)["v"][0].as_py(), expected)

    def test_a_pipelines_function_leaves_the_sessions_alone(self):
        self.session.define(function("norm", *NORM))
        norm = function("norm", NORM[0], "return 0.0;")
        self.rows.map(v=lambda r: norm(r.x, r.n)).arrow(session=self.session)
        answer = self.ask("SELECT sum(norm(x, n)) AS v FROM t")["v"][0].as_py()
        self.assertAlmostEqual(answer, compute.sum(norms()).as_py())

    def test_threads_share_a_session_and_a_name(self):
        expected = compute.sum(norms()).as_py()
        wrong = []

        def work(factor):
            norm = function("norm", NORM[0], f"return {factor} * (x * x + y * y);")
            made = self.rows.map(v=lambda r: norm(r.x, r.n)).agg(v=("v", "sum"))
            for _ in range(100):
                answer = made.arrow(session=self.session)["v"][0].as_py()
                if abs(answer - factor * expected) > 1e-6 * abs(expected):
                    wrong.append((factor, answer / expected))

        threads = [threading.Thread(target=work, args=(factor,)) for factor in (1, 2, 3, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_definition_while_the_session_opens_again(self):
        errors = []

        def define(number):
            try:
                for at in range(20):
                    body = f"return {number} * x + {at};"
                    self.session.define(function(f"f{number}_{at}", "double(double x)", body))
            except Exception as error:
                errors.append(error)

        def reopen():
            try:
                for _ in range(10):
                    self.session.close()
                    self.session.query("SELECT 1 AS x")
            except Exception as error:
                errors.append(error)

        works = [lambda: define(1), lambda: define(2), reopen]
        threads = [threading.Thread(target=work) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        for number in (1, 2):
            for at in range(20):
                answer = self.session.query(f"SELECT f{number}_{at}(2.0) AS v").to_pydict()
                self.assertEqual(answer, {"v": [2.0 * number + at]})

    def test_pipelines_take_turns_with_a_name(self):
        for body, factor in ((NORM[1], 1), ("return 3 * (x * x + y * y);", 3)) * 2:
            norm = function("norm", NORM[0], body)
            made = self.rows.map(v=lambda r: norm(r.x, r.n)).agg(v=("v", "sum"))
            answer = made.arrow(session=self.session)["v"][0].as_py()
            self.assertAlmostEqual(answer, factor * compute.sum(norms()).as_py())

    def test_explaining_defines_the_functions(self):
        norm = function("norm", *NORM)
        made = self.rows.map(v=lambda r: norm(r.x, r.n))
        self.assertIn("norm", made.explain(session=self.session))


if __name__ == "__main__":
    driver.main()
