"""SQL over partitions of Dask: statements in stages, as tasks of Dask's scheduler.

    import penstock.dask
    parts = penstock.dask.sql("SELECT shop, avg(price) AS mean FROM sales GROUP BY shop",
                              {"sales": frame})

docs/ray.md tells what is split how; it is the same for both.
"""

try:
    import dask
    import dask.delayed
    import dask.system
except ImportError as error:
    raise ImportError('penstock.dask needs Dask: pip install "penstock[dask]"') from error

from penstock.stages import planner as stages
from penstock.stages import statement, work
from penstock.stages.errors import invalid
from penstock.stages.executor import Executor, Part
from penstock.stages.runner import MIB, Limits
from penstock.tables import without_dictionaries


def _answer(task, inputs, device, *blocks):
    return work.answer(task, inputs, blocks, device, {})


def _split(schema, keys, count, device, *blocks):
    pieces = work.split(blocks, schema, keys, count, device)
    return pieces, [(piece.num_rows, piece.nbytes) for piece in pieces]


def _sizes(result):
    return result[1:]


def _schema(block):
    return without_dictionaries(work.as_table(block)).schema


def _is_frame(data):
    return hasattr(data, "to_delayed") and hasattr(data, "npartitions")


class _Tasks(Executor):
    """Tasks whose results stay where they were computed. A table is a list of Delayed blocks."""

    def __init__(self, device, options):
        super().__init__(device, dask.system.CPU_COUNT)
        self._options = options  # of dask.persist(), such as the scheduler

    def _persisted(self, tasks):
        """Computes tasks; returns them, and what `_sizes` has of each."""
        tasks = dask.persist(*tasks, **self._options)
        sizes = [dask.delayed(_sizes, pure=False)(task) for task in tasks]
        return tasks, dask.compute(*sizes, **self._options)

    def schema(self, source):
        return dask.compute(dask.delayed(_schema)(source[0]), **self._options)[0]

    def estimated_bytes(self, source):
        return None

    def put(self, table):
        return dask.delayed(table)

    def describe(self, text, schemas):
        task = dask.delayed(work.describe, pure=False)(text, schemas, self.device)
        return dask.compute(task, **self._options)[0]

    def run(self, task, shares):
        call = dask.delayed(_answer, pure=False)
        tasks = [
            call(
                task,
                [given for given, _ in share],
                self.device,
                *(h for _, hs in share for h in hs),
            )
            for share in shares
        ]
        tasks, sizes = self._persisted(tasks)
        return [Part((task[0],), *size) for task, size in zip(tasks, sizes)]

    def split(self, parts, schema, keys, count):
        call = dask.delayed(_split, pure=False)
        tasks = [call(schema, keys, count, self.device, *p.handles) for p in parts if p.rows]
        tasks, sizes = self._persisted(tasks)
        return [
            self._partition(at, tasks, [of_task for (of_task,) in sizes]) for at in range(count)
        ]

    def _partition(self, at, tasks, sizes):
        own = [(task[0][at], size[at]) for task, size in zip(tasks, sizes) if size[at][0]]
        rows, bytes_ = sum(size[0] for _, size in own), sum(size[1] for _, size in own)
        return Part(tuple(piece for piece, _ in own), rows, bytes_)


def _relation(tasks, name, data):
    if _is_frame(data):
        data = data.to_delayed()
    if isinstance(data, (list, tuple)):
        if not data:
            raise invalid(f"the table {name} has no partitions, so no columns")
        return stages.source_relation(tasks.schema(data), list(data))
    return stages.resident_relation(tasks, name, work.as_table(data))


def sql(
    statement_text,
    tables,
    *,
    device="",
    broadcast_limit_bytes=64 * MIB,
    gather_limit_bytes=1024 * MIB,
    partition_bytes=256 * MIB,
    partitions=None,
    **options,
):
    """Answers a SELECT over partitions and returns a list of Delayed Arrow tables, computed.

    `tables`: the only table of the statement, or tables by name. A table is a Dask DataFrame, or a
    list of partitions: Delayed ones, Arrow tables, frames. An Arrow table is sent to every task.
    With a DataFrame among them the answer is a DataFrame, too. `options` are those of
    dask.compute(), such as scheduler="threads"; the other arguments are in docs/ray.md.
    """
    if not isinstance(tables, dict):
        names = statement.table_names(statement.parse(statement_text))
        if len(names) != 1:
            raise invalid("a table without a name is the only one of its statement")
        tables = {names.pop(): tables}
    tasks = _Tasks(device, options)
    relations = {name.lower(): _relation(tasks, name, data) for name, data in tables.items()}
    limits = Limits(broadcast_limit_bytes, gather_limit_bytes, partition_bytes, partitions)
    found = stages.Planner(tasks, relations, limits).answer(statement_text)
    parts = [handle for part in found.parts for handle in part.handles]
    if not any(_is_frame(data) for data in tables.values()):
        return parts
    import dask.dataframe

    frames = [dask.delayed(lambda rows: rows.to_pandas())(part) for part in parts]
    return dask.dataframe.from_delayed(frames, meta=found.schema.empty_table().to_pandas())


__all__ = ["sql"]
