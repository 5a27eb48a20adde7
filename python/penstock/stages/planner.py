"""A statement over shared rows, from its tables to its result; each step runs as it is planned.

So that the next step is chosen by how many rows there are, not by how many were expected.
"""

from sqlglot import exp

from penstock.stages import statement as st
from penstock.stages.errors import invalid, unsupported
from penstock.stages.executor import Part
from penstock.stages.groups import grouped
from penstock.stages.joins import Joins, Source
from penstock.stages.output import finished
from penstock.stages.relation import Relation
from penstock.stages.runner import Limits, Runner
from penstock.stages.sets import combined
from penstock.tables import without_dictionaries


class Planner:
    """Answers statements; `tables` has Relations by name, in lower case."""

    def __init__(self, executor, tables, limits=None):
        self.tables = tables
        self.runner = Runner(executor, limits or Limits())
        self.runner.residents.update(
            {r.resident: r for r in tables.values() if r.resident},
        )

    def answer(self, text):
        """Returns the parts of a statement's rows, with the names and types of one machine's."""
        tree = st.parse(text)
        used = st.table_names(tree)
        for name in sorted(used - set(self.tables)):
            raise invalid(f"there is no table {name}; tables: {', '.join(sorted(self.tables))}")
        schema = self._schema_of(text, used)
        st.refuse_what_is_not_split(tree)
        tree = st.qualified(tree, {name: self.tables[name].names for name in used})
        try:
            return self.query(tree, {}, schema)
        finally:
            self.runner.executor.forget(self.runner.id)

    def _schema_of(self, text, used):
        """Returns what one machine would name the columns; errors are that machine's, too."""
        schemas = {name: self.tables[name].schema for name in used}
        # A table's name is found in any case by statements, and exactly by a session.
        spelled = {t.name for t in st.parse(text).find_all(exp.Table)}
        schemas = {name: schemas[name.lower()] for name in spelled if name.lower() in schemas}
        _, schema, _ = self.runner.executor.describe(text, schemas)
        return schema

    # Queries

    def query(self, tree, named, schema=None):
        """Returns a query's rows; `named` has the Relations of WITH."""
        tree = tree.unnest() if isinstance(tree, exp.Subquery) else tree
        named = self._with(tree, named)
        if self._is_resident(tree, named):
            return self._by_one(tree, named, schema)
        if isinstance(tree, exp.SetOperation):
            return combined(self, tree, named, schema)
        if not isinstance(tree, exp.Select):
            raise unsupported(f"{tree.key.upper()}", "write a SELECT")
        return self._select(tree, named, schema)

    def _with(self, tree, named):
        found = tree.args.get("with_")
        if found is None:
            return named
        if found.recursive and not self._is_resident(tree, named):
            raise unsupported("WITH RECURSIVE over datasets", "pass small tables as Arrow tables")
        if found.recursive:
            return named
        named = dict(named)
        for cte in found.expressions:
            named[cte.alias.lower()] = self.query(cte.this, named)
        tree.set("with_", None)
        return named

    def _table(self, name, named):
        return named.get(name.lower()) or self.tables[name.lower()]

    def _is_resident(self, tree, named):
        """Whether a query reads nothing but tables that every worker has."""
        own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        names = {table.name.lower() for table in tree.find_all(exp.Table)} - own
        return all(self._table(name, named).resident for name in names)

    def _by_one(self, tree, named, schema):
        """Has one worker answer a query over resident tables."""
        tree = self._with_residents(tree, named)
        names = [column.alias_or_name.lower() for column in tree.selects]
        return self.runner.run(tree, {}, schema, names)

    def _with_residents(self, tree, named):
        """Returns a tree whose tables have the names that workers know."""
        tree = tree.copy()
        own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        for table in list(tree.find_all(exp.Table)):
            if table.name.lower() not in own and table.name not in self.runner.residents:
                relation = self._table(table.name, named)
                table.set("this", st.quoted(relation.resident))
                self._rename_columns(tree, table.alias_or_name, relation)
        return tree

    def _rename_columns(self, tree, alias, relation):
        references = relation.references(alias)
        for node in list(tree.find_all(exp.Column)):
            if node in references and node.parent is not None:
                node.replace(references[node].copy())

    # SELECT

    def _select(self, tree, named, schema):
        self._inline_windows(tree)
        self._replace_subqueries(tree, named)
        sources = self._sources(tree, named)
        where = tree.args.get("where")
        items = [item.unalias() for item in tree.selects]
        later = list(items)
        for key in ("group", "having", "qualify", "order"):
            later += [tree.args[key]] if tree.args.get(key) else []
        joins = Joins(self.runner, sources, st.conjuncts(where.this if where else None), later)
        stage = grouped(self.runner, joins.stage(), tree, items)
        return finished(self.runner, stage, tree, items, schema)

    def _sources(self, tree, named):
        sources = []
        first = tree.args.get("from_")
        if first is None:
            raise unsupported("a SELECT without FROM beside datasets", "write it alone")
        sources.append(self._source(first.this, named))
        for join in tree.args.get("joins") or []:
            if join.args.get("using") or join.args.get("method"):
                raise unsupported("USING and NATURAL of these tables", "write ON")
            source = self._source(join.this, named)
            kind = join.side.upper() or join.kind.upper()
            source.on = join.args.get("on")
            source.kind = kind or ("," if source.on is None else "INNER")
            source.kind = "INNER" if source.kind in ("OUTER", "") else source.kind
            sources.append(source)
        return sources

    def _source(self, node, named):
        alias = node.alias_or_name
        if isinstance(node, exp.Table):
            return Source(alias, self._table(node.name, named))
        if isinstance(node, exp.Subquery) and not node.args.get("joins"):
            return Source(alias, self._unique(self.query(node.this, named), alias))
        if isinstance(node, exp.Values):
            return Source(alias, self._values(node, alias))
        raise unsupported(f"{st.text(node)[:80]} in FROM", "write a table or a SELECT")

    def _unique(self, relation, alias):
        if len(set(relation.names)) < len(relation.names):
            raise unsupported("two columns of one name in a SELECT in FROM", "name them by AS")
        return relation

    def _values(self, node, alias):
        tree = exp.select(exp.Star()).from_(node.copy())
        relation = self.runner.run(tree, {})
        relation.names = [name.lower() for name in relation.names]
        return self.runner.resident(relation)

    def _inline_windows(self, tree):
        """Writes the windows of WINDOW where they are used."""
        definitions = {w.name: w for w in tree.args.get("windows") or []}
        for node in list(tree.find_all(exp.Window)):
            base = definitions.get(node.alias or "")
            if base is None or node in definitions.values():
                continue
            node.set("alias", None)
            for key in ("partition_by", "order", "spec"):
                if not node.args.get(key) and base.args.get(key):
                    value = base.args[key]
                    copied = [v.copy() for v in value] if isinstance(value, list) else value.copy()
                    node.set(key, copied)
        tree.set("windows", None)

    # Subqueries of expressions

    def _replace_subqueries(self, tree, named):
        """Answers SELECTs in expressions, so that workers have their rows."""
        for key, part in list(tree.args.items()):
            if key in ("from_", "joins", "with_"):
                continue
            for node in part if isinstance(part, list) else [part]:
                if isinstance(node, exp.Expression):
                    self._replace_in(node, named)
        for join in tree.args.get("joins") or []:
            if join.args.get("on") is not None:
                self._replace_in(join.args["on"], named)

    def _replace_in(self, expression, named):
        for query in list(_outermost_queries(expression)):
            inner = query.unnest() if isinstance(query, exp.Subquery) else query
            if st.tables_of(inner):
                self._send_tables(inner, named)
                continue
            rows = self.runner.resident(self._limited(self.query(inner, named)))
            columns = list(rows.references("s").values())
            table = exp.alias_(
                exp.Table(this=st.quoted(rows.resident)), "s", table=True, quoted=True
            )
            answer = exp.select(*columns).from_(table)
            inner.replace(answer)

    def _limited(self, relation):
        limit = self.runner.limits.broadcast
        if not relation.resident and relation.bytes > max(limit, 1 << 20):
            raise unsupported(
                f"a SELECT of {relation.bytes:,} bytes in an expression, more than "
                "broadcast_limit_bytes",
                "write it as a join",
            )
        return relation

    def _send_tables(self, inner, named):
        """Gives all workers the tables of a SELECT that reads columns from outside."""
        for table in list(inner.find_all(exp.Table)):
            relation = self._table(table.name, named)
            alias = table.alias_or_name
            if not relation.resident:
                columns = st.columns_of([inner], {alias})
                stage = self.runner.computed(self.runner.stage_of(relation, alias), columns)
                names = [c.name for c in columns] or ["c0"]
                stage.relation.names = names
                relation = self.runner.resident(self._limited(stage.relation))
            table.set("this", st.quoted(relation.resident))
            self._rename_columns(inner, alias, relation)


def _outermost_queries(node):
    """Yields the SELECTs of an expression, not those within them."""
    if st.is_query(node):
        yield node
        return
    for child in node.iter_expressions():
        yield from _outermost_queries(child)


def resident_relation(executor, name, table, key=""):
    """Returns the Relation of a small table, which all workers get."""
    table = without_dictionaries(table)
    relation = source_relation(table.schema, None)
    handle = executor.put(table)
    relation.parts = [Part((handle,), table.num_rows, table.nbytes)]
    relation.resident, relation.key = f"__{name.lower()}", key
    return relation


def source_relation(schema, source):
    """Returns the Relation of a dataset that is read as statements need it."""
    names = [name.lower() for name in schema.names]
    if len(set(names)) < len(names):
        raise invalid("two columns of a dataset differ by the case of their names alone")
    return Relation(names, list(schema.names), [None] * len(names), schema, source=source)
