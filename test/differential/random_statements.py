"""Statements of random expressions with DuckDB's answers to them.

A case is an expression over a table. Building a kernel costs more than running it over a few thousand rows, so a statement holds
several expressions and is asked of several tables, which differ in nothing that a kernel's text shows. An expression that ends in a
fault (an overflow, a division by zero) would hide the others, so it stands alone.
"""

import random

import tables
from expressions import Expressions, Node, family_of
from oracle import Oracle, split_companions, with_companions
from statements import Statement

ROW_COUNTS = [
    0,
    1,
    63,
    65,
    256,
    1025,
    2500,
    4095,
    4096,
    4097,
]  # around 64 bits of validity, a work group, a CPU's tile
EXPRESSIONS_PER_STATEMENT = 8
TABLES_PER_STATEMENT = 4
FAULTS_PER_STATEMENT = (
    0.25  # statements of one expression that must end in a fault, beside each of the others
)
NARROW = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
)  # types with sums of 64 bits
# The columns that a column may be asked to be among.
MEMBERS = [
    ("i8", "i16n"),
    ("i16n", "i8"),
    ("i32n", "i8n"),
    ("u8n", "u16"),
    ("i64n", "id"),
    ("dtn", "dt"),
    ("sn", "s"),
    ("d4_1", "d4_1n"),
    ("bn", "b"),
    ("id + 1", "i16n"),
    ("lower(s)", "sn"),
    ("u64n", "u64"),
]
CONDITIONS_OF_GROUPS = [
    "count(*) > 3",
    "count(*) % 2 = 0",
    "min(i16n) < 0",
    "count(DISTINCT i8) > 2",
    "sum(i16) > 10 OR max(b)",
    "max(dt) >= DATE '1998-01-01'",
    "avg(i8n) > 0.5",
    "min(u64n) IS NULL",
    "min(sn) < 'm' OR max(s) > 'x'",
    "sum(u8) BETWEEN 5 AND 50000",
    "CASE WHEN count(sn) > 1 THEN sum(i8) > 0 ELSE count(*) = 1 END",
]


