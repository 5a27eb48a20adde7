"""Plans in Substrait, as protobuf's JSON: what each relation and expression of the standard answers."""

import json

from command_line import CommandLineTest, main
from substrait_plans import (
    PlanBuilder,
    TYPES,
    decimal_type,
    field,
    literal,
    named_table,
    project,
    sorted_by,
    values,
)

LEFT = values([(1, 10), (2, 20), (2, 21), (None, 30)], "i64", "i64")
RIGHT = values([(2, 200), (3, 300), (None, 400)], "i64", "i64")


class SubstraitTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make = PlanBuilder()

    def query_plan(self, plan, *arguments):
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        return self.run_program("query", "--plan", path, *arguments, "--device", "cpu:0")

    def rows_of(self, relation, width, *arguments, shared=()):
        plan = self.make.plan(relation, width, shared)
        ended = self.query_plan(plan, "--format", "json", *arguments)
        self.assertEqual(ended.returncode, 0, ended.err)
        return [tuple(row.values()) for row in json.loads(ended.out)]

    def value(self, expression, table=None):
        """Of an expression over one row."""
        table = table or values([(7,)], "i64")
        width = len(table["read"]["baseSchema"]["names"])
        return self.rows_of(project(table, width, expression), 1)[0][0]


class Joins(SubstraitTest):
    def joined(self, kind, width, left=LEFT, right=RIGHT, condition=None, function="equal"):
        condition = condition or self.make.call(function, field(0), field(2))
        join = {"left": left, "right": right, "type": f"JOIN_TYPE_{kind}", "expression": condition}
        return sorted(self.rows_of({"join": join}, width), key=str)

    def expect(self, kind, rows, **more):
        self.assertEqual(self.joined(kind, len(rows[0]), **more), sorted(rows, key=str))

    PAIRS = [(2, 20, 2, 200), (2, 21, 2, 200)]
    ALONE_LEFT = [(1, 10, None, None), (None, 30, None, None)]
    ALONE_RIGHT = [(None, None, 3, 300), (None, None, None, 400)]

    def test_each_type_yields_the_columns_and_rows_of_the_standard(self):
        self.expect("INNER", self.PAIRS)
        self.expect("LEFT", self.PAIRS + self.ALONE_LEFT)
        self.expect("RIGHT", self.PAIRS + self.ALONE_RIGHT)
        self.expect("OUTER", self.PAIRS + self.ALONE_LEFT + self.ALONE_RIGHT)
        self.expect("LEFT_SEMI", [(2, 20), (2, 21)])
        self.expect("LEFT_ANTI", [(1, 10), (None, 30)])
        self.expect("RIGHT_SEMI", [(2, 200)])
        self.expect("RIGHT_ANTI", [(3, 300), (None, 400)])

    def test_a_null_safe_key_pairs_nulls(self):
        self.expect("INNER", [*self.PAIRS, (None, 30, None, 400)], function="is_not_distinct_from")

    def test_a_condition_of_both_sides_is_a_residual(self):
        both = self.make.call(
            "and",
            self.make.call("equal", field(2), field(0)),
            self.make.call("gt", field(1), literal(20)),
        )
        self.expect("LEFT_SEMI", [(2, 21)], condition=both)
        self.expect("LEFT_ANTI", [(1, 10), (2, 20), (None, 30)], condition=both)

    def test_a_condition_without_an_equality_compares_all_pairs(self):
        less = self.make.call("lt", field(1), field(3))
        self.assertEqual(len(self.joined("INNER", 4, condition=less)), 12)

    def test_a_mark_tells_which_rows_have_a_partner(self):
        known = values([(2, 0)], "i64", "i64")
        self.expect(
            "LEFT_MARK",
            [(1, 10, False), (2, 20, True), (2, 21, True), (None, 30, None)],
            right=known,
        )

    def test_a_mark_of_datafusion_is_never_null(self):
        self.make.producer = "datafusion"
        known = values([(2, 0)], "i64", "i64")
        rows = [(1, 10, False), (2, 20, True), (2, 21, True), (None, 30, False)]
        self.expect("LEFT_MARK", rows, right=known)

    def test_a_second_partner_of_a_single_join_is_an_error(self):
        join = {
            "left": RIGHT,
            "right": LEFT,
            "type": "JOIN_TYPE_LEFT_SINGLE",
            "expression": self.make.call("equal", field(0), field(2)),
        }
        self.assert_fails(self.query_plan(self.make.plan({"join": join}, 4)))

    def test_keys_of_two_types_meet(self):
        small = values([(2, 5)], "i32", "i64")
        self.expect("INNER", [(2, 20, 2, 5), (2, 21, 2, 5)], right=small)

    def test_a_cross_product_has_all_pairs(self):
        self.assertEqual(len(self.rows_of({"cross": {"left": LEFT, "right": RIGHT}}, 4)), 12)


