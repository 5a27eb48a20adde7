"""The files that the public tests of pandas', Polars' and DuckDB's readers describe, made anew, read beside DuckDB.

text_suites_test.py QUERY_DRIVER PENSTOCK [--reduced 1] [--device ID]
"""

import sys
import tempfile

import agreed_differences
import csv_suite_duckdb
import csv_suite_pandas
import csv_suite_polars
import json_suite
from csv_habits import HabitFile
from driver import test_options
from reader_comparison import Comparison, Record, report_reduced

SUITES = {
    "pandas": csv_suite_pandas,
    "polars": csv_suite_polars,
    "duckdb": csv_suite_duckdb,
    "json": json_suite,
}


def files():
    """Returns pairs: a file, and how FROM names it."""
    for suite, module in SUITES.items():
        for number, (habit, content, *options) in enumerate(module.CASES):
            content = content if isinstance(content, bytes) else content.encode()
            ending = "json" if suite == "json" else "csv"
            name = f"{suite}{number}.{ending}"
            source = f"read_{ending}('{name}', {options[0]})" if options else f"'{name}'"
            yield HabitFile(name, [habit, *options], content), source


def main():
    agreed_differences.check_document()
    options = test_options(reduced=0)
    record = Record(options.reduced)
    with tempfile.TemporaryDirectory(prefix="penstock-suites-") as folder:
        comparison = Comparison(options.driver, folder, (options.device or [""])[0])
        for file, source in files():
            (comparison.folder / file.name).write_bytes(file.content)
            verdict = comparison.ask(source)
            record.add(file.name, agreed_differences.judge(file, verdict), "; ".join(file.habits))
        record.print_counts()
        if options.reduced:
            report_reduced(record, comparison)
        crashed = comparison.driver.close()
    failed = len(record.failures) + bool(crashed)
    print(f"{sum(record.counts.values()) - len(record.failures)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
