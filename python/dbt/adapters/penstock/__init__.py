"""dbt's adapter: models become Parquet files and views of a folder, answered by Penstock."""

from dbt.adapters.base import AdapterPlugin
from dbt.adapters.penstock.connections import PenstockConnectionManager, PenstockCredentials
from dbt.adapters.penstock.impl import PenstockAdapter
from dbt.include import penstock

__all__ = ["PenstockAdapter", "PenstockConnectionManager", "PenstockCredentials", "Plugin"]

Plugin = AdapterPlugin(
    adapter=PenstockAdapter,
    credentials=PenstockCredentials,
    include_path=penstock.PACKAGE_PATH,
)