class Sets(SubstraitTest):
    FIRST = values([(1,), (1,), (2,), (3,)], "i64")
    SECOND = values([(1,), (3,), (4,)], "i64")

    def united(self, op):
        relation = {"set": {"inputs": [self.FIRST, self.SECOND], "op": f"SET_OP_{op}"}}
        return [row[0] for row in self.rows_of(sorted_by(relation, 0), 1)]

    def test_each_operation_has_the_rows_of_the_standard(self):
        self.assertEqual(self.united("UNION_ALL"), [1, 1, 1, 2, 3, 3, 4])
        self.assertEqual(self.united("UNION_DISTINCT"), [1, 2, 3, 4])
        self.assertEqual(self.united("INTERSECTION_PRIMARY"), [1, 3])
        self.assertEqual(self.united("INTERSECTION_MULTISET_ALL"), [1, 3])
        self.assertEqual(self.united("MINUS_PRIMARY"), [2])
        self.assertEqual(self.united("MINUS_PRIMARY_ALL"), [1, 2])

    def test_inputs_of_two_types_have_the_first_one(self):
        small = values([(9,)], "i32")
        relation = {"set": {"inputs": [self.SECOND, small], "op": "SET_OP_UNION_ALL"}}
        self.assertEqual(sorted(self.rows_of(relation, 1)), [(1,), (3,), (4,), (9,)])

    def test_a_relation_may_be_referred_to_twice(self):
        twice = {"reference": {"subtreeOrdinal": 0}}
        relation = {"set": {"inputs": [twice, twice], "op": "SET_OP_UNION_ALL"}}
        self.assertEqual(len(self.rows_of(relation, 1, shared=[self.FIRST])), 8)


class Orders(SubstraitTest):
    TABLE = values([(2,), (None,), (3,), (1,)], "i64")

    def ordered(self, direction):
        relation = sorted_by(self.TABLE, 0, direction=f"SORT_DIRECTION_{direction}")
        return [row[0] for row in self.rows_of(relation, 1)]

    def test_each_direction_puts_nulls_where_it_says(self):
        self.assertEqual(self.ordered("ASC_NULLS_FIRST"), [None, 1, 2, 3])
        self.assertEqual(self.ordered("ASC_NULLS_LAST"), [1, 2, 3, None])
        self.assertEqual(self.ordered("DESC_NULLS_FIRST"), [None, 3, 2, 1])
        self.assertEqual(self.ordered("DESC_NULLS_LAST"), [3, 2, 1, None])

    def test_rows_are_fetched_by_expressions_and_by_older_numbers(self):
        order = sorted_by(self.TABLE, 0)
        newer = {"input": order, "countExpr": literal(2), "offsetExpr": literal(1)}
        older = {"input": order, "count": "2", "offset": "1"}
        for fetch in (newer, older):
            self.assertEqual(self.rows_of({"fetch": fetch}, 1), [(2,), (3,)])
        self.assertEqual(self.rows_of({"fetch": {"input": order, "offset": 3}}, 1), [(None,)])


