"""SQL over datasets of Ray Data: statements in stages, on one worker a GPU or a CPU slot.

    import penstock.ray
    sums = penstock.ray.sql("SELECT shop, sum(price) AS total FROM sales GROUP BY shop",
                            {"sales": ray.data.read_parquet("sales/")}, device="cuda")

docs/ray.md tells what is split how.
"""

import uuid

import pyarrow
import pyarrow.fs

try:
    import ray
    import ray.data
except ImportError as error:
    raise ImportError('penstock.ray needs Ray Data: pip install "penstock[ray]"') from error

from penstock.stages import planner as stages
from penstock.stages import statement, work
from penstock.stages.errors import invalid
from penstock.stages.executor import Executor, Part
from penstock.stages.runner import MIB, Limits
from penstock.tables import without_dictionaries

TASKS_AHEAD = 2  # of each worker, so that it reads the next share while it computes
RESTARTS = 3


class _Worker:
    """An actor: a device that stays open, with the resident tables."""

    def __init__(self, device):
        self.device, self.kept = device, {}

    def run(self, task, inputs, *blocks):
        rows, *sizes = work.answer(task, inputs, blocks, self.device, self.kept)
        return rows, sizes

    def split(self, schema, keys, count, *blocks):
        pieces = work.split(blocks, schema, keys, count, self.device)
        return (*pieces, [(piece.num_rows, piece.nbytes) for piece in pieces])

    def describe(self, text, schemas):
        return work.describe(text, schemas, self.device)

    def forget(self, prefix):
        self.kept = {key: table for key, table in self.kept.items() if not key.startswith(prefix)}


class _Streamed:
    """A callable of Dataset.map_batches: a statement over one batch after another."""

    def __init__(self, task, given, always, device):
        self.task, self.device = task, device
        self.inputs = [given] + [resident for resident, _ in always]
        self.residents = [ray.get(list(handles)) for _, handles in always]
        self.kept = {}

    def __call__(self, batch):
        blocks = [batch] + [block for blocks in self.residents for block in blocks]
        return work.answer(self.task, self.inputs, blocks, self.device, self.kept)[0]


def _uses_gpus(device):
    """Whether workers ask Ray for a GPU each."""
    if device.split(":")[0] in ("cuda", "gpu"):
        return True
    return device == "" and ray.cluster_resources().get("GPU", 0) >= 1


class _Workers(Executor):
    """Actors, each with a device, and tasks for the one that has the least to do."""

    def __init__(self, device, actors):
        self.device = device
        self.has_gpus = _uses_gpus(device)
        resource = "GPU" if self.has_gpus else "CPU"
        self.workers = actors or max(1, int(ray.cluster_resources().get(resource, 1)))
        # Reading tasks of Ray Data need CPU slots, which actors that took all would keep.
        options = {"num_cpus": 0, "num_gpus": 1 if self.has_gpus else 0}
        options |= {"max_restarts": RESTARTS, "max_task_retries": RESTARTS}
        options |= {"scheduling_strategy": "SPREAD"}
        kind = ray.remote(_Worker).options(**options)
        self._actors = [kind.remote(device) for _ in range(self.workers)]
        self._load = [0] * self.workers
        self._next = 0

    def close(self):
        for actor in self._actors:
            ray.kill(actor)
        self._actors = []

    # Datasets

    def schema(self, source):
        found = source.schema()
        if found is None:
            raise invalid("a dataset without blocks has no columns")
        if isinstance(found.base_schema, pyarrow.Schema):
            return without_dictionaries(found.base_schema.empty_table()).schema
        return without_dictionaries(work.as_table(ray.get(next(self._blocks(source))))).schema

    def estimated_bytes(self, source):
        # Dataset.size_bytes() would compute a dataset of which it does not know the size.
        try:
            return _known_bytes(source._logical_plan.dag)
        except (AttributeError, OSError):
            return None

    def blocks(self, source, columns):
        return self._blocks(_with_columns(source, columns))

    def _blocks(self, source):
        for bundle in source.iter_internal_ref_bundles():
            slices = getattr(bundle, "slices", None) or [None] * len(bundle.block_refs)
            for reference, cut in zip(bundle.block_refs, slices):
                yield reference if cut is None else ray.put(_cut(ray.get(reference), cut))

    def put(self, table):
        return ray.put(table)

    def stream(self, task, source, given, always):
        if self.estimated_bytes(source) == 0:
            return None  # Ray computes nothing of a block without rows, so no columns
        return _with_columns(source, given.schema.names).map_batches(
            _Streamed,
            fn_constructor_args=(task, given, always, self.device),
            batch_size=None,
            batch_format="pyarrow",
            zero_copy_batch=True,
            num_cpus=0 if self.has_gpus else 1,
            num_gpus=1 if self.has_gpus else 0,
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=self.workers),
        )

    # Tasks

    def _call(self, method, returns, *arguments):
        """Has the worker with the least to do run a method; the last of its returns is small."""
        at = min(
            range(self.workers), key=lambda i: (self._load[i], (i - self._next) % self.workers)
        )
        self._next = (at + 1) % self.workers
        self._load[at] += 1
        remote = getattr(self._actors[at], method).options(num_returns=returns)
        return at, remote.remote(*arguments)

    def _all(self, calls):
        """Runs calls, of which no more wait than workers read ahead; yields their returns."""
        running, returned = {}, []
        try:
            for method, returns, *arguments in calls:
                while len(running) >= TASKS_AHEAD * self.workers:
                    self._finish_one(running)
                at, references = self._call(method, returns, *arguments)
                running[references[-1]] = at
                returned.append(references)
            while running:
                self._finish_one(running)
        finally:
            self._load = [0] * self.workers
        return returned

    def _finish_one(self, running):
        (done,), _ = ray.wait(list(running), num_returns=1, fetch_local=False)
        self._load[running.pop(done)] -= 1
        _get(done)

    def describe(self, text, schemas):
        return _get(self._actors[0].describe.remote(text, schemas))

    def forget(self, prefix):
        ray.get([actor.forget.remote(prefix) for actor in self._actors])

    def run(self, task, shares):
        calls = (
            ("run", 2, task, [given for given, _ in share], *(h for _, hs in share for h in hs))
            for share in shares
        )
        returned = self._all(calls)
        sizes = _get([small for _, small in returned])
        return [Part((rows,), *size) for (rows, _), size in zip(returned, sizes)]

    def split(self, parts, schema, keys, count):
        calls = (
            ("split", count + 1, schema, keys, count, *part.handles) for part in parts if part.rows
        )
        returned = self._all(calls)
        sizes = _get([references[-1] for references in returned])
        return [_partition(at, returned, sizes) for at in range(count)]


