"""Random expressions and tables against DuckDB, on every device found.

    random_test.py QUERY_DRIVER PENSTOCK [--cases N] [--seed N] [--device ID] [--verbose 1]

Each failure is printed with the seed and the smallest statement found that still differs.
"""

import sys
import tempfile

from driver import Tally, drivers, test_options
from expressions import shrink
from random_statements import RandomStatements
from statements import wrong

MAX_REFUSED = 0.01  # one expression may read more columns than a kernel can take


class Comparison:
    """Runs statements; those that are wrong are split until single expressions are, and those are shrunk."""

    def __init__(self, driver, makers, tally, label):
        self.driver, self.makers, self.tally, self.label = driver, makers, tally, label
        self.shrunk = 0

    def run(self, statement):
        self.driver.set(batch_rows=statement.batch_rows)
        return wrong(statement, self.driver.answer(statement.text))

    def check(self, statement):
        finding = self.run(statement)
        if finding is None:
            self.tally.passed += statement.cases
            return
        if len(statement.nodes) > 1:
            half = len(statement.nodes) // 2
            parts = [
                statement.rebuild(some) for some in (statement.nodes[:half], statement.nodes[half:])
            ]
            for part in parts:
                part.batch_rows, part.table = statement.batch_rows, statement.table
            before = self.tally.failed + self.tally.refused
            for part in parts:
                self.check(part)
            # Only together are they wrong. A kernel's parameters have a stated limit; that is no difference.
            if self.tally.failed + self.tally.refused == before and finding != "refused":
                self.tally.fail(
                    self.label, f"{finding}\nbatch_rows {statement.batch_rows}: {statement.text}"
                )
            return
        if finding == "refused":
            self.tally.refuse(self.driver.answer(statement.text).message)
            return
        self.tally.fail(self.label, self._smallest(statement, finding))

    def _smallest(self, statement, finding):
        self.shrunk += 1
        if (
            self.shrunk > 12 or not statement.nodes
        ):  # enough to work on; shrinking compiles many kernels
            return f"{finding}\nbatch_rows {statement.batch_rows}: {statement.text}"
        first = statement.nodes[0]
        rest = first[1:] if isinstance(first, tuple) else None

        def rebuilt(node):
            again = statement.rebuild([(node, *rest) if rest is not None else node])
            again.batch_rows, again.table = statement.batch_rows, statement.table
            return again

        def still_wrong(node):
            found = self.run(rebuilt(node))
            return found not in (None, "refused")

        node = shrink(
            first[0] if rest is not None else first,
            still_wrong,
            self.makers.oracle,
            statement.table,
        )
        smallest = rebuilt(node)
        return f"{self.run(smallest)}\nbatch_rows {smallest.batch_rows}: {smallest.text}"


def main():
    options, tally = test_options(cases=2000, seed=1, verbose=0), Tally()
    with tempfile.TemporaryDirectory(prefix="penstock-random-") as folder:
        makers = RandomStatements(options.seed, folder)
        statements = list(makers.statements(options.cases))
        print(
            f"seed {options.seed}: {sum(s.cases for s in statements)} cases in {len(statements)} statements",
            flush=True,
        )
        for driver in drivers(options, folder, tally):
            comparison = Comparison(driver, makers, tally, f"seed {options.seed}, {driver.device}")
            for statement in statements:
                if options.verbose:
                    print(statement.text, flush=True)
                comparison.check(statement)
    total = tally.passed + tally.failed + tally.refused
    if tally.refused > MAX_REFUSED * total:
        tally.fail(
            "refusals",
            f"{tally.refused} of {total} cases were refused: the generator draws what is not supported",
        )
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
