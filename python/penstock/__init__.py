"""SQL, decompression and video scores on GPUs, OpenCL devices and the CPU.

    import penstock
    penstock.sql("SELECT shop, sum(price) FROM sales GROUP BY shop").df()    # sales: a variable
    penstock.sql("SELECT count(*) FROM 'hits.parquet' WHERE price > ?", [3]).fetchone()
    penstock.from_arrow(sales).filter(lambda r: r.price > 3).sum("price")
    penstock.decompress(open("logs.json.gz", "rb").read())
    penstock.video.score("reference.y4m", "distorted.y4m", ["float_ssim"]).pooled("float_ssim")

docs/python.md has every name.
"""

from penstock import arguments, codecs, video
from penstock.codecs import compress, decompress, open
from penstock.core import core
from penstock.errors import PenstockError
from penstock.pipeline import Pipeline, from_arrow, from_file
from penstock.result import Result, sql
from penstock.session import Report, Session, query
from penstock.tracing_choices import coalesce, lit, select, when
from penstock.tracing_functions import function, reduction
from penstock.worker import BatchWorker

__version__ = core.version()

__all__ = [
    "BatchWorker",
    "PenstockError",
    "Pipeline",
    "Report",
    "Result",
    "Session",
    "__version__",
    "codecs",
    "coalesce",
    "compress",
    "decompress",
    "devices",
    "from_arrow",
    "from_file",
    "function",
    "lit",
    "open",
    "query",
    "reduction",
    "select",
    "sql",
    "two_stage",
    "video",
    "when",
]


_MODULES = ("dask", "fsspec", "ibis", "numcodecs", "ray")  # which users import by their names


def __dir__():
    """Returns the public names, without the modules of the package that hold them."""
    special = (name for name in globals() if name.startswith("__") and name != "__dir__")
    return sorted({*__all__, *special, *(name for name in _MODULES if name in globals())})


def devices():
    """Returns a dict for each device of this machine: id, name, driver, global_bytes, is_cpu..."""
    return core.devices()


def two_stage(statement, schema, device=""):
    """Returns the statement of a batch, and the one that merges the rows of all; see docs/ray.md.

    It needs sqlglot, which penstock[ray] and penstock[dask] install.
    """
    from penstock.stages.two_stage import two_stage

    return two_stage(arguments.text("statement", statement), schema, device)
