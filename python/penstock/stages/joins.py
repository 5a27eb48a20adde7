"""FROM and WHERE of a SELECT as a stage: small tables are sent to all, large ones split by keys."""

import dataclasses

from sqlglot import exp

from penstock.stages import hashing
from penstock.stages import statement as st
from penstock.stages.errors import unsupported
from penstock.stages.relation import Stage

INNER = (",", "INNER", "CROSS")


def _rank(stage, ties):
    """Ranks a table by its ties to others: one tie first, breadth first, and no tie last."""
    places = [at for at, (_, alias, _, _) in enumerate(stage.tables) if alias in ties]
    return ({1: 0, 0: 2}.get(len(ties), 1), places)


@dataclasses.dataclass
class Source:
    alias: str
    relation: object
    kind: str = ","  # how it joins the tables before it
    on: object = None


class Joins:
    """Builds the stage of a SELECT's rows. `later`: expressions that the SELECT computes of them."""

    def __init__(self, runner, sources, where, later):
        self.runner, self.sources, self.later = runner, sources, later
        self.pending = list(where)  # conditions that no stage has yet
        self.nullable = self._nullable()

    def _nullable(self):
        """Returns the tables that an outer join may fill with NULL."""
        found, before = set(), set()
        for source in self.sources:
            if source.kind in ("RIGHT", "FULL"):
                found |= before
            if source.kind in ("LEFT", "FULL"):
                found.add(source.alias)
            before.add(source.alias)
        return found

    def stage(self):
        if all(source.kind in INNER for source in self.sources):
            for source in self.sources:
                self.pending += st.conjuncts(source.on)
            self.pending = list(dict.fromkeys(self.pending))
            stage = self._any_order()
        else:
            stage = self._in_order()
        stage.where += [stage.expressed(condition) for condition in self.pending]
        return stage

    # Tables alone

    def _taken(self, aliases):
        """Takes the pending conditions that read these tables alone."""
        own = [c for c in self.pending if st.tables_of(c) and st.tables_of(c) <= aliases]
        own = [c for c in own if not st.tables_of(c) & self.nullable]
        self.pending = [c for c in self.pending if c not in own]
        return own

    def _filtered(self, source, further=()):
        """Returns the stage of a table's rows by the conditions of its own, not yet computed."""
        stage = self.runner.stage_of(source.relation, source.alias)
        own = self._taken({source.alias}) + list(further)
        stage.where = [stage.expressed(condition) for condition in own]
        return stage

    def _needed(self, aliases):
        """Returns what is read of tables: columns, and the keys that equalities compute of them."""
        # Conditions in ON of other tables are pending for the purpose.
        conditions = self.pending + [c for s in self.sources for c in st.conjuncts(s.on)]
        found = st.columns_of(list(self.later) + conditions, aliases)
        sides = [
            side for c in conditions if isinstance(c, exp.EQ) for side in (c.this, c.expression)
        ]
        keys = [s for s in sides if st.tables_of(s) and st.tables_of(s) <= aliases]
        return found + [key for key in keys if not isinstance(key, exp.Column)]

    def _read(self, source, further=()):
        """Returns a table's rows, computed or as they are there; sent to all if they are small."""
        stage = self._filtered(source, further)
        if not stage.inputs:
            return stage
        if not stage.is_plain or any(e not in stage.references for e in self._keys(source.alias)):
            stage = self.runner.computed(stage, self._needed({source.alias}))
        return self._sent(stage) if self._is_small(stage) else stage

    def _keys(self, alias):
        return [e for e in self._needed({alias}) if not isinstance(e, exp.Column)]

    def _is_small(self, stage):
        return stage.relation.bytes <= self.runner.limits.broadcast

    def _sent(self, stage):
        relation = self.runner.resident(stage.relation)
        ((_, alias, kind, on),) = stage.tables
        return Stage(tables=[(relation.resident, alias, kind, on)], references=stage.references)

    # Inner joins, in any order

    def _any_order(self):
        residents = [s for s in self.sources if s.relation.resident]
        shared = [s for s in self.sources if not s.relation.resident]
        residents = [self._filtered(source) for source in residents]
        if not shared:
            return self._beside(residents[0], residents[1:])
        largest = max(shared, key=self._estimate)
        others = [self._read(s) for s in shared if s is not largest]
        residents += [stage for stage in others if not stage.inputs]
        large = [stage for stage in others if stage.inputs]
        current = self._filtered(largest)
        if large:
            current = self._hash_joined(large + [current], residents)
        return self._beside(current, residents)

    def _estimate(self, source):
        relation = source.relation
        if relation.parts is not None:
            return relation.bytes
        size = self.runner.executor.estimated_bytes(relation.source)
        return float("inf") if size is None else size

    def _beside(self, stage, residents):
        """Returns a stage with resident tables beside its own: conditions pair their rows.

        Tables are tied as a tree. One that ties to two others would let a worker join those two by
        few keys first, so the rows so far are computed before it.
        """
        waiting = list(residents)
        while waiting:
            ties = {id(one): self._tied(stage, one) for one in waiting}
            best = min(waiting, key=lambda one: _rank(stage, ties[id(one)]))
            if len(ties[id(best)]) > 1 and stage.inputs:
                stage = self._with_conditions(stage)
                stage = self.runner.computed(stage, self._needed(stage.aliases))
            stage = self._attached_by_where(stage, best)
            waiting = [one for one in waiting if one is not best]
        return stage

    def _tied(self, stage, other):
        """Returns the tables of a stage that equalities tie to another one."""
        pairs = self._equalities(stage.aliases, other.aliases)
        sides = [stage.expressed(one) for one, _ in pairs]
        return {found.table for side in sides for found in side.find_all(exp.Column)}

    def _attached_by_where(self, stage, resident):
        (table,) = resident.tables
        return dataclasses.replace(
            stage,
            tables=stage.tables + [(table[0], table[1], ",", None)],
            references={**stage.references, **resident.references},
            where=stage.where + resident.where,
        )

    def _equalities(self, left, right):
        """Returns the pairs of keys that pending equalities tie between tables."""
        pairs = []
        for condition in self.pending:
            if not isinstance(condition, exp.EQ):
                continue
            a, b = condition.this, condition.expression
            for one, other in ((a, b), (b, a)):
                tables = st.tables_of(one), st.tables_of(other)
                if all(tables) and tables[0] <= left and tables[1] <= right:
                    pairs.append((one, other))
        return pairs

    def _hash_joined(self, stages, residents):
        """Joins large tables one by one, the smallest first, and resident ones where they tie."""
        sizes = {id(s): s.relation.bytes for s in stages if s.relation.parts is not None}
        stages = sorted(stages, key=lambda stage: sizes.get(id(stage), float("inf")))
        current, waiting = stages[0], stages[1:]
        while waiting:
            other = next((s for s in waiting if self._equalities(current.aliases, s.aliases)), None)
            if other is None:
                tied = [r for r in residents if self._equalities(current.aliases, r.aliases)]
                if not tied:
                    raise unsupported(
                        "a join of two large tables without an equality between them",
                        "add one, or raise broadcast_limit_bytes",
                    )
                current = self._with_conditions(self._beside(current, tied))
                residents[:] = [r for r in residents if r not in tied]
                continue
            waiting = [stage for stage in waiting if stage is not other]
            pairs = self._equalities(current.aliases, other.aliases)
            current = self._exchanged_join(current, other, pairs, ",", None)
            current = self._with_conditions(current)
        return current

    def _with_conditions(self, stage):
        own = self._taken(stage.aliases)
        stage.where = stage.where + [stage.expressed(condition) for condition in own]
        return stage

    def _exchanged_join(self, left, right, pairs, kind, on):
        """Splits both sides by the keys of `pairs`, so that each worker joins its share."""
        sides = []
        for stage, at in ((left, 0), (right, 1)):
            needed = self._needed(stage.aliases) + [pair[at] for pair in pairs]
            sides.append(self.runner.plain(stage, needed))
        kinds = [self._kind(sides, pair) for pair in pairs]
        count = self.runner.partition_count(*sides)
        for at, stage in enumerate(sides):
            keys = [pair[at] for pair in pairs]
            sides[at] = self._placed(stage, keys, count, kinds)
        return self._side_by_side(*sides, kind, on)

    def _kind(self, sides, pair):
        names = [self.runner.column_name(side, key) for side, key in zip(sides, pair)]
        types = [side.relation.schema.field(n).type for side, n in zip(sides, names)]
        return hashing.common_kind(*types)

    def _placed(self, stage, keys, count, kinds):
        """Splits a side, unless its rows lie so from an earlier join."""
        if stage.placed:
            equals, old_kinds, old_count = stage.placed
            is_so = len(equals) == len(keys) and all(k in e for k, e in zip(keys, equals))
            if is_so and old_kinds == tuple(kinds) and old_count == count:
                return stage
        return self.runner.exchanged(stage, keys, count, kinds)

    def _side_by_side(self, left, right, kind, on):
        (table,) = right.tables
        references = {**left.references, **right.references}
        stage = Stage(
            inputs={**left.inputs, **right.inputs},
            tables=left.tables + [(table[0], table[1], kind, None)],
            references=references,
            where=left.where + right.where,
            placed=self._placed_after(left, right, kind),
        )
        if on is not None:
            stage.tables[-1] = (table[0], table[1], kind, stage.expressed(on))
        return stage

    def _placed_after(self, left, right, kind):
        if kind == "FULL":
            return ()
        if kind in ("LEFT", "RIGHT"):
            return left.placed if kind == "LEFT" else right.placed
        (a, kinds, count), (b, _, _) = left.placed, right.placed
        return [x | y for x, y in zip(a, b)], kinds, count

    # Outer joins, in the order of the statement

    def _in_order(self):
        first, *others = self.sources
        stage = self._filtered(first)
        for source in others:
            stage = self._joined(stage, source)
        return stage

    def _joined(self, left, source):
        on = st.conjuncts(source.on)
        own = [c for c in on if st.tables_of(c) and st.tables_of(c) <= {source.alias}]
        # The right table's own conditions hold before the join, unless its rows survive them.
        if source.kind in ("RIGHT", "FULL"):
            own = []
        right = self._read(source, own)
        on_pairs = [c for c in on if c not in own]
        pairs = self._pairs(on_pairs, left.aliases, right.aliases)
        condition = source.on
        is_right_sent = not right.inputs
        if not left.inputs and is_right_sent:
            return self._attached(left, right, source.kind, condition)
        if is_right_sent and source.kind in (*INNER, "LEFT"):
            return self._attached(left, right, source.kind, condition)
        if not left.inputs and source.kind in (*INNER, "RIGHT"):
            return self._attached(left, right, source.kind, condition)
        if not pairs:
            raise unsupported(
                f"a {source.kind} JOIN of large tables without an equality in ON", "add one"
            )
        left, right = (self._shared(side) for side in (left, right))
        return self._exchanged_join(left, right, pairs, source.kind, condition)

    def _pairs(self, conditions, left, right):
        waiting, self.pending = self.pending, conditions
        pairs = self._equalities(left, right)
        self.pending = waiting
        return pairs

    def _attached(self, left, right, kind, on):
        """Joins tables of which one is with all workers."""
        right = self._without_where(right)
        (table,) = right.tables
        stage = dataclasses.replace(
            left,
            inputs={**left.inputs, **right.inputs},
            tables=left.tables + [(table[0], table[1], kind, None)],
            references={**left.references, **right.references},
            placed=left.placed if kind != "RIGHT" else (),
        )
        if on is not None:
            stage.tables[-1] = (table[0], table[1], kind, stage.expressed(on))
        return stage

    def _without_where(self, stage):
        """Computes a resident table's conditions: beside an outer join they would come too late."""
        if not stage.where:
            return stage
        stage = self.runner.computed(stage, self._needed(stage.aliases))
        return self._sent_one(stage)

    def _sent_one(self, stage):
        relation = self.runner.resident(stage.relation)
        ((_, alias, kind, on),) = stage.tables
        return Stage(tables=[(relation.resident, alias, kind, on)], references=stage.references)

    def _shared(self, stage):
        """Returns a resident table as rows that can be split."""
        if stage.inputs:
            return stage
        return self.runner.computed(stage, self._needed(stage.aliases))
