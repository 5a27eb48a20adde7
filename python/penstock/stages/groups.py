"""GROUP BY and aggregates of a stage's rows: in two stages, or by whole groups."""

from sqlglot import exp

from penstock.stages import statement as st
from penstock.stages.aggregates import (
    distinct_split_of,
    mean_name,
    mean_of_parts,
    split_of,
)
from penstock.stages.errors import unsupported

# So few partial results are merged by one worker: to split them would take longer.
ONE_WORKER_BYTES = 4 << 20


def keys_of(tree, items):
    """Returns the expressions of GROUP BY, or None for a SELECT without groups."""
    group = tree.args.get("group")
    found = st.aggregates(read_by(tree, items))
    if group is None:
        return [] if found else None
    keys = group.expressions
    if group.args.get("all"):
        keys = [item for item in items if not st.aggregates([item])]
        if not keys:
            return []
    keys = list(dict.fromkeys(keys))
    # A constant tells no groups apart, and a number would be read as a place in the list.
    found = [key for key in keys if not isinstance(key, exp.Literal)]
    if not found:
        raise unsupported("GROUP BY of constants alone", "leave it out")
    return found


def read_by(tree, items):
    """Returns the expressions that are computed of groups."""
    found = list(items)
    for key in ("having", "qualify"):
        found += [tree.args[key].this] if tree.args.get(key) else []
    order = tree.args.get("order")
    return found + [o.this for o in order.expressions] if order else found


def grouped(runner, stage, tree, items):
    """Returns the stage of groups, or the same stage without them."""
    keys = keys_of(tree, items)
    if keys is None:
        return stage
    return Groups(runner, keys, st.aggregates(read_by(tree, items)), tree).stage(stage)


class Groups:
    def __init__(self, runner, keys, aggregates, tree):
        self.runner, self.keys, self.aggregates = runner, keys, aggregates
        self.having = tree.args["having"].this if tree.args.get("having") else None

    def stage(self, stage):
        if stage.meets(self.keys):
            return self._whole(stage)
        splits = {a: split_of(a, self.aggregates, bool(self.keys)) for a in self.aggregates}
        if all(splits.values()):
            return self._two_stages(stage, splits)
        distinct = self._distinct_values(splits)
        if distinct is not None:
            return self._distinct(stage, splits, distinct)
        return self._whole_groups(stage)

    def _whole(self, stage):
        """Groups rows of which equal keys are in one share."""
        stage.group = [stage.expressed(key) for key in self.keys]
        return self._with_having(stage)

    def _with_having(self, stage):
        if self.having is not None:
            stage.having = stage.expressed(self.having)
        return stage

    def _met(self, stage, keys):
        """Brings rows with equal keys together: to one worker, if there are few or no keys."""
        if not keys or stage.relation.bytes <= min(ONE_WORKER_BYTES, self.runner.limits.broadcast):
            return self.runner.in_one_place(
                stage, "aggregates without GROUP BY that need all rows", "aggregate by keys first"
            )
        return self.runner.exchanged(stage, keys)

    # Aggregates that need all rows of their group

    def _whole_groups(self, stage):
        columns = st.columns_of(self.aggregates)
        stage = self.runner.computed(stage, self.keys + columns)
        return self._whole(self._met(stage, self.keys))

    # Partial aggregates, and their merger

    def _computed(self, stage, keys, states, group):
        """Computes keys and the expressed states of a stage's groups."""
        stage.group = group
        outputs = [(stage.expressed(key), f"k{at}") for at, key in enumerate(keys)]
        names = [f"s{at}" for at in range(len(states))]
        outputs += list(zip(states, names))
        relation = self.runner.execute(stage, outputs)
        merged = self.runner.stage_of(relation, placed=stage.placed)
        alias = merged.tables[0][1]
        found = relation.references(alias)
        columns = [found[st.column(alias, name)] for name in names]
        merged.references = {key: found[st.column(alias, f"k{at}")] for at, key in enumerate(keys)}
        return merged, columns, relation.types[len(keys) :]

    def _two_stages(self, stage, splits):
        states = [stage.expressed(s) for split in splits.values() for s in split.states]
        group = [stage.expressed(key) for key in self.keys]
        stage, columns, types = self._computed(stage, self.keys, states, group)
        stage = self._met(stage, self.keys)
        return self._answers(stage, splits, columns, types)

    def _answers(self, stage, splits, columns, types):
        """Puts the merger of states in the place of aggregates."""
        keys = [stage.references[key] for key in self.keys]
        at, derived = 0, []
        for aggregate, split in splits.items():
            if split is None:  # of DISTINCT values, which are all there
                stage.references[aggregate] = stage.expressed(aggregate)
                continue
            end = at + len(split.states)
            own, own_types = columns[at:end], types[at:end]
            if split.has_moments:
                derived.append(_beside(own, keys, stage))
            stage.references[aggregate] = split.answer(own, own_types)
            at = end
        stage.derived = derived or None
        return self._whole(stage)

    # DISTINCT values of one expression

    def _distinct_values(self, splits):
        """Returns the expression after DISTINCT if all others split, and it is the same in all."""
        found = set()
        for aggregate, split in splits.items():
            if split is not None:
                if split.has_moments:
                    return None
                continue
            distinct = distinct_split_of(aggregate)
            if distinct is None:
                return None
            found.add(distinct.values[0])
        return found.pop() if len(found) == 1 else None

    def _distinct(self, stage, splits, value):
        """Groups by the keys and the value, so that a worker has all rows of a value."""
        plain = {a: split for a, split in splits.items() if split is not None}
        states = [stage.expressed(s) for split in plain.values() for s in split.states]
        keys = list(dict.fromkeys(self.keys + [value]))
        group = [stage.expressed(key) for key in keys]
        stage, columns, types = self._computed(stage, keys, states, group)
        if stage.relation.bytes <= min(ONE_WORKER_BYTES, self.runner.limits.broadcast):
            return self._answers(self.runner.in_one_place(stage, "", ""), splits, columns, types)
        stage = self.runner.exchanged(stage, keys)
        return self._distinct_merged(stage, splits, plain, columns, types)

    def _distinct_merged(self, stage, splits, plain, columns, types):
        states, at, all_splits = [], 0, {}
        for aggregate in splits:
            if aggregate in plain:
                split = plain[aggregate]
                end = at + len(split.states)
                states += split.merged(columns[at:end], types[at:end])
                at = end
            else:
                split = distinct_split_of(aggregate).split
                states += [stage.expressed(s) for s in split.states]
            all_splits[aggregate] = split
        group = [stage.expressed(key) for key in self.keys]
        stage, columns, types = self._computed(stage, self.keys, states, group)
        stage = self._met(stage, self.keys)
        return self._answers(stage, all_splits, columns, types)


def _beside(columns, keys, stage):
    """Returns the column of the mean of all parts, for the table that has the parts."""
    count, mean, _ = columns
    # Within the derived table the parts have their own name, the same as outside.
    value = mean_of_parts(count, mean, keys)
    return exp.alias_(value, st.quoted(mean_name(mean.name)))
