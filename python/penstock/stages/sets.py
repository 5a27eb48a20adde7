"""UNION, INTERSECT and EXCEPT of shared rows."""

from sqlglot import exp

from penstock.stages import statement as st
from penstock.stages.errors import unsupported
from penstock.stages.executor import Part
from penstock.stages.output import finished
from penstock.stages.relation import Relation


def combined(planner, tree, named, schema):
    """Returns the rows of a set operation, with its ORDER BY and LIMIT."""
    if tree.args.get("by_name") or tree.args.get("on"):
        raise unsupported("UNION BY NAME", "write the columns in their order")
    runner = planner.runner
    names = [column.alias_or_name.lower() for column in tree.selects]
    sides = [planner.query(side, named) for side in (tree.left, tree.right)]
    sides = _of_one_type(runner, tree, sides)
    relation = _combined(runner, tree, sides)
    relation.names = names
    if not any(tree.args.get(key) for key in ("order", "limit", "offset")) and schema is None:
        return relation
    stage = runner.stage_of(relation)
    items = list(stage.references)
    select = exp.Select(
        expressions=[exp.alias_(i.copy(), st.quoted(n)) for i, n in zip(items, names)]
    )
    for key in ("order", "limit", "offset"):
        select.set(key, tree.args[key].copy() if tree.args.get(key) else None)
    return finished(runner, stage, select, items, schema)


def _of_one_type(runner, tree, sides):
    """Gives both sides the types in which they meet, by a union with no rows of the other side."""
    empty = [
        Relation(s.names, s.columns, s.types, s.schema, parts=[_no_rows(runner, s)]) for s in sides
    ]
    found = []
    for at, side in enumerate(sides):
        own = runner.stage_of(_shared(side))
        other = runner.stage_of(runner.resident(empty[1 - at]))
        pair = [own, other] if at == 0 else [other, own]
        selects = [_all_of(stage) for stage in pair]
        union = exp.Union(this=selects[0], expression=selects[1], distinct=False)
        found.append(runner.run(union, own.inputs))
    return found


def _shared(relation):
    fields = (relation.names, relation.columns, relation.types, relation.schema)
    return Relation(*fields, parts=relation.parts, source=relation.source)


def _no_rows(runner, relation):
    return Part((runner.executor.put(relation.schema.empty_table()),), 0, 0)


def _all_of(stage):
    return stage.select([(r, f"c{at}") for at, r in enumerate(stage.references.values())])


def _combined(runner, tree, sides):
    first = sides[0]
    is_distinct = bool(tree.args.get("distinct"))
    if isinstance(tree, exp.Union):
        fields = (first.names, first.columns, first.types, first.schema)
        union = Relation(*fields, parts=sides[0].parts + sides[1].parts)
        if not is_distinct:
            return union
        stage = runner.stage_of(union)
        items = list(stage.references)
        stage = runner.computed(stage, items, distinct=True)
        stage = runner.exchanged(stage, items)
        return runner.computed(stage, items, distinct=True).relation
    stages = [runner.stage_of(side) for side in sides]
    count = runner.partition_count(*stages)
    stages = [runner.exchanged(stage, list(stage.references), count) for stage in stages]
    selects = [_all_of(stage) for stage in stages]
    pair = type(tree)(this=selects[0], expression=selects[1], distinct=is_distinct)
    return runner.run(pair, {**stages[0].inputs, **stages[1].inputs})
