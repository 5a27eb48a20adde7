"""A query over one batch after another, as schedulers of batches call it."""

import pyarrow

from penstock import arguments
from penstock.errors import PenstockError
from penstock.session import reader_of, session_of


class BatchWorker:
    """Answers a statement over each batch: a callable from Arrow batch to Arrow table.

        worker = BatchWorker("SELECT url FROM batch WHERE price > 3", "batch")
        dataset.map_batches(worker, batch_format="pyarrow")             # Ray Data
        [dask.delayed(worker)(batch) for batch in batches]              # Dask

    Workers of a process and a device share its session: the device opens once, and a kernel is
    compiled once. A worker is pickled by its arguments, without the device.
    """

    def __init__(self, sql, table_name="batch", device="", tables=None):
        """`tables`: further tables of the statement, by name; they travel with a pickled worker.

        A reader or another stream is read here, since every batch needs its rows.
        """
        self.sql = arguments.text("sql", sql)
        self.table_name = arguments.text("table_name", table_name)
        self.device = arguments.text("device", device)
        self.tables = {name: _held(data) for name, data in arguments.tables(tables).items()}

    def __reduce__(self):
        return type(self), (self.sql, self.table_name, self.device, self.tables)

    def __call__(self, batch):
        """Takes a pyarrow Table or RecordBatch, or a pandas frame, and returns the same kind."""
        is_frame = not isinstance(batch, (pyarrow.Table, pyarrow.RecordBatch)) and hasattr(
            batch, "columns"
        )
        data = pyarrow.Table.from_pandas(batch, preserve_index=False) if is_frame else batch
        rows = session_of(self.device).query(self.sql, {**self.tables, self.table_name: data})
        if is_frame:
            from penstock.frames import frame_of

            return frame_of(rows)
        return _as_batch(rows) if isinstance(batch, pyarrow.RecordBatch) else rows


def _held(data):
    return data if isinstance(data, pyarrow.Table) else reader_of(data).read_all()


def _as_batch(table):
    batches = table.combine_chunks().to_batches()
    if len(batches) > 1:  # columns of texts beyond 2 GiB stay in chunks
        raise PenstockError(
            f"{table.num_rows} rows do not fit one batch; give the worker a Table or less rows",
            "overflow",
        )
    if batches:
        return batches[0]
    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.array([], type=field.type) for field in table.schema], schema=table.schema
    )
