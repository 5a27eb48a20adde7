"""Statements as trees of sqlglot: read, with every column under its table's name."""

import sqlglot
from sqlglot import exp
from sqlglot.errors import OptimizeError, ParseError, TokenError
from sqlglot.optimizer.qualify import qualify

from penstock.stages.errors import invalid, unsupported

DIALECT = "duckdb"
# Aggregates of DuckDB that sqlglot reads as functions like any other.
FURTHER_AGGREGATES = frozenset(
    [
        "mad",
        "entropy",
        "fsum",
        "sumkahan",
        "kahan_sum",
        "favg",
        "sem",
        "kurtosis",
        "kurtosis_pop",
        "skewness",
        "mean",
        "weighted_avg",
        "wavg",
        "geometric_mean",
        "geomean",
        "histogram",
        "histogram_exact",
        "regr_avgx",
        "regr_avgy",
        "regr_count",
        "regr_intercept",
        "regr_r2",
        "regr_slope",
        "regr_sxx",
        "regr_sxy",
        "regr_syy",
        "covar_pop",
        "covar_samp",
        "corr",
        "arg_min",
        "arg_max",
        "argmin",
        "argmax",
        "min_by",
        "max_by",
        "arg_min_null",
        "arg_max_null",
        "approx_quantile",
        "approx_top_k",
        "reservoir_quantile",
        "bitstring_agg",
        "product",
        "bit_and",
        "bit_or",
        "bit_xor",
        "list",
        "array_agg",
        "map_agg",
        "string_agg",
        "first",
        "last",
        "arbitrary",
        "any_value",
        "mode",
        "median",
        "quantile",
        "quantile_cont",
        "quantile_disc",
        "countif",
        "count_if",
        "group_concat",
        "listagg",
        "var_samp",
    ]
)
REFUSED = (
    (exp.Pivot, "PIVOT", "write CASE in aggregates"),
    (exp.TableSample, "a sample", "take one of the dataset: Dataset.random_sample()"),
    (exp.Lateral, "LATERAL", "write a join"),
    (exp.GroupingSets, "GROUPING SETS", "write UNION ALL of a SELECT for each set"),
    (exp.Rollup, "ROLLUP", "write UNION ALL of a SELECT for each set"),
    (exp.Cube, "CUBE", "write UNION ALL of a SELECT for each set"),
    (exp.Placeholder, "a parameter", "write its value"),
    (exp.Parameter, "a parameter", "write its value"),
    (exp.Rand, "random()", "add a column of random numbers before"),
)


def quoted(name):
    return exp.to_identifier(name, quoted=True)


def column(table, name):
    return exp.Column(this=quoted(name), table=quoted(table))


def parse(text):
    """Returns the tree of one query."""
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=DIALECT) if tree is not None]
    except (ParseError, TokenError) as error:
        raise unsupported("a form of the statement", f"sqlglot does not read it: {error}")
    if len(trees) != 1:
        raise invalid(f"one statement is expected, not {len(trees)}")
    tree = trees[0]
    if not isinstance(tree, exp.Query):
        raise unsupported("a statement other than SELECT", "write a SELECT")
    return tree.unnest() if isinstance(tree, exp.Subquery) and not tree.args.get("alias") else tree


def table_names(tree):
    """Returns the names of tables that a tree reads and does not define, in lower case."""
    defined = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    return {table.name.lower() for table in tree.find_all(exp.Table)} - defined


def refuse_what_is_not_split(tree):
    for kind, what, instead in REFUSED:
        if tree.find(kind):
            raise unsupported(what, instead)
    for join in tree.find_all(exp.Join):
        method = f"{join.method} {join.kind}".upper()
        for word in ("ASOF", "POSITIONAL", "SEMI", "ANTI"):
            if word in method:
                raise unsupported(f"{word} JOIN", "write a join by equalities, or EXISTS")
        if isinstance(join.this, exp.Unnest):
            raise unsupported("UNNEST in FROM", "write unnest() in a SELECT list")
    for table in tree.find_all(exp.Table):
        if table.args.get("joins"):
            raise unsupported("a JOIN in parentheses", "write (SELECT ... JOIN ...) AS name")
        if not isinstance(table.this, exp.Identifier):
            raise unsupported("a function in FROM", "read the files as a dataset")


def qualified(tree, columns):
    """Returns the tree with every column under its table, and each table under a name of its own.

    `columns` has names by table.
    """
    schema = {table: dict.fromkeys(names, "UNKNOWN") for table, names in columns.items()}
    try:
        return qualify(tree.copy(), schema=schema, dialect=DIALECT, canonicalize_table_aliases=True)
    except OptimizeError as error:
        raise unsupported("a form of the statement", f"its names are not found: {error}")


def conjuncts(condition):
    """Returns the conditions that AND ties. An OR yields those that all its branches have, too."""
    if condition is None:
        return []
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        return conjuncts(condition.left) + conjuncts(condition.right)
    if isinstance(condition, exp.Or):
        left, right = conjuncts(condition.left), conjuncts(condition.right)
        return [condition] + [part for part in left if part in right]
    return [condition]


def is_query(node):
    return isinstance(node, (exp.Query, exp.Subquery)) and not isinstance(node, exp.Table)


def walk(node, enters=lambda node: True):
    """Yields the nodes of an expression, without those of SELECTs in it."""
    yield node
    if not enters(node):
        return
    for child in node.iter_expressions():
        if not is_query(child):
            yield from walk(child, enters)


def tables_of(expression):
    """Returns the tables of an expression's columns, those from outside of its SELECTs, too."""
    inner = {
        source.alias_or_name
        for query in expression.find_all(exp.Select)
        for source in query.find_all(exp.Table, exp.Subquery)
    }
    return {found.table for found in expression.find_all(exp.Column)} - inner - {""}


def is_aggregate(node):
    """Whether a node is a whole aggregate, with its FILTER and the like."""
    if isinstance(node, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
        return is_aggregate(node.this)
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in FURTHER_AGGREGATES
    return isinstance(node, exp.AggFunc)


def aggregates(expressions):
    """Returns the aggregates of expressions, each once; a window's function is none."""
    found = []

    def visit(node):
        if is_query(node):
            return
        if isinstance(node, exp.Window):
            inner = node.this
            while isinstance(inner, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
                for key, child in inner.args.items():
                    if key != "this" and isinstance(child, exp.Expression):
                        visit(child)
                inner = inner.this
            for child in list(inner.iter_expressions()):
                visit(child)
            for child in node.iter_expressions():
                if child is not node.this:
                    visit(child)
        elif is_aggregate(node):
            if node not in found:
                found.append(node)
        else:
            for child in node.iter_expressions():
                visit(child)

    for expression in expressions:
        visit(expression)
    return found


def windows(expressions):
    return [n for e in expressions for n in walk(e) if isinstance(n, exp.Window)]


def substituted(expression, table):
    """Returns an expression with nodes replaced, the outermost ones of those in the table."""
    if expression in table:
        return table[expression].copy()
    copy = expression.copy()
    for node in [n for n in _outermost(copy, table)]:
        node.replace(table[node].copy())
    return copy


def _outermost(node, table):
    for child in list(node.iter_expressions()):
        if child in table:
            yield child
        else:
            yield from _outermost(child, table)


def columns_of(expressions, tables=None):
    """Returns the columns of tables in expressions, each once, in their order."""
    found = {}
    for expression in expressions:
        for node in expression.find_all(exp.Column):
            if node.table and (tables is None or node.table in tables):
                found[node] = None
    return list(found)


def text(tree):
    return tree.sql(dialect=DIALECT)
