"""python -m penstock: the program, as the package has it."""

import sys

from penstock.core import core

if __name__ == "__main__":
    sys.exit(core.run_program(["penstock", *sys.argv[1:]]))