class Groups(SubstraitTest):
    TABLE = values([(1, 1, 500), (1, 2, 100), (2, 1, None), (2, 1, 700)], "i64", "i64", "dec")

    def grouped(self, measures, keys=(), sets=None, width=None):
        sets = [list(range(len(keys)))] if sets is None else sets
        aggregate = {
            "input": self.TABLE,
            "groupingExpressions": [field(key) for key in keys],
            "groupings": [{"expressionReferences": numbers} for numbers in sets],
            "measures": measures,
        }
        width = width or len(keys) + len(measures)
        return sorted(self.rows_of({"aggregate": aggregate}, width), key=str)

    def test_an_average_of_decimals_is_cut_to_the_digits_of_its_type(self):
        average = self.make.measure("avg", field(2), type_=decimal_type(13, 6))
        self.assertEqual(self.grouped([average]), [(4.333333,)])

    def test_an_aggregate_has_a_condition_and_distinct_values(self):
        small = self.make.call("lt", field(2), literal(600, "dec"))
        measures = [
            self.make.measure("count", where=small, type_=TYPES["i64"]),
            self.make.measure("sum", field(2), where=small, type_=decimal_type(38, 2)),
            self.make.measure(
                "count",
                field(1),
                type_=TYPES["i64"],
                invocation="AGGREGATION_INVOCATION_DISTINCT",
            ),
        ]
        self.assertEqual(self.grouped(measures), [(2, 6.00, 2)])

    def test_a_deviation_of_one_value_is_null(self):
        deviation = self.make.measure("std_dev", field(2), type_=TYPES["fp64"])
        (one, first), (two, second) = self.grouped([deviation], keys=[0])
        self.assertEqual((one, two, second), (1, 2, None))
        self.assertAlmostEqual(first, 8**0.5)

    def test_several_sets_have_their_number_behind_the_results(self):
        count = self.make.measure("count", type_=TYPES["i64"])
        rows = self.grouped([count], keys=[0, 1], sets=[[0, 1], [1], []], width=4)
        expected = [(1, 1, 1, 0), (1, 2, 1, 0), (2, 1, 2, 0), (None, 1, 3, 1), (None, 2, 1, 1)]
        self.assertEqual(rows, sorted([*expected, (None, None, 4, 2)], key=str))

    def test_a_part_of_an_aggregate_is_refused_by_name(self):
        part = self.make.measure("sum", field(2), phase="AGGREGATION_PHASE_INITIAL_TO_INTERMEDIATE")
        plan = self.make.plan({"aggregate": {"input": self.TABLE, "measures": [part]}}, 1)
        self.assert_fails(self.query_plan(plan), "a part of an aggregate")


class Windows(SubstraitTest):
    TABLE = values([(1, 3), (1, 5), (1, 5), (2, 8)], "i64", "i64")
    ORDER = ({"expr": field(1), "direction": "SORT_DIRECTION_ASC_NULLS_LAST"},)
    TO_ROW = {"lowerBound": {"unbounded": {}}, "upperBound": {"currentRow": {}}}

    def windowed(self, call):
        return sorted(self.rows_of(project(self.TABLE, 2, field(0), field(1), call), 3))

    def sums(self, **frame):
        call = self.make.window(
            "sum", field(1), partitions=[field(0)], sorts=self.ORDER, type_=TYPES["i64"], **frame
        )
        return [row[2] for row in self.windowed(call)]

    def test_a_frame_ends_with_the_row_its_peers_or_the_partition(self):
        self.assertEqual(self.sums(boundsType="BOUNDS_TYPE_ROWS", **self.TO_ROW), [3, 8, 13, 8])
        self.assertEqual(self.sums(boundsType="BOUNDS_TYPE_RANGE", **self.TO_ROW), [3, 13, 13, 8])
        self.assertEqual(self.sums(), [13, 13, 13, 8])

    def test_a_rank_is_an_operand_of_an_expression(self):
        rank = self.make.window("rank", sorts=self.ORDER, type_=TYPES["i64"])
        double = self.make.call("multiply", rank, literal(2), type_=TYPES["i64"])
        self.assertEqual([row[2] for row in self.windowed(double)], [2, 4, 4, 8])

    def test_another_frame_is_refused_by_name(self):
        call = self.make.window(
            "sum", field(1), lowerBound={"preceding": {"offset": 1}}, upperBound={"currentRow": {}}
        )
        plan = self.make.plan(project(self.TABLE, 2, call), 1)
        self.assert_fails(self.query_plan(plan), "a frame that does not begin with its partition")


