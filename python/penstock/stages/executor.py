"""What a planner asks of those who run tasks, and an executor within one process."""

import typing

from penstock.stages import work
from penstock.tables import without_dictionaries


class Part(typing.NamedTuple):
    """A share of a table's rows: the tables of its handles, one after another."""

    handles: tuple
    rows: int
    bytes: int


class Executor:
    """Runs tasks over blocks, which it knows by handles; this one keeps them in the process.

    Executors of Ray and of Dask have other handles, and run tasks on other machines.
    """

    def __init__(self, device="", workers=1):
        self.device, self.workers = device, workers
        self._kept = {}

    def schema(self, source):
        """Returns the Arrow schema of a dataset: here, of a list of blocks."""
        return without_dictionaries(work.as_table(source[0])).schema

    def estimated_bytes(self, source):
        """Returns how large a dataset is, or None if that is not known before it is read."""
        return sum(work.as_table(block).nbytes for block in source)

    def blocks(self, source, columns):
        """Yields handles of a dataset's blocks, which have these columns and perhaps more."""
        yield from source

    def put(self, table):
        """Returns a handle of a table that every worker can read."""
        return table

    def describe(self, statement, schemas):
        return work.describe(statement, schemas, self.device)

    def stream(self, task, source, given, always):
        """Returns a dataset of a task's rows that is computed as it is read, or None.

        `given` is the Input that the blocks of the dataset `source` are; `always` has
        (Input, handles) of resident tables.
        """
        return None

    def forget(self, prefix):
        """Has workers forget the resident tables of a statement."""
        for key in [key for key in self._kept if key.startswith(prefix)]:
            del self._kept[key]

    def run(self, task, shares):
        """Returns a Part for each share, a list of (Input, handles)."""
        parts = []
        for share in shares:
            blocks = [handle for _, handles in share for handle in handles]
            inputs = [given for given, _ in share]
            rows, *sizes = work.answer(task, inputs, blocks, self.device, self._kept)
            parts.append(Part((rows,), *sizes))
        return parts

    def split(self, parts, schema, keys, count):
        """Returns `count` Parts, between which the rows are shared by their keys."""
        pieces = [
            work.split(part.handles, schema, keys, count, self.device)
            for part in parts
            if part.rows
        ]
        shares = [[of_part[at] for of_part in pieces] for at in range(count)]
        return [
            Part(tuple(share), sum(t.num_rows for t in share), sum(t.nbytes for t in share))
            for share in shares
        ]
