"""Tests leave the user's cache as it was, run by CTest or alone.

Usage: own_cache_test.py QUERY_DRIVER PENSTOCK
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from driver import Tally

ALONE = """
import sys
from driver import Driver, devices
devices(sys.argv[2])
driver = Driver(sys.argv[1], sys.argv[3], "cpu:0", environment={"PENSTOCK_CPU_COMPILER": "optimising"})
print(driver.answer("SELECT sum(a * 2) AS total FROM 'a.csv' WHERE a > 1").columns[0].values, driver.close())
"""


def main():
    program, penstock = map(os.path.abspath, sys.argv[1:3])
    tally = Tally()
    by_ctest = os.environ.get("PENSTOCK_CACHE_DIR", "")
    tally.check(
        "CTest's folder is in the build folder",
        None if by_ctest == f"{os.path.dirname(penstock)}/test-cache" else f"'{by_ctest}'",
    )
    with tempfile.TemporaryDirectory(prefix="penstock-own-cache-") as home:
        pathlib.Path(home, "a.csv").write_text("a\n1\n2\n")
        environment = {
            **os.environ,
            "HOME": home,
            "PYTHONPATH": os.path.dirname(os.path.abspath(__file__)),
        }
        for name in ("PENSTOCK_CACHE_DIR", "XDG_CACHE_HOME"):
            environment.pop(name, None)
        ended = subprocess.run(
            [sys.executable, "-c", ALONE, program, penstock, home],
            env=environment,
            capture_output=True,
            text=True,
        )
        tally.check(
            "a query answers", None if ended.stdout == "[4] None\n" else ended.stdout + ended.stderr
        )
        tally.check(
            "nothing of it is in the user's cache",
            "it is" if os.path.exists(f"{home}/.cache/penstock") else None,
        )
    sys.exit(tally.finish())


main()