class Expressions(SubstraitTest):
    def test_a_quotient_has_the_type_that_the_plan_states(self):
        inputs = (literal(-1000, "dec"), literal(300, "dec"))
        divide = self.make.call("divide", *inputs, type_=decimal_type(20, 6))
        self.assertEqual(self.value(divide), -3.333333)
        whole = self.make.call("divide:i64_i64", field(0), literal(2), type_=TYPES["i64"])
        self.assertEqual(self.value(whole), 3)

    def test_a_cast_to_an_integer_cuts_digits(self):
        for number in (literal(2.9, "fp64"), literal(290, "dec")):
            self.assertEqual(self.value({"cast": {"type": TYPES["i64"], "input": number}}), 2)

    def test_a_cast_that_fails_is_null_where_the_plan_says_so(self):
        cast = {"type": TYPES["i64"], "input": field(0)}
        table = values([("x",)], "string")
        null = {**cast, "failureBehavior": "FAILURE_BEHAVIOR_RETURN_NULL"}
        self.assertIsNone(self.value({"cast": null}, table))
        plan = self.make.plan(project(table, 1, {"cast": cast}), 1)
        self.assert_fails(self.query_plan(plan), "CAST(column0 AS BIGINT)")

    def test_choices_lists_and_patterns_are_answered(self):
        case = {"ifs": [{"if": self.make.call("gt", field(0), literal(5)), "then": literal(1)}]}
        self.assertEqual(self.value({"ifThen": {**case, "else": literal(2)}}), 1)
        one_of = {"singularOrList": {"value": field(0), "options": [literal(6), literal(7)]}}
        self.assertIs(self.value(one_of), True)
        like = self.make.call("like", literal("abc", "string"), literal("a%", "string"))
        self.assertIs(self.value(like), True)

    def test_datafusion_leaves_nulls_out_of_a_concatenation(self):
        table = values([("a", None)], "string", "string")
        for producer, answer in (("", None), ("datafusion", "aa")):
            self.make = PlanBuilder(producer)
            joined = self.make.call("concat", field(0), field(1), field(0), type_=TYPES["string"])
            self.assertEqual(self.value(joined, table), answer)

    def test_a_part_of_a_date_is_an_enumeration(self):
        extract = {
            "functionReference": self.make.reference("extract"),
            "arguments": [{"enum": "YEAR"}, {"value": literal("1998-12-01", "date")}],
            "outputType": TYPES["i64"],
        }
        self.assertEqual(self.value({"scalarFunction": extract}), 1998)

    def test_days_are_added_to_a_column_of_dates(self):
        days = {"literal": {"intervalDayToSecond": {"days": 31}}}
        later = self.make.call("add", field(0), days, type_=TYPES["date"])
        self.assertEqual(self.value(later, values([("1998-12-01",)], "date")), "1999-01-01")


class Subqueries(SubstraitTest):
    INNER = values([(2,), (7,)], "i64")

    def test_a_subquery_is_a_value(self):
        one = {"fetch": {"input": sorted_by(self.INNER, 0), "count": 1}}
        scalar = {"subquery": {"scalar": {"input": one}}}
        self.assertEqual(self.value(self.make.call("add", field(0), scalar, type_=TYPES["i64"])), 9)

    def test_a_value_is_looked_for_in_a_subquery(self):
        membership = {"needles": [field(0)], "haystack": self.INNER}
        self.assertIs(self.value({"subquery": {"inPredicate": membership}}), True)
        membership = {"needles": [literal(3)], "haystack": self.INNER}
        self.assertIs(self.value({"subquery": {"inPredicate": membership}}), False)

    def test_rows_of_a_subquery_exist_or_not(self):
        none = {"fetch": {"input": self.INNER, "count": 0}}
        for tuples, answer in ((self.INNER, True), (none, False)):
            exists = {"predicateOp": "PREDICATE_OP_EXISTS", "tuples": tuples}
            self.assertIs(self.value({"subquery": {"setPredicate": exists}}), answer)


class Tables(SubstraitTest):
    def test_a_table_is_named_on_the_command_line(self):
        path = self.csv_file()
        relation = named_table(["catalog", "t"], a="i32")
        rows = self.rows_of(relation, 1, "--table", f"t={path}")
        self.assertEqual(len(rows), 3)
        plan = self.make.plan(relation, 1)
        described = self.query_plan(plan, "--table", f"t={path}")
        self.assertIn("INTEGER", described.out)

    def test_a_table_of_literals_in_the_older_form_is_read(self):
        relation = values([], "i64", "string")
        rows = [[literal(1), literal("a", "string")], [literal(2), literal(None, "string")]]
        relation["read"]["virtualTable"] = {
            "values": [{"fields": [each["literal"] for each in row]} for row in rows]
        }
        self.assertEqual(self.rows_of(relation, 2), [(1, "a"), (2, None)])

    def test_a_table_without_a_file_is_wrong_usage(self):
        ended = self.run_program("query", "--plan", "p", "--table", "t")
        self.assert_fails(ended, "NAME=FILE", code=2)
        self.assert_fails(self.query("SELECT 1", "--table", "t=f"), "--plan", code=2)

    def test_files_are_named_by_the_plan(self):
        path = self.csv_file()
        relation = named_table(["t"], a="i64")
        del relation["read"]["namedTable"]
        relation["read"]["localFiles"] = {"items": [{"uriFile": f"file://{path}"}]}
        self.assertEqual(len(self.rows_of(relation, 1)), 3)

    def test_rows_are_not_written_over_a_table_of_the_plan(self):
        path = self.csv_file()
        plan = self.make.plan(named_table(["t"], a="i64"), 1)
        self.assert_fails(self.query_plan(plan, "--table", f"t={path}", "--output", path))


main()
