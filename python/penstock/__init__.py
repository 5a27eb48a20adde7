"""SQL over Arrow tables on GPUs, OpenCL devices and the CPU.

    import penstock
    totals = penstock.query("SELECT shop, sum(price) FROM sales GROUP BY shop",
                            tables={"sales": table}, device="cuda:0")

    worker = penstock.BatchWorker("SELECT price * 2 AS double FROM batch", "batch")
    dataset.map_batches(worker, batch_format="pyarrow")

It is pure Python over libpenstock.so, which Penstock's C++ build makes; docs/python.md says how it
is found.
"""

from penstock.session import PenstockError, Session, query
from penstock.worker import BatchWorker

__all__ = ["BatchWorker", "PenstockError", "Session", "query"]
