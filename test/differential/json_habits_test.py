"""JSON files with the habits of people and programs, read as DuckDB reads them or refused by name.

    json_habits_test.py QUERY_DRIVER PENSTOCK [--first 0] [--count 40] [--seed 1] [--reduced 1] [--device ID]

`--count 200` is the whole set. `--reduced 1` makes the files that differ as small as they can be and shows one of each kind.
"""

import sys
import tempfile

import agreed_differences
import json_habits
from driver import test_options
from reader_comparison import Comparison, Record, report_reduced


def main():
    agreed_differences.check_document()
    options = test_options(first=0, count=40, seed=1, reduced=0)
    record = Record(options.reduced)
    with tempfile.TemporaryDirectory(prefix="penstock-json-") as folder:
        comparison = Comparison(options.driver, folder, (options.device or [""])[0])
        for number in range(options.first, options.first + options.count):
            file = json_habits.make(options.seed, number)
            (comparison.folder / file.name).write_bytes(file.content)
            verdict = comparison.ask(f"'{file.name}'")
            record.add(file.name, agreed_differences.judge(file, verdict), "; ".join(file.habits))
        record.print_counts()
        if options.reduced:
            report_reduced(record, comparison)
        crashed = comparison.driver.close()
    passed = options.count - len(record.failures)
    print(f"{passed} passed, {len(record.failures) + bool(crashed)} failed")
    sys.exit(1 if record.failures or crashed or not passed else 0)


if __name__ == "__main__":
    main()
