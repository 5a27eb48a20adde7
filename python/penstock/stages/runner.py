"""Stages as executors run them: rows computed, split by keys, gathered, given to all workers."""

import math
import uuid

import pyarrow
from sqlglot import exp

from penstock.stages import hashing
from penstock.stages import statement as st
from penstock.stages.errors import unsupported
from penstock.stages.executor import Part
from penstock.stages.relation import Relation, Stage
from penstock.stages.work import Input, Task

MIB = 1 << 20


class Limits:
    """Bytes above which rows are split, not sent to all or put into one place."""

    def __init__(self, broadcast=64 * MIB, gather=1024 * MIB, partition=256 * MIB, partitions=None):
        self.broadcast, self.gather, self.partition = broadcast, gather, partition
        self.partitions = partitions  # how many, or by bytes


class Runner:
    def __init__(self, executor, limits):
        self.executor, self.limits = executor, limits
        self.residents = {}  # Relations by the names that statements have
        self.statements = []  # the trees that ran, in their order
        self.id = uuid.uuid4().hex  # names in workers what they keep for this statement
        self._made = 0
        self._described = {}

    def name(self, prefix):
        self._made += 1
        return f"__{prefix}{self._made}"

    def stage_of(self, relation, alias=None, placed=()):
        """Returns a stage over a table's rows as they are."""
        alias = alias or self.name("t")
        name = relation.resident or self.name("p")
        return Stage(
            inputs={} if relation.resident else {name: relation},
            tables=[(name, alias, None, None)],
            references=relation.references(alias),
            placed=placed,
        )

    def resident(self, relation):
        """Returns a relation of which every worker has all rows."""
        if relation.resident:
            return relation
        parts = [gathered(relation.parts)]
        name = self.name("r")
        fields = (relation.names, relation.columns, relation.types, relation.schema)
        self.residents[name] = Relation(*fields, parts=parts, resident=name)
        return self.residents[name]

    def _named_residents(self, tree):
        names = {table.name for table in tree.find_all(exp.Table)}
        return {name: found for name, found in self.residents.items() if name in names}

    def describe(self, tree, inputs):
        """Returns [(name, SQL type)] of a statement's columns, and their Arrow schema."""
        tables = {**inputs, **self._named_residents(tree)}
        text = st.text(tree)
        if text not in self._described:
            schemas = {name: relation.schema for name, relation in tables.items()}
            types, schema, rows = self.executor.describe(text, schemas)
            is_row_by_row = isinstance(tree, exp.Select) and not _has_groups(tree)
            if inputs and rows and is_row_by_row:
                raise unsupported(f"an aggregate in {text[:200]}", "it is none of the known ones")
            self._described[text] = types, schema
        return self._described[text]

    def run(self, tree, inputs, schema=None, names=None):
        """Answers a statement over each share of its inputs and returns a Relation.

        `schema`: the names and types that the rows shall have.
        """
        types, found = self.describe(tree, inputs)
        task = Task(st.text(tree), schema)
        self.statements.append(tree)
        parts = self.executor.run(task, self._shares(tree, inputs))
        columns = (schema or found).names
        return Relation(
            names or columns, columns, [type_ for _, type_ in types], schema or found, parts
        )

    def streamed(self, tree, inputs, schema, names):
        """Returns a Relation of rows that the executor computes as they are read, if it can."""
        types, _ = self.describe(tree, inputs)
        ((name, relation),) = inputs.items()
        read = _schema_read(tree, name, relation.schema)
        stream = self.executor.stream(
            Task(st.text(tree), schema), relation.source, Input(name, 1, read), self._always(tree)
        )
        if stream is None:
            return self.run(tree, inputs, schema, names)
        self.statements.append(tree)
        types = [type_ for _, type_ in types]
        return Relation(names, schema.names, types, schema, parts=[], stream=stream)

    def _always(self, tree):
        """Returns what every task of a statement reads: resident tables."""
        return [
            (
                Input(name, len(r.parts[0].handles), r.schema, r.key or f"{self.id}:{name}"),
                r.parts[0].handles,
            )
            for name, r in self._named_residents(tree).items()
        ]

    def _shares(self, tree, inputs):
        """Yields what each task reads: lists of (Input, handles)."""
        always = self._always(tree)
        if not inputs:
            yield always
            return
        (first, relation), *others = inputs.items()
        if relation.parts is None:
            read = _schema_read(tree, first, relation.schema)
            is_empty = True
            for block in self.executor.blocks(relation.source, read.names):
                is_empty = False
                yield [(Input(first, 1, read), (block,))] + always
            if is_empty:
                yield [(Input(first, 0, read), ())] + always
            return
        for at in range(len(relation.parts)):
            share = [(first, relation)] + others
            yield [
                (Input(name, len(r.parts[at].handles), r.schema), r.parts[at].handles)
                for name, r in share
            ] + always

    def execute(self, stage, outputs, **options):
        """Computes [(expressed, name)] of a stage's rows and returns a Relation."""
        return self.run(stage.select(outputs, **options), stage.inputs)

    def computed(self, stage, expressions, distinct=False):
        """Computes expressions of a stage's rows and returns a stage that has them."""
        expressions = list(dict.fromkeys(expressions))
        outputs = [(stage.expressed(value), f"c{at}") for at, value in enumerate(expressions)]
        outputs = outputs or [(exp.Literal.number(1), "c0")]
        relation = self.execute(stage, outputs, distinct=distinct)
        return self._reading(relation, expressions, stage.placed)

    def _reading(self, relation, expressions, placed):
        stage = self.stage_of(relation, placed=placed)
        found = list(stage.references.values())
        stage.references = dict(zip(expressions, found))
        return stage

    def plain(self, stage, expressions):
        """Returns a stage of rows that are there, with columns for the expressions."""
        have = all(e in stage.references for e in expressions)
        return stage if stage.is_plain and have else self.computed(stage, expressions)

    def partition_count(self, *stages):
        """Returns into how many partitions the rows of stages are split."""
        if self.limits.partitions:
            return self.limits.partitions
        total = sum(stage.relation.bytes for stage in stages)
        return max(self.executor.workers, math.ceil(total / self.limits.partition))

    def exchanged(self, stage, keys, count=None, kinds=None):
        """Splits a plain stage's rows so that equal keys meet; `kinds`: [(kind, cast or None)]."""
        count = count or self.partition_count(stage)
        columns = [self.column_name(stage, key) for key in keys]
        relation = stage.relation
        kinds = kinds or [(hashing.kind_of(relation.schema.field(c).type), None) for c in columns]
        placed = ([{key} for key in keys], tuple(kinds), count)
        split_by = tuple((name, *kind) for name, kind in zip(columns, kinds))
        parts = self.executor.split(relation.parts, relation.schema, split_by, count)
        return self._over(stage, parts, placed)

    def _over(self, stage, parts, placed=()):
        old = stage.relation
        fields = (old.names, old.columns, old.types, old.schema)
        name = stage.tables[0][0]
        return Stage(
            inputs={name: Relation(*fields, parts=parts)},
            tables=stage.tables,
            references=stage.references,
            placed=placed,
        )

    def column_name(self, stage, expression):
        found = stage.references[expression]
        return found.find(exp.Column).name

    def in_one_place(self, stage, what, instead):
        """Returns a plain stage's rows in one part, if they are few enough."""
        relation = stage.relation
        if relation.bytes > self.limits.gather:
            raise unsupported(
                f"{what} over {relation.bytes:,} bytes, more than gather_limit_bytes", instead
            )
        return self._over(stage, [gathered(relation.parts)])


def _schema_read(tree, name, schema):
    """Returns the columns of a dataset that a statement reads, one of them at least."""
    (table,) = (table for table in tree.find_all(exp.Table) if table.name == name)
    alias = table.alias_or_name
    read = {node.name for node in tree.find_all(exp.Column) if node.table == alias}
    fields = [field for field in schema if field.name in read]
    return pyarrow.schema(fields or [schema.field(0)])


def gathered(parts):
    handles = tuple(handle for part in parts for handle in part.handles)
    return Part(handles, sum(part.rows for part in parts), sum(part.bytes for part in parts))


def _has_groups(tree):
    return bool(tree.args.get("group")) or bool(st.aggregates([tree, *tree.expressions]))