class RandomStatements:
    def __init__(self, seed, folder, max_rows=4097):
        self.rng = random.Random(seed)
        self.oracle = Oracle(folder)
        self.files, self.faulting = (
            [],
            [],
        )  # faulting: expressions drawn that end in a fault, with their tables
        for number, rows in enumerate(n for n in ROW_COUNTS if n <= max_rows):
            null_share = 1.0 if rows == 63 else self.rng.choice([0.1, 0.2, 0.5])
            table = tables.make(
                f"{seed}/{number}",
                rows,
                tame=self.rng.getrandbits(1) == 0,
                null_share=null_share,
            )
            self.files.append(f"random{seed}_{number}.parquet")
            tables.write_parquet(
                table, f"{folder}/{self.files[-1]}", seed=self.rng.randrange(1, 1 << 30)
            )
            self.oracle.load(self.files[-1])
        self.expressions = Expressions(self.rng.random(), self.oracle, self.files[0])

    def statements(self, cases):
        """Yields statements until they hold at least so many cases."""
        made = 0
        while made < cases:
            for statement in self._drawn():
                if self.rng.random() < 0.3:
                    statement.batch_rows = self.rng.choice([64, 128, 256, 1024])
                made += statement.cases
                yield statement

    def _drawn(self):
        if self.faulting and self.rng.random() < FAULTS_PER_STATEMENT / (1 + FAULTS_PER_STATEMENT):
            node, table = self.faulting.pop(self.rng.randrange(len(self.faulting)))
            if not self._is_hidden(node, table):
                return self._fault(node, table)
        some = self.rng.sample(self.files, min(TABLES_PER_STATEMENT, len(self.files)))
        forms = [
            self._rows,
            self._aggregates,
            self._groups,
            self._order,
            self._distinct,
            self._windows,
        ]
        form = self.rng.choices(forms, [10, 6, 6, 2, 2, 3])[0]
        return form(some)

    def _without_faults(self, files, draw):
        """An expression that ends in no fault over any of the tables."""
        while True:
            node = draw()
            faults = [
                (file, self.oracle.faults(f"SELECT {node.sql} AS v FROM '{file}'"))
                for file in files
            ]
            if all(has_fault is False for _, has_fault in faults):
                return node
            # DuckDB evaluates both sides of AND and OR or one, as it likes; Penstock hides a fault behind a side that decides.
            if not any(word in node.sql for word in (" AND ", " OR ", " IN ")):
                self.faulting += [(node, file) for file, has_fault in faults if has_fault][:1]

    def _condition(self, files, probability):
        if self.rng.random() >= probability:
            return ""
        return (
            " WHERE " + self._without_faults(files, lambda: self.expressions.of("boolean", 3)).sql
        )

    def _any(self):
        """Any expression, and now and then one that a form for any other has no use for."""
        probability = self.rng.random()
        return (
            self.expressions.inexact()
            if probability < 0.06
            else self._text(2)
            if probability < 0.16
            else self.expressions.any()
        )

    def _text(self, depth, of_choices=True):
        while True:
            node = self.expressions.text(depth, of_choices)
            if node:
                return node

    def _ordered(self):
        """Expressions to order by: strings are of one column."""
        return self._text(1, False) if self.rng.random() < 0.15 else self.expressions.any()

    def _orders(self, count):
        return [
            self.rng.choice(["", " DESC", " ASC NULLS FIRST", " DESC NULLS FIRST", " NULLS LAST"])
            for _ in range(count)
        ]

    def _limit(self, probability, limits):
        if self.rng.random() >= probability:
            return ""
        offset = (
            f" OFFSET {self.rng.choice([0, 1, 3, 64, 5000])}" if self.rng.random() < 0.5 else ""
        )
        return (
            f" LIMIT {self.rng.choice(limits)}" if self.rng.random() < 0.8 or not offset else ""
        ) + offset

    def _among_rows(self, condition):
        """WHERE that asks for membership in another table too."""
        if self.rng.random() >= 0.15:
            return condition
        ours, theirs = self.rng.choice(MEMBERS)
        inner = self.rng.choice(
            [
                "",
                " WHERE bn",
                f" WHERE {theirs} IS NOT NULL",
                f" GROUP BY {theirs} HAVING count(*) > 1",
            ]
        )
        negated = self.rng.choice(["", "NOT "])
        member = f"{ours} {negated}IN (SELECT {theirs} FROM '{self.rng.choice(self.files)}'{inner})"
        return condition + (" AND " if condition else " WHERE ") + member

    def _answered(self, statement, inexact=None):
        inexact = inexact or {}
        answer = self.oracle.answer(with_companions(statement.text, inexact), statement.sort_keys)
        if not answer.error:
            answer, statement.bounds = split_companions(answer, inexact)
        statement.expected = answer
        return statement

    def _rows(self, files):
        nodes = [self._without_faults(files, self._any) for _ in range(EXPRESSIONS_PER_STATEMENT)]
        condition = self._condition(files, 0.4)
        among = self._among_rows(condition)
        if among != condition:  # DuckDB yields these rows in an order of its own
            condition = among + " ORDER BY id"
        limit = (
            f" LIMIT {self.rng.choice([0, 1, 64, 100])} OFFSET {self.rng.choice([0, 3, 64])}"
            if self.rng.random() < 0.15
            else ""
        )

        def build(table, some):
            items = "".join(f", {node.sql} AS v{i}" for i, node in enumerate(some))
            statement = Statement(
                f"SELECT id{items} FROM '{table}'{condition}{limit}",
                None,
                some,
                cases=len(some),
                table=table,
            )
            statement.rebuild = lambda fewer: build(table, fewer)
            statement.unsigned_zeros = [
                1 + i
                for i, node in enumerate(some)
                if "greatest" in node.sql or "least" in node.sql
            ]
            return self._answered(
                statement,
                {1 + i: ("function", "") for i, node in enumerate(some) if _is_inexact(node)},
            )

        return [build(table, nodes) for table in files]

    def _is_hidden(self, node, table):
        """Whether a NULL stands beside the fault in each row that has one: such a fault reaches no result, see docs/sql.md."""
        parts = [
            item
            for item in node.walk()
            if self.oracle.faults(f"SELECT {item[1].sql} AS v FROM '{table}'")
        ]
        path, fault = min(parts, key=lambda item: item[1].size)
        beside, above = list(fault.inputs), node
        for place in path:
            beside += [other for i, other in enumerate(above.inputs) if i != place]
            above = above.inputs[place]
        rows = " AND ".join(
            [f"TRY({fault.sql}) IS NULL"] + [f"TRY({other.sql}) IS NOT NULL" for other in beside]
        )
        answer = self.oracle.answer(f"SELECT count(*) AS n FROM '{table}' WHERE {rows}")
        return not answer.error and answer.columns[0].values == [0]

    def _fault(self, node, table):
        def build(some):
            return self._answered(
                Statement(
                    f"SELECT {some[0].sql} AS v FROM '{table}'", None, some, build, table=table
                )
            )

        return [build([node])]

    def _aggregate(self, node):
        """A call and how exact it is."""
        family = family_of(node.type)
        functions = ["count", "min", "max"]
        functions += ["sum", "sum", "avg"] if family in ("integer", "decimal", "float") else []
        function = self.rng.choice(functions)
        # A sum of distinct floats is another one than the bound is of.
        of_strings = family == "string" and function == "count"
        if self.rng.random() < (0.7 if of_strings else 0.15) and not (
            family == "float" and function in ("sum", "avg")
        ):
            function += "(DISTINCT "
        filtered = (
            f" FILTER (WHERE {self.expressions.column('boolean').sql})"
            if self.rng.random() < 0.1
            else ""
        )
        return function, filtered

    def _build_aggregates(self, files, condition, keys, calls, after=""):
        """`after`: HAVING, and an order of all keys with its LIMIT."""

        def build(table, some):
            items = [f"{key.sql} AS k{i}" for i, key in enumerate(keys)]
            inexact, zeros = {}, list(range(len(keys)))
            for i, (node, function, filtered) in enumerate(some):
                number = len(items)
                items.append(
                    f"{function if function.endswith(' ') else function + '('}{node.sql}){filtered} AS v{i}"
                )
                if family_of(node.type) == "float" and function in ("sum", "avg"):
                    inexact[number] = ("average" if function == "avg" else "sum", node.sql)
                zeros.append(number)
            group = " GROUP BY " + ", ".join(f"k{i}" for i in range(len(keys))) if keys else ""
            statement = Statement(
                f"SELECT {', '.join(items)} FROM '{table}'{condition}{group}{after}",
                None,
                some,
                cases=len(some),
                sort_keys=0 if "ORDER BY" in after else len(keys),
                unsigned_zeros=zeros,
                table=table,
            )
            statement.rebuild = lambda fewer: build(table, fewer)
            return self._answered(statement, inexact)

        return [build(table, calls) for table in files]

    def _calls(self, files, count):
        def draw():
            return self._text(2) if self.rng.random() < 0.1 else self.expressions.any()

        return [
            (node, *self._aggregate(node))
            for node in [self._without_faults(files, draw) for _ in range(count)]
        ]

    def _aggregates(self, files):
        return self._build_aggregates(
            files, self._condition(files, 0.6), [], self._calls(files, EXPRESSIONS_PER_STATEMENT)
        )

    def _groups(self, files):
        names = self.rng.sample(
            ["b", "bn", "s", "sn", "i8", "i8n", "u8n", "i16n", "dtn", "d4_1", "f32n", "i64n"],
            self.rng.choice([1, 1, 2]),
        )
        if self.rng.random() < 0.3:
            names = ["b", "bn", "i8n"]
        keys = [Node(name, (), tables.COLUMNS[name]) for name in names]
        if self.rng.random() < 0.3:
            keys[0] = self._without_faults(
                files,
                lambda: self.expressions.of(
                    self.rng.choice(["boolean", "integer", "decimal", "date"]), 2
                ),
            )
        elif self.rng.random() < 0.2:
            keys[0] = self._text(2)
        after = (
            f" HAVING {self.rng.choice(CONDITIONS_OF_GROUPS)}" if self.rng.random() < 0.3 else ""
        )
        if self.rng.random() < 0.3 and not any(
            key.type == "VARCHAR" and key.inputs for key in keys
        ):
            after += (
                " ORDER BY "
                + ", ".join(f"k{i}{order}" for i, order in enumerate(self._orders(len(keys))))
                + self._limit(0.7, [1, 10, 200])
            )
        return self._build_aggregates(
            files,
            self._condition(files, 0.4),
            keys,
            self._calls(files, EXPRESSIONS_PER_STATEMENT - 2),
            after,
        )

    def _order(self, files):
        """The rows' order is the answer: `id` makes it total."""
        nodes = [self._without_faults(files, self._ordered) for _ in range(3)]
        condition = self._among_rows(self._condition(files, 0.7))
        orders, limit = self._orders(len(nodes)), self._limit(0.6, [1, 10, 200])

        def build(table, some):
            items = "".join(f", {node.sql} AS v{i}" for i, node in enumerate(some))
            order = ", ".join(f"v{i}{orders[i]}" for i in range(len(some)))
            statement = Statement(
                f"SELECT id{items} FROM '{table}'{condition} ORDER BY {order}, id{limit}",
                None,
                some,
                cases=len(some),
                table=table,
            )
            statement.rebuild = lambda fewer: build(table, fewer)
            statement.unsigned_zeros = [
                1 + i
                for i, node in enumerate(some)
                if "greatest" in node.sql or "least" in node.sql
            ]
            return self._answered(statement)

        return [build(table, nodes) for table in files]

    def _distinct(self, files):
        """Rows of which no two are equal, in the order of all of their columns."""
        nodes = [
            self._without_faults(
                files,
                lambda: (
                    self._ordered()
                    if self.rng.random() < 0.5
                    else self.expressions.of("boolean", 2)
                ),
            )
            for _ in range(self.rng.choice([1, 2, 2, 3]))
        ]
        condition, orders, limit = (
            self._condition(files, 0.4),
            self._orders(len(nodes)),
            self._limit(0.5, [1, 10, 200]),
        )

        def build(table, some):
            items = ", ".join(f"{node.sql} AS v{i}" for i, node in enumerate(some))
            order = ", ".join(f"{i + 1}{orders[i]}" for i in range(len(some)))
            statement = Statement(
                f"SELECT DISTINCT {items} FROM '{table}'{condition} ORDER BY {order}{limit}",
                None,
                some,
                cases=len(some),
                table=table,
            )
            statement.rebuild = lambda fewer: build(table, fewer)
            statement.unsigned_zeros = list(range(len(some)))
            return self._answered(statement)

        return [build(table, nodes) for table in files]

    def _window(self, node):
        """A call over a random window; where ties would leave a choice, `id` makes the order total."""
        family = family_of(node.type)
        functions = [
            "count",
            "min",
            "max",
            "lag",
            "lead",
            "first_value",
            "last_value",
            "row_number",
            "rank",
            "dense_rank",
        ]
        function = self.rng.choice(
            functions
            + (["sum", "sum", "sum"] if family in ("integer", "decimal") else [])
            + (["avg", "avg"] if node.type in NARROW else [])
        )
        frame = self.rng.choice(
            [
                "",
                "",
                " ROWS UNBOUNDED PRECEDING",
                " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            ]
        )
        parts = ["bn", "sn", "i8n % 3", "u8 > 100", "d4_1n", "length(s)", "dtn", "f32n"]
        partition = ", ".join(self.rng.sample(parts, self.rng.choice([0, 1, 1, 2, 3])))
        orders = ["", " DESC", " NULLS FIRST", " DESC NULLS FIRST"]
        order = [
            name + self.rng.choice(orders)
            for name in self.rng.sample(["i16n", "f64n", "sn", "dtn", "u64n", "b"], 2)
        ]
        adds = (
            function in ("count", "min", "max", "sum", "avg", "rank", "dense_rank")
            and "ROWS U" not in frame
        )
        order = order[: self.rng.choice([0, 1, 2])] if adds else order + ["id"]
        if function in ("row_number", "rank", "dense_rank"):
            call, frame = f"{function}()", ""
        elif function in ("lag", "lead"):
            default = ", 0" if family == "integer" and self.rng.random() < 0.3 else ""
            call = f"{function}({node.sql}, {self.rng.choice([0, 1, 2, 70])}{default})"
        else:
            call = f"{function}({node.sql})"
            if function in ("count", "min", "max", "sum", "avg") and self.rng.random() < 0.2:
                call += f" FILTER (WHERE {self.expressions.column('boolean').sql})"
        if not order and frame and "AND UNBOUNDED" not in frame:
            frame = ""
        parts = [
            f"PARTITION BY {partition}" if partition else "",
            "ORDER BY " + ", ".join(order) if order else "",
            frame.strip(),
        ]
        return f"{call} OVER ({' '.join(part for part in parts if part)})"

    def _windows(self, files):
        nodes = [self._without_faults(files, self._ordered) for _ in range(4)]
        some = [(node, self._window(node)) for node in nodes]
        condition = self._condition(files, 0.4)

        def build(table, pairs):
            items = "".join(f", {call} AS v{i}" for i, (_, call) in enumerate(pairs))
            statement = Statement(
                f"SELECT id{items} FROM '{table}'{condition} ORDER BY id",
                None,
                pairs,
                cases=len(pairs),
                table=table,
            )
            statement.rebuild = lambda fewer: build(table, fewer)
            statement.unsigned_zeros = list(range(1, 1 + len(pairs)))
            return self._answered(statement)

        return [build(table, some) for table in files]


def _is_inexact(node):
    return node.template.split("(")[0] in ("exp", "ln", "log10", "sin", "cos", "tan", "power")
