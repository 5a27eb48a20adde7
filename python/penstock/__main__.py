"""python -m penstock: the program, as the package has it."""

import sys

from penstock.core import core


def main():
    sys.exit(core.run_program(["penstock", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
