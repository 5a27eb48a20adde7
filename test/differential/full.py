"""Ten thousand random cases by hand, on a given device; also where DuckDB is not, from recorded answers.

    full.py run     QUERY_DRIVER [--device ID] [--cases 10000] [--seed N]        here and now, with DuckDB
    full.py record  FOLDER [--cases 2000] [--seed N] [--rows 260]                writes FOLDER/*.parquet and FOLDER/cases.xz
    full.py replay  QUERY_DRIVER FOLDER [--device ID] [--most N] [--variant NAME]    needs nothing but Python

`replay` prints each difference and "N passed, N failed". Recorded tables are small, so that a record of 2,000 cases is a few MB.
"""

import argparse
import json
import lzma
import os
import sys
import tempfile
import time

from driver import Driver, Tally
from statements import Statement, wrong


def run(options):
    from random_test import Comparison
    from random_statements import RandomStatements

    tally = Tally()
    # A seed of its own for every thousand cases: other tables.
    for part in range(max(options.cases // 1000, 1)):
        with tempfile.TemporaryDirectory(prefix="penstock-full-") as folder:
            makers = RandomStatements(options.seed + part, folder)
            driver = Driver(options.driver, folder, options.device)
            driver.set(variant=options.variant)
            comparison = Comparison(
                driver,
                makers,
                tally,
                f"seed {options.seed + part}, {options.device or 'the first device'}",
            )
            for statement in makers.statements(min(options.cases, 1000)):
                comparison.check(statement)
            ended = driver.close()
            if ended:
                tally.fail(options.device, "the driver's end: " + ended)
            print(
                f"seed {options.seed + part}: {tally.passed} passed, {tally.failed} failed, {tally.refused} refused so far",
                flush=True,
            )
    return tally.finish()


def record(options):
    from random_statements import RandomStatements

    os.makedirs(options.folder, exist_ok=True)
    makers = RandomStatements(options.seed, options.folder, max_rows=options.rows)
    with lzma.open(f"{options.folder}/cases.xz", "wt", preset=6) as file:
        for statement in makers.statements(options.cases):
            file.write(json.dumps(statement.record()) + "\n")
    total = sum(
        os.path.getsize(os.path.join(options.folder, name)) for name in os.listdir(options.folder)
    )
    print(f"{options.folder}: {total / 1e6:.1f} MB")
    return 0


def replay(options):
    tally = Tally()
    driver = Driver(options.driver, options.folder, options.device, seconds=300)
    driver.set(variant=options.variant)
    start = time.monotonic()
    with lzma.open(f"{options.folder}/cases.xz", "rt") as file:
        for line in file:
            statement = Statement.of_record(json.loads(line))
            driver.set(batch_rows=statement.batch_rows)
            ours = driver.answer(statement.text)
            found = wrong(statement, ours)
            if found == "refused":
                tally.refused += statement.cases
                tally.refusals[ours.message.split("\n")[0][:100]] += 1
            elif found:
                tally.fail(
                    options.device or "the first device",
                    f"{found}\nbatch_rows {statement.batch_rows}: {statement.text}",
                )
            else:
                tally.passed += statement.cases
            if tally.passed + tally.failed + tally.refused >= options.most:
                break
    ended = driver.close()
    if ended:
        tally.fail("driver", "its end: " + ended)
    print(f"{time.monotonic() - start:.0f} s")
    return tally.finish()


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = arguments.add_subparsers(required=True)
    for name, function in (("run", run), ("record", record), ("replay", replay)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        if name != "record":
            command.add_argument("driver")
            command.add_argument("--device", default="")
            command.add_argument("--variant", default="")
        if name != "run":
            command.add_argument("folder")
        if name != "replay":
            command.add_argument("--cases", type=int, default=10000 if name == "run" else 2000)
            command.add_argument("--seed", type=int, default=1)
        if name == "record":
            command.add_argument("--rows", type=int, default=260)
        if name == "replay":
            command.add_argument("--most", type=int, default=1 << 60)
    options = arguments.parse_args()
    sys.exit(options.function(options))


if __name__ == "__main__":
    main()
