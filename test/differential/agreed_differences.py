"""The differences from DuckDB's readers of text that are meant to be. docs/sql.md says each of them."""

import dataclasses
import pathlib

AGREED = []


def judge(file, verdict):
    return verdict
