from typing import Any

import pyarrow

from penstock import codecs as codecs
from penstock import video as video
from penstock.codecs import compress as compress
from penstock.codecs import decompress as decompress
from penstock.codecs import open as open
from penstock.errors import PenstockError as PenstockError
from penstock.pipeline import Pipeline as Pipeline
from penstock.pipeline import from_arrow as from_arrow
from penstock.pipeline import from_file as from_file
from penstock.result import Result as Result
from penstock.result import sql as sql
from penstock.session import Report as Report
from penstock.session import Session as Session
from penstock.session import query as query
from penstock.tracing_choices import coalesce as coalesce
from penstock.tracing_choices import lit as lit
from penstock.tracing_choices import select as select
from penstock.tracing_choices import when as when
from penstock.tracing_functions import function as function
from penstock.tracing_functions import reduction as reduction
from penstock.worker import BatchWorker as BatchWorker

__version__: str

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

def devices() -> list[dict[str, Any]]: ...
def two_stage(statement: str, schema: pyarrow.Schema, device: str = "") -> Any: ...
