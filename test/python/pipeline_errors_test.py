"""Lambdas that no pipeline can trace: each is refused with the line, the step and what to write."""

import datetime
import decimal
import functools
import math
import operator
import unittest

import driver
import numpy as np
import pyarrow as pa

from penstock.pipeline import from_arrow
from penstock.session import PenstockError
from penstock.tracing_choices import coalesce, lit, select, when

TABLE = pa.table(
    {
        "price": [1.5, 2.5],
        "count": pa.array([1, 2], pa.int32()),
        "shop": ["a", "b"],
        "day": pa.array([datetime.date(2024, 1, 1)] * 2),
        "is_new": [True, False],
        "big": pa.array([1, 2], pa.uint64()),
        "tags": [["x"], []],
    }
)


class Errors(unittest.TestCase):
    def setUp(self):
        self.rows = from_arrow(TABLE)

    def refused(self, step, *words):
        with self.assertRaises(PenstockError) as raised:
            step()
        for word in (*words, __file__):
            self.assertIn(word, str(raised.exception))
        return str(raised.exception)

    def mapped(self, function, *words):
        return self.refused(lambda: self.rows.map(x=function), *words)

    def filtered(self, function, *words):
        return self.refused(lambda: self.rows.filter(function), *words)

    # ---- names ----

    def test_an_unknown_column_lists_near_names(self):
        self.filtered(lambda r: r.pirce > 1, 'no column "pirce"', "near names: price")

    def test_an_unknown_column_of_another_case_lists_its_name(self):
        self.filtered(lambda r: r["Price"] > 1, "near names: price")

    def test_an_unknown_method_lists_near_names(self):
        self.mapped(lambda r: r.price.sqr(), "method of a DOUBLE", "sqrt")

    def test_an_unknown_method_of_strings_lists_near_names(self):
        self.mapped(lambda r: r.shop.str.containz("a"), "contains")

    def test_a_method_of_strings_or_dates_says_where_it_is(self):
        for function, written in (
            (lambda r: r.shop.to_uppercase(), "write .str.to_uppercase()"),
            (lambda r: r.shop.upper(), "write .str.to_uppercase()"),
            (lambda r: r.shop.startswith("a"), "write .str.starts_with()"),
            (lambda r: r.shop.str.lower(), "write .str.to_lowercase()"),
            (lambda r: r.day.year, "write .dt.year()"),
            (lambda r: r.day.dt.dayofweek(), "write .dt.weekday()"),
            (lambda r: r.price.isnull(), "write is_null()"),
            (lambda r: r.shop.containz("a"), "near names: .str.contains"),
        ):
            self.mapped(function, written)

    def test_a_column_is_no_method_of_another_name(self):
        rows = from_arrow({"weekday": [1]})
        message = self.refused(lambda: rows.map(x=lambda r: r.dayofweek), "there are: weekday")
        self.assertNotIn("write", message)

    def test_one_lambda_for_all_columns_is_refused(self):
        for step in (self.rows.map, self.rows.with_columns):
            words = "a lambda for each column", f"{step.__name__}(x=lambda r: ...)"
            self.refused(lambda: step(lambda r: {"x": r.price}), *words)

    def test_a_number_of_rows_below_0_is_invalid(self):
        with self.assertRaises(PenstockError) as raised:
            self.rows.head(-1)
        self.assertEqual(raised.exception.code, "invalid")

    def test_an_unknown_column_of_a_step_without_a_lambda_names_the_step(self):
        for step in ("select", "drop", "sort", "unique", "group_by"):
            call = functools.partial(getattr(self.rows, step), "pric")
            self.refused(call, "near names: price")

    def test_an_unknown_aggregate_lists_near_names(self):
        groups = self.rows.group_by("shop")
        self.refused(lambda: groups.agg(x=("price", "summ")), "sum")

    def test_hasattr_tells_columns(self):
        seen = {}

        def look(r):
            seen.update(price=hasattr(r, "price"), cost=hasattr(r, "cost"))
            return r.price

        self.rows.map(x=look)
        self.assertEqual(seen, {"price": True, "cost": False})

    def test_the_line_is_that_of_the_operation_inside_a_long_lambda(self):
        def long(r):
            x = r.price + 1
            return x + r.shop

        text = self.mapped(long, "DOUBLE + VARCHAR")
        self.assertIn(f":{long.__code__.co_firstlineno + 2}:", text)

    def test_the_line_of_a_wrong_result_is_the_lambda(self):
        function = lambda r: r  # noqa: E731
        text = self.mapped(function, 'map, column "x"')
        self.assertIn(f":{function.__code__.co_firstlineno}:", text)

    # ---- Python's own control flow ----

    def test_and_or_not_if_and_chains_are_refused(self):
        for function in (
            lambda r: r.price > 1 and r.count > 1,
            lambda r: r.price > 1 or r.count > 1,
            lambda r: not r.is_new,
            lambda r: 1 if r.is_new else 2,
            lambda r: 1 < r.price < 3,
            lambda r: max(r.price, r.count),
            lambda r: r.count in (1, 2),
        ):
            self.filtered(function, "neither true nor false", "& | ~", "when(")

    def test_precedence_of_bits_is_explained(self):
        self.filtered(lambda r: r.is_new & r.count > 1, "parentheses")

    def test_is_none_is_no_condition(self):
        self.filtered(lambda r: r.price is None, "constant", ".is_null()")

    def test_equality_with_none_is_refused(self):
        self.filtered(lambda r: r.price == None, ".is_null()")  # noqa: E711

    def test_conversions_to_python_are_refused(self):
        for function in (
            lambda r: math.sqrt(r.price),
            lambda r: int(r.price),
            lambda r: float(r.price),
            lambda r: [1, 2][r.count],
            lambda r: "abc"[: r.count],
        ):
            self.mapped(function, "no number yet")

    def test_text_of_a_value_is_refused(self):
        for function in (
            lambda r: f"{r.shop}!",
            lambda r: str(r.price),
            lambda r: "%s" % r.price,
            lambda r: "{}".format(r.shop),
        ):
            self.mapped(function, ".cast(str)")

    def test_a_key_of_a_dictionary_or_cache_is_refused(self):
        cached = functools.lru_cache(lambda x: x)
        self.mapped(lambda r: {"a": 1}[r.shop], "no key")
        self.mapped(lambda r: cached(r.shop), "no key")
        self.mapped(lambda r: r.shop in {"a"}, "no key")

    def test_loops_lengths_and_items_are_refused(self):
        self.mapped(lambda r: sum(r.price), "iterated")
        self.mapped(lambda r: len(r.shop), "len_chars")
        self.mapped(lambda r: r.shop[0], "slice")
        self.mapped(lambda r: "a" in r.shop, "contains")
        self.mapped(lambda r: r.price(), "without parentheses")

    # ---- what lambdas return ----

    def test_results_that_are_no_value_are_refused(self):
        for result in ((1, 2), [1], {"a": 1}, {1}, object(), np.array([1, 2]), len, self.rows):
            self.mapped(lambda r, result=result: result, "the lambda returned")

    def test_none_is_refused_with_a_hint(self):
        self.mapped(lambda r: None, "return", "lit(None")

    def test_a_tuple_of_columns_is_refused(self):
        self.mapped(lambda r: (r.price, r.count), "tuple")

    def test_a_record_is_no_value(self):
        self.mapped(lambda r: r, "whole record")
        self.mapped(lambda r: r + 1, "TypeError")
        self.mapped(lambda r: 1 if r == r else 2, "not compared")
        self.mapped(lambda r: sum(x for x in r), "iterated")

    def test_a_filter_takes_conditions_alone(self):
        self.filtered(lambda r: r.price, "DOUBLE, not a condition")
        self.filtered(lambda r: True, "constant")
        self.filtered(lambda r: (r.is_new, r.is_new), "tuple")

    def test_a_value_of_another_lambda_is_refused(self):
        kept = []
        self.rows.map(x=lambda r: kept.append(r.price) or r.price)
        self.mapped(lambda r: kept[0], "another lambda")
        self.mapped(lambda r: r.price + kept[0], "another lambda")

    def test_an_exception_of_the_lambda_names_its_line(self):
        self.mapped(lambda r: 1 // 0, "ZeroDivisionError")
        self.mapped(lambda: 1, "TypeError")
        self.mapped(lambda r, s: r.price, "TypeError")

    def test_endless_recursion_is_an_error(self):
        def endless(r):
            return endless(r)

        self.mapped(endless, "calls itself")

    def test_records_and_values_cannot_be_changed(self):
        self.mapped(lambda r: setattr(r, "price", 1), "with_columns(price=...)")
        self.mapped(lambda r: operator.setitem(r, "price", 1), "cannot be changed")
        self.mapped(lambda r: setattr(r.price, "x", 1), "no x to set")

    # ---- captured values ----

    def test_captured_values_that_are_no_scalars_are_refused(self):
        for value in (
            np.array([1, 2]),
            [1, 2],
            TABLE,
            pa.array([1]),
            None,
            object(),
            1 << 70,
            decimal.Decimal("nan"),
            1j,
            np.complex128(1),
            datetime.time(1, tzinfo=datetime.timezone.utc),
        ):
            self.mapped(lambda r, value=value: r.price + value)

    def test_a_string_that_is_no_date_is_refused_while_tracing(self):
        self.filtered(lambda r: r.day < "2024-13-01", "2024-13-01", "DATE")

    # ---- types ----

    def test_types_that_do_not_meet_are_refused_while_tracing(self):
        for function, words in (
            (lambda r: r.shop - 1, "VARCHAR - INTEGER"),
            (lambda r: r.price + r.shop, "DOUBLE + VARCHAR"),
            (lambda r: r.price & r.count, "DOUBLE & INTEGER"),
            (lambda r: r.big + r.count, "UBIGINT + INTEGER"),
            (lambda r: r.shop > 1, "not compared"),
            (lambda r: r.day == r.price, "not compared"),
            (lambda r: r.price.str.to_uppercase(), ".str is of strings"),
            (lambda r: r.price.dt.year(), ".dt is of dates"),
            (lambda r: r.day.dt.hour(), ".dt.hour()"),
            (lambda r: r.shop.sqrt(), "sqrt()"),
            (lambda r: -r.shop, "-x"),
            (lambda r: ~r.price, "~"),
            (lambda r: r.shop.fill_null(1), "not filled"),
            (lambda r: when(r.is_new).then(r.price).otherwise(r.shop), "no common type"),
            (lambda r: when(r.price).then(1), "a condition"),
            (lambda r: r.day.cast(int), "no cast"),
            (lambda r: r.price.cast("integr"), "no type"),
            (lambda r: r.tags + 1, "list"),
            (lambda r: r.shop.str.contains(r.price), "string"),
            (lambda r: r.shop.str.replace(r.shop, "a"), "constant"),
            (lambda r: r.price.is_in("ab"), "list of values"),
            (lambda r: r.count.is_in(["a"]), "not compared"),
            (lambda r: np.gcd(r.count, 2), "np.gcd"),
            (lambda r: np.add.reduce(r.count), "reduce"),
            (lambda r: select(r.is_new, None, None) + coalesce(None, None), "every value is NULL"),
            (lambda r: lit(1, "no type"), "no type"),
        ):
            self.mapped(function, words)

    def test_an_aggregate_is_no_value_of_a_row(self):
        self.mapped(lambda r: r.price.sum(), ".over()")
        self.filtered(lambda r: r.price > r.price.mean(), ".over()")

    def test_a_value_of_a_row_is_no_aggregate(self):
        groups = self.rows.group_by("shop")
        self.refused(lambda: groups.agg(x=lambda g: g.price), '"price"', "aggregate it")
        self.refused(lambda: groups.agg(x=lambda g: g.price - g.price.mean()), '"price"')
        self.refused(lambda: groups.agg(x=lambda g: g.price.max().sum()), "aggregate of an")
        self.refused(lambda: groups.agg(x="sum"), "an aggregate is")
        self.refused(lambda: groups.agg(x=("shop", "sum")), "sum()", "VARCHAR")
        self.refused(lambda: groups.agg(shop=("price", "sum")), "key")

    # ---- steps ----

    def test_arguments_of_steps_are_checked(self):
        for step, words in (
            (lambda: self.rows.map(), "takes columns"),
            (lambda: self.rows.map(x=1), "a lambda"),
            (lambda: self.rows.map(x="price"), "a lambda"),
            (lambda: self.rows.filter(), "a lambda"),
            (lambda: self.rows.filter("price > 1"), "a lambda"),
            (lambda: self.rows.select("price", "price"), "twice"),
            (lambda: self.rows.drop(*TABLE.column_names), "no column is left"),
            (lambda: self.rows.rename(price="shop"), "shop"),
            (lambda: self.rows.head(-1), "0 or more"),
            (lambda: self.rows.head(1.5), "whole number"),
            (lambda: self.rows.slice(-3), "0 or more"),
            (lambda: self.rows.sort(), "sort()"),
            (lambda: self.rows.sort(lambda r: 1), "constant"),
            (lambda: self.rows.sort("price", descending=[True, False]), "flags"),
            (lambda: self.rows.group_by("shop", shop=lambda r: r.count), "shop"),
            (lambda: self.rows.join(TABLE, on="shop", how="outer"), "full"),
            (lambda: self.rows.join(TABLE), "`on`"),
            (lambda: self.rows.join(TABLE, on="shop", how="cross"), "cross"),
            (lambda: self.rows.join(TABLE, left_on="shop", right_on="price"), "cast()"),
            (lambda: self.rows.join(TABLE, on="shop", suffix=""), "suffix"),
            (lambda: setattr(self.rows, "x", 1), "cannot be changed"),
            (lambda: type(self.rows)(), "from_arrow"),
            (lambda: from_arrow(5), "from_arrow"),
            (lambda: from_arrow(pa.table([[1], [2]], names=["a", "a"])), "one name: a"),
            (lambda: from_arrow(pa.table({})), "no columns"),
        ):
            self.refused(step, words)

    def test_an_error_of_the_run_lists_the_steps_and_their_lines(self):
        pipeline = self.rows.map(x=lambda r: 1 // (r.count - 1))
        self.refused(lambda: pipeline.arrow(device="cpu"), "division by zero", "map at")

    def test_an_overflow_is_an_error_of_its_code(self):
        pipeline = from_arrow(pa.table({"x": [2**62, 2**62]})).map(y=lambda r: r.x * 2)
        with self.assertRaises(PenstockError) as raised:
            pipeline.arrow(device="cpu")
        self.assertEqual(raised.exception.code, "overflow")


if __name__ == "__main__":
    driver.main()