def _known_bytes(operator):
    """Returns the bytes of what a plan reads: of rows in memory, or of files."""
    known = operator.infer_metadata().size_bytes
    if known is not None:
        return known
    if operator.input_dependencies:
        return max(_known_bytes(before) for before in operator.input_dependencies)
    found = operator.filesystem.get_file_info(operator.paths)
    folders = [info.path for info in found if info.type == pyarrow.fs.FileType.Directory]
    for folder in folders:
        selector = pyarrow.fs.FileSelector(folder, recursive=True)
        found += operator.filesystem.get_file_info(selector)
    return sum(info.size or 0 for info in found)


def _with_columns(source, columns):
    """Returns a dataset of these columns, if it then reads less of its files."""
    try:
        is_in_memory = source._logical_plan.dag.output_data() is not None
    except AttributeError:
        is_in_memory = False
    return source if is_in_memory else source.select_columns(list(columns))


def _partition(at, returned, sizes):
    """Returns a Part of the pieces that have rows."""
    own = [(refs[at], size[at]) for refs, size in zip(returned, sizes) if size[at][0]]
    rows, bytes_ = sum(size[0] for _, size in own), sum(size[1] for _, size in own)
    return Part(tuple(reference for reference, _ in own), rows, bytes_)


def _cut(block, cut):
    return (
        block.iloc[cut.start_offset : cut.end_offset]
        if hasattr(block, "iloc")
        else block.slice(cut.start_offset, cut.end_offset - cut.start_offset)
    )


def _get(references):
    """Returns values of Ray's store; errors are those that workers raised."""
    try:
        return ray.get(references)
    except ray.exceptions.RayTaskError as error:
        raise error.cause if isinstance(error.cause, Exception) else error


class Session:
    """Workers that stay between statements, with their devices and resident tables.

        with penstock.ray.Session(device="cuda", tables={"shops": shops}) as session:
            session.sql("SELECT ... FROM sales JOIN shops USING (shop)", {"sales": dataset})

    `tables` are Arrow tables that each worker keeps whole. It has one worker a GPU, or a CPU slot,
    of the cluster, or `actors` of them.
    """

    def __init__(
        self,
        device="",
        actors=None,
        *,
        tables=None,
        broadcast_limit_bytes=64 * MIB,
        gather_limit_bytes=1024 * MIB,
        partition_bytes=256 * MIB,
        partitions=None,
    ):
        self.limits = Limits(broadcast_limit_bytes, gather_limit_bytes, partition_bytes, partitions)
        self.statements = []  # of the last call, as workers ran them
        self._workers = _Workers(device, actors)
        self._tables = {name.lower(): self._resident(name, t) for name, t in (tables or {}).items()}

    def _resident(self, name, data, key=None):
        key = uuid.uuid4().hex if key is None else key
        return stages.resident_relation(self._workers, name, work.as_table(data), key)

    def _relation(self, name, data):
        if isinstance(data, ray.data.Dataset):
            return stages.source_relation(self._workers.schema(data), data)
        return self._resident(name, data, "")

    def sql(self, statement_text, datasets=None):
        """Answers a SELECT over datasets, and returns a Dataset.

        `datasets`: a Dataset, the only table of the statement, or Datasets and Arrow tables by
        name. Arrow tables are sent to every worker.
        """
        relations = dict(self._tables)
        for name, data in self._named(statement_text, datasets).items():
            relations[name.lower()] = self._relation(name, data)
        planner = stages.Planner(self._workers, relations, self.limits)
        found = planner.answer(statement_text)
        self.statements = [statement.text(tree) for tree in planner.runner.statements]
        if found.stream is not None:
            return found.stream
        return ray.data.from_arrow_refs([h for part in found.parts for h in part.handles])

    def _named(self, text, datasets):
        if datasets is None or isinstance(datasets, dict):
            return datasets or {}
        names = statement.table_names(statement.parse(text)) - set(self._tables)
        if len(names) != 1:
            raise invalid("a dataset without a name is the only table of its statement")
        return {names.pop(): datasets}

    def close(self):
        """Ends the workers. Datasets that were returned stay."""
        self._workers.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def sql(statement_text, datasets=None, *, device="", actors=None, **limits):
    """Answers a SELECT over datasets of Ray Data; see Session.sql(). Workers end with the call.

    `limits`: broadcast_limit_bytes, gather_limit_bytes, partition_bytes and partitions; see
    docs/ray.md.
    """
    with Session(device, actors, **limits) as session:
        return session.sql(statement_text, datasets)


__all__ = ["Session", "sql"]
