"""Patterns, lists, hive paths and options of several files as one table, beside DuckDB.

    many_files_test.py QUERY_DRIVER PENSTOCK [--device ID]

Both run in the folder, so that names of files are the same texts.
"""

import contextlib
import pathlib
import sys
import tempfile

import agreed_differences
import many_files
from csv_habits import HabitFile
from driver import test_options
from reader_comparison import Comparison, Record


def main():
    agreed_differences.check_document()
    options, record = test_options(), Record()
    program = pathlib.Path(options.driver).absolute()
    with tempfile.TemporaryDirectory(prefix="penstock-files-") as folder, contextlib.chdir(folder):
        comparison = Comparison(program, ".", (options.device or [""])[0])
        comparison.oracle.connection.execute("RESET file_search_path")
        many_files.make_tree(comparison.folder)
        for source in many_files.SOURCES:
            verdict = comparison.ask(source)
            record.add(
                source,
                agreed_differences.judge(HabitFile(source, [source], source.encode()), verdict),
                "",
            )
        for statement in many_files.STATEMENTS:
            record.add(statement, comparison.ask_statement(statement), "")
        record.print_counts()
        crashed = comparison.driver.close()
    failed = len(record.failures) + bool(crashed)
    print(f"{sum(record.counts.values()) - len(record.failures)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
