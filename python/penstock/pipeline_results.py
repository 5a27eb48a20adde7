"""A pipeline's results: tables, frames, arrays, scalars, and texts about how it runs."""

from penstock import device_data as devices
from penstock import pipeline_run as running
from penstock.column_values import imported, numpy_of
from penstock.pipeline_text import statement_of
from penstock.tracing_errors import error_here


class Results:
    """The part of Pipeline that runs it; options are `device`, `session` and `planner`."""

    __slots__ = ()

    # ---- scalars: of a column, which a table of one column need not name ----

    def _scalar(self, function, column, options):
        if column is None:
            if len(self.columns) != 1:
                raise error_here(f"{function}() takes a column: one of {', '.join(self.columns)}")
            column = self.columns[0]
        made = self.agg({function: (column, function)})
        return made.arrow(**options)[0][0].as_py()

    def count(self, column=None, **options):
        """How many rows there are, or how many values of a column that are not NULL."""
        return self._scalar("len" if column is None else "count", column or "*", options)

    def len(self, **options):
        return self._scalar("len", "*", options)

    def sum(self, column=None, **options):
        return self._scalar("sum", column, options)

    def mean(self, column=None, **options):
        return self._scalar("mean", column, options)

    def min(self, column=None, **options):
        return self._scalar("min", column, options)

    def max(self, column=None, **options):
        return self._scalar("max", column, options)

    def n_unique(self, column=None, **options):
        return self._scalar("n_unique", column, options)

    def any(self, column=None, **options):
        return self._scalar("any", column, options)

    def all(self, column=None, **options):
        return self._scalar("all", column, options)

    def std(self, column=None, **options):
        return self._scalar("std", column, options)

    def var(self, column=None, **options):
        return self._scalar("var", column, options)

    def median(self, column=None, **options):
        return self._scalar("median", column, options)

    # ---- results ----

    def sql(self):
        """Returns (the statement, its tables by name, its parameters), as it is run."""
        made = statement_of(self._select)
        return made.sql, made.tables, [value for value, _ in made.parameters]

    def run(self, device="", session=None, planner=None):
        """Runs the pipeline and returns a pyarrow Table."""
        return running.run(self._select, self._steps, device, session, planner)

    def arrow(self, **options):
        return self.run(**options)

    def df(self, **options):
        """A pandas frame, as a Result has it."""
        imported("pandas", "df()")
        from penstock.frames import frame_of

        return frame_of(self.run(**options))

    def pl(self, **options):
        """A Polars frame."""
        return imported("polars", "pl()").from_arrow(self.run(**options))

    def numpy(self, **options):
        """A dict of NumPy arrays by column, as a Result has it."""
        imported("numpy", "numpy()")
        table = self.run(**options)
        return dict(zip(table.column_names, map(numpy_of, table.columns)))

    def __arrow_c_stream__(self, requested_schema=None):
        return devices.cast(self.run(), requested_schema).__arrow_c_stream__()

    def __arrow_c_device_array__(self, requested_schema=None, **options):
        devices.need_no_options("__arrow_c_device_array__", options)
        return devices.host_array(devices.cast(self.run(), requested_schema))

    def __arrow_c_device_stream__(self, requested_schema=None, **options):
        devices.need_no_options("__arrow_c_device_stream__", options)
        return devices.host_stream(devices.cast(self.run(), requested_schema))

    def explain(self, device="", session=None):
        """The steps of the plan, as text."""
        return running.describe(self._select, "explain", device, session)

    def source(self, target, device="", session=None):
        """The kernels' source for a target: "cuda", "opencl", "metal", "c"."""
        return running.describe(self._select, "source", device, session, target=target)
